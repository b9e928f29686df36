#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Table 1 of bench slides, computed a second time.

    slides_table.py RUN.db EVENTS.csv SLIDES.json CACHE_PAGES

In each phase the disk must have had exactly the requests for the pages that each action asked for
(series asked.ACTION) and that a cache of so many pages, least recently used first, did not hold,
in that order. The disk's law (disk_timing.py) must have each of them done just before its completion.

Each action's service must be the law's time of its requests, the action's time with all resident
(fact warm.ACTION), and for each request what a miss costs beside the disk. That is measured apart:
pages that nothing else reads, not resident and then resident, less the law's time of these. Each of
its events crosses into the window system once more, as a flush of one request does.

Prints the largest residual of a request. Status 1: it is above LIMIT_NS, or the requests are others.
"""
import collections
import csv
import json
import re
import struct
import sys

import disk_timing
import plain

LIMIT_NS = 8000  # of a request: 62 instructions at 128 ns each
LATE_NS = 100000  # from where the law has a request done to its completion: the handler's work
SECTORS = 8
ACTIONS = ("start", "open", "start_edit_1", "start_edit_2", "start_edit_3", "save")
SPARE = "miss"
FLUSHES = 64  # of fact flush_one
BENCH = "slides"


class Cache:
    def __init__(self, pages):
        self.pages = pages
        self.used = collections.OrderedDict()

    def misses(self, asked):
        """Those that are not there, in order."""
        missed = []
        for page in asked:
            if page not in self.used:
                missed.append(page)
            self.used[page] = True
            self.used.move_to_end(page)
            if len(self.used) > self.pages:
                self.used.popitem(last=False)
        return missed


def read_database(path):
    db = plain.connect(path)
    hz = db.execute("SELECT hz FROM verdict").fetchone()[0]
    facts = dict(db.execute("SELECT name, value FROM fact WHERE bench = ?", (BENCH,)))
    asked = {name.split(".", 1)[1]: struct.unpack("<%dq" % n, samples) for name, n, samples in
             db.execute("SELECT name, n, samples FROM series WHERE bench = ? AND name LIKE 'asked.%'",
                        (BENCH,))}
    return hz, facts, asked


def read_requests(path, marks):
    """Of each phase, which one of the marks begins, in order: (issued, sector, completed) of all its requests, in TSC."""
    phases = []
    with open(path, newline="") as lines:
        for row in csv.DictReader(lines):
            fields = dict(re.findall(r"(\w+)=(\S+)", row["fields"]))
            if row["event"] == "mark" and int(fields["what"]) in marks:
                phases.append({})
            elif row["event"] == "block_issue":
                phases[-1][fields["serial"]] = [int(row["tsc"]), int(fields["sector"]), 0]
            elif row["event"] == "block_complete":
                phases[-1][fields["serial"]][2] = int(row["tsc"])
    return [list(phase.values()) for phase in phases]


def read_services(path):
    """Of each phase by name, of each action its service and number of events; and the marks of the phases."""
    services = collections.OrderedDict()
    with open(path) as file:
        bench = next(bench for bench in json.load(file)["benches"] if bench["name"] == BENCH)
    names = {phase["phase"]: phase["name"] for phase in bench["interactive"]["phases"]}
    for action in bench["interactive"]["actions"]:
        services.setdefault(names[action["phase"]], {})[action["class"]] = (action["service"], action["events"])
    return services, names


def law_times(requests, opened, hz):
    """Ticks of each request from its issue to where the law has it done."""
    disk = disk_timing.Disk("hdd1996", 32)
    times = []
    for issued, sector, completed in requests:
        now = (issued - opened) * disk_timing.NS // hz
        _, done = disk.read(now, sector, SECTORS)
        late = (completed - opened) * disk_timing.NS // hz - done
        if not 0 <= late <= LATE_NS:
            sys.exit("sector %d: completed %d ns after the law has it done" % (sector, late))
        times.append((done - now) * hz // disk_timing.NS)
    return times


def check_phase(name, requests, services, hz, facts, asked, cache):
    """The largest residual of its actions."""
    at = 0
    law = law_times(requests, facts["disk_opened." + name], hz)
    spent = {}
    for action in ACTIONS + (SPARE,):
        missed = cache.misses(asked[action])
        found = [sector for _, sector, _ in requests[at:at + len(missed)]]
        if found != missed:
            sys.exit("%s, %s: the disk had %d other requests" % (name, action, len(missed)))
        spent[action] = (len(missed), sum(law[at:at + len(missed)]))
        at += len(missed)
    count, time = spent[SPARE]
    miss = (facts["miss." + name] - facts["hit." + name] - time) / count
    worst = 0
    for action in ACTIONS:
        count, time = spent[action]
        service, events = services[action]
        crossings = events * facts["flush_one." + name] / FLUSHES
        expected = facts["warm.%s.%s" % (action, name)] + time + count * miss + crossings
        residual = abs(service - expected) * disk_timing.NS / hz / max(count, 1)
        print("%s %s: %d requests, %d ticks, residual %d ns a request"
              % (name, action, count, service, residual))
        worst = max(worst, residual)
    return worst


def main(path, events, actions, pages):
    hz, facts, asked = read_database(path)
    services, marks = read_services(actions)
    requests = read_requests(events, marks)
    if not services or len(services) != len(requests):
        sys.exit("%d phases of actions, %d of requests" % (len(services), len(requests)))
    worst = max(check_phase(name, requests[i], services[name], hz, facts, asked, Cache(int(pages)))
                for i, name in enumerate(services))
    print("largest residual %d ns a request" % worst)
    return 0 if worst <= LIMIT_NS else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
