#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# A trace of four processors: what `tare show --json` has of each equals what a Python of a few lines
# makes of `--format csv-events`, and the books close.
set -u

. tools/tests/support/lib.sh

run=$work/run.db

# What each processor and thread did, from the events alone.
cat >"$work/own.py" <<'PYTHON'
import csv, json, sys
from collections import Counter, defaultdict

events = list(csv.DictReader(open(sys.argv[1])))
bench = json.load(open(sys.argv[2]))["benches"][0]
accounting = bench["accounting"]
processors = accounting["processors"]
switches, ipis, moves, quanta, ticks, idle_ticks = (Counter() for _ in range(6))
wakes, charged = Counter(), Counter()
stamped = defaultdict(int)   # (processor, thread or vector)
current, since, depth = {}, {}, defaultdict(list)
parts = [(t["part"], t["cpu"], t["begin"], t["end"]) for t in bench["traces"]]
assert [int(e["tsc"]) for e in events] == sorted(int(e["tsc"]) for e in events)
for part in sorted({p[0] for p in parts}):
    bounds = {c: (b, e) for p, c, b, e in parts if p == part}
    for c, (b, e) in bounds.items():
        current[c], since[c] = None, b
    for e in events:
        c, tsc = int(e["cpu"]), int(e["tsc"])
        if not bounds[c][0] <= tsc <= bounds[c][1]:
            continue
        f = dict(pair.split("=") for pair in (e["fields"] or "").split())
        if current[c] is None and e["event"] == "thread_is" and f["state"] == "0":
            current[c] = ("thread", int(f["thread"]))
        runs = depth[c][-1] if depth[c] else current[c]
        if runs:
            stamped[c, runs] += tsc - since[c]
            since[c] = tsc
        if e["event"] == "thread_switch":
            current[c] = ("thread", int(f["new"])); switches[c] += 1
        elif e["event"] == "isr_entry":
            depth[c].append(("vector", int(f["vector"])))
        elif e["event"] == "isr_exit":
            depth[c].pop()
        elif e["event"] == "ipi":
            ipis[c] += 1
        elif e["event"] == "thread_migrate":
            moves[int(f["to"])] += 1
        elif e["event"] == "quantum":
            quanta[c] += int(f["left"]) == 0
        elif e["event"] == "tick":
            ticks[c] += 1; idle_ticks[c] += f["thread"] == "0"; charged[int(f["thread"])] += 1
        elif e["event"] == "thread_ready":
            wakes[int(f["thread"])] += 1
    for c, (b, e) in bounds.items():
        stamped[c, current[c]] += e - since[c]
wrong = 0
def same(what, left, right):
    global wrong
    if left != right:
        wrong += 1
        print(what, left, right)
for p in processors:
    c = p["cpu"]
    parts_of = ("idle", "interrupt", "dpc", "fault", "dispatch", "tracer", "unknown")
    threads = sum(t["running_on"][processors.index(p)] for t in accounting["threads"] if t["id"])
    same(f"books {c}", threads + sum(p[k] for k in parts_of), p["elapsed"])
    same(f"elapsed {c}", sum(e - b for _, q, b, e in parts if q == c), p["elapsed"])
    same(f"stamps {c}", sum(t for (q, _), t in stamped.items() if q == c), p["elapsed"])
    for name, own in (("switches", switches), ("ipis", ipis), ("migrations_in", moves),
                      ("quantum_ends", quanta), ("clock_ticks", ticks)):
        same(f"{name} {c}", own[c], p[name])
    # The tracer's share is all that idle time may lack.
    idle = stamped[c, ("thread", 0)]
    same(f"idle {c}", p["idle"] <= idle <= p["idle"] + p["tracer"] + p["dispatch"], True)
    same(f"by samples {c}", round(100 * (1 - idle_ticks[c] / ticks[c]), 4),
         round(p["busy_by_samples"], 4))
for t in accounting["threads"]:
    same(f"wakes {t['id']}", wakes[t["id"]], t["wakeups"])
    same(f"charged {t['id']}", charged[t["id"]], t["charged"])
same("conflicts", accounting["inconsistencies"], 0)
same("difference", accounting["difference"], 0)
same("unknown", accounting["unknown"], 0)
print("agree" if wrong == 0 else "differ")
PYTHON

test_own() {
    "$TEST_BIN/processors_run" "$run" 4 20000
    "$TARE" export --format csv-events "$run" -o "$work/events.csv" 2>/dev/null
    "$TARE" show --json "$run" >"$work/run.json"
    check 'csv-events: the column of the processor' "$(head -n 1 "$work/events.csv")" \
        test "$(head -n 1 "$work/events.csv")" = bench,pass,time,tsc,cpu,event,fields
    python3 "$work/own.py" "$work/events.csv" "$work/run.json" >"$work/is" 2>&1
    check 'own accounting agrees' "$(head -n 5 "$work/is")" test "$(cat "$work/is")" = agree
}

# The account of each processor in windows sums to that of the whole.
sums() {
    jq -r '.benches[].accounting.processors[] | . as $p | keys_unsorted[] |
        select(IN("idle", "interrupt", "dispatch", "tracer", "unknown", "elapsed", "switches")) |
        "\($p.cpu) \(.) \($p[.])"' | awk '{ sum[$1 " " $2] += $3 }
            END { for (key in sum) print key, sum[key] }' | sort
}

test_windows() {
    for window in '--to 9ms' '--from 9ms --to 61234567ticks' '--from 61234567ticks'; do
        # shellcheck disable=SC2086 # words
        "$TARE" show --json $window "$run"
    done | sums >"$work/windows"
    sums <"$work/run.json" >"$work/whole"
    check 'windows sum to the whole' "$(diff "$work/windows" "$work/whole" | head -n 4)" \
        cmp -s "$work/windows" "$work/whole"
}

# A hole of one processor leaves the others known.
test_hole() {
    "$TEST_BIN/processors_run" "$work/hole.db" 3 6000 hole
    "$TARE" show --json "$work/hole.db" >"$work/hole.json"
    jq -r '.benches[].accounting | .inconsistencies, .difference,
        (.processors[] | .unknown > 0)' <"$work/hole.json" | tr '\n' ' ' >"$work/is"
    check 'a hole of one processor' "$(cat "$work/is")" test "$(cat "$work/is")" = '0 0 false false true '
}

test_views() {
    "$TARE" show --threads --irqs --avail 5 "$run" >"$work/shown"
    for text in 'processors: shares' 'how often threads moved' 'processor 3' 'who woke whom' 'by sampling'; do
        check "shown: $text" "$(head -n 20 "$work/shown")" grep -q "$text" "$work/shown"
    done
    check 'shown once' "$(grep -c 'processors: shares' "$work/shown")" \
        test "$(grep -c 'processors: shares' "$work/shown")" -eq 1
}

test_own
test_windows
test_hole
test_views
finish
