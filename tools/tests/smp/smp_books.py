#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Checks the traces of threads on several processors from what `tare export` writes, without code of tare.

    smp_books.py TARE RUN.db

Prints a line "pass|FAIL  BENCH: WHAT" for each check of each bench with a trace in exact time. It follows every thread,
processor and account by the rules of the kernel's documents, and counts what does not fit:

books       each account of each processor, from the switches and interrupts, is that which the kernel kept without
            records (facts), to the tick; their sum is the time from begin to end
places      a processor switches from the thread that runs there to a ready one of the same queue; a thread changes
            its queue only with thread_migrate, and has only processors that its name allows
wakers      who made a thread ready was running there: a thread, a handler or a deferred call
sections    what belongs to one wake-up of a thread is not mixed with what other processors do
interrupts  each interrupt between processors was sent, and arrives in time
timers      no timer is late by more than the kernel's sections
quanta      a quantum ends only when its thread has used it, and the thread leaves for that reason
boosts      a boost changes the priority by its rule, and has the reason that the thread waited for
ticks       a clock tick charges the thread that runs on its processor
steals      no processor goes idle while a thread that may run there is ready; it takes the one of highest priority,
            from the processor with the lowest number
waits       processors that call the kernel all the time wait for each other
"""
import collections
import csv
import io
import re
import struct
import subprocess
import sys

import plain

TARE, RUN = sys.argv[1], sys.argv[2]
READY, WAITING = 1, 2
QUANTUM, PREEMPTED, RESCHEDULE = 16, 1, 65
BENCH_THREAD = 1
LATE = 8000   # instructions: an interrupt's way and waits for the kernel
CHANGE = 4000 # from the end of a quantum to the next thread
EARLY = 400   # between a stamp of the scheduler and that of its record
DECAY, TIMER, STARVED, WAIT = 0, 3, 4, 5

# Where threads may run, by bench and name.
PINNED = {
    "affinity": (r"pinned (\d+)", lambda m, cpus: {int(m[1])}),
    "quantum": (r"hog (\d+)", lambda m, cpus: {int(m[1]) % cpus}),
    "accounting": (r"(?:tick|hidden|seen) (\d+)", lambda m, cpus: {int(m[1])}),
    "runqueue": (r"\w+\.(\d+) hog (\d+)", lambda m, cpus: {int(m[2]) % int(m[1])}),
    "beside": (r"(hog of )?(?:high|equal)\.(same|other)", lambda m, cpus: {0 if m[1] and m[2] == "other" else 1}),
    "boost": (r"(?:plain|boost)\.\w+ \d+(?: hog)?", lambda m, cpus: {cpus - 1}),
}
# Threads that may run everywhere.
FREE = {"affinity": r"free \d+", "runqueue": r".* woken"}
# What a thread of bench boost waits for, by name, and the reason of its boost.
REASONS = {"boost.timer": TIMER, "boost.semaphore": WAIT, "boost.message": WAIT, "boost.starved": STARVED}

file = plain.connect(RUN)


def rows(query, *values):
    return file.execute(query, values).fetchall()


# Without exact time, lengths are not judged.
EXACT = rows("SELECT max(value) FROM fact WHERE name = 'proof.ticks_per_instruction'")[0][0]
TICKS = EXACT or 10**12
LATE, CHANGE, EARLY = LATE * TICKS, CHANGE * TICKS, EARLY * TICKS


class Event:
    def __init__(self, row):
        self.tsc, self.cpu, self.name = int(row["tsc"]), int(row.get("cpu") or 0), row["event"]
        self.field = {key: int(value) for key, value in re.findall(r"(\w+)=(-?\d+)", row["fields"])}

    def __str__(self):
        return f"{self.name} {self.field} on {self.cpu} at {self.tsc}"

    def __getitem__(self, key):
        return self.field[key]


class Thread:
    def __init__(self, priority, processor):
        self.processor, self.state, self.waits = processor, WAITING, 0
        self.static = self.base = self.priority = priority
        self.left = 0  # of its quantum; None: not known
        self.since = 0 # when it became ready, in its queue


class Processor:
    def __init__(self, number, begin, later):
        self.begun, self.later = begin, later
        self.number, self.running, self.handlers, self.dpcs = number, None, [], []
        self.slot, self.since = None, begin
        self.began, self.sent, self.given_up = begin, [], None
        self.rivals = [] # who was ready when the running thread began, and has its priority
        self.chain = None    # the wake-up that is being recorded
        self.woke = False    # the record before was of that wake-up
        self.priority = None # the record of a priority that must come next


class Bench:
    def __init__(self, bench, number):
        self.bench, self.number = bench, number
        self.wrong, self.counts = collections.defaultdict(list), collections.Counter()
        self.threads, self.cpus = {}, {}
        self.created = 0 # when a thread was: the others wait for the kernel as long as that takes
        self.slots, self.before = collections.defaultdict(lambda: [0, 0]), {}
        self.facts = dict(rows("SELECT name, value FROM fact WHERE bench = ? AND pass = ?", bench, number))
        self.names = dict(rows("SELECT id, name FROM object WHERE bench = ? AND pass = ? AND kind = 'thread'",
                               bench, number))
        quantum = rows("SELECT value FROM param WHERE bench = ? AND pass = ? AND name = 'quantum_us'", bench, number)
        self.quantum = int(quantum[0][0]) * 1000 if quantum else 0
        self.count = self.facts.get("cpus", 0)

    def expect(self, what, good, why):
        self.counts[what] += 1
        if not good:
            self.wrong[what].append(str(why))

    # ---- accounts ----

    def charge(self, cpu, tsc, slot, enter=True):
        self.slots[cpu.number, cpu.slot][0] += tsc - cpu.since
        cpu.since, cpu.slot = tsc, slot
        self.slots[cpu.number, slot][1] += enter

    def handler(self, cpu, event, kind, key):
        if event.name.endswith("_entry"):
            slot = (kind, event[key])
            self.before[cpu.number, slot] = cpu.slot
            self.charge(cpu, event.tsc, slot)
        else:
            self.charge(cpu, event.tsc, self.before[cpu.number, (kind, event[key])], False)

    # ---- records ----

    def on_thread_is(self, cpu, event):
        if event["thread"] == 0:
            return
        thread = self.threads.setdefault(event["thread"], Thread(event["priority"], None))
        thread.state = event["state"]
        if event["state"] == 0:
            thread.processor, cpu.running = event.cpu, event["thread"]

    def on_thread_start(self, cpu, event):
        self.created = event.tsc
        if event["thread"] != 0:
            self.threads[event["thread"]] = Thread(event["priority"], event.cpu)

    def on_thread_switch(self, cpu, event):
        old, new, why = event["old"], event["new"], event["why"] & 31
        self.expect("places", old == cpu.running, f"{event}: {cpu.running} ran there")
        if old != 0 and old in self.threads:
            thread = self.threads[old]
            thread.state, thread.waits, thread.since = event["why"] >> 5, why, event.tsc
            waits = [rival for rival in cpu.rivals if self.waits_since(rival, event.cpu, cpu.began)]
            if thread.left is not None and self.quantum and waits:
                ran = event.tsc - cpu.began
                self.expect("quanta", ran <= thread.left + CHANGE or self.created > cpu.began,
                            f"{event}: ran for {ran}, {thread.left} were left, {waits} waits")
            if thread.left is not None:
                thread.left -= min(event.tsc - cpu.began, thread.left) if why != QUANTUM else thread.left
                # Whether a rest as short as that is 0 to the scheduler, which read its clock earlier, is not known.
                thread.left = None if 0 < thread.left < EARLY or why != QUANTUM and thread.left == 0 else thread.left
        self.expect("quanta", (why == QUANTUM) == (cpu.given_up == old) or old == 0, f"{event}: reason")
        cpu.given_up = None
        if new != 0:
            thread = self.threads[new]
            self.expect("places", thread.state == READY, f"{event}: state {thread.state}")
            self.expect("places", thread.processor in (None, event.cpu), f"{event}: in queue {thread.processor}")
            allowed = self.allowed(new)
            self.expect("places", allowed is None or event.cpu in allowed, f"{event}: allowed on {allowed}")
            thread.processor, thread.state = event.cpu, 0
            thread.left = self.quantum if thread.left == 0 else thread.left
            cpu.rivals = [number for number, rival in self.threads.items()
                          if number != new and rival.priority >= thread.priority
                          and self.waits_since(number, event.cpu, event.tsc)]
        else:
            left = [number for number, thread in self.threads.items() if self.is_free(number) and thread.state == READY]
            self.expect("steals", not left, f"{event}: idle, but {left} are ready elsewhere")
        cpu.running, cpu.began = new, event.tsc
        self.charge(cpu, event.tsc, ("thread", new))

    def is_free(self, number):
        return re.fullmatch(FREE.get(self.bench, ""), self.names.get(number, "?")) is not None

    def waits_since(self, number, cpu, tsc):
        """Whether a thread has been ready in the queue of this processor since then."""
        thread = self.threads[number]
        return thread.state == READY and thread.processor == cpu and thread.since <= tsc

    def allowed(self, number):
        pattern, where = PINNED.get(self.bench, ("", None))
        found = re.fullmatch(pattern, self.names.get(number, "?"))
        return where(found, self.count) if found and where else None

    def on_thread_ready(self, cpu, event):
        kind, number = event["by"] & 0xf000, event["by"] & 0xfff
        by = {0x8000: cpu.handlers[-1:], 0x9000: cpu.dpcs[-1:]}.get(kind, [cpu.running])
        inner = kind != 0 or not (cpu.handlers or cpu.dpcs)
        self.expect("wakers", by == [number] and inner, f"{event}: {by} ran there")
        thread = self.threads.setdefault(event["thread"], Thread(0, None))
        self.expect("places", thread.state in (READY, WAITING), f"{event}: state {thread.state}")
        thread.state, thread.since = READY, event.tsc

    def on_thread_migrate(self, cpu, event):
        thread = self.threads[event["thread"]]
        self.expect("places", thread.processor in (None, event["from"]), f"{event}: was on {thread.processor}")
        if event["to"] == event.cpu and not cpu.woke and self.is_free(event["thread"]):
            rivals = [(-other.priority, other.processor) for number, other in self.threads.items()
                      if self.is_free(number) and other.state == READY and other.processor != event.cpu]
            self.expect("steals", (-thread.priority, event["from"]) == min(rivals), f"{event}: of {rivals}")
        thread.processor, thread.since = event["to"], event.tsc

    def on_ipi(self, cpu, event):
        self.cpus[event["to"]].sent.append(event.tsc)

    def on_isr_entry(self, cpu, event):
        if event["vector"] == RESCHEDULE:
            # At the beginning of a later part of the trace, it may have been sent in the part before.
            self.expect("interrupts", cpu.sent or cpu.later and event.tsc - cpu.begun <= LATE, f"{event}: no processor sent it")
            if cpu.sent:
                late = event.tsc - cpu.sent[0]
                self.expect("interrupts", late <= LATE or self.created > cpu.sent[0], f"{event}: after {late} ticks")
            # Interrupts that are under way together arrive as one; in real time, the second may come later.
            cpu.sent = [] if EXACT else cpu.sent[1:]
        cpu.handlers.append(event["vector"])
        self.handler(cpu, event, "vector", "vector")

    def on_isr_exit(self, cpu, event):
        cpu.handlers.pop()
        self.handler(cpu, event, "vector", "vector")

    def on_dpc_entry(self, cpu, event):
        cpu.dpcs.append(event["dpc"])
        self.handler(cpu, event, "dpc", "dpc")

    def on_dpc_exit(self, cpu, event):
        cpu.dpcs.pop()
        self.handler(cpu, event, "dpc", "dpc")

    def on_timer_expire(self, cpu, event):
        # A quantum's timer that is set after the quantum has been used is due in the past.
        due = max(event["deadline"], cpu.began)
        good = cpu.running != 0 or event.tsc - due <= LATE or self.created > due
        self.expect("timers", event.tsc >= event["deadline"] and good, f"{event}: {event.tsc - due} ticks late")

    def on_tick(self, cpu, event):
        self.expect("ticks", event["thread"] == cpu.running, f"{event}: {cpu.running} ran")

    def on_quantum(self, cpu, event):
        thread = self.threads[event["thread"]]
        self.expect("quanta", cpu.running == event["thread"], f"{event}: {cpu.running} ran")
        used = event.tsc - cpu.began
        self.expect("quanta", thread.left is None or used >= thread.left - EARLY, f"{event}: {used} of {thread.left} ticks used")
        cpu.given_up = event["thread"]
        thread.left, cpu.began = self.quantum, event.tsc

    def on_thread_boost(self, cpu, event):
        thread = self.threads[event["thread"]]
        self.expect("boosts", event["from"] == thread.base, f"{event}: had {thread.base}")
        if event["why"] == DECAY:
            self.expect("boosts", event["to"] == event["from"] - 1 >= thread.static, f"{event}: decays")
            self.expect("boosts", cpu.given_up == event["thread"], f"{event}: without the end of a quantum")
        else:
            name = self.names.get(event["thread"], "").rpartition(" ")[0]
            reasons = {STARVED, REASONS.get(name, event["why"])}
            self.expect("boosts", event["why"] in reasons, f"{event}: {name}")
            self.expect("boosts", event["to"] > event["from"], f"{event}: lowers")
        if thread.priority == thread.base:
            cpu.priority = (event["thread"], event["to"])
        thread.base = event["to"]

    def on_thread_priority(self, cpu, event):
        if self.bench == "boost": # no mutex, and so no inheritance
            base = self.threads[event["thread"]].base
            self.expect("boosts", event["priority"] == base, f"{event}: without a boost")
        self.threads[event["thread"]].priority = event["priority"]

    # ---- what several records say ----

    def check_section(self, cpu, event):
        """A wake-up is thread_ready, thread_migrate and ipi of one processor, in one section."""
        for other in self.cpus.values():
            if other is not cpu and other.chain is not None:
                other.chain.append(event)
        chain, cpu.chain = cpu.chain, None
        cpu.woke = chain is not None
        if event.name == "thread_ready":
            cpu.chain = [event]
        elif chain and event.name in ("thread_boost", "thread_priority"):
            cpu.chain = chain
        elif chain and event.name == "thread_migrate" and event["thread"] == chain[0]["thread"]:
            mixed = [str(e) for e in chain[1:] if e.name not in ("isr_entry", "isr_exit", "timer_expire", "tick")]
            self.expect("sections", not mixed or event["to"] == event.cpu, f"{event}: between: {mixed}")

    def part(self, part, traces, events):
        self.cpus = {cpu: Processor(cpu, begin, part > 1) for cpu, begin, _ in traces}
        for cpu, begin, _ in traces:
            slot = self.slot_at_end.get(cpu, ("thread", BENCH_THREAD if cpu == 0 else 0)) if part > 1 else \
                ("thread", BENCH_THREAD if cpu == 0 else 0)
            self.cpus[cpu].slot, self.cpus[cpu].running = slot, slot[1] if slot[0] == "thread" else None
        for event in events:
            cpu = self.cpus[event.cpu]
            wanted, cpu.priority = cpu.priority, None
            self.check_section(cpu, event)
            if wanted:
                self.expect("boosts", event.name == "thread_priority" and
                            (event["thread"], event["priority"]) == wanted, f"{event}: not the priority {wanted}")
            getattr(self, "on_" + event.name, lambda *_: None)(cpu, event)
        for cpu, _, end in traces:
            last = self.cpus[cpu]
            self.charge(last, end, last.slot, False)
            late = [sent for sent in last.sent if end - sent > LATE]
            self.expect("interrupts", not late, f"sent to {cpu} at {late}: never arrived")
            self.slot_at_end[cpu] = last.slot

    def run(self):
        events = [Event(row) for row in csv.DictReader(io.StringIO(subprocess.run(
            [TARE, "export", "--format", "csv-events", "--bench", self.bench, RUN],
            capture_output=True, check=True, text=True).stdout)) if int(row["pass"]) == self.number]
        self.slot_at_end, elapsed = {}, collections.Counter()
        parts = collections.defaultdict(list)
        for part, cpu, begin, end in rows("SELECT part, cpu, begin_tsc, end_tsc FROM trace WHERE bench = ? AND pass = ? "
                                          "ORDER BY part, cpu", self.bench, self.number):
            parts[part].append((cpu, begin, end))
            elapsed[cpu] += end - begin
        lost = rows("SELECT sum(discarded + overwritten) FROM trace WHERE bench = ? AND pass = ?",
                    self.bench, self.number)[0][0]
        self.expect("books", lost == 0, f"{lost} records lost")
        at = 0
        for part, traces in sorted(parts.items()):
            begin, end = min(t[1] for t in traces), max(t[2] for t in traces)
            here = []
            while at < len(events) and events[at].tsc <= end:
                here.append(events[at])
                at += 1
            self.expect("books", not here or here[0].tsc >= begin, f"part {part}: {here[:1]}")
            self.part(part, traces, here)
        self.expect("books", at == len(events), f"{len(events) - at} events after the end")
        self.compare(elapsed)
        self.compare_waits()

    def compare_waits(self):
        """N processors that call the kernel all the time wait for each other, at most all of the time."""
        points = int(self.count) if self.bench == "scaling" and EXACT else 0
        for kind in ("pipe", "mutex"):
            took, waited = (struct.unpack(f"<{points}q", rows(
                "SELECT samples FROM series WHERE bench = ? AND pass = ? AND name = ?", self.bench, self.number,
                name + kind)[0][0][:8 * points]) if points else () for name in ("", "lock_wait."))
            for cpus, (ticks, wait) in enumerate(zip(took, waited), 1):
                self.expect("waits", 0 < wait < cpus * ticks if cpus > 1 else wait == 0, f"{kind}, {cpus}: {wait} of {ticks}")

    def compare(self, elapsed):
        kept = {}
        for name, value in self.facts.items():
            found = re.fullmatch(r"(account|entries)_(?:cpu(\d+)_)?(thread|vector|dpc)_(\d+)", name)
            if found:
                key = int(found[2] or 0), (found[3], int(found[4]))
                kept.setdefault(key, [0, 0])[found[1] == "entries"] = value
        seen = {key: value for key, value in self.slots.items() if value != [0, 0]}
        for key in sorted(set(kept) | set(seen)):
            self.expect("books", kept.get(key) == seen.get(key),
                        f"processor {key[0]}: {key[1]}: by events {seen.get(key)}, by facts {kept.get(key)}")
        for cpu, ticks in elapsed.items():
            fact = self.facts.get(f"account_cpu{cpu}_elapsed" if cpu else "account_elapsed")
            total = sum(value[0] for key, value in kept.items() if key[0] == cpu)
            self.expect("books", total == ticks == fact, f"processor {cpu}: {total} of {ticks}, fact {fact}")

    def report(self):
        for what in ("books", "places", "wakers", "sections", "interrupts", "timers", "quanta", "boosts",
                     "ticks", "steals", "waits"):
            wrong = self.wrong[what]
            if wrong:
                print(f"FAIL  {self.bench}: {what}: {len(wrong)} of {self.counts[what]}: {wrong[0]}")
            elif self.counts[what]:
                print(f"pass  {self.bench}: {what}: {self.counts[what]}")


for name, number in rows("SELECT DISTINCT bench, pass FROM trace WHERE mode IN ('stop', 'drain') ORDER BY bench, pass"):
    books = Bench(name, number)
    try:
        books.run()
    except (KeyError, IndexError) as error:
        books.expect("places", False, f"a record names what is not there: {error!r}")
    books.report()
