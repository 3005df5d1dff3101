# shellcheck shell=bash
# The verdict of a kernel log, for tests/machine/run, which has the whole log, and tests/machine/init,
# which has that of a case. To be sourced.

# The reports that a kernel log must not contain.
COMPLAINTS='WARNING:|BUG:|kernel BUG at|Oops|KASAN:|UBSAN:|Call Trace:|\*\*\* DEADLOCK|general protection fault|INFO: (task|rcu|possible|lockdep|trying)|ODEBUG:|refcount_t:|kmemleak: [0-9]+ new suspected|Kernel panic|Unhandled fault|unreferenced object'

# Drop one report of lockdep that is caused by User Mode Linux itself: 6.12 walks the memory map of a
# killed process unlocked (flush_tlb_mm) when its asynchronous requests are freed. All other reports
# stay.
quiet_log() {
	awk '
	function put(  i) { for (i = 0; i < held; i++) print hold[i]; held = state = 0 }
	/suspicious RCU usage/ { put(); hold[held++] = $0; state = 1; next }
	state == 1 && /lib\/maple_tree\.c:/ { held = 0; state = 90; next }
	state == 1 { hold[held++] = $0; if (held > 4) put(); next }
	state && /WARNING:|BUG:|KASAN:|Oops|INFO:|panic/ { state = 0 }
	state { state--; if (state == 1) state = 0; next }
	{ print }
	END { put() }'
}

# complaints LOG: print the reports of errors in this kernel log; status 0 if there is one.
complaints() {
	quiet_log <"$1" | awk -v re="$COMPLAINTS" '
		$0 ~ re { n = 40; found = 1 } n > 0 && lines++ < 200 { print; n-- } END { exit !found }'
}
