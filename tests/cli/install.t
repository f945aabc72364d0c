#!/bin/sh
# make install: complete under DESTDIR and PREFIX, and the program runs; make uninstall removes all.
. "$TOP/tests/lib/tap.sh"

build=${B#"$TOP"/}
# What make is told here must not come from the make that runs the tests.
unset MAKEFLAGS MAKELEVEL MAKEOVERRIDES PREFIX DESTDIR

# The programs are there already: -o keeps make from building while other tests run them.
run_make() {
    run make -C "$TOP" -o build B="$build" DESTDIR="$TMP/root" PREFIX=/usr "$@"
}

files() {
    (cd "$TMP/root" && find . ! -type d | sort)
}

run_make install
is "$status" 0 'make install succeeds'
program=$TMP/root/usr/bin/countertop
is "$(cd "$TMP/root" && ls)" usr 'nothing is put outside of PREFIX'
is "$(stat -c %a "$program")" 755 'the program can be run by all'
helpers='countertop-fetch countertop-http countertop-lines'
is "$(cd "$TMP/root/usr/libexec/countertop" && stat -c '%a %n' -- * | tr '\n' ' ')" \
    "$(printf '755 %s ' $helpers)" '... and so can its helpers'
is "$(find "$TMP/root" -name '*.theme' -perm 644 | wc -l)" "$(ls "$TOP"/themes/*.theme | wc -l)" \
    'the themes are there'
share=$TMP/root/usr/share
ok 'the manual page is there' cmp "$TOP/src/cli/countertop.1" "$share/man/man1/countertop.1"
run bash -n "$share/bash-completion/completions/countertop"
is "$status$err" 0 'completion for bash is there'
like "$(head -n 1 "$share/zsh/site-functions/_countertop")" '^#compdef countertop$' \
    'completion for zsh is there'
is "$(cd "$share" && stat -c %a man/man1/* bash-completion/completions/* zsh/site-functions/* \
    fish/vendor_completions.d/countertop.fish | sort -u)" \
    644 '... for all to read'
like "$(cat "$share/applications/countertop.desktop")" '^Terminal=true$' 'menus start it in a terminal'
icon=$(sed -n 's/^Icon=//p' "$share/applications/countertop.desktop")
ok '... with an icon' test -s "$share/icons/hicolor/scalable/apps/$icon.svg"

is "$(ls "$share" | grep -c metainfo)" 0 'metadata for software centres needs the name of who publishes it'

# From elsewhere, without the tree.
cd /
run "$program" --version
like "$out" '^countertop [0-9.]+$' 'the installed program runs'
run "$program" -b -n 1 -d 0.05 -s software
is "$status" 0 '... and counts'
like "$out" '^ *PID ' '... and knows its screens'
# The helper that reads names of functions is installed with it.
run "$program" -b --view functions --sample page-faults --format folded -- "$B/work/shares" faults 20
like "$out" ';faults_seventy;' '... and the helper of names works'
run "$program" --list-themes
like "$out" '^dark ' '... and its themes'
run "$program" --check
if [ "$status" = 3 ]; then
    like "$out" "recording that has them, .*: countertop --replay $TMP/root/usr/share/countertop/demo.db\$" \
        '... and where counters are missing, of a recording that has them'
    replay=$(printf '%s' "$out" | sed -n 's/.*recording that has them, .*: countertop//p')
    run "$program" $replay -b -n 1
    like "$out" 'Mcycle' '... which it can show'
else
    skip 'hardware events count here' 'where counters are missing, of a recording that has them'
fi

# Another's file in a folder that is shared stays.
echo mine >"$TMP/root/usr/bin/other"
run_make uninstall
is "$status" 0 'make uninstall succeeds'
is "$(files)" ./usr/bin/other 'nothing is left but what was not ours'

named() {
    run make -C "$TOP" -o build B="$build" DESTDIR="$TMP/named" PREFIX=/usr APP_ID=org.example.countertop \
        APP_URL=https://example.org/countertop "$@"
}
named install
is "$status" 0 'with such a name and a homepage'
ok '... it is installed' test -s "$TMP/named/usr/share/metainfo/org.example.countertop.metainfo.xml"
named uninstall
is "$status$(find "$TMP/named" -type f)" 0 '... and uninstalled'

mkdir "$TMP/blank dir"
run make -C "$TOP" -o build B="$build" DESTDIR="$TMP/blank dir" PREFIX=/opt/x install
is "$status" 0 'a blank in DESTDIR does no harm'
ok '... the program is there' test -x "$TMP/blank dir/opt/x/bin/countertop"

done_testing
