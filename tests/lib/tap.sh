# TAP for tests in shell: . "$TOP/tests/lib/tap.sh" ... done_testing
# A test is started with TOP (the tree) and B (the build directory to test), both absolute.
# TMP is a directory of the test's own, removed at the end.

tests=0
failures=0
TMP=$(mktemp -d)
trap 'rm -rf "$TMP"' EXIT
trap 'exit 1' HUP INT TERM
PATH=$B:$B/work:$PATH

# The result of one test: report STATUS NAME
report() {
    tests=$((tests + 1))
    if [ "$1" -eq 0 ]; then
        echo "ok $tests - $2"
    else
        failures=$((failures + 1))
        echo "not ok $tests - $2"
        echo "#   Failed test '$2' in $0" >&2
    fi
}

# Explains a failure: diag TEXT
diag() {
    printf '%s\n' "$1" | sed 's/^/#   /' >&2
}

# ok NAME COMMAND...: the command succeeds.
ok() {
    name=$1
    shift
    "$@"
    report $? "$name"
}

# is GOT WANTED NAME
is() {
    if [ "$1" = "$2" ]; then
        report 0 "$3"
    else
        report 1 "$3"
        diag "got:    $1"
        diag "wanted: $2"
    fi
}

# like GOT PATTERN NAME: a line of GOT matches the extended regular expression.
like() {
    if printf '%s\n' "$1" | grep -Eq -e "$2"; then
        report 0 "$3"
    else
        report 1 "$3"
        diag "got: $1"
        diag "no line matches: $2"
    fi
}

# unlike GOT PATTERN NAME
unlike() {
    if printf '%s\n' "$1" | grep -Eq -e "$2"; then
        report 1 "$3"
        diag "got: $1"
        diag "a line matches: $2"
    else
        report 0 "$3"
    fi
}

# skip REASON NAME: in the place of one test.
skip() {
    tests=$((tests + 1))
    echo "ok $tests - $2 # SKIP $1"
}

# skip_all REASON: instead of the whole file; before any test.
skip_all() {
    echo "1..0 # SKIP $1"
    exit 0
}

# wait_for SECONDS COMMAND...: until the command succeeds; fails when the time is over.
wait_for() {
    deadline=$(($(date +%s) + $1))
    shift
    until "$@"; do
        [ "$(date +%s)" -le $deadline ] || return 1
        sleep 0.02
    done
}

# run COMMAND...: leaves its output in $out and $err and its exit status in $status.
run() {
    status=0
    "$@" >"$TMP/out" 2>"$TMP/err" </dev/null || status=$?
    out=$(cat "$TMP/out")
    err=$(cat "$TMP/err")
}

# The last line of a test; without it the file counts as failed.
done_testing() {
    echo "1..$tests"
    exit $((failures > 0))
}
