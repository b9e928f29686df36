#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""What a structure of the window system costs, against what its flushes cost.

    flush_cost.py RUN.db RUN.json BENCH CLASS DRIVER STRUCTURE LIMIT

The median service of the actions of a class, in phase STRUCTURE.DRIVER less in_kernel.DRIVER, must be
their flushes, each as much longer as flushes of one request are, and their further requests, each
as much longer as those of a full batch are. Both are measured apart (facts flush_one, flush_full).

Prints the difference and what it should be. Status 1: it is further away than LIMIT.
"""
import json
import sqlite3
import statistics
import sys

TIMES = 64
FULL = 32
RELEASE = 1


def costs(facts, phase):
    """Ticks of a flush of one request, and of each further request."""
    one = facts["flush_one." + phase] / TIMES
    return one, (facts["flush_full." + phase] / TIMES - one) / (FULL - 1)


def main(path, exported, bench, name, driver, structure, limit):
    db = sqlite3.connect(path)
    facts = dict(db.execute("SELECT name, value FROM fact WHERE bench = ?", (bench,)))
    phases = ["in_kernel." + driver, structure + "." + driver]
    services = {phase: [] for phase in phases}
    with open(exported) as file:
        interactive = next(one for one in json.load(file)["benches"] if one["name"] == bench)["interactive"]
    names = {phase["phase"]: phase["name"] for phase in interactive["phases"]}
    for action in interactive["actions"]:
        if action["class"] == name and names[action["phase"]] in services:
            services[names[action["phase"]]].append(action["service"])
    found = statistics.median(services[phases[1]]) - statistics.median(services[phases[0]])
    # One more than the program counted: the release of the key crosses to find its window.
    flushes = facts["round_flushes." + phases[0]] + RELEASE
    further = facts["round_requests." + phases[0]] + RELEASE - flushes
    kernel, other = (costs(facts, phase) for phase in phases)
    expected = flushes * (other[0] - kernel[0]) + further * (other[1] - kernel[1])
    off = abs(found - expected) / expected
    print("%s: %d flushes: %d ticks, by their cost %d: %.3f %% off"
          % (bench, flushes, found, expected, 100 * off))
    return 0 if flushes > 10 and off <= float(limit) else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
