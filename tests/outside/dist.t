#!/bin/sh
# make dist: a tarball of the last commit, the same each time, that builds, tests and installs where git
# is not installed, in a folder with a blank in its name.
. "$TOP/tests/lib/tap.sh"

unset MAKEFLAGS MAKELEVEL MAKEOVERRIDES CPPFLAGS CFLAGS LDFLAGS PKG_CONFIG
case $B in *asan*) skip_all 'this build is without sanitizers: cli/dist.t does the same' ;; esac
[ -e "$TOP/.git" ] || skip_all 'these sources are not a clone'
# The clone may be another user's.
export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=safe.directory GIT_CONFIG_VALUE_0='*'

run make -s -C "$TOP" dist B="$TMP/one"
is "$status$err" 0 'make dist succeeds'
tarball=$out
ok '... and says which file' test -s "$tarball"
run make -s -C "$TOP" dist B="$TMP/two"
ok 'the next one is the same' cmp "$tarball" "$out"
version=$(basename "$tarball" .tar.gz)
mkdir "$TMP/a folder"
tar -xzf "$tarball" -C "$TMP/a folder"
is "$(ls -A "$TMP/a folder")" "$version" 'it has one folder'
(cd "$TMP/a folder/$version" && find . -type f | sort) >"$TMP/packed"
git -C "$TOP" ls-tree -r --name-only HEAD | sed 's,^,./,' | sort >"$TMP/committed"
ok '... with what was committed' cmp "$TMP/packed" "$TMP/committed"

mkdir "$TMP/bin"
printf '#!/bin/sh\nexit 127\n' >"$TMP/bin/git"
chmod 755 "$TMP/bin/git"
run env -u B PATH="$TMP/bin:$PATH" make -s OPT=-O0 -C "$TMP/a folder/$version"
is "$status$err" 0 'it builds without git'
run "$TMP/a folder/$version/build/countertop" --version
like "$version" "^$(echo "$out" | tr ' ' -)\$" '... the version that its name says'
run env -u B PATH="$TMP/bin:$PATH" make -s OPT=-O0 -C "$TMP/a folder/$version" test T='cli/options.t cli/json.t'
is "$status" 0 'its tests pass' || diag "$out$err"
like "$out" '^[0-9]+ passed, 0 failed, ' '... and were run'
run env -u B PATH="$TMP/bin:$PATH" make -s OPT=-O0 -C "$TMP/a folder/$version" DESTDIR="$TMP/root" PREFIX=/usr install
is "$status" 0 'it installs'
run "$TMP/root/usr/bin/countertop" -b -n 1 -d 0.05 -s software
is "$status" 0 '... a program that counts' || diag "$err"
done_testing
