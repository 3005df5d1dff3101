#!/bin/bash
# paradm daemon as a service manager sees it: it is ready, serves metrics that Prometheus' own client parses, on its port only, reloads, stays alive whatever callers send, and ends cleanly.
set -euo pipefail
. "$(dirname "$0")/../../scripts/lib.sh"

paradm=$("$TOP/scripts/build-paradm")
unshare --map-root-user --mount --net true 2>/dev/null ||
	{ echo "SKIP: no user namespaces here"; exit 77; }
DIR=$(mktemp -d)
trap 'rm -rf "$DIR"' EXIT

# The files that metrics read of an array of three members; the third one sleeps.
par=$DIR/sys/block/md0/md/par
mkdir -p "$par"
put() { printf '%s\n' "$2" >"$1"; }
md=$DIR/sys/block/md0/md
put "$md/degraded" 0
put "$md/mismatch_cnt" 0
put "$md/array_state" active
put "$md/level" par
put "$md/layout" 536870918
put "$md/raid_disks" 3
for file in sync_action:idle sync_completed:none sync_speed:none; do put "$md/${file%:*}" "${file#*:}"; done
for file in sync_left_kib:none lost_copies:0 scrub_left_out:none resync:none; do put "$par/${file%:*}" "${file#*:}"; done
: >"$par/scrub_last"
put "$par/gears" "2 3"
for file in gear min_gear; do put "$par/$file" 2; done
put "$par/max_gear" 3
for file in spin_refused propagated_bytes metadata_writes; do put "$par/$file" 7; done
for member in 0 1 2; do
	mkdir -p "$DIR/sys/block/md0/md/rd$member" "$par/member$member"
	ln -s "/sys/block/sd$member" "$DIR/sys/block/md0/md/rd$member/block"
	put "$par/member$member/power_state" active
	for file in seconds_active seconds_waking seconds_asleep spin_ups spins_left rated_cycles; do
		put "$par/member$member/$file" 9
	done
	put "$par/member$member/busy_percent" 12.5
done
put "$par/member2/power_state" asleep

# The daemon runs in separate namespaces: this system's files and ports are not touched.
cat >"$DIR/inside" <<'END'
set -eu
mount -t tmpfs tmpfs /var/lib
mount -t tmpfs tmpfs /run
mount --bind "$1/sys" /sys
ip link set lo up
exec /usr/bin/python3 "$1/manager.py" "$2" "$1"
END
cat >"$DIR/manager.py" <<'END'
import errno, os, queue, signal, socket, subprocess, sys, threading, time, urllib.error, urllib.request

paradm, here = sys.argv[1:]
config, notify = f"{here}/daemon.toml", f"{here}/notify"
manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
manager.bind(notify)
heard = queue.Queue()

reads = threading.Event()
reads.set()

def listen():
    while True:
        reads.wait()
        heard.put(manager.recv(4096).decode().split("\n")[0])

threading.Thread(target=listen, daemon=True).start()

def told(wanted):
    while True:
        state = heard.get(timeout=60)
        if state == wanted:
            return
        assert state == "WATCHDOG=1", (state, wanted)

def configure(text):
    with open(config, "w") as file:
        file.write(text)

def get(path, port):
    return urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=20)

def raw(data, port=9110):
    with socket.create_connection(("127.0.0.1", port), timeout=20) as caller:
        caller.sendall(data)
        caller.shutdown(socket.SHUT_WR)
        answer = b""
        while part := caller.recv(4096):
            answer += part
        return answer

configure('listen = "127.0.0.1:9110"\n')
environment = dict(os.environ, NOTIFY_SOCKET=notify, WATCHDOG_USEC="2000000")
environment.pop("WATCHDOG_PID", None)
daemon = subprocess.Popen([paradm, "daemon", "--config", config], env=environment, stderr=subprocess.PIPE, text=True)
told("READY=1")

with get("/metrics", 9110) as answer:
    assert answer.status == 200 and answer.headers["Content-Type"].startswith("text/plain; version=0.0.4")
    scraped = answer.read().decode()
try:
    from prometheus_client.parser import text_string_to_metric_families
except ImportError:
    print("not parsed: no prometheus_client for python3 (Debian's python3-prometheus-client)")
else:
    families = {family.name: family for family in text_string_to_metric_families(scraped)}
    assert [(sample.labels, sample.value) for sample in families["raidpar_array_gear"].samples] == [({"array": "md0"}, 2)]
    states = families["raidpar_disk_state"].samples
    is_in = {sample.labels["device"]: sample.labels["state"] for sample in states if sample.value}
    assert len(states) == 9 and is_in == {"sd0": "active", "sd1": "active", "sd2": "asleep"}, states
    assert families["raidpar_disk_spin_ups"].type == "counter"
    assert {sample.value for sample in families["raidpar_disk_busy_ratio"].samples} == {0.125}
try:
    get("/", 9110)
    assert False, "/ is there"
except urllib.error.HTTPError as error:
    assert error.code == 404, error

assert raw(b"GET /metrics HTTP/1.0\r\n\r\n").startswith(b"HTTP/1.1 200 ")
try:
    assert raw(b"\0\xff" * 30000)[:13] == b"HTTP/1.1 400 "
except OSError as error:
    # Data that is unread when the answer is sent resets the connection, perhaps before the last call.
    assert error.errno in (errno.EPIPE, errno.ECONNRESET, errno.ENOTCONN), error
assert raw(b"POST /metrics HTTP/1.1\r\n\r\n").startswith(b"HTTP/1.1 405 ")
with socket.create_connection(("127.0.0.1", 9110)) as silent:
    began = time.monotonic()
    assert get("/metrics", 9110).status == 200
    assert time.monotonic() - began < 20, "a caller that says nothing holds the others up"
told("WATCHDOG=1")

# Callers that say nothing, more than are kept, hold nobody up: each would be waited for in turn for 2 s.
silent = [socket.create_connection(("127.0.0.1", 9110), timeout=20) for _ in range(200)]
began = time.monotonic()
assert get("/metrics", 9110).status == 200
took = time.monotonic() - began
assert took < 10, f"200 silent callers hold up a scrape for {took:.0f} s"
for caller in silent:
    caller.close()
halves = socket.create_connection(("127.0.0.1", 9110), timeout=20)
halves.sendall(b"GET /met")
time.sleep(0.2)
halves.sendall(b"rics HTTP/1.1\r\n\r\n")
assert halves.recv(15) == b"HTTP/1.1 200 OK"
halves.close()

# A service manager that reads nothing for a while, as more messages wait than there is room for, holds up no caller.
reads.clear()
began = time.monotonic()
while time.monotonic() - began < 12:
    assert get("/metrics", 9110).status == 200
    time.sleep(0.1)
reads.set()

second = subprocess.run([paradm, "daemon", "--config", config], capture_output=True, text=True)
assert second.returncode == 6 and "another one runs" in second.stderr, second

configure('listen = "0.0.0.0:9111"\n')
daemon.send_signal(signal.SIGHUP)
told("RELOADING=1")
told("READY=1")
assert get("/metrics", 9110).status == 200
configure('listen = "127.0.0.1:9111"\n')
daemon.send_signal(signal.SIGHUP)
told("RELOADING=1")
told("READY=1")
assert get("/metrics", 9111).status == 200
try:
    raw(b"x")
    assert False, "it still listens on the old port"
except ConnectionRefusedError:
    pass

with open(f"/proc/{daemon.pid}/status") as status:
    rss = next(int(line.split()[1]) for line in status if line.startswith("VmRSS:"))
print(f"resident: {rss} KiB")
assert rss < 20480, "20 MB of memory are the limit"

daemon.send_signal(signal.SIGTERM)
told("STOPPING=1")
assert daemon.wait(30) == 0
said = daemon.stderr.read().splitlines()
assert len(said) == 2 and "no loopback address" in said[0] and said[1] == "the configuration was read again", said

# A hook without its x bit is found by a check, not at its first event.
hook = f"{here}/hook"
configure(f'hook = "{hook}"\n')
with open(hook, "w") as file:
    file.write("#!/bin/sh\n")
for mode, code in ((0o644, 2), (0o755, 0)):
    os.chmod(hook, mode)
    check = subprocess.run([paradm, "daemon", "--check", "--config", config], capture_output=True, text=True)
    assert check.returncode == code and (code == 0 or f"hook: {hook} cannot be run" in check.stderr), check

again = subprocess.Popen([paradm, "daemon", "--config", config], env=environment)
told("READY=1")
again.kill()
assert again.wait(30) == -signal.SIGKILL
again = subprocess.Popen([paradm, "daemon", "--config", config], env=environment)
told("READY=1")
again.send_signal(signal.SIGINT)
assert again.wait(30) == 0
END
unshare --map-root-user --mount --net bash "$DIR/inside" "$DIR" "$paradm"
