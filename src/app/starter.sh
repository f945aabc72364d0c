# Executes the command of --exec for each path that it reads, one after another. It ends when there
# are no more paths: a signal that ends countertop and all of its group interrupts only the read.
trap again=1 HUP INT TERM
while again=; IFS= read -r COUNTERTOP_RECORDING || [ "$again" ]; do
    [ "$COUNTERTOP_RECORDING" ] || continue
    export COUNTERTOP_RECORDING
    timeout -k 5 "$2" /bin/sh -c "$1" </dev/null
    case $? in 124|137) echo "countertop: '$1' was ended: it took more than $2 s for $COUNTERTOP_RECORDING" >&2;; esac
done
