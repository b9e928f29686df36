#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
#
# Reads an exported trace of several processors and prints for each what tools/tests/programs/
# processors_run.c prints of the same trace. It shares no code with tare.
#
#     processors_oracle.py ctf RUN.db EVENTS          lines of babeltrace2 --clock-seconds
#     processors_oracle.py perfetto RUN.db TRACE      a Perfetto trace, decoded here
#     processors_oracle.py csv RUN.db EVENTS          lines of --format csv-events
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


def finish(processors, traces):
    """Sums the idle time of each processor from its switches, and prints all."""
    for cpu, begin, end in traces:
        processor = processors.setdefault(cpu, Processor())
        processor.elapsed += end - begin
        inside = [s for s in processor.switches if begin <= s[0] <= end]
        at, running = begin, inside[0][1]
        for stamp, before, after in inside:
            if before != running or stamp < at:
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


def read_perfetto(path):
    names, tracks, tids, instants = {}, {}, {}, []
    processors, flows = {}, Flows()
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
    flows.check(processors, tids)
    count_instants(processors, instants, tracks, tids)
    return processors


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


def main():
    form, run, path = sys.argv[1:]
    traces = sqlite3.connect(run).execute("SELECT cpu, begin_tsc, end_tsc FROM trace").fetchall()
    reader = {"ctf": read_ctf, "csv": read_csv, "perfetto": read_perfetto}[form]
    finish(reader(path), traces)


main()
