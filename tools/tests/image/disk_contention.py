#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Contention at the modelled disk, as bench diskload measured it, against `tare sim`'s M/D/Q.

    disk_contention.py TARE RUN.db device|whole SERVERS

For each number of threads N of the run, `tare sim` simulates N customers, each of whom thinks, has
the kernel's work on one processor, and is served by the first of SERVERS that is free:

    device  from submission to where the disk's law has the read done; SERVERS are the disk's, and
            a service is the law's
    whole   from the call to where its thread goes on; SERVERS are the `depth` of diskload, which
            lets so many threads to the disk. A service is the device's, and the kernel's submission
            (of a single thread: here it includes the wait), interrupt and wake-up at this N: each
            measured by itself

The kernel's work is what the cycle of a single thread has beside its think time and its service.
Mean and 99th percentile must lie within 3 standard errors, those of the run (jackknife of BATCHES)
and of the simulation together. Beyond that, 2 ticks are rounding, and a read of `whole` may meet
the kernel's work for another thread: the mean by the part of the time that the processor has such
work, the percentile once.

Prints a line for each N. Status 1: one is further away.
"""
import json
import math
import os
import subprocess
import sys
import tempfile

import disk_timing

BENCH = "diskload"
BATCHES = 20
ERRORS = 3
ROUNDING = 2
LEFT_OUT = 0.1  # of the reads, while the queue fills
REPLICATIONS = 40
PASSES = 10000

MODEL = """passes %d
unit 1ns
levels kernel
station disk servers %d
stimulus reads population %d think exponential %.17g
  route kernel %.17g, disk %.17g
"""


def mean(values):
    return sum(values) / len(values)


def percentile(values):
    return sorted(values)[math.ceil(0.99 * len(values) * (1 - 1e-12)) - 1]


def jackknife(values, statistic):
    """The statistic of all, and its standard error by leaving out one batch after the other."""
    size = len(values) // BATCHES
    values = values[:size * BATCHES]
    without = [statistic(values[:i * size] + values[(i + 1) * size:]) for i in range(BATCHES)]
    middle = mean(without)
    squares = sum((value - middle) ** 2 for value in without)
    return statistic(values), math.sqrt(squares * (BATCHES - 1) / BATCHES)


class Load:
    """The reads of one number of threads, in the order of their submission, in ticks."""

    def __init__(self, run, threads, kind):
        self.think = run.series(BENCH, "think", threads)
        at = run.series(BENCH, "at", threads)
        if kind == "device":
            self.begin = at
            self.response = run.series(BENCH, "device", threads)
            self.service = mean(run.series(BENCH, "law", threads))
        else:
            self.begin = [a - b for a, b in zip(at, run.series(BENCH, "submit", threads))]
            self.response = run.series(BENCH, "read", threads)
            self.service = mean(run.series(BENCH, "submit", 1)) + sum(
                mean(run.series(BENCH, span, threads)) for span in ("device", "interrupt", "wake"))

    def steady(self):
        return list(self.response[int(LEFT_OUT * len(self.response)):])

    def kernel(self):
        """Of a single thread: what a cycle has beside thinking and service."""
        return mean([self.begin[i] - self.begin[i - 1] - self.think[i] - self.response[i - 1]
                     for i in range(1, len(self.begin))])


def simulate(tare, threads, servers, think, work, service):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "closed.model")
        with open(path, "w", encoding="ascii") as model:
            model.write(MODEL % (PASSES, servers, threads, think, work, service))
        printed = subprocess.run([tare, "sim", "--json", "--replications", str(REPLICATIONS), path],
                                 check=True, capture_output=True).stdout
    found = {each["name"]: (each["mean"], each["error"])
             for each in json.loads(printed)["results"][0]["statistics"]}
    return found["disk.stay"], found["disk.stay.p99"]


def main(tare, path, kind, servers):
    run = disk_timing.Run(path)
    us = int(run.db.execute("SELECT value FROM param WHERE bench = ? AND name = 'think_us'",
                            (BENCH,)).fetchone()[0])
    think = us * run.hz / 1e6
    work = Load(run, 1, kind).kernel()
    good = True

    print("the kernel's work %.1f ticks, thinking %.0f" % (work, think))
    print("threads   reads service           measured   error   simulated   error       z")
    for threads in run.groups(BENCH):
        load = Load(run, threads, kind)
        reads = load.steady()
        simulated = simulate(tare, threads, int(servers), think, work, load.service)
        busy = threads * work / (think + work + simulated[0][0])
        allowed = (busy * work, work) if kind == "whole" else (0, 0)
        for name, statistic, other, more in zip(("mean", "p99"), (mean, percentile), simulated,
                                                allowed):
            value, error = jackknife(reads, statistic)
            both = math.hypot(error, other[1])
            beyond = abs(value - other[0]) - more - ROUNDING
            good = good and beyond <= ERRORS * both
            print("%7d %7d %9.1f %-4s %11.1f %7.1f %11.1f %7.1f %7s"
                  % (threads, len(reads), load.service, name, value, error, other[0], other[1],
                     "%+.2f" % ((value - other[0]) / both) if both > ROUNDING else "-"))
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
