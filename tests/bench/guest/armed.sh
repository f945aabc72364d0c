# armed.sh SECONDS ROUNDS [NAME COMMAND]...: for each command "NAME<tab>NS<tab>NS<tab>KB": what a work of
# ROUNDS takes while the command runs, on the same CPU; then what the command takes itself in so many seconds
# beside 300 threads that sleep and wake each second and two that hand a byte to and fro, which are 20,000
# switches a second; and its memory at its peak. An empty command is nobody who watches.
seconds=$1 rounds=$2
shift 2

# Nanoseconds of CPU time of a process and its helpers so far.
spent() {
    for pid in $1 $(cat /proc/$1/task/*/children); do
        cat /proc/$pid/task/*/schedstat
    done | awk '{ sum += $1 } END { printf "%.0f\n", sum }'
}

while [ $# -gt 0 ]; do
    own= peak=
    if [ -n "$2" ]; then
        eval "exec $2" >out 2>err & watcher=$!
        sleep 4
    fi
    spend work shares cycles "$rounds"
    if [ -n "$2" ]; then
        sleepers -a 300 0 >load & sleepers=$!
        pingpong -t -p 10000 1000000000 >load & game=$!
        sleep 3
        before=$(spent $watcher)
        sleep "$seconds"
        own=$(($(spent $watcher) - before))
        peak=$(awk '/^VmHWM/ { print $2 }' /proc/$watcher/status)
        kill $sleepers $game $watcher
        wait $watcher
    fi
    printf '%s\t%s\t%s\t%s\n' "$1" "$(cat work)" "$own" "$peak"
    shift 2
done
