#!/bin/bash
# The demo says so when files differ, sleepers move, the kernel complains or the story breaks off.
exec python3 -B "$(dirname "$0")/honest.py"
