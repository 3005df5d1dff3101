#!/bin/bash
# The day's report: from a day that is known, exact figures; what is wrong with one, it says. The lists of requests are the same again.
exec python3 -B "$(dirname "$0")/exact.py"
