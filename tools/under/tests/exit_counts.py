# SPDX-License-Identifier: BSD-2-Clause
"""exit_counts.py CONSOLE IMAGE.elf COUNT: compares KVM's own count of exits with the bench's.

CONSOLE has a histogram of KVM's trace event kvm_exit by reason and address. Each operation of bench exits has a loop,
exit_NAME; each instruction there that exits must have COUNT exits, for one reason.
Exits for an interrupt (60h with SVM) are L1's tick. Where the image was loaded is found from the counts themselves.
"""
import collections
import re
import subprocess
import sys

INTERRUPT = 0x60
REASONS = {
    0x14: "write of CR4",
    0x37: "write of DR7",
    0x64: "interrupt window",
    0x65: "write of CR0",
    0x6F: "rdpmc",
    0x72: "cpuid",
    0x78: "hlt",
    0x7B: "port",
    0x7C: "msr",
    0x81: "hypercall",
    0x89: "wbinvd",
    0x400: "nested page fault",
}
NEVER = {"loop", "rdtsc", "invlpg", "cr3"}  # with nested paging
ONCE = {"dr7_write"}  # KVM gives a guest that writes them its debug registers
# Operations that wait for an interrupt: how often they halt or look depends on when it comes.
WAITING = ("ipi_", "x2apic_ipi_", "deadline_")


def loops(image):
    for line in subprocess.run(["nm", "-S", image], capture_output=True, text=True, check=True).stdout.splitlines():
        words = line.split()
        if len(words) == 4 and words[3].startswith("exit_") and not words[3].startswith("exit_try"):
            yield words[3][5:], int(words[0], 16), int(words[1], 16)


def main(console, image, wanted):
    operations = list(loops(image))
    pattern = r"exit_reason: *([0-9a-f]+), guest_rip: *([0-9a-f]+) *} hitcount: *([0-9]+)"
    with open(console, errors="replace") as lines:
        exits = [
            (int(m[1], 16), int(m[2], 16), int(m[3]))
            for m in (re.search(pattern, line) for line in lines)
            if m and int(m[1], 16) != INTERRUPT
        ]
    bases = collections.Counter(
        address - place - offset
        for reason, address, count in exits
        if count == wanted
        for name, place, size in operations
        for offset in range(size)
        if (address - place - offset) % 4096 == 0
    )
    if not bases:
        print("WRONG: no operation has", wanted, "exits")
        return 1
    base = bases.most_common(1)[0][0]
    wrong = seen = 0
    for name, place, size in operations:
        here = [(r, n) for r, address, n in exits if 0 <= address - base - place < size]
        expected = 0 if name in NEVER else 1 if name in ONCE else wanted
        good = name.startswith(WAITING) or all(n == expected for _, n in here)
        texts = [f"{n} exits, {REASONS.get(r, hex(r))}" for r, n in here]
        print(f"{name:18s}", "; ".join(texts) or "no exit", "" if good else f"WRONG: expected {expected}")
        wrong += not good
        seen += bool(here)
    print(f"{seen} operations exit")
    return 1 if wrong or seen < 12 else 0


sys.exit(main(sys.argv[1], sys.argv[2], int(sys.argv[3])))
