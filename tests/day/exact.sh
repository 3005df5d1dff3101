#!/bin/bash
# The report of a known day has the exact figures, errors in a day are reported, and the lists of requests are reproducible.
# needs: raid-tracer
exec python3 -B "$(dirname "$0")/exact.py"
