#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""The truth of the noise benches, computed a second time from the samples of a run.

    noise_truth.py injected RUN.db [DAMAGE]
    noise_truth.py join RUN.db
    noise_truth.py stopped RUN.db MS TIMES
    noise_truth.py smi RUN.db COUNT [DAMAGE]
    noise_truth.py netgauge RUN.db KEPT [DAMAGE]
    noise_truth.py injector RUN.db HZ PPM [DAMAGE]

injected: each gap that bench gap made on purpose was found, once, on the processors that it
stopped; each is classed as world or local by what the processors' gaps cover of each other; no gap
is invented. join: the counts of that classing. stopped: all processors stood still for MS or more
at the same time, so many times. smi: each processor counted so many SMIs, and each gap with SMIs
lies where all others have one with SMIs. netgauge: calibration and counts of netgauge's selfish
from single readings. injector: the lowest line of the spectrum of stolen time of bench ftq is at
HZ, to a bin, and what is stolen there is at most 1.5 times PPM and at least half of it.

DAMAGE spoils what was read, so that it must be found: lose (a gap is missing), invent (one too
many), shift and far (a processor's clock is off), longer (a gap), period (of the injector),
smallest (a reading).

Prints what was found. Status 1: it is not the truth.
"""
import cmath
import math
import struct
import sys

import plain

TIMES = 9    # the smallest reading: netgauge
LINE = 0.25  # of the largest power: a line
SHIFTS = {"shift": 40000, "far": 10 ** 10}  # ticks
# Instructions of a gap beside its section: of a local one a pass of all; of a world one the others
# write down what they saw, too, whose path has branches. So many values at most, and the largest.
BESIDE = {False: (4, 400), True: (16, 600)}


class Run:
    def __init__(self, path, bench):
        self.db = plain.connect(path)
        self.bench = bench
        self.hz = self.db.execute("SELECT hz FROM verdict").fetchone()[0]
        self.facts = dict(self.db.execute("SELECT name, value FROM fact WHERE bench = ?", (bench,)))
        self.numbers = self.series("number")

    def series(self, name):
        row = self.db.execute("SELECT n, samples, rowid FROM series WHERE bench = ? AND name = ?",
                              (self.bench, name)).fetchone()
        if row is None:
            return None
        samples = row[1] + self.rest(row[2])
        values = struct.unpack("<%dq" % (len(samples) // 8), samples)
        if len(values) != row[0]:
            sys.exit("%s/%s is not whole" % (self.bench, name))
        return list(values)

    def rest(self, row):
        """What of a long BLOB lies in table `piece`."""
        if self.db.execute("SELECT count(*) FROM sqlite_schema WHERE name = 'piece'").fetchone()[0] == 0:
            return b""
        pieces = self.db.execute("SELECT bytes FROM piece WHERE owner = 'series' AND row = ? "
                                 "ORDER BY number", (row,))
        return b"".join(piece[0] for piece in pieces)

    def of(self, index, name):
        """Gap has the kernel's own processor without a number."""
        if index == 0 and self.bench == "gap":
            return name
        return "%s.%d" % (name, self.numbers[index])


class Lane:
    """A processor; spans by the team's time."""

    def __init__(self, run, index):
        origin = run.facts[run.of(index, "origin")]
        self.gaps = []
        for kind in ("gap", "worst"):
            times = run.series(run.of(index, kind + "_time"))
            if times:
                lengths = run.series(run.of(index, kind + "_length"))
                self.gaps += [(origin + t, origin + t + n) for t, n in zip(times, lengths)]
        self.injected = []
        times = run.series(run.of(index, "injected_time"))
        if times:
            self.injected = [(origin + t, origin + t + n, bool(world)) for t, n, world in
                             zip(times, run.series(run.of(index, "injected_length")),
                                 run.series(run.of(index, "injected_world")))]
        self.over = run.facts[run.of(index, "over")]


def lanes_of(run, damage):
    lanes = [Lane(run, i) for i in range(len(run.numbers))]
    first = lanes[1 % len(lanes)]
    if damage == "lose":
        del first.gaps[len(first.gaps) // 2]
    elif damage == "invent":
        begin, end = first.gaps[len(first.gaps) // 2]
        first.gaps.append((end + (end - begin) * 8, end + (end - begin) * 9))
        first.gaps.sort()
    elif damage == "longer":
        begin, end = first.gaps[len(first.gaps) // 2]
        first.gaps[len(first.gaps) // 2] = (begin, end + 20000)
    elif damage in SHIFTS:
        first.gaps = [(b + SHIFTS[damage], e + SHIFTS[damage]) for b, e in first.gaps]
        first.injected = [(b + SHIFTS[damage], e + SHIFTS[damage], w)
                          for b, e, w in first.injected]
    return lanes


def overlap(gap, other):
    return max(0, min(gap[1], other[1]) - max(gap[0], other[0]))


def covered(gap, gaps):
    """The share of a gap in which another processor has gaps as well."""
    return sum(overlap(gap, other) for other in gaps) / (gap[1] - gap[0])


def near(gap, gaps, starts):
    """Those of `gaps`, by begin, that may overlap; no two are wider apart than a hundred of them."""
    low, high = 0, len(starts)
    while low < high:
        middle = (low + high) // 2
        if starts[middle] < gap[0]:
            low = middle + 1
        else:
            high = middle
    return gaps[max(0, low - 3):low + 3]


def classes(lanes):
    """Of each gap of each lane whether it covers half of it on all others."""
    starts = [[begin for begin, _ in lane.gaps] for lane in lanes]
    result = []
    for i, lane in enumerate(lanes):
        result.append([all(covered(gap, near(gap, other.gaps, starts[j])) >= 0.5
                           for j, other in enumerate(lanes) if j != i) for gap in lane.gaps])
    return result


def counted(run, lanes):
    """World stops and local gaps: of all gaps that hang together one stop."""
    world, local = [], 0
    for lane, worlds in zip(lanes, classes(lanes)):
        for gap, is_world in zip(lane.gaps, worlds):
            if is_world:
                world.append(gap)
            else:
                local += 1
    stops, end = 0, None
    for begin, until in sorted(world):
        if end is None or begin >= end:
            stops += 1
            end = until
        end = max(end, until)
    return stops, local


def check_injected(run, damage):
    lanes = lanes_of(run, damage)
    worlds = classes(lanes)
    wrong = []
    beside = {True: set(), False: set()}
    ticks = run.facts["proof.ticks_per_instruction"]
    explained = [set() for _ in lanes]
    made = {True: 0, False: 0}
    for i, lane in enumerate(lanes):
        if len(lane.gaps) != lane.over:
            wrong.append("processor %d: %d gaps of %d are here" % (i, len(lane.gaps), lane.over))
        starts = {gap: n for n, gap in enumerate(lane.gaps)}
        begins = [begin for begin, _ in lane.gaps]
        for begin, end, world in lane.injected:
            made[world] += 1
            held = [gap for gap in near((begin, end), lane.gaps, begins)
                    if gap[0] <= begin and gap[1] >= end]
            if len(held) != 1:
                wrong.append("processor %d: %d gaps at %d" % (i, len(held), begin))
                continue
            beside[world].add((held[0][1] - held[0][0] - (end - begin)) // ticks)
            if worlds[i][starts[held[0]]] != world:
                wrong.append("processor %d: the gap at %d is of the other class" % (i, begin))
            explained[i].add(held[0])
            for j, other in enumerate(lanes):
                if world and j != i:
                    explained[j].update(gap for gap in near(held[0], other.gaps, [
                        b for b, _ in other.gaps]) if overlap(gap, held[0]) > 0)
    invented = sum(len(lane.gaps) - len(those) for lane, those in zip(lanes, explained))
    stops, local = counted(run, lanes)
    print("made: world %d local %d; found: world %d local %d; invented %d; "
          "instructions beside the section: world %s local %s"
          % (made[True], made[False], stops, local, invented, sorted(beside[True]),
             sorted(beside[False])))
    if invented or (stops, local) != (made[True], made[False]) or sum(made.values()) == 0:
        wrong.append("other counts")
    if any(len(values) > BESIDE[world][0] or min(values, default=-1) < 0 or
           max(values, default=0) > BESIDE[world][1] for world, values in beside.items()):
        wrong.append("a gap has another length than its section")
    return wrong


def check_stopped(run, ms, least):
    """Gaps of the first processor of which so much is a gap of each other one as well."""
    lanes = lanes_of(run, None)
    ticks = ms * run.hz / 1000
    common = [gap for gap in lanes[0].gaps if gap[1] - gap[0] >= ticks and all(
        max((overlap(gap, other) for other in lane.gaps), default=0) >= ticks
        for lane in lanes[1:])]
    print("all processors stood still %d times for %d ms" % (len(common), ms))
    return [] if len(common) >= least else ["not so often"]


def check_smi(run, count, damage):
    lanes = lanes_of(run, damage)
    held = []
    for i, lane in enumerate(lanes):
        smis = []
        for kind in ("gap", "worst"):
            smis += run.series(run.of(i, kind + "_smi")) or []
        held.append([gap for gap, number in zip(lane.gaps, smis) if number > 0])
        # One that came behind the last reading is in no gap.
        if not 0 < sum(smis) <= count or run.facts[run.of(i, "smi")] != count:
            return ["processor %d counts %d SMIs in its gaps" % (i, sum(smis))]
    alone = [gap for i, gaps in enumerate(held) for gap in gaps if not all(
        any(overlap(gap, other) > 0 for other in others)
        for j, others in enumerate(held) if j != i)]
    print("gaps with SMIs: %s; without one of the others: %d"
          % (" ".join(str(len(gaps)) for gaps in held), len(alone)))
    return ["a gap with an SMI is alone"] if alone or not held[0] else []


def check_netgauge(run, kept, damage):
    """Of the calibration's readings the first is a part of a pass, and left out. The smallest is of
    the readings that fact reads_before counts: of processors in turns about the first half, as some
    end before others. A calibration longer than what was kept of it has a smallest reading that is
    the image's alone."""
    wrong = []
    in_turns = len(run.numbers) > 1 and "proof.ticks_per_instruction" in run.facts
    for i, number in enumerate(run.numbers):
        readings = run.series(run.of(i, "reading"))
        before = run.series(run.of(i, "reading_before"))
        if len(readings) != run.facts[run.of(i, "reads")]:
            sys.exit("processor %d: %d of %d readings are here" % (
                number, len(readings), run.facts[run.of(i, "reads")]))
        if damage == "smallest":
            before[len(before) // 3] = 1
        elif damage == "longer":
            readings[-1] += 100 * max(readings)
        counted = 2 if damage == "counted" else run.facts[run.of(i, "reads_before")]
        least, most = (0.1, 0.9) if in_turns else (1, 1)
        if len(before) < kept and not least <= counted / len(before) <= most:
            wrong.append("processor %d: %d of %d readings are counted" % (number, counted, len(before)))
        smallest = min(before[1:counted])
        if len(before) == kept:
            smallest = run.facts[run.of(i, "smallest_before")]
        over = [each for each in readings if each > TIMES * smallest]
        over_1us = sum(each > run.hz // 10 ** 6 for each in readings)
        print("processor %d: smallest %d, above %d: %d, of %d ticks; above 1 us: %d"
              % (number, smallest, TIMES * smallest, len(over), sum(over), over_1us))
        for name, value in (("smallest_before", smallest), ("threshold", TIMES * smallest),
                            ("over", len(over)), ("stolen", sum(over)), ("over_1us", over_1us)):
            stated = run.facts.get(run.of(i, name), value if name == "over_1us" else None)
            if stated != value:
                wrong.append("processor %d: %s is %s, not %d" % (number, name, stated, value))
    return wrong


def transform(values):
    count = len(values)
    if count == 1:
        return values
    even, odd = transform(values[0::2]), transform(values[1::2])
    turned = [cmath.exp(-2j * math.pi * k / count) * odd[k] for k in range(count // 2)]
    return ([e + t for e, t in zip(even, turned)] + [e - t for e, t in zip(even, turned)])


def check_injector(run, hz, ppm, damage):
    done, carry = run.series(run.of(0, "done")), run.series(run.of(0, "carry"))
    quantum, unit = run.facts["quantum"], run.facts["unit_ticks"]
    stolen = [quantum - done[i] * unit - carry[i] + carry[i - 1] for i in range(1, len(done))]
    count = 1 << (len(stolen).bit_length() - 1)
    stolen = stolen[:count]
    if damage == "period":
        injections = [i for i, each in enumerate(stolen) if each > min(stolen)]
        for i in injections[::2]:
            stolen[i] = min(stolen)
    elif damage == "lose":
        stolen = [stolen[0]] * count
    quiet = sorted(stolen)[count // 2]
    share = sum(each - quiet for each in stolen) / (count * quantum) * 1e6
    mean = sum(stolen) / count
    power = [abs(x) ** 2 for x in transform(
        [complex((each - mean) * (0.5 - 0.5 * math.cos(2 * math.pi * i / count)))
         for i, each in enumerate(stolen)])[:count // 2]]
    top = max(power[1:])
    if top == 0:
        return ["nothing is stolen"]
    lowest = next(k for k in range(1, count // 2) if power[k] >= LINE * top)
    while lowest + 1 < count // 2 and power[lowest + 1] > power[lowest]:
        lowest += 1
    expected = hz * count * quantum / run.hz
    print("the lowest line is bin %d of %d, expected %.2f; %.2f ppm are stolen"
          % (lowest, count, expected, share))
    wrong = [] if abs(lowest - expected) <= 1 else ["the line is elsewhere"]
    return wrong + ([] if ppm / 2 <= share <= 1.5 * ppm else ["another share is stolen"])


def main():
    what, path = sys.argv[1:3]
    more = sys.argv[3:]
    if what in ("injected", "join"):
        run = Run(path, "gap")
        if what == "join":
            print("%d %d" % counted(run, lanes_of(run, None)))
            return 0
        wrong = check_injected(run, more[0] if more else None)
    elif what == "stopped":
        wrong = check_stopped(Run(path, "gap"), int(more[0]), int(more[1]))
    elif what == "smi":
        wrong = check_smi(Run(path, "gap"), int(more[0]), more[1] if len(more) > 1 else None)
    elif what == "netgauge":
        wrong = check_netgauge(Run(path, "selfish"), int(more[0]),
                               more[1] if len(more) > 1 else None)
    else:
        wrong = check_injector(Run(path, "ftq"), int(more[0]), int(more[1]),
                            more[2] if len(more) > 2 else None)
    for each in wrong[:5]:
        print(each)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
