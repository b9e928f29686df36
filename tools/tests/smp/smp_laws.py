#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Checks benches of group smp from what `tare export` writes, without code of tare.

    smp_laws.py TARE RUN.db CPUS

Prints a line "pass|FAIL  WHAT" for each check. From the events of bench quantum: each hog's share of
its processor, each turn, and each ready time against what the others ran meanwhile. From the samples:
the hog's own view of the same. From the events of bench accounting: what the clock ticks charged to
each thread, and what it ran. From the events of all benches: one order for all processors, and no
thread on two processors at once or where it is not allowed.
"""
import collections
import csv
import io
import re
import sqlite3
import subprocess
import sys

TARE, RUN, CPUS = sys.argv[1], sys.argv[2], int(sys.argv[3])
WAIT_QUANTUM = 16
CHANGE = 2000 * 8  # ticks that a change of threads may cost, at 8 ticks an instruction
CLOSE = 3000 * 8   # ticks between a stamp of the trace and one of the thread, with waits for the kernel
SHORT = 10000 * 8  # ticks; a hog runs no longer than that before the start


def export(form, bench):
    text = subprocess.run([TARE, "export", "--format", form, "--bench", bench, RUN],
                          capture_output=True, check=True, text=True).stdout
    return list(csv.DictReader(io.StringIO(text)))


def check(what, good, why=""):
    print("pass  " + what if good else f"FAIL  {what}: {why}")


def names(bench):
    rows = sqlite3.connect(RUN).execute(
        "SELECT id, name FROM object WHERE bench = ? AND kind = 'thread'", (bench,))
    return dict(rows)


def fact(bench, name):
    rows = sqlite3.connect(RUN).execute(
        "SELECT value FROM fact WHERE bench = ? AND name = ?", (bench, name)).fetchall()
    return rows[0][0]


class Event:
    def __init__(self, row):
        self.tsc, self.cpu, self.name = int(row["tsc"]), int(row["cpu"]), row["event"]
        self.field = {key: int(value) for key, value in re.findall(r"(\w+)=(-?\d+)", row["fields"])}


def spans(events):
    """(thread, cpu, begin, end, why it left) of each time on a processor, from its switches."""
    running, result = {}, []
    for event in events:
        if event.name != "thread_switch":
            continue
        old, new = event.field["old"], event.field["new"]
        if event.cpu in running and running[event.cpu][0] == old:
            result.append((old, event.cpu, running[event.cpu][1], event.tsc, event.field["why"] & 31))
        running[event.cpu] = (new, event.tsc)
    return result


def handlers(events):
    """{thread: ticks} of interrupt handlers on top of each thread."""
    running, depth, since, ticks = {}, collections.Counter(), {}, collections.Counter()
    for event in events:
        if event.name == "thread_switch":
            running[event.cpu] = event.field["new"]
        elif event.name == "isr_entry":
            since[event.cpu] = event.tsc if depth[event.cpu] == 0 else since[event.cpu]
            depth[event.cpu] += 1
        elif event.name == "isr_exit":
            depth[event.cpu] -= 1
            if depth[event.cpu] == 0:
                ticks[running.get(event.cpu)] += event.tsc - since[event.cpu]
    return ticks


def check_order(bench, events):
    stamps = [(event.tsc, event.cpu) for event in events]
    check(f"{bench}: the processors' events are in one order", stamps == sorted(stamps))
    on, bad = {}, 0
    for event in events:
        if event.name != "thread_switch" or event.field["old"] == event.field["new"]:
            continue
        old, new = event.field["old"], event.field["new"]
        if old != 0 and on.get(old, event.cpu) != event.cpu:
            bad += 1
        on.pop(old, None)
        if new != 0:
            bad += new in on
            on[new] = event.cpu
    check(f"{bench}: no thread runs on two processors at once", bad == 0, f"{bad} times")


def check_quantum():
    events = [Event(row) for row in export("csv-events", "quantum")]
    check_order("quantum", events)
    quantum = fact("quantum", "quantum")
    hogs = {number: int(name.split()[1]) for number, name in names("quantum").items()
            if name.startswith("hog ")}
    samples = collections.defaultdict(list)
    for row in export("csv", "quantum"):
        samples[row["series"]].append(int(row["value"]))
    # A hog waits for the start after its first short time on the processor.
    turns = [span for span in spans(events) if span[0] in hogs and span[3] - span[2] > SHORT]
    begin = min(span[2] for span in turns)
    end = begin + 20 * quantum
    check("quantum: each hog stays on its processor",
          all(span[1] == hogs[span[0]] % CPUS for span in turns))
    for cpu in range(CPUS):
        here = [hog for hog in hogs if hogs[hog] % CPUS == cpu]
        k = len(here)
        ran = {hog: sum(min(s[3], end) - s[2] for s in turns if s[0] == hog and s[2] < end)
               for hog in here}
        off = max(abs(ran[hog] - 20 * quantum / k) for hog in here)
        check(f"quantum: processor {cpu}: {k} hogs have 1/{k} of the time to within a quantum",
              off <= quantum, f"off by {off} ticks, a quantum has {quantum}")
        costs, waits, seen = [], [], 0
        for hog in here:
            mine = [s for s in turns if s[0] == hog]
            for number, (one, two) in enumerate(zip(mine, mine[1:])):
                if one[4] != WAIT_QUANTUM or two[3] >= end:
                    continue
                # Part of its first quantum went before the start.
                costs.append(max(one[3] - one[2] - quantum, -SHORT if number > 0 else 0))
                others = sum(s[3] - s[2] for s in turns
                             if s[0] != hog and s[1] == cpu and one[3] <= s[2] and s[3] <= two[2])
                waits.append(two[2] - one[3] - others)
                seen += 1
            own = samples[f"ready.{hogs[hog]}"]
            stamps = [two[2] - one[3] for one, two in zip(mine, mine[1:]) if one[4] == WAIT_QUANTUM]
            far = [a - b for a, b in zip(own, stamps) if not 0 <= a - b <= CLOSE]
            check(f"quantum: hog {hogs[hog]} saw the {len(own)} ready times of the trace",
                  own and len(own) <= len(stamps) and not far, f"{own[:3]}, {stamps[:3]}")
        check(f"quantum: processor {cpu}: {seen} turns of a quantum and at most 2000 instructions",
              seen >= 15 and all(0 <= cost <= CHANGE for cost in costs), str(costs))
        check(f"quantum: processor {cpu}: a ready time is what the others ran, to the tick",
              all(wait == 0 for wait in waits), str(waits))


def check_accounting():
    events = [Event(row) for row in export("csv-events", "accounting")]
    check_order("accounting", events)
    period, periods = fact("accounting", "tick_period"), 10
    threads = names("accounting")
    ran, charged, where = collections.Counter(), collections.Counter(), collections.defaultdict(set)
    for thread, cpu, begin, end, _ in spans(events):
        ran[thread] += end - begin
        where[thread].add(cpu)
    for event in events:
        if event.name == "tick":
            charged[event.field["thread"]] += 1
    ran.subtract(handlers(events))
    for number, name in sorted(threads.items()):
        worker, _, cpu = name.partition(" ")
        if worker not in ("hidden", "seen"):
            continue
        foretold = periods if worker == "seen" else 0
        share = ran[number] / (periods * period)
        check(f"accounting: {name}: {foretold} samples of 10, and half of the time by events",
              abs(charged[number] - foretold) <= 1 and abs(share - 0.5) < 0.06
              and where[number] == {int(cpu)}, f"{charged[number]}, {share}, {where[number]}")


def check_pinned():
    events = [Event(row) for row in export("csv-events", "affinity")]
    check_order("affinity", events)
    threads = names("affinity")
    pinned = {number: int(name.split()[1]) for number, name in threads.items()
              if name.startswith("pinned ")}
    astray = [span for span in spans(events) if span[0] in pinned and span[1] != pinned[span[0]]]
    moved = [event for event in events if event.name == "thread_migrate"
             and threads.get(event.field["thread"], "").startswith(("free", "victim"))]
    check("affinity: pinned threads run on their processors only, others move",
          len(pinned) == CPUS and not astray and len(moved) >= 16, f"{astray}, {len(moved)} moves")


check_quantum()
check_accounting()
check_pinned()
