# pingpong.sh TIMES [NAME COMMAND]...: for each command "NAME<tab>NS<tab>DESCRIPTORS<tab>IPC<tab>LOST",
# what a switch of a ping-pong on CPU 0 takes while the command runs on CPU 1. $game in a command is
# the pid of the ping-pong. DESCRIPTORS are those on perf events, IPC is what the command showed for
# the ping-pong, LOST how many records it said were lost. An empty command is nobody who watches.
PATH=$PATH:/tmp/tiptop
export LD_LIBRARY_PATH=/tmp/tiptop/lib
# As many hardware counters as tiptop's default screen has there.
mkdir -p ~/.config/countertop
printf '[screen pair]\nevents = {cycles,instructions}\ncolumns = pid cpu_pct ipc command\n' >~/.config/countertop/pair.ini
mkdir -p /sys/fs/cgroup
mount -t cgroup2 none /sys/fs/cgroup
times=$1
shift
while [ $# -gt 0 ]; do
    # It rests until who watches has found it, and until it is shown: that takes no CPU time.
    pingpong -t -c 0 -r 4 "$times" >ns & game=$!
    descriptors= ipc= lost=
    if [ -n "$2" ]; then
        eval "exec taskset 2 $2" >out 2>err & watcher=$!
        sleep 3
        descriptors=$(ls -l /proc/$watcher/fd 2>err | grep -c perf_event)
    fi
    wait $game
    if [ -n "$2" ]; then
        kill $watcher 2>/dev/null
        wait $watcher
        ipc=$(awk '
            / IPC / { for (i = 1; i <= NF; i++) if ($i == "IPC") at = i - ($2 == "[") }
            / pingpong/ && $at + 0 > 0 { ipc = $at }
            END { print ipc }' out)
        lost=$(grep -o 'lost [0-9]*' out | awk '{ sum += $2 } END { print sum + 0 }')
    fi
    printf '%s\t%s\t%s\t%s\t%s\n' "$1" "$(cat ns)" "$descriptors" "$ipc" "$lost"
    shift 2
done
