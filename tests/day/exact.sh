#!/bin/bash
# The report of a known day has the exact figures, and errors in a day are reported.
exec python3 -B "$(dirname "$0")/exact.py"
