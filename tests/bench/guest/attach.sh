# attach.sh THREADS ACTIVE REFRESHES [NAME COMMAND]...: for each command "NAME<tab>NS<tab>
# DESCRIPTORS", what a refresh takes while it watches a process of so many threads. $pid in a
# command is the process, $n stands where the number of refreshes belongs.
PATH=$PATH:/tmp/tiptop
export LD_LIBRARY_PATH=/tmp/tiptop/lib
# As many hardware counters as tiptop's default screen has there.
mkdir -p ~/.config/countertop
printf '[screen pair]\nevents = {cycles,instructions}\ncolumns = pid cpu_pct ipc command\n' >~/.config/countertop/pair.ini
ulimit -n 20000
# All on one CPU: the clock would go on for what another one does in the same time.
taskset -p 1 $$ >/dev/null
sleepers -a "$2" $(($1 - $2 - 1)) >ready & pid=$!
until [ -s ready ]; do usleep 10000; done
refreshes=$3
shift 3

# The CPU time of a run of so many refreshes.
spent() {
    n=$1
    eval "spend ns $2" >out 2>err && cat ns
}

while [ $# -gt 0 ]; do
    n=1000
    eval "exec $2" >out 2>err & watcher=$!
    sleep 3 # no CPU time, and enough to attach
    descriptors=$(ls -l /proc/$watcher/fd 2>err | grep -c perf_event)
    kill $watcher
    wait $watcher
    # The start and the end are the same in a short and in a long run.
    short=$(spent 3 "$2")
    long=$(spent $((3 + refreshes)) "$2")
    printf '%s\t%s\t%s\n' "$1" $((${long:-0} / refreshes - ${short:-0} / refreshes)) "$descriptors"
    shift 2
done
