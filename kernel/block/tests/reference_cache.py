# SPDX-License-Identifier: BSD-2-Clause
"""Caches by the books, against that of kernel/block/page_cache.c: who goes at each of 10^6 accesses.

reference_cache.py PROGRAM POLICY

lru: the least recently used page goes. 2q: figure 2 of Johnson and Shasha, "2Q: a low overhead high
performance buffer management replacement algorithm" (VLDB 1994), with Kin a quarter and Kout half
of the pages. Prints a line for each pattern of accesses; the status is 1 where one differs.
"""
import array
import collections
import random
import subprocess
import sys

AHEAD = 0x80000000
HIT = 0xFFFFFFFE
EMPTY = 0xFFFFFFFF
COUNTS = ("reads", "hits", "misses", "read_ahead", "evictions", "ahead", "ahead_lost")


class Lru:
    def __init__(self, pages):
        self.pages = pages
        self.held = collections.OrderedDict()

    def __contains__(self, page):
        return page in self.held

    def touch(self, page):
        self.held.move_to_end(page)

    def bring(self, page):
        gone = EMPTY
        if len(self.held) == self.pages:
            gone, _ = self.held.popitem(last=False)
        self.held[page] = None
        return gone


class TwoQueues:
    def __init__(self, pages):
        self.pages = pages
        self.kin = pages // 4
        self.kout = pages // 2
        self.a1in = collections.OrderedDict()
        self.a1out = collections.OrderedDict()
        self.am = collections.OrderedDict()

    def __contains__(self, page):
        return page in self.am or page in self.a1in

    def touch(self, page):
        if page in self.am:
            self.am.move_to_end(page)

    def reclaim(self):
        if len(self.a1in) + len(self.am) < self.pages:
            return EMPTY
        if len(self.a1in) > self.kin:
            gone, _ = self.a1in.popitem(last=False)
            self.a1out[gone] = None
            if len(self.a1out) > self.kout:
                self.a1out.popitem(last=False)
        else:
            gone, _ = self.am.popitem(last=False)
        return gone

    def bring(self, page):
        if page in self.a1out:
            del self.a1out[page]
            gone = self.reclaim()
            self.am[page] = None
        else:
            gone = self.reclaim()
            self.a1in[page] = None
        return gone


def play(cache, accesses):
    count = dict.fromkeys(COUNTS, 0)
    unread = set()
    answers = array.array("I")
    for access in accesses:
        page = access & (AHEAD - 1)
        ahead = access >= AHEAD
        found = page in cache
        if not ahead:
            count["reads"] += 1
            if not found:
                count["misses"] += 1
            elif page in unread:
                count["read_ahead"] += 1
                unread.discard(page)
            else:
                count["hits"] += 1
        if found:
            if not ahead:
                cache.touch(page)
            answers.append(HIT)
            continue
        gone = cache.bring(page)
        if gone != EMPTY:
            count["evictions"] += 1
            if gone in unread:
                count["ahead_lost"] += 1
                unread.discard(gone)
        if ahead:
            count["ahead"] += 1
            unread.add(page)
        answers.append(gone)
    return answers, [count[name] for name in COUNTS]


def skewed(draw, n):
    """As files are read: the page of rank r with a share of 1/r."""
    return [int(20000 ** draw.random()) * 2654435761 % 40009 for _ in range(n)]


def loops(draw, n):
    """Loops around sizes near the cache's, forwards and backwards."""
    out = []
    while len(out) < n:
        size = draw.randrange(1, 1500)
        first = draw.randrange(0, 4000)
        pages = list(range(first, first + size))
        out += (pages if draw.random() < 0.7 else pages[::-1]) * draw.randrange(1, 5)
    return out[:n]


def scans(draw, n):
    """A skewed set that long scans interrupt."""
    out = []
    while len(out) < n:
        out += [int(600 ** draw.random()) for _ in range(draw.randrange(500, 4000))]
        first = draw.randrange(10000, 100000)
        out += range(first, first + draw.randrange(10, 3000))
    return out[:n]


def ahead(draw, n):
    """Runs of reads, of which each brings in those that follow."""
    out = []
    while len(out) < n:
        first = draw.randrange(0, 5000)
        for page in range(first, first + draw.randrange(1, 40)):
            out.append(page)
            out += [AHEAD | page + k for k in range(1, draw.randrange(1, 9))]
    return out[:n]


def main():
    program, policy = sys.argv[1:]
    draw = random.Random(19940912)
    bad = 0
    for pattern, pages in ((skewed, 1024), (loops, 1000), (scans, 257), (ahead, 64)):
        accesses = array.array("I", pattern(draw, 250000))
        made = Lru(pages) if policy == "lru" else TwoQueues(pages)
        answers, counts = play(made, accesses)
        theirs = subprocess.run([program, policy, str(pages)], input=accesses.tobytes(),
                                stdout=subprocess.PIPE, check=True).stdout
        ours = answers.tobytes() + array.array("Q", counts).tobytes()
        same = ours == theirs
        bad += not same
        first = next((i for i in range(0, min(len(ours), len(theirs)), 4)
                      if ours[i:i + 4] != theirs[i:i + 4]), len(ours)) // 4
        print(f"{policy} {pattern.__name__}: {len(accesses)} accesses, {pages} pages, "
              f"{counts[1]} hits, {counts[4]} gone: "
              + ("same" if same else f"differs from access {first} on"))
    sys.exit(bad > 0)


main()
