#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Compares the responses and waits of a model on the kernel with their simulation.

usage: model_waits.py SIMULATED.json MEASURED.tsv UNIT_NS HZ RESOLUTION_NS

SIMULATED.json is what `tare sim --json` prints: the mean of each statistic over the replications,
and the standard deviation of one replication, which is as long as the run. MEASURED.tsv has a line
"SERIES VALUE" for each sample, in ticks. Prints for each series the two means in units, the
difference in standard errors z, and the power: the least difference in percent that 3 standard
errors do not hide. Fails if a z is outside 3. RESOLUTION_NS is added to the standard error as an
independent one: some waits have no error of chance, because they are the kernel's own work only.
"""
import json
import math
import sys

BOUND = 3


def name_of(series):
    """response -> the first stimulus's transit; wait.LEVEL@PROCESSOR -> LEVEL@PROCESSOR.wait."""
    if series.startswith("wait."):
        return series[len("wait."):] + ".wait"
    return series[len("response."):] + ".transit" if "." in series else None


def statistics_of(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)["results"][0]["statistics"]


def measured(path, ticks_per_unit):
    """The mean of each series, in units, in the order of the file."""
    sums = {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            series, value = line.split()
            count, total = sums.get(series, (0, 0))
            sums[series] = count + 1, total + int(value)
    return {series: total / count / ticks_per_unit for series, (count, total) in sums.items()}


def main():
    simulated = {entry["name"]: entry for entry in statistics_of(sys.argv[1])}
    first = next(name for name in simulated if name.endswith(".transit"))
    ticks_per_unit = float(sys.argv[3]) * float(sys.argv[4]) / 1e9
    resolution = float(sys.argv[5]) / float(sys.argv[3])
    worst = 0

    print(f"{'series':18} {'model':>8} {'kernel':>8} {'z':>6} {'power':>8}")
    for series, mean in measured(sys.argv[2], ticks_per_unit).items():
        entry = simulated[name_of(series) or first]
        error = math.hypot(entry["deviation"] * math.sqrt(1 + 1 / entry["n"]), resolution)
        z = (mean - entry["mean"]) / error
        worst = max(worst, abs(z))
        print(f"{series:18} {entry['mean']:8.3f} {mean:8.3f} {z:+6.2f} "
              f"{100 * BOUND * error / entry['mean']:6.1f} %")
    print(f"largest |z| {worst:.2f}")
    return worst > BOUND


sys.exit(main())
