#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""The paper's model in SimPy, with the reference's reconstruction of its input, for make bench ONLY=sim.

usage: simpy_model.py PASSES SEED

Prints events, processor seconds, and the means that are compared: transit, wait of low quanta, and
the percentage of them that wait.
"""

import random
import sys
import time

import simpy

QUANTA = ((7.1, 1), (5.5, 0), (0.3, 1))  # length and priority: 0 is medium, 1 low
WORK = sum(length for length, _ in QUANTA)
OCCUPANCY = 0.2 + 0.1
ESTIMATE = WORK * OCCUPANCY / (1 - OCCUPANCY)
DELAY = 4 * (WORK + ESTIMATE)
CYCLE = DELAY + WORK + ESTIMATE


class Load:
    """Competing work: average and maximum quantum, part in the tail, occupancy with the special
    stimulus's own."""

    def __init__(self, average, maximum, tail, occupancy, priority):
        special = sum(length for length, level in QUANTA if level == priority)
        self.interval = average / (occupancy - special / CYCLE)
        self.knee = 2 * average - tail * maximum
        self.maximum = maximum
        self.tail = tail
        self.priority = priority

    def draw(self):
        """A quantum: uniform, with a tail."""
        if random.random() < self.tail:
            return random.uniform(self.knee, self.maximum)
        return random.uniform(0, self.knee)


class Model:
    """The processor and what it does."""

    def __init__(self, passes):
        self.environment = simpy.Environment()
        self.processor = simpy.PreemptiveResource(self.environment)
        self.events = 0
        self.waits = []
        self.transits = []
        loads = (Load(2.2, 13, 0.15, 0.2, 1), Load(1.5, 30, 0.03, 0.1, 0))
        for load in loads:
            self.environment.process(self.arrive(load))
        self.end = self.environment.process(self.cycle(passes))

    def serve(self, priority, length):
        """Until so much work is done. Returns the wait to first service. The time of asking is part
        of the priority: one that was preempted goes before those that came after it."""
        environment = self.environment
        asked = environment.now
        wait = None
        while length > 0:
            with self.processor.request(priority=(priority, asked)) as request:
                begun = None
                try:
                    yield request
                    begun = environment.now
                    if wait is None:
                        wait = begun - asked
                    yield environment.timeout(length)
                    length = 0
                except simpy.Interrupt:
                    if begun is not None:
                        length -= environment.now - begun
        self.events += 1
        return wait

    def quantum(self, load):
        """One of competing work."""
        wait = yield from self.serve(load.priority, load.draw())
        if load.priority == 1:
            self.waits.append(wait)

    def arrive(self, load):
        """Competing work comes for ever."""
        while True:
            yield self.environment.timeout(random.expovariate(1 / load.interval))
            self.events += 1
            self.environment.process(self.quantum(load))

    def cycle(self, passes):
        """The special stimulus."""
        for _ in range(passes):
            begun = self.environment.now
            for length, priority in QUANTA:
                yield from self.serve(priority, length)
            self.transits.append(self.environment.now - begun)
            yield self.environment.timeout(DELAY)
            self.events += 1


def main():
    """One run."""
    passes = int(sys.argv[1])
    random.seed(int(sys.argv[2]))
    begun = time.process_time()
    model = Model(passes)
    model.environment.run(until=model.end)
    seconds = time.process_time() - begun
    waiting = sum(wait > 0 for wait in model.waits)
    print(
        model.events,
        f"{seconds:.4f}",
        f"{sum(model.transits) / passes:.4f}",
        f"{sum(model.waits) / len(model.waits):.4f}",
        f"{100 * waiting / len(model.waits):.3f}",
    )


main()
