#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Pauses of a virtual machine, as bench gap in it sees them.

    bench_pauses.py TARE FOLDER [TRIALS]

Boots bench gap in host time and stops the emulator by SIGSTOP for 1 to 200 ms, TRIALS times each
(default 10), in mixed order. A long stop at the start is the longest gap of the run: it ties the
guest's clock to this program's. A pause is found where a gap of 0.9 of its length or more covers it,
to 3 ms. As often it is asked for such a gap half-way to the next pause, where there was none: found by
chance, since a busy host takes the processor as well. Then the emulator is paused by QMP, which stops the guest's TSC as well: no gap.

Prints for each length how many were found, by chance, and of how many.
"""
import json
import os
import random
import signal
import socket
import subprocess
import sys
import time

MS = 0.001
LENGTHS = (1, 2, 5, 10, 20, 50, 100, 200)
APART = 0.15
MARKER = 0.6
START = 1  # from the bench's line to its watch, on a busy host
SLACK = 0.003
LONGER = 1.3  # the watch lasts, than is planned: a busy host sleeps longer than it is asked to
QMP_TRIALS = 5
QMP_LENGTH = 0.1


def emulator(parent):
    """The process below `parent` that runs the machine; None: there is none yet."""
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/stat", encoding="utf-8") as stat:
                command, rest = stat.read().rsplit(")", 1)
        except OSError:
            continue
        if int(rest.split()[1]) == parent:
            if "(qemu" in command:
                return int(name)
            below = emulator(int(name))
            if below is not None:
                return below
    return None


class Monitor:
    """QMP of the emulator."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(path)
        self.file = self.socket.makefile("rw", encoding="utf-8")
        self.file.readline()
        self.command("qmp_capabilities")

    def command(self, name):
        self.file.write(json.dumps({"execute": name}) + "\n")
        self.file.flush()
        while "return" not in json.loads(self.file.readline()):
            pass


def pause(stop, go, seconds):
    """Returns when it began, and how long it was."""
    stop()
    begin = time.monotonic()
    time.sleep(seconds)
    length = time.monotonic() - begin
    go()
    return begin, length


def run(tare, folder, trials):
    """Returns the marker, the pauses by signal and those by QMP."""
    plan = [length * MS for length in LENGTHS for _ in range(trials)]
    random.Random(1).shuffle(plan)
    seconds = START + MARKER + sum(plan) + QMP_TRIALS * QMP_LENGTH + APART * (len(plan) + QMP_TRIALS)
    milliseconds = int(1000 * seconds * LONGER)
    qmp = os.path.join(folder, "qmp")
    with subprocess.Popen(
            [tare, "boot", "--mode", "real", "--bench", "gap", "--set", f"gap.ms={milliseconds}",
             "--set", "gap.threshold_ns=500000", "--set", "gap.keep=100000",
             "--log", os.path.join(folder, "pauses.log"), "-o", os.path.join(folder, "pauses.db"),
             "--", "-qmp", f"unix:{qmp},server=on,wait=off"],
            stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True) as boot:
        for line in boot.stderr:
            if "bench gap (" in line:
                break
        process = emulator(boot.pid)
        by_signal = (lambda: os.kill(process, signal.SIGSTOP),
                     lambda: os.kill(process, signal.SIGCONT))
        monitor = Monitor(qmp)
        by_qmp = (lambda: monitor.command("stop"), lambda: monitor.command("cont"))
        time.sleep(START)
        marker = pause(*by_signal, MARKER)
        signals, qmps = [], []
        for length in plan:
            time.sleep(APART)
            signals.append((length, *pause(*by_signal, length)))
        for _ in range(QMP_TRIALS):
            time.sleep(APART)
            qmps.append((QMP_LENGTH, *pause(*by_qmp, QMP_LENGTH)))
        boot.stderr.read()
    return marker, signals, qmps


def gaps_of(tare, folder):
    """(begin, length) in seconds of the guest."""
    path = os.path.join(folder, "pauses.db")

    def tare_show(*options):
        return subprocess.run([tare, "show", *options, path], capture_output=True, text=True,
                              check=False).stdout

    hz = json.loads(tare_show("--json"))["run"]["verdict"]["hz"]
    begins, lengths = ([int(line) / hz for line in tare_show("--samples", f"gap/gap_{name}").split()]
                       for name in ("time", "length"))
    return list(zip(begins, lengths))


def main():
    tare, folder = sys.argv[1:3]
    marker, signals, qmps = run(tare, folder, int(sys.argv[3]) if len(sys.argv) > 3 else 10)
    gaps = gaps_of(tare, folder)
    begin, length = max(gaps, key=lambda gap: gap[1])
    if not 0.9 * MARKER < length < 1.5 * MARKER:
        sys.exit(f"bench_pauses.py: the longest gap is {length:.3f} s, and not the marker of {MARKER} s")
    offset = begin + length - (marker[0] + marker[1])

    def found(at, length):
        return any(gap[0] <= at + SLACK and gap[0] + gap[1] >= at + length - SLACK and
                   gap[1] >= 0.9 * length for gap in gaps)

    print("pause by SIGSTOP   found  by chance  of")
    for wanted in LENGTHS:
        these = [pause for pause in signals if pause[0] == wanted * MS]
        seen = sum(found(at + offset, took) for _, at, took in these)
        chance = sum(found(at + took + APART / 2 + offset, took) for _, at, took in these)
        print(f"{wanted:>13} ms  {seen:>6}  {chance:>9}  {len(these):>2}")
    frozen = 0
    seen = 0
    for _, at, took in qmps:
        seen += found(at + offset - frozen, took)
        frozen += took
    print(f"by QMP, {1000 * QMP_LENGTH:.0f} ms: {seen} of {len(qmps)} found: it stops the guest's TSC as well")


main()
