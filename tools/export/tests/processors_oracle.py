#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
#
# Reads an exported trace of several processors and prints for each what tools/tests/programs/
# scheduler_run.c prints of the same trace. It shares no code with tare.
#
#     processors_oracle.py ctf RUN.db EVENTS          lines of babeltrace2 --clock-seconds
#     processors_oracle.py busy RUN.db EVENTS         as ctf, but prints only the busy time, with
#                                                     interrupts, in the terms of tare show --json
#     processors_oracle.py perfetto RUN.db TRACE...   a Perfetto trace, decoded here. Each piece of
#                                                     several begins with its own switches
#     processors_oracle.py csv RUN.db EVENTS          lines of --format csv-events
#     processors_oracle.py figures RUN.db EVENTS DIR  as csv, and checks the figures in DIR
#                                                     (--format tsv) by the events; prints nothing
#
# The clock of the run has 1 GHz, so that a tick is 1 ns. Only begin and end of each trace are from
# the run file.
import csv
import re
import sqlite3
import struct
import sys

COUNTED = ["switch", "wake", "migrate", "ipi", "quantum", "boost"]


class Processor:
    def __init__(self):
        self.idle = self.elapsed = 0
        self.counts = dict.fromkeys(COUNTED, 0)
        self.switches = []  # stamp, tid before, tid after


def finish(processors, traces, strict):
    """Sums the idle time of each processor from its switches, and prints all."""
    for cpu, begin, end in traces:
        processor = processors.setdefault(cpu, Processor())
        processor.elapsed += end - begin
        inside = [s for s in processor.switches if begin <= s[0] <= end]
        at, running = begin, inside[0][1]
        for stamp, before, after in inside:
            if strict and before != running or stamp < at:
                sys.exit("cpu %d: a switch from %d at %d, but %d runs since %d" %
                         (cpu, before, stamp, running, at))
            processor.idle += stamp - at if running == 0 else 0
            at, running = stamp, after
        processor.idle += end - at if running == 0 else 0
    for cpu in sorted(processors):
        processor = processors[cpu]
        print("cpu", cpu, "elapsed", processor.elapsed, "idle", processor.idle,
              *("%s %d" % pair for pair in processor.counts.items()))


def read_ctf(path):
    names = {"sched_switch": "switch", "sched_wakeup": "wake", "sched_migrate_task": "migrate",
             "tare_ipi": "ipi", "tare_quantum": "quantum", "tare_thread_boost": "boost"}
    processors, last = {}, 0
    line_of = re.compile(r"\[(\d+)\.(\d{9})\] \(\+[\d.?]+\) (\w+): \{ cpu_id = (\d+) \}, \{(.*)\}")
    for line in open(path):
        seconds, fraction, name, cpu, fields = line_of.match(line).groups()
        stamp = int(seconds) * 10**9 + int(fraction)
        if stamp < last:
            sys.exit("not in order: " + line)
        last = stamp
        processor = processors.setdefault(int(cpu), Processor())
        if name in names:
            processor.counts[names[name]] += 1
        if name == "sched_switch":
            number = dict(re.findall(r"(\w+) = (-?\d+)", fields))
            processor.switches.append((stamp, int(number["prev_tid"]), int(number["next_tid"])))
    return processors


def read_events(path):
    """Returns the events of each processor: stamp, name, thread before, thread after, reason."""
    events = {}
    line_of = re.compile(r"\[(\d+)\.(\d{9})\].*?\) (\w+): \{ cpu_id = (\d+) \}, \{(.*)\}")
    for line in open(path):
        seconds, fraction, name, cpu, fields = line_of.match(line).groups()
        tids = re.findall(r"_tid = (\d+)", fields) or [None, None]
        reason = re.findall(r'reason = \( "(\w+)"', fields) or [None]
        events.setdefault(int(cpu), []).append(
            (int(seconds) * 10**9 + int(fraction), name, tids[0], tids[-1], reason[0]))
    return events


def print_busy(path, traces):
    """Idle is what the idle thread ran without interrupts, less the way from an interrupt to the
    thread that it made ready."""
    busy = {}
    for cpu, begin, end in traces:
        inside = [e for e in read_events(path)[cpu] if begin <= e[0] <= end]
        current = next(e[2] for e in inside if e[1] == "sched_switch")
        at, depth, left, idle = begin, 0, False, 0
        for stamp, name, _, after, reason in inside + [(end, "end", None, None, None)]:
            dispatch = left and name == "sched_switch" and reason in ("preempted", "quantum")
            if current == "0" and depth == 0 and not dispatch:
                idle += stamp - at
            depth += {"irq_handler_entry": 1, "irq_handler_exit": -1}.get(name, 0)
            current = after if name == "sched_switch" else current
            at, left = stamp, name == "irq_handler_exit"
        busy[cpu] = busy.get(cpu, 0) + end - begin - idle
    for cpu in sorted(busy):
        print(cpu, busy[cpu])


def read_csv(path):
    names = {"thread_switch": "switch", "thread_ready": "wake", "thread_migrate": "migrate",
             "ipi": "ipi", "quantum": "quantum", "thread_boost": "boost"}
    processors = {}
    for row in csv.DictReader(open(path)):
        processor = processors.setdefault(int(row["cpu"]), Processor())
        if row["event"] in names:
            processor.counts[names[row["event"]]] += 1
        if row["event"] == "thread_switch":
            fields = dict(pair.split("=") for pair in row["fields"].split())
            processor.switches.append((int(row["tsc"]), int(fields["old"]), int(fields["new"])))
    return processors


# ---- Protocol Buffers ----

def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 0x7f) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value, at


def message(data):
    """Returns the fields: number to list of values."""
    fields, at = {}, 0
    while at < len(data):
        key, at = varint(data, at)
        if key & 7 == 0:
            value, at = varint(data, at)
        elif key & 7 == 1:
            value, at = struct.unpack_from("<Q", data, at)[0], at + 8
        elif key & 7 == 2:
            length, at = varint(data, at)
            value, at = data[at:at + length], at + length
        else:
            sys.exit("wire type %d" % (key & 7))
        fields.setdefault(key >> 3, []).append(value)
    return fields


class Flows:
    """Arrows: each begins at a wake-up and ends at the switch to the thread that was woken."""

    def __init__(self):
        self.begun, self.ended = {}, {}

    def add(self, event, stamp, track):
        for flow in event.get(47, []):
            self.begun[flow] = stamp
        for flow in event.get(48, []):
            self.ended[flow] = (stamp, track)

    def check(self, processors, tids):
        wakes = sum(p.counts["wake"] for p in processors.values())
        switches = {(s[0], s[2]) for p in processors.values() for s in p.switches}
        if len(self.begun) != wakes or not 0 < len(self.ended) <= wakes:
            sys.exit("%d arrows begin, %d end, of %d wake-ups" %
                     (len(self.begun), len(self.ended), wakes))
        for flow, (stamp, track) in self.ended.items():
            if flow not in self.begun or self.begun[flow] > stamp:
                sys.exit("arrow %d ends before it begins" % flow)
            if (stamp, tids[track]) not in switches:
                sys.exit("arrow %d does not end at a switch to thread %d" % (flow, tids[track]))


def read_bundle(bundle, processors):
    cpu = bundle[1][0]
    processor = processors.setdefault(cpu, Processor())
    for data in bundle.get(2, []):
        event = message(data)
        if 4 in event:
            change = message(event[4][0])
            processor.switches.append((event[1][0], change[2][0], change[6][0]))
            processor.counts["switch"] += 1
        elif 20 in event:
            processor.counts["wake"] += 1


def owner(tracks, track):
    """Returns the processor that a track is of, by its name."""
    return int(re.match(r"CPU (\d+): ", tracks[track]).group(1))


def read_perfetto(path, *further):
    processors = {}
    for piece in (path,) + further:
        read_piece(piece, processors, not further)
    return processors


def read_piece(path, processors, whole):
    names, tracks, tids, instants = {}, {}, {}, []
    flows = Flows()
    for data in message(open(path, "rb").read())[1]:
        packet = message(data)
        for interned in packet.get(12, []):
            for data in message(interned).get(2, []):
                name = message(data)
                names[name[1][0]] = name[2][0].decode()
        for data in packet.get(60, []):
            descriptor = message(data)
            tracks[descriptor[1][0]] = descriptor.get(2, [b""])[0].decode()
            for thread in descriptor.get(4, []):
                tids[descriptor[1][0]] = message(thread)[2][0]
        for data in packet.get(1, []):
            read_bundle(message(data), processors)
        for data in packet.get(11, []):
            event = message(data)
            flows.add(event, packet[8][0], event[11][0])
            if event[9][0] == 3:
                instants.append((packet[8][0], names[event[10][0]], event[11][0]))
    for processor in processors.values():
        processor.switches.sort()
    if whole:
        flows.check(processors, tids)
    count_instants(processors, instants, tracks, tids)


def count_instants(processors, instants, tracks, tids):
    """Threads have their own track on all processors: what happened on which is in no instant, so
    that the sums are counted for the first processor."""
    wanted = {"thread_migrate": "migrate", "ipi": "ipi", "quantum": "quantum",
              "thread_boost": "boost"}
    first = processors[min(processors)]
    for _, name, track in instants:
        if name not in wanted:
            continue
        if name != "ipi" and track not in tids:
            sys.exit(name + " is not on the track of a thread")
        if name == "ipi" and track not in tids:
            owner(tracks, track)
        first.counts[wanted[name]] += 1


# ---- figures ----

INTERVALS = 200
READY = 1


class Figures:
    """What the figures of a report show, from the events. Times count from the start of the first
    part; parts follow each other."""

    def __init__(self, traces, names):
        self.parts = {}
        for part, cpu, begin, end in traces:
            self.parts.setdefault(part, []).append((cpu, begin, end))
        self.elapsed = sum(max(e for _, _, e in part) - min(b for _, b, _ in part)
                           for part in self.parts.values())
        self.interval = self.elapsed // INTERVALS + 1
        self.ready = [0] * INTERVALS
        self.known, self.idle = {}, {}
        self.names, self.ran = names, {}

    def add(self, sums, begin, end):
        while begin < end:
            to = min(end, (begin // self.interval + 1) * self.interval)
            sums[begin // self.interval] += to - begin
            begin = to

    def close(self, cpu, thread, begin, end):
        self.add(self.known.setdefault(cpu, [0] * INTERVALS), begin, end)
        if thread == 0:
            self.add(self.idle.setdefault(cpu, [0] * INTERVALS), begin, end)
        key = cpu, thread
        self.ran[key] = self.ran.get(key, 0) + end - begin

    def read_part(self, rows, part, before):
        start = min(begin for _, begin, _ in part)
        running, since = {}, {}
        for stamp, cpu, event, fields in rows:
            now = stamp - start + before
            ready, thread = [], fields.get("thread")
            if event == "thread_switch":
                if cpu in running:
                    self.close(cpu, *running[cpu], now)
                running[cpu] = fields["new"], now
                ready = [(fields["new"], False), (fields["old"], fields["why"] >> 5 == READY)]
            elif event == "thread_is" and fields["state"] == 0:
                running[cpu] = thread, now
            elif event == "thread_ready" or (event == "thread_is" and fields["state"] == READY):
                ready = [(thread, True)]
            for thread, is_ready in ready:
                if thread in since and not is_ready:
                    self.add(self.ready, since.pop(thread), now)
                elif is_ready and thread != 0:
                    since.setdefault(thread, now)
        for cpu, _, end in part:
            self.close(cpu, *running[cpu], end - start + before)
        for begin in since.values():
            self.add(self.ready, begin, part[-1][2] - start + before)
        return before + max(end for _, _, end in part) - start

    def read(self, path):
        rows = [(int(row["tsc"]), int(row["cpu"]), row["event"],
                 {key: int(value) for key, value in
                  (pair.split("=") for pair in row["fields"].split())})
                for row in csv.DictReader(open(path))]
        before = 0
        for part in self.parts.values():
            first, last = min(b for _, b, _ in part), max(e for _, _, e in part)
            before = self.read_part([row for row in rows if first <= row[0] <= last], part, before)

    def check(self, folder):
        rows = [line.rstrip("\n").split("\t") for line in open(folder + "/smp-busy.tsv")
                if not line.startswith("#")]
        wanted = [100 - 100 * self.idle.get(cpu, [0] * INTERVALS)[i] / known[i]
                  for cpu, known in sorted(self.known.items()) for i in range(INTERVALS)
                  if known[i] > 0]
        same("busy", [float(row[2]) for row in rows if row[2:] != ["nan"]], wanted)
        rows = [line.split("\t") for line in open(folder + "/smp-ready.tsv")
                if not line.startswith("#")]
        same("ready", [float(row[1]) for row in rows],
             [ticks / self.interval for ticks in self.ready])
        ran = {}
        for line in open(folder + "/smp-processors.tsv"):
            if not line.startswith("#"):
                cpu, name, begin, end = line.split("\t")
                key = int(cpu[4:]), name
                ran[key] = ran.get(key, 0) + (float(end) - float(begin)) * 1e6
        for (cpu, thread), ticks in self.ran.items():
            key = cpu, self.names[thread]
            key = key if key in ran else (cpu, "other threads")
            ran[key] = ran.get(key, 0) - ticks
        if any(abs(rest) > 1 for rest in ran.values()):
            sys.exit("processors: %s" % ran)


def same(name, shown, wanted):
    if len(shown) != len(wanted) or len(shown) < INTERVALS * 0.9:
        sys.exit("%s: %d values, expected %d" % (name, len(shown), len(wanted)))
    for i, (a, b) in enumerate(zip(shown, wanted)):
        if abs(a - b) > 1e-6:
            sys.exit("%s: value %d is %f, expected %f" % (name, i, a, b))


def main():
    form, run, path = sys.argv[1:4]
    database = sqlite3.connect(run)
    if form == "figures":
        names = dict(database.execute("SELECT id, name FROM object WHERE kind = 'thread'"))
        figures = Figures(database.execute("SELECT part, cpu, begin_tsc, end_tsc FROM trace"), names)
        figures.read(path)
        figures.check(sys.argv[4])
        return
    traces = database.execute("SELECT cpu, begin_tsc, end_tsc FROM trace").fetchall()
    if form == "busy":
        print_busy(path, traces)
        return
    reader = {"ctf": read_ctf, "csv": read_csv, "perfetto": read_perfetto}[form]
    finish(reader(*sys.argv[3:]), traces, len(sys.argv) == 4)


main()
