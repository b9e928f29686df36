#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Simulates one run of bench model, draw for draw, and compares its responses and waits with it.

usage: model_paths.py PROGRAM OVERHEADS.json MEASURED.tsv HZ TOLERANCE [CHANGE]

PROGRAM is the model as `tare sim --program` prints it: renewals and cycles, quanta on several
processors, no processes. The numbers are drawn as the image draws them (kernel/plan/draw.h), so
that both have the same arrivals and the same work, and chance cancels out. OVERHEADS.json has the
machine's own times in nanoseconds, by their names in the model's text. MEASURED.tsv has a line
"SERIES VALUE" for each sample, in ticks. Prints for each series the two means in units, and their
difference in percent. Fails if one is larger than TOLERANCE percent of the larger of mean and one
tenth of a unit, or if the numbers of samples differ by more than the quanta under way at the end.

CHANGE makes a wrong prediction, which must fail: "longer FACTOR PROCESSOR" multiplies the work of
all quanta of a processor; "astray STOP PROCESSOR" sends the messages to a stop elsewhere.
"""
import collections
import heapq
import json
import math
import sys

MASK = (1 << 64) - 1
GOLDEN = 0x9E3779B97F4A7C15
ARRIVALS, SERVICES, STIMULI, STOPS, STREAMS = range(5)


def mix(z):
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & MASK
    z = (z ^ z >> 27) * 0x94D049BB133111EB & MASK
    return z ^ z >> 31


class Random:
    def __init__(self, seed, of, index):
        stream = index * STREAMS + of
        self.state = mix(mix(seed + GOLDEN & MASK) + stream * GOLDEN & MASK)

    def next(self):
        self.state = self.state + GOLDEN & MASK
        return mix(self.state)

    def draw(self, law):
        kind, *numbers = law
        if kind == "constant":
            return numbers[0]
        if kind == "exponential":
            return -math.log((self.next() | 1) / 2**64) * numbers[0]
        low, high = numbers[0], numbers[1]
        if kind == "tailed":
            in_tail = (self.next() * 10**9 >> 64) < numbers[2]
            low, high = (low, high) if in_tail else (0, low)
        return low + (self.next() * (high - low) >> 64)


class Words:
    def __init__(self, text):
        self.words = collections.deque(text[text.index("{") + 1:text.rindex("}")].split())

    def word(self):
        return self.words.popleft()

    def number(self):
        return int(self.word())

    def place(self):
        level, processor = self.number(), 0
        if self.words[0] == "on":
            self.word()
            processor = self.number()
        return level, processor

    def law(self):
        kind = self.word()
        count = {"constant": 1, "exponential": 1, "uniform": 2, "tailed": 3}[kind]
        return (kind, *(self.number() for _ in range(count)))

    def arrivals(self):
        kind = self.word()
        return (kind, self.law()) if kind == "renewal" else (kind, ("constant", self.number()))


class Model:
    def __init__(self, text):
        words = Words(text)
        self.levels, self.processors, self.loads, self.stimuli, self.stops = [], [], [], [], []
        while words.words:
            statement = words.word()
            if statement in ("seed", "unit", "passes", "horizon"):
                setattr(self, statement, words.number())
            elif statement in ("level", "processor"):
                getattr(self, statement + "s").append(words.word())
            elif statement == "transmission":
                self.transmission = words.law()
            elif statement == "load":
                self.loads.append((*words.place(), words.arrivals(), words.law()))
            elif statement == "stimulus":
                self.stimuli.append((words.word(), words.arrivals(), []))
            elif statement == "stop":
                self.stimuli[-1][2].append(len(self.stops))
                self.stops.append((*words.place(), words.law()))
            else:
                sys.exit(f"statement {statement}: not simulated here")


class Quantum:
    """A piece of work at a processor: first what precedes it, then it, then what follows it."""

    def __init__(self, source, asked, level, place, work, stop, index):
        self.source, self.asked, self.level, self.place = source, asked, level, place
        self.work, self.stop, self.index = work, stop, index
        self.stage, self.left = 0, 0


class Processor:
    def __init__(self, levels):
        self.ready = [collections.deque() for _ in range(levels)]
        self.running, self.last, self.since, self.version = None, None, 0, 0
        self.interrupts = collections.deque()

    def highest(self):
        return max((i for i, line in enumerate(self.ready) if line), default=-1)


class Run:
    def __init__(self, model, cost, change):
        self.model, self.cost, self.change = model, cost, change
        self.now, self.order, self.heap, self.ended = 0, 0, [], False
        self.processors = [Processor(len(model.levels)) for _ in model.processors or [None]]
        self.values = collections.defaultdict(list)
        self.passes = 0
        self.random = {}
        for i, load in enumerate(model.loads):
            self.add_source(("load", i), i, ARRIVALS, load[2])
            self.random["work", i] = Random(model.seed, SERVICES, i)
        for i, stimulus in enumerate(model.stimuli):
            self.add_source(("stimulus", i), i, STIMULI, stimulus[1])
        self.works = [[] for _ in model.stops]
        self.stop_random = [Random(model.seed, STOPS, i) for i in range(len(model.stops))]
        self.next_index = collections.Counter()

    def at(self, time, what, *arguments):
        self.order += 1
        heapq.heappush(self.heap, (time, self.order, what, arguments))

    def add_source(self, source, index, stream, arrivals):
        self.random[source] = Random(self.model.seed, stream, index)
        self.await_arrival(source, arrivals)

    def await_arrival(self, source, arrivals):
        self.at(self.now + int(self.random[source].draw(arrivals[1])), self.arrive, source)

    def run(self):
        while not self.ended:
            self.now, _, what, arguments = heapq.heappop(self.heap)
            what(*arguments)

    # ---- arrivals ----

    def arrive(self, source):
        kind, i = source
        index = self.next_index[source]
        self.next_index[source] += 1
        if kind == "load":
            level, place, arrivals, law = self.model.loads[i]
            work = self.scaled(self.random["work", i].draw(law), place)
            quantum = Quantum(source, self.now, level, place, work, None, index)
            self.await_arrival(source, arrivals)
        else:
            arrivals = self.model.stimuli[i][1]
            quantum = self.portion(source, self.now, 0, index)
            if arrivals[0] == "renewal":
                self.await_arrival(source, arrivals)
        processor = self.processors[quantum.place]
        processor.interrupts.append(quantum)
        if len(processor.interrupts) == 1:
            self.pause(processor)
            self.at(self.now + self.cost["interrupt"], self.end_interrupt, processor)

    def scaled(self, work, place):
        longer = self.change[0] == "longer" and int(self.change[2]) == place
        return work * float(self.change[1]) if longer else work

    def portion(self, source, asked, k, index):
        stop = self.model.stimuli[source[1]][2][k]
        level, place, law = self.model.stops[stop]
        if self.change[0] == "astray" and int(self.change[1]) == stop:
            place = int(self.change[2])
        while len(self.works[stop]) <= index:
            self.works[stop].append(self.stop_random[stop].draw(law))
        work = self.scaled(self.works[stop][index], place)
        return Quantum(source, asked, level, place, work, k, index)

    def end_interrupt(self, processor):
        quantum = processor.interrupts.popleft()
        processor.ready[quantum.level].append(quantum)
        if processor.interrupts:
            self.at(self.now + self.cost["interrupt"], self.end_interrupt, processor)
        else:
            self.settle(processor)

    # ---- a processor ----

    def pause(self, processor):
        if processor.running is not None:
            processor.running.left -= self.now - processor.since
            processor.version += 1

    def go_on(self, processor):
        processor.since = self.now
        processor.version += 1
        self.at(self.now + processor.running.left, self.end_stage, processor, processor.version)

    def settle(self, processor):
        """Lets the most urgent quantum run; the one that runs has been paused."""
        running = processor.running
        if running is not None and processor.highest() > running.level:
            processor.ready[running.level].appendleft(running)
            running = None
        if running is None:
            level = processor.highest()
            if level < 0:
                processor.running = processor.last = None
                return
            running = processor.ready[level].popleft()
            if running is not processor.last:
                running.left += self.cost["switch"]
            if running.stage == 0 and running.left <= self.cost["switch"]:
                running.left += self.cost["receive"]
            processor.running = processor.last = running
        self.go_on(processor)

    def end_stage(self, processor, version):
        if version != processor.version:
            return
        quantum = processor.running
        route = self.model.stimuli[quantum.source[1]][2] if quantum.stop is not None else []
        goes_on = quantum.stop is not None and quantum.stop + 1 < len(route)
        quantum.stage += 1
        if quantum.stage == 1:
            if quantum.stop is None:
                level, place = quantum.level, quantum.place
                where = f"@{self.model.processors[place]}" if self.model.processors else ""
                self.values[f"wait.{self.model.levels[level]}{where}"].append(self.now - quantum.asked)
            quantum.left = self.cost["portion"] + quantum.work
            quantum.left += self.cost["send"] if goes_on else 0
            self.go_on(processor)
        elif quantum.stage == 2:
            quantum.left = self.cost["end"]
            if goes_on:
                self.send(quantum)
            elif quantum.stop is not None:
                self.respond(quantum)
            processor.last = quantum
            self.settle(processor)
        else:
            processor.running = None
            processor.last = quantum
            self.settle(processor)

    def send(self, quantum):
        following = self.portion(quantum.source, quantum.asked, quantum.stop + 1, quantum.index)
        if following.place == quantum.place:
            self.processors[following.place].ready[following.level].append(following)
        else:
            self.at(self.now + self.cost["remote"], self.get_in_line, following)

    def get_in_line(self, quantum):
        processor = self.processors[quantum.place]
        processor.ready[quantum.level].append(quantum)
        if not processor.interrupts:
            self.pause(processor)
            self.settle(processor)

    def respond(self, quantum):
        name, arrivals, _ = self.model.stimuli[quantum.source[1]]
        first = quantum.source[1] == 0
        self.values["response" if first else "response." + name].append(self.now - quantum.asked)
        if arrivals[0] == "cycle":
            self.await_arrival(quantum.source, arrivals)
        self.passes += first
        self.ended = self.passes == self.model.passes


def main():
    program, overheads, measured, hz, tolerance, *change = sys.argv[1:]
    with open(program, encoding="utf-8") as file:
        model = Model(file.read())
    with open(overheads, encoding="utf-8") as file:
        run = Run(model, json.load(file), change or [""])
    run.run()
    samples = collections.defaultdict(list)
    with open(measured, encoding="utf-8") as file:
        for line in file:
            series, value = line.split()
            samples[series].append(int(value) / float(hz) * 1e9)
    bad = sorted(samples) != sorted(run.values)

    print(f"{'series':18} {'n':>6} {'paths':>8} {'kernel':>8} {'difference':>10}")
    for series, values in run.values.items():
        kernel = samples[series]
        means = [sum(v) / len(v) / model.unit for v in (values, kernel)]
        off = 100 * (means[1] - means[0]) / max(means[0], 0.1)
        bad = bad or abs(off) > float(tolerance) or abs(len(values) - len(kernel)) > 8
        print(f"{series:18} {len(kernel):6} {means[0]:8.3f} {means[1]:8.3f} {off:+8.2f} %")
    return bad


sys.exit(main())
