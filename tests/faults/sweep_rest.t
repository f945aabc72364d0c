#!/bin/sh
# ... and the other half.
exec "$TOP/tests/faults/sweep" --jobs 4 --part 2/2
