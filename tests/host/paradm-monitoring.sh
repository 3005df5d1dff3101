#!/bin/bash
# The Prometheus rules are valid and fire for what they are for; they and the Grafana dashboard, which fits the types of Grafana's SDK, use only metrics and labels that paradm has.
# subject: paradm
set -euo pipefail
. "$(dirname "$0")/../../scripts/lib.sh"

rules=$TOP/extras/prometheus/raid-par.rules.yml
/usr/bin/python3 - "$rules" "$TOP/extras/grafana/raid-par.json" "$TOP/tools/paradm/tests/golden/metrics.prom" "$TOP"/tools/paradm/src/metrics/*.rs <<'EOF'
import json, re, sys

rules, dashboard, golden, *sources = sys.argv[1:]
known = set(re.findall(r'"(raidpar_[a-z_]+)"', "".join(open(source).read() for source in sources)))
assert len(known) > 20, known
with open(golden) as file:
    samples = re.findall(r"^(raidpar_[a-z_]+)\{(.*)\} ", file.read(), re.M)
labels = {}
for name, text in samples:
    labels.setdefault(name, set()).update(re.findall(r'([a-z_]+)="', text))

def check(what, expression):
    for name, selector in re.findall(r"(raidpar_[a-z_]+)(?:\{([^}]*)\})?", expression):
        assert name in known, f"{what}: {name} is no metric of paradm"
        for label in re.findall(r'([a-z_]+)(?==~?")', selector):
            assert label in labels.get(name, {label}), f"{what}: {name} has no label {label}"

with open(rules) as file:
    expressions = re.findall(r"^ +expr: (.*)$", file.read(), re.M)
assert len(expressions) == 8
for expression in expressions:
    check(expression, expression)

with open(dashboard) as file:
    board = json.load(file)
# What Grafana requires of a dashboard, with its types.
required = {"uid": str, "title": str, "schemaVersion": int, "panels": list, "templating": dict, "time": dict, "annotations": dict}
for field, kind in required.items():
    assert isinstance(board[field], kind), field
assert board["schemaVersion"] >= 36 and board.get("id") is None
assert {"from", "to"} <= board["time"].keys() and board["templating"]["list"]
variables = {variable["name"] for variable in board["templating"]["list"]}
identities, places = set(), set()
for panel in board["panels"]:
    title = panel["title"]
    assert panel["type"] in ("stat", "timeseries"), title
    assert panel["id"] not in identities, title
    identities.add(panel["id"])
    place = panel["gridPos"]
    assert all(isinstance(place[key], int) for key in "xywh") and place["x"] + place["w"] <= 24, title
    cells = {(x, y) for x in range(place["x"], place["x"] + place["w"]) for y in range(place["y"], place["y"] + place["h"])}
    assert not cells & places, f"{title} is on another panel"
    places |= cells
    assert panel["datasource"]["uid"] == "${source}" and "defaults" in panel["fieldConfig"] and panel["targets"], title
    assert len({target["refId"] for target in panel["targets"]}) == len(panel["targets"]), title
    for target in panel["targets"]:
        used = set(re.findall(r"\$([a-z]+)", target["expr"]))
        assert used <= variables, (title, used)
        check(title, target["expr"])
EOF

# As scripts/setup leaves it, and promtool below.
types=$CACHE/grafana-types-11.6
[ ! -d "$types" ] || /usr/bin/python3 -B "$TOP/tests/host/grafana-board.py" "$types" "$TOP/extras/grafana/raid-par.json"

PATH=$PATH:$CACHE/promtool
command -v promtool >/dev/null || { echo "SKIP: the rules were not run: no promtool (Debian's prometheus)"; exit 77; }
promtool check rules "$rules"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat >"$work/test.yml" <<EOF
rule_files: [$rules]
evaluation_interval: 1m
tests:
  - interval: 1m
    input_series:
      - series: 'raidpar_array_health{array="md0",health="broken",instance="nas"}'
        values: '0x9 1x9'
      - series: 'raidpar_array_health{array="md1",health="inactive",instance="nas"}'
        values: '0x20'
      - series: 'raidpar_array_health{array="md0",health="doubt",instance="nas"}'
        values: '0x20'
      - series: 'raidpar_array_health{array="md1",health="degraded",instance="nas"}'
        values: '1x2000'
      - series: 'raidpar_array_scrub_timestamp_seconds{array="md0",set="3",instance="nas"}'
        values: '-3888000x200'
      - series: 'raidpar_disk_spin_ups_total{array="md0",member="4",device="sde",instance="nas"}'
        values: '46000x9'
      - series: 'raidpar_disk_rated_spin_ups{array="md0",member="4",device="sde",instance="nas"}'
        values: '50000x9'
    alert_rule_test:
      - {eval_time: 5m, alertname: ParArrayDown}
      - eval_time: 12m
        alertname: ParArrayDown
        exp_alerts:
          - exp_labels: {severity: critical, array: md0, health: broken, instance: nas}
            exp_annotations:
              summary: md0 on nas is broken
              description: "\`paradm status\` has the next command. Do not create the array again."
      - {eval_time: 12m, alertname: ParDataInDoubt}
      - {eval_time: 12m, alertname: ParRebuildStalled}
      - {eval_time: 30m, alertname: ParScrubOverdue}
      - eval_time: 5m
        alertname: ParSpinUpsWornOut
        exp_alerts:
          - exp_labels: {severity: warning, array: md0, member: "4", device: sde, instance: nas}
            exp_annotations:
              summary: member 4 of md0 on nas has used 90 % of the spin-ups that it is rated for
      - eval_time: 25h
        alertname: ParRebuildStalled
        exp_alerts:
          - exp_labels: {severity: critical, array: md1, health: degraded, instance: nas}
            exp_annotations:
              summary: md1 on nas has been degraded for a day, and is not being rebuilt
      - eval_time: 2h
        alertname: ParScrubOverdue
        exp_alerts:
          - exp_labels: {severity: warning, array: md0, set: "3", instance: nas}
            exp_annotations:
              summary: the set of 3 members of md0 on nas was not read for 45d 2h 0m 0s
EOF
promtool test rules "$work/test.yml"
[ -d "$types" ] || { echo "SKIP: the dashboard was not compared with Grafana's types: no grafana-foundation-sdk (PyPI)"; exit 77; }
