#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Counts by action, from the rows of own_plugin.c, without code of tare.

    own_counts.py ROWS EVENTS.csv RUN.db RUN.json BENCH CLASS

The trace (tare export --format csv-events) gives the TSC of each record. In exact time it is a multiple of the
instructions plus a constant; an instruction that faulted was begun twice. An event counts from the record of the
interrupt that read its last byte to its input_done; an action sums its events, their common time once.

Prints a line "PHASE: N of M equal" for each phase with actions of the class. Status 1: some are not, or none is there.
"""
import array
import collections
import csv
import json
import re
import struct
import sys

import plain

COUNTS = ("instructions", "loads", "stores", "misaligned", "segment-loads", "address-space-loads", "dtlb-misses",
          "itlb-misses")
WIDTH = 1 + len(COUNTS)
FAULTS = 8 # between two records


def read_events(path):
    with open(path, newline="") as lines:
        for row in csv.DictReader(lines):
            yield int(row["tsc"]), row["event"], {
                key: int(value) for key, value in re.findall(r"(\w+)=(-?\d+)", row["fields"])}


class Rows:
    def __init__(self, path, ticks, stamps):
        self.words = array.array("Q")
        with open(path, "rb") as file:
            self.words.frombytes(file.read())
        self.ticks = ticks
        self.index = {self.words[i + 1]: i for i in range(0, len(self.words), WIDTH)}
        self.at = {}
        self.place(stamps)

    def place(self, stamps):
        """Finds the row of each stamp; and of each, the faults before it."""
        steps = [(stamp - stamps[0]) // self.ticks for stamp in stamps]
        starts = [i for i in range(0, len(self.words), WIDTH)
                  if all(self.words[i + 1] + step in self.index for step in steps[:100])]
        if len(starts) != 1:
            sys.exit(f"the trace begins at {len(starts)} places")
        base, faults = self.words[starts[0] + 1], 0
        for stamp, step in zip(stamps, steps):
            for more in range(FAULTS):
                if base + step + faults + more in self.index:
                    faults += more
                    self.at[stamp] = (self.index[base + step + faults], faults)
                    break

    def between(self, begin, end):
        (first, before), (last, after) = self.at[begin], self.at[end]
        sums = [self.words[last + k] - self.words[first + k] for k in range(1, WIDTH)]
        sums[0] -= after - before
        return sums


def main():
    rows_path, events_path, run, shown, bench, wanted = sys.argv[1:]
    events = list(read_events(events_path))
    file = plain.connect(run)
    ticks = int(file.execute("SELECT value FROM run WHERE key = 'ticks_per_instruction'").fetchone()[0])
    series = {name: struct.unpack(f"<{n}q", samples) for name, n, samples in file.execute(
        "SELECT name, n, samples FROM series WHERE bench = ?", (bench,))}
    names = dict(file.execute("SELECT id, name FROM object WHERE bench = ? AND kind = 'mark'", (bench,)))
    rows = Rows(rows_path, ticks, [event[0] for event in events])

    # each input: the interrupt before its stamp, and the first input_done after it with its number
    entries, inputs, open_inputs = [], [], []
    for tsc, event, field in events:
        if event == "isr_entry":
            entries.append(tsc)
        elif event == "input":
            entry = max(at for at in entries[-16:] if at <= field["arrival"])
            inputs.append([field["input"], entry, None])
            open_inputs.append(inputs[-1])
        elif event == "input_done":
            for item in open_inputs:
                item[2] = tsc if item[0] <= field["input"] else None
            open_inputs = [item for item in open_inputs if item[2] is None]
    assert len(inputs) == len(series["sent"]), "not all inputs came"

    own = collections.OrderedDict()
    for i, (_, entry, done) in enumerate(inputs):
        key = series["phase"][i], series["action"][i]
        action = own.setdefault(key, [[0] * len(COUNTS), 0])
        begin = max(entry, action[1])
        if done > begin:
            action[0] = [a + b for a, b in zip(action[0], rows.between(begin, done))]
            action[1] = done

    with open(shown) as text:
        theirs = [b for b in json.load(text)["benches"] if b["name"] == bench][0]["interactive"]["actions"]
    assert len(theirs) == len(own), f"{len(theirs)} actions, expected {len(own)}"
    equal, of, status = collections.Counter(), collections.Counter(), 0
    for (key, (counts, _)), their in zip(own.items(), theirs):
        if their["class"] != wanted:
            continue
        phase = names[key[0]]
        of[phase] += 1
        got = [their["counts"].get(name) for name in COUNTS]
        equal[phase] += got == counts
        if got != counts:
            print(f"{phase}, action {key[1]}: {got}, expected {counts}", file=sys.stderr)
    for phase in of:
        print(f"{phase}: {equal[phase]} of {of[phase]} equal")
    return 0 if of and equal == of else 1


sys.exit(main())
