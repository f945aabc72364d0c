#!/bin/sh
# What make install installs makes a package that Debian's lintian accepts, with no more than a packager
# adds: what it is, and compressed documents.
. "$TOP/tests/lib/tap.sh"

case $B in *asan*) skip_all 'this build is without sanitizers: cli/package.t does the same' ;; esac
command -v dpkg-deb >/dev/null && command -v lintian >/dev/null || skip_all 'no lintian here'
unset MAKEFLAGS MAKELEVEL MAKEOVERRIDES PREFIX

root=$TMP/root
umask 022
run make -C "$TOP" -o build B="$B" DESTDIR="$root" PREFIX=/usr install
is "$status" 0 'make install succeeds'
strip --strip-unneeded --remove-section=.comment --remove-section=.note "$root/usr/bin/countertop" \
    "$root"/usr/libexec/countertop/*
gzip -9n "$root/usr/share/man/man1/countertop.1"
documents=$root/usr/share/doc/countertop
mkdir -p "$documents" "$root/DEBIAN"
cp "$TOP/LICENSE" "$documents/copyright"
chmod 644 "$documents/copyright"
version=$("$B/countertop" --version | cut -d ' ' -f 2)
gzip -9n >"$documents/changelog.gz" <<END
countertop ($version) unstable; urgency=low

  * Packed for a test.

 -- A Packager <packager@example.org>  Mon, 23 Nov 2026 00:00:00 +0000
END
cat >"$root/DEBIAN/control" <<END
Package: countertop
Version: $version
Architecture: $(dpkg --print-architecture)
Section: utils
Priority: optional
Maintainer: A Packager <packager@example.org>
Depends: libc6
Description: top for performance counters
 It shows live, for every process, thread and CPU, what the processor does
 and the ratios that explain it.
END
run dpkg-deb --root-owner-group --build "$root" "$TMP/countertop.deb"
is "$status" 0 'it can be packed'
run lintian --allow-root --fail-on error,warning "$TMP/countertop.deb"
is "$status$out" 0 'lintian finds no error and nothing to warn of'
# A fault is found: this test can fail.
chmod 755 "$root/usr/share/applications/countertop.desktop"
run dpkg-deb --root-owner-group --build "$root" "$TMP/faulty.deb"
run lintian --allow-root --fail-on error,warning "$TMP/faulty.deb"
like "$status $out" '^2 .*executable-desktop-file' '... but a wrong mode'
done_testing
