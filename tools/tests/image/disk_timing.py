#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""The law of the modelled disk, written a second time, against the reads of a run.

    disk_timing.py RUN.db MODEL LOAD_BYTES [constant]

Of each read of disklatency and of diskload (whose reads have LOAD_BYTES) the law is computed from
the series `sector` and `at`. The residual is what the whole time of a read has beyond the law and
the kernel's submission, interrupt and wake-up: the read's own spans. With `constant`, for the reads
of disklatency it is their medians over all of these as well: every read costs the kernel the same.

Prints the number of reads and the largest residual in ticks. Status 1: one is above LIMIT, or a
read has another service than the law.
"""
import math
import statistics
import struct
import sys

import plain

LIMIT = 64
NS = 10 ** 9
SECTOR = 512
ROOT = 1 << 20
KERNEL = ("submit", "interrupt", "wake")

# Each from its source: servers, ns of a command, ns of a seek to the next cylinder and over all of
# them, ns of a turn, bytes a second, sectors of a track, tracks of a cylinder, cylinders, sectors of
# the buffer, bytes a second on the bus.
LAWS = {
    "hdd1996": (1, 500000, 2500000, 16562500, 11111111, 77 * 512 * 90, 77, 15, 1819, 1024, 10 ** 7),
    "ssd2014": (1, 198380, 0, 0, 0, 800000000, 0, 0, 0, 0, 0),
    "nvme": (42, 83720, 0, 0, 0, 3200000000, 0, 0, 0, 0, 0),
    "optane": (6, 8294, 0, 0, 0, 2400000000, 0, 0, 0, 0, 0),
}

# ssd2014: commands in a sequence, with a queue; without, in its first 4096 sectors and later. The
# report's time of a block, by requests at the disk.
QUEUED, EARLY, LATE = 120172, 110980, 68380
REPORT = (
    125292, 129623, 130591, 131776, 135678, 136234, 138663, 138843, 145052, 149173, 144131,
    148242, 157010, 165475, 165974, 160024, 168563, 175973, 182342, 196388, 203429, 214254,
    236563, 281612, 293876, 300763, 324981, 454182, 523013, 642253, 960801, 10669071)


class Disk:
    """What its servers do; times in ns from when it was opened for `depth` requests."""

    def __init__(self, model, depth):
        (servers, self.slow, self.shortest, self.longest, self.turn, self.rate, self.track,
         self.tracks, self.cylinders, self.buffer, self.bus) = LAWS[model]
        self.servers = [[0, 0] for _ in range(servers)]  # free at, cylinder
        self.queued = depth > 1
        self.sequences = model == "ssd2014"
        self.past = []  # due, end, length of the sequence
        self.link = 0
        self.ahead = None  # sector, and when the medium was there

    def cylinder(self, sector):
        return sector // (self.track * self.tracks) if self.track else 0

    def seek(self, distance):
        if distance == 0 or self.cylinders == 0:
            return 0
        share = math.isqrt(ROOT * ROOT * min(distance, self.cylinders) // self.cylinders)
        return self.shortest + (self.longest - self.shortest) * share // ROOT

    def rotation(self, now, sector):
        if self.turn == 0:
            return 0
        return (sector % self.track * self.turn // self.track - now) % self.turn

    def command(self, now, sector):
        """And the sectors of the sequence that the read continues."""
        if not self.sequences:
            return self.slow, 0
        known = self.past[-64:] if self.queued else self.past[-1:]
        before = ([0] + [length for _, end, length in known if end == sector])[-1]
        at_disk = 1 + sum(due > now for due, _, _ in known)
        command = self.slow
        if before:
            command = QUEUED if self.queued else EARLY if before < 4096 else LATE
        return command + REPORT[min(at_disk, 32) - 1] - REPORT[0], before

    def passed(self, sector):
        return self.ahead[1] + (sector - self.ahead[0]) * SECTOR * NS // self.rate

    def read(self, now, sector, sectors):
        """When its service begins and ends."""
        server = min(self.servers, key=lambda each: each[0])
        began = max(now, server[0])
        command, before = self.command(now, sector)
        at, end = began + command, sector + sectors
        if (self.buffer and self.ahead and self.ahead[0] <= sector and
                end <= self.ahead[0] + self.buffer and self.passed(sector) <= at):
            at = max(at + sectors * SECTOR * NS // self.bus, self.passed(end))
        else:
            at += self.seek(abs(self.cylinder(sector) - server[1]))
            at += self.rotation(at, sector)
            at = max(at, self.link) + sectors * SECTOR * NS // self.rate
            server[1] = self.cylinder(end - 1)
            self.link, self.ahead = at, (end, at)
        server[0] = at
        self.past = self.past[-63:] + [(at, end, before + sectors)]
        return began, at


class Run:
    def __init__(self, path):
        self.db = plain.connect(path)
        self.hz = self.db.execute("SELECT hz FROM verdict").fetchone()[0]

    def depth(self, bench):
        return self.db.execute("SELECT value FROM fact WHERE bench = ? AND name = 'depth'",
                               (bench,)).fetchone()[0]

    def groups(self, bench):
        """What stands behind the names of its series: bytes of a read, or threads."""
        names = self.db.execute("SELECT name FROM series WHERE bench = ? AND name LIKE 'at.%'",
                                (bench,))
        return sorted(int(name[3:]) for (name,) in names)

    def series(self, bench, name, group):
        count, samples = self.db.execute(
            "SELECT n, samples FROM series WHERE bench = ? AND name = ?",
            (bench, "%s.%d" % (name, group))).fetchone()
        values = struct.unpack("<%dq" % (len(samples) // 8), samples)
        if len(values) != count:
            sys.exit("%s/%s.%d is not whole" % (bench, name, group))
        return values


def beyond_law(run, bench, group, model, size):
    """What each read takes beyond the law, waiting for a server included, in ticks."""
    disk = Disk(model, run.depth(bench))
    beyond = []
    for read, law, sector, at in zip(*(run.series(bench, name, group)
                                       for name in ("read", "law", "sector", "at"))):
        began, done = disk.read(at * NS // run.hz, sector, size // SECTOR)
        began, done = began * run.hz // NS, done * run.hz // NS
        if law != done - began:
            sys.exit("%s.%d: sector %d at %d takes %d by the law, not %d"
                     % (bench, group, sector, at, done - began, law))
        beyond.append(read - (done - at))
    return beyond


def residuals(run, bench, model, size_of, constant):
    """Of all its reads."""
    groups = run.groups(bench)
    spans = {group: list(zip(*(run.series(bench, name, group) for name in KERNEL)))
             for group in groups}
    usual = sum(map(statistics.median, zip(*sum(spans.values(), [])))) if constant else 0
    found = []
    for group in groups:
        for beyond, own in zip(beyond_law(run, bench, group, model, size_of(group)), spans[group]):
            found.append(abs(beyond - sum(own)))
            if constant:
                found[-1] = max(found[-1], abs(beyond - usual))
    return found


def main(path, model, load_bytes, constant=None):
    run = Run(path)
    found = residuals(run, "disklatency", model, lambda group: group, constant == "constant")
    found += residuals(run, "diskload", model, lambda group: int(load_bytes), False)
    if not found:
        sys.exit("no reads")
    print("%d reads, largest residual %d ticks" % (len(found), max(found)))
    return 0 if max(found) <= LIMIT else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
