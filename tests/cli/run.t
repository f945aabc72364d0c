#!/bin/sh
# tests/run: its report of skipped tests, and the environment of tests. It runs here in a tree of
# its own.
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
is "$(printf '%s\n' "$out" | sed -n '/^Skipped/,$p')" 'Skipped:
  no moon
      cli/a.t 2-3 5
      cli/b.t
  no sun
      cli/a.t 4
1 passed, 0 failed, 5 skipped' 'each is named under its reason'

a_test c.t <<'END'
setpriv --reuid=65534 --regid=65534 --clear-groups "$B/countertop" | sed 's/^/# /' >&2
echo 'ok 1 - one'
echo 1..1
END
if [ "$(id -u)" = 0 ]; then
    run "$tree/tests/run" cli/c.t
    is "$err" '# reached' 'others reach the programs below a closed folder'
else
    skip 'only root can become someone else' 'others reach the programs below a closed folder'
fi

# The kinds of file systems that tests may need.
kinds() {
    awk '$3 == "tracefs" || $2 ~ "^/sys/fs/cgroup" { print $3 }' /proc/self/mounts | LC_ALL=C sort -u | tr '\n' ' '
}

a_test d.t <<'END'
awk '$3 == "tracefs" || $2 ~ "^/sys/fs/cgroup" { print $3 }' /proc/self/mounts | LC_ALL=C sort -u | tr '\n' ' ' >&2
echo 'ok 1 - one'
echo 1..1
END
before=$(kinds)
run env TEST_MOUNTS=none "$tree/tests/run" cli/d.t
is "$err" "$before" 'mounts can be left as they are'
# Without any, as on a new machine.
bare='umount -l /sys/fs/cgroup /sys/kernel/tracing 2>/dev/null'
if [ "$(id -u)" = 0 ] && unshare --mount sh -c "$bare
    mount -t tracefs none /sys/kernel/tracing && mount -t cgroup2 none /sys/fs/cgroup" 2>/dev/null; then
    run unshare --mount sh -c "$bare
        "'"$0" cli/d.t' "$tree/tests/run"
    is "$err" 'cgroup2 tracefs ' 'where nothing is mounted, it is for the tests'
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
ended() { ! grep -q sleep "/proc/$(cat "$tree/pid")/comm" 2>/dev/null; }
ok '... and the tests that run' ended
done_testing
