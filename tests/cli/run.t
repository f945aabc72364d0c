#!/bin/sh
# tests/run: its report of failed, unsteady and skipped tests, and the environment of tests. It runs here
# in a tree of its own.
. "$TOP/tests/lib/tap.sh"

# Closed to others, as root's home is.
tree=$TMP/closed/tree
mkdir -p "$tree/tests/cli" "$tree/build/work"
chmod 700 "$TMP/closed"
cp "$TOP/tests/run" "$tree/tests/"
printf '#!/bin/sh\necho reached\n' >"$tree/build/countertop"
chmod 755 "$tree/build/countertop"
unset B

# A test for that tree, which reads a script: a_test NAME <SCRIPT
a_test() {
    { echo '#!/bin/sh'; cat; } >"$tree/tests/cli/$1"
    chmod 755 "$tree/tests/cli/$1"
}

a_test a.t <<'END'
echo 'ok 1 - one'
echo 'ok 2 - two # SKIP no moon'
echo 'ok 3 - three # SKIP no moon'
echo 'ok 4 - four # SKIP no sun'
echo 'ok 5 - five # SKIP no moon'
echo 1..5
END
a_test b.t <<'END'
echo '1..0 # SKIP no moon'
END
run "$tree/tests/run" cli/a.t cli/b.t
is "$status$err" 0 'skipped tests are no failure'
is "$(printf '%s\n' "$out" | sed 's/ *[0-9]* s CPU .*//')" 'cli         2 files      1 passed    0 failed    5 skipped
Skipped:
  no moon
      cli/a.t 2-3 5
      cli/b.t
  no sun
      cli/a.t 4
1 passed, 0 failed, 5 skipped' 'a line for the part, and each skipped test under its reason'

# Fails as often as a file says, then passes.
a_test f.t <<'END'
echo 'ok 1 - one'
n=$(cat "$TOP/left" 2>/dev/null || echo 0)
if [ "$n" -gt 0 ]; then
    echo $((n - 1)) >"$TOP/left"
    echo 'not ok 2 - two'
    echo 'why it failed' >&2
else
    echo 'ok 2 - two'
fi
echo 1..2
END
echo 1 >"$tree/left"
run "$tree/tests/run" cli/f.t
is "$status$(printf '%s\n' "$out" | grep -v ' CPU ')" '1FAILED cli/f.t
    not ok 2 - two
    why it failed
Failed: cli/f.t
1 passed, 1 failed, 0 skipped' 'a failure is shown whole'
echo 2 >"$tree/left"
run "$tree/tests/run" --again 2 cli/f.t
is "$status$(printf '%s\n' "$out" | tail -n 2)" '0Unsteady (failed, then passed alone): cli/f.t
2 passed, 0 failed, 0 skipped' 'what passes when it runs again is unsteady, and no failure'
echo 3 >"$tree/left"
run "$tree/tests/run" --again 2 cli/f.t
is "$status$(printf '%s\n' "$out" | tail -n 2)" '1Failed: cli/f.t
1 passed, 1 failed, 0 skipped' '... what never passes is a failure'
echo 2 >"$tree/left"
run "$tree/tests/run" --times 5 --busy 1 cli/f.t
is "$status$(printf '%s\n' "$out" | tail -n 2)" '1Failed: cli/f.t (2 of 5)
8 passed, 2 failed, 0 skipped' 'it can run several times, beside loops that never rest'
a_test g.t <<'END'
echo 'ok 1 - one'
echo 1..2
END
run "$tree/tests/run" cli/g.t
is "$status$(printf '%s\n' "$out" | tail -n 1)" '11 passed, 1 failed, 0 skipped' 'what ends early has failed'
run "$tree/tests/run" cli/none.t
is "$status$err" '2run: no such test: cli/none.t' 'a test that does not exist is named'

a_test c.t <<'END'
setpriv --reuid=65534 --regid=65534 --clear-groups "$B/countertop" >"$TOP/said"
echo 'ok 1 - one'
echo 1..1
END
if [ "$(id -u)" = 0 ]; then
    run "$tree/tests/run" cli/c.t
    is "$(cat "$tree/said")" 'reached' 'others reach the programs below a closed folder'
else
    skip 'only root can become someone else' 'others reach the programs below a closed folder'
fi

# The kinds of file systems that tests may need.
kinds() {
    awk '$3 == "tracefs" || $2 ~ "^/sys/fs/cgroup" { print $3 }' /proc/self/mounts | LC_ALL=C sort -u | tr '\n' ' '
}

a_test d.t <<'END'
awk '$3 == "tracefs" || $2 ~ "^/sys/fs/cgroup" { print $3 }' /proc/self/mounts | LC_ALL=C sort -u | tr '\n' ' ' >"$TOP/said"
echo 'ok 1 - one'
echo 1..1
END
before=$(kinds)
run env TEST_MOUNTS=none "$tree/tests/run" cli/d.t
is "$(cat "$tree/said")" "$before" 'mounts can be left as they are'
# Without any, as on a new machine.
bare='umount -l /sys/fs/cgroup /sys/kernel/tracing 2>/dev/null'
if [ "$(id -u)" = 0 ] && unshare --mount sh -c "$bare
    mount -t tracefs none /sys/kernel/tracing && mount -t cgroup2 none /sys/fs/cgroup" 2>/dev/null; then
    run unshare --mount sh -c "$bare
        "'"$0" cli/d.t' "$tree/tests/run"
    is "$(cat "$tree/said")" 'cgroup2 tracefs ' 'where nothing is mounted, it is for the tests'
    is "$(kinds)" "$before" '... and for nobody else'
else
    skip 'nothing can be mounted here' 'where nothing is mounted, it is for the tests'
    skip 'nothing can be mounted here' '... and for nobody else'
fi

# What is interrupted ends its tests.
a_test e.t <<'END'
echo $$ >"$TOP/pid"
exec sleep 600
END
"$tree/tests/run" cli/e.t >"$TMP/out" 2>&1 &
runner=$!
until [ -s "$tree/pid" ] || ! kill -0 $runner; do sleep 0.05; done
kill $runner
wait $runner
is $? 143 'a signal ends it'
ended() { # it has the signal, and ends as soon as it has a CPU; its parent may have ended before
    for _ in $(seq 600); do
        grep -q '(sleep) [^ZX]' "/proc/$(cat "$tree/pid")/stat" 2>/dev/null || return 0
        sleep 0.1
    done
    return 1
}
ok '... and the tests that run' ended
done_testing
