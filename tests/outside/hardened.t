#!/bin/sh
# What the Makefile asks of the compiler against attacks is in the binary, as far as this compiler has
# it; flags of the user come first; two folders make the same program.
. "$TOP/tests/lib/tap.sh"

unset MAKEFLAGS MAKELEVEL MAKEOVERRIDES CPPFLAGS CFLAGS LDFLAGS OPT SANITIZE

# The compiler of this build, and whether it compiles a program with a flag without a warning. B may be
# a copy that has programs alone.
built=$TOP/${B##*/}
compiler=$(sed 's/ -std=.*//' "$built/flags")
sanitized=$(grep -o -e '-fsanitize=address' "$built/flags" | head -n 1)
accepts() {
    echo 'int main(void) { return 0; }' | $compiler -Werror -O2 "$@" -o /dev/null -x c - 2>/dev/null
}

# has NAME FLAG COMMAND...: the command finds it in the binary, where the compiler has the flag.
has() {
    name=$1 flag=$2
    shift 2
    if accepts "$flag"; then
        ok "$name" "$@"
    else
        skip "this compiler has no $flag" "$name"
    fi
}

for file in countertop countertop-lines countertop-http countertop-fetch; do
    dynamic=$(readelf -dW "$B/$file")
    symbols=$(readelf -W --dyn-syms "$B/$file")
    like "$(readelf -hW "$B/$file")" ' DYN \(' "$file is loaded at another address each time (PIE)"
    like "$dynamic" 'FLAGS_1.* PIE' '... and says so'
    like "$(readelf -lW "$B/$file")" '^ *GNU_RELRO ' 'tables of the linker are read-only (RELRO)'
    like "$dynamic" 'FLAGS_1.* NOW' '... all of them, from the start (BIND_NOW)'
    like "$(readelf -lW "$B/$file" | grep GNU_STACK)" ' RW ' 'the stack is not executable'
    unlike "$(readelf -lW "$B/$file" | grep LOAD)" ' RWE ' '... and nothing is both written and executed'
    like "$symbols" ' __stack_chk_fail@' 'functions check the stack before they return'
    if [ "$sanitized" ]; then
        skip 'sanitizers check these calls themselves' 'functions of the C library check sizes'
    else
        like "$symbols" ' __(snprintf|memcpy|read|vsnprintf)_chk@' 'functions of the C library check sizes'
    fi
done

# All objects, since those that are not ours, such as the start of programs, need not have it.
marked() {
    objects=$(find "$built/obj" -name '*.o' | wc -l)
    [ "$(find "$built/obj" -name '*.o' -exec readelf -nW {} + | grep -c "feature: $1")" = "$objects" ]
}
has 'jumps lead to marked places only (IBT)' -fcf-protection marked '.*IBT'
has '... and returns to where the call was (SHSTK)' -fcf-protection marked '.*SHSTK'
has 'so it is on Arm (BTI, PAC)' -mbranch-protection=standard marked '.*BTI, PAC'

# A function with a large array touches each page of it in turn: it cannot jump over a guard page.
probes() {
    objdump -d --no-show-raw-insn "$built/obj/system/privilege.o" |
        awk '/^[0-9a-f]+ <privilege_hidepid>:/ { on = 1; next } /^$/ { on = 0 } on' |
        grep -Eq '(or|mov)q +\$0x0,(0x[0-9a-f]+)?\(%rsp\)|str[[:space:]]+xzr, \[sp'
}
has 'large arrays do not reach beyond the stack' -fstack-clash-protection probes

# The flags of the user: what contradicts ours is the user's alone, without a warning.
would() {
    make -sn -C "$TOP" B="$TMP/none" CC="$compiler" "$@" | grep -m 1 ' -c '
}
level=$(would CPPFLAGS=-D_FORTIFY_SOURCE=1)
like "$level" ' -D_FORTIFY_SOURCE=1' 'the level of the user'
unlike "$level" '_FORTIFY_SOURCE=[23]' '... is the only one'
unlike "$(would SANITIZE=-fsanitize=address)" '_FORTIFY_SOURCE' 'with sanitizers there is none'
like "$(would CFLAGS=-fno-stack-protector)" '-fstack-protector-strong .*-fno-stack-protector' \
    'flags of the user come last'

# Two folders with names of different lengths, one with a blank in it.
some='build/obj/base/log.o build/obj/system/privilege.o build/obj/cli/config.o build/obj/embedded.o'
for folder in one 'the other one'; do
    mkdir -p "$TMP/$folder"
    cp -R "$TOP/Makefile" "$TOP/src" "$TOP/themes" "$TMP/$folder/"
    run env -u B make -s -C "$TMP/$folder" CC="$compiler" $some
    is "$status$err" 0 "objects are made in '$folder'"
done
for object in $some; do
    ok "... the same $object" cmp "$TMP/one/$object" "$TMP/the other one/$object"
done
is "$(strings -a "$B"/countertop "$B"/countertop-[a-z]* | grep -c -F "$TOP/")" 0 'no program names the folder it was built in'
done_testing
