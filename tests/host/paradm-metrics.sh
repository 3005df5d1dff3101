#!/bin/bash
# What `paradm metrics` prints, as the golden file has it, is parsed by Prometheus' own client: types, labels, values.
set -euo pipefail
. "$(dirname "$0")/../../scripts/lib.sh"

/usr/bin/python3 -c 'import prometheus_client' 2>/dev/null ||
	{ echo "SKIP: no prometheus_client for python3 (Debian's python3-prometheus-client)"; exit 77; }
/usr/bin/python3 - "$TOP/tools/paradm/tests/golden/metrics.prom" <<'EOF'
import sys
from collections import Counter
from prometheus_client.parser import text_string_to_metric_families

with open(sys.argv[1]) as file:
    families = {family.name: family for family in text_string_to_metric_families(file.read())}

for family in families.values():
    assert family.type in ("counter", "gauge"), family
    assert family.documentation and family.samples, family
    seen = Counter((sample.name, *sorted(sample.labels.items())) for sample in family.samples)
    assert max(seen.values()) == 1, f"{family.name}: the same labels twice"
    assert all(sample.name.endswith("_total") == (family.type == "counter") for sample in family.samples), family

arrays = {sample.labels["array"]: sample.value for sample in families["raidpar_array_gear"].samples}
assert arrays == {"md0": 5, 'md_a"b\\c': 4}, arrays
states = Counter()
for sample in families["raidpar_disk_state"].samples:
    states[sample.labels["array"], sample.labels["member"]] += sample.value
assert len(states) == 10 and set(states.values()) == {1}, states
busy = {sample.value for sample in families["raidpar_disk_busy_ratio"].samples}
assert 0.125 in busy, busy
assert families["raidpar_disk_spin_ups"].type == "counter"
slots = families["raidpar_array_gear_slot_hits"].samples
assert [(sample.labels["gear"], sample.value) for sample in slots] == [("4", 4000), ("5", 100)], slots
EOF
