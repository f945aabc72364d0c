#!/bin/sh
# The recipes build from the tarball of make dist: a Debian package, in which Debian's lintian finds nothing,
# and one of Arch's.
. "$TOP/tests/lib/tap.sh"

unset MAKEFLAGS MAKELEVEL MAKEOVERRIDES PREFIX DESTDIR CPPFLAGS CFLAGS LDFLAGS
case $B in *asan*) skip_all 'this build is without sanitizers: outside/package.t does the same' ;; esac
for program in dh dpkg-buildpackage lintian; do
    command -v $program >/dev/null || skip_all "no $program here"
done
[ -e "$TOP/.git" ] || skip_all 'these sources are not a clone'
export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=safe.directory GIT_CONFIG_VALUE_0='*'

recipes=$TOP/src/packaging
ok 'the recipes are short' test "$(find "$recipes" -type f -exec cat {} + | wc -l)" -lt 100
run make -s -C "$TOP" dist B="$TMP"
version=$(basename "$out" .tar.gz)
tar -xzf "$out" -C "$TMP"
is "$(sed -n '1s/countertop (\(.*\)).*/countertop-\1/p' "$recipes/debian/changelog")" "$version" \
    "Debian's recipe has the version"
is "$(sed -n 's/^pkgver=/countertop-/p' "$recipes/PKGBUILD")" "$version" "... and so has Arch's"

# What it builds with is on this machine, whatever its packages are called (-d).
cd "$TMP/$version" && cp -r src/packaging/debian .
run env -u B dpkg-buildpackage -b -us -uc -d
is "$status" 0 'it builds' || printf '%s\n' "$err" | tail -n 20 | sed 's/^/# /'
deb=$(find "$TMP" -name "countertop_*.deb")
# That a first package closes no report of the distribution is for the distribution.
lint() {
    run lintian --allow-root --fail-on error,warning --suppress-tags initial-upload-closes-no-bugs "$@"
}
lint "$deb"
is "$status$out" 0 'lintian finds no error and nothing to warn of'

dpkg-deb -R "$deb" "$TMP/root"
run "$TMP/root/usr/bin/countertop" --version
is "$out" "countertop ${version#*-}" 'the program in it runs'
# A fault is found: this test can fail.
chmod 755 "$TMP/root/usr/share/applications/countertop.desktop"
run dpkg-deb --root-owner-group --build "$TMP/root" "$TMP/faulty.deb"
lint "$TMP/faulty.deb"
like "$status $out" '^2 .*executable-desktop-file' '... but a wrong mode'

# makepkg refuses to be root, and Debian has none of Arch's packages (-d) and need not have pacman.
if command -v makepkg >/dev/null && command -v bsdtar >/dev/null; then
    cd "$TMP" && mkdir arch && cp "$recipes/PKGBUILD" "$version.tar.gz" arch && cd arch
    user=
    if [ "$(id -u)" = 0 ]; then
        chmod 755 "$TMP" && chown -R nobody . && user='setpriv --reuid=65534 --regid=65534 --clear-groups'
    fi
    run $user env -u B HOME="$PWD" PACMAN=true makepkg -d --noconfirm
    is "$status" 0 'makepkg builds a package' || printf '%s\n' "$err" | tail -n 20 | sed 's/^/# /'
    mkdir root && bsdtar -xf countertop-*.pkg.tar.* -C root
    run root/usr/bin/countertop --version
    is "$out" "countertop ${version#*-}" '... the program in it runs'
    ok '... with its helpers, manual and licence' test -x root/usr/libexec/countertop/countertop-lines \
        -a -e root/usr/share/man/man1/countertop.1.gz -a -e root/usr/share/licenses/countertop/LICENSE
else
    skip 'no makepkg or bsdtar here' 'makepkg builds a package'
fi
done_testing
