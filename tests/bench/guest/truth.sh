# truth.sh [NAME N COMMAND]...: each COMMAND watches the two threads of `halves N`. Prints for each "row
# NAME", the ids of their process and of both, and what COMMAND wrote.
PATH=$PATH:/tmp/tiptop
export LD_LIBRARY_PATH=/tmp/tiptop/lib
# By default groups take turns each 4 ms, and so do tasks on this kernel (HZ=250): each group would
# meet but one of the two tasks, for as long as both clocks keep step. 3 ms do not divide 4.
echo 3 >/sys/bus/event_source/devices/armv8_pmuv3/perf_event_mux_interval_ms
halves 2 >err # brings the program into memory
while [ $# -gt 0 ]; do
    rm -f out
    sh -c "exec $3" >out 2>err & top=$!
    until [ -s out ] || ! kill -0 $top 2>/dev/null; do usleep 10000; done
    # Else the first of them would look up the functions for both.
    ids=$(LD_BIND_NOW=1 halves "$2")
    # Until what was counted last is written, too: tiptop writes by the block. Idle time costs little.
    sleep 6
    # Without the shell's word on what a signal ended.
    { kill $top; wait $top; } 2>err
    printf 'row %s\n%s\n' "$1" "$ids"
    cat out
    shift 3
done
