#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Verifies the seal of a run (kernel/link/seal.h) with Python's SHA-256 and its own reader of frames.

    seal.py LOG META RUN.db

LOG is in text format, META the text of its META frames (log_text), RUN.db its run file, of which only the
bytes of samples and packets are used. Prints the seal; exit status 1 if it is another.
"""
import base64
import hashlib
import re
import struct
import sys

import plain

END, META = 3, 20


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def frames(log):
    for text in re.findall(rb"\[#([A-Za-z0-9+/=]+)#\]", log):
        raw = base64.b64decode(text + b"=" * (-len(text) % 4))
        if crc32c(raw[:-4]) == struct.unpack("<I", raw[-4:])[0]:
            yield raw[0], raw[1:-4]


def main(log, meta, run):
    found = list(frames(open(log, "rb").read()))
    end = next(body[9:] for kind, body in found if kind == END).rstrip(b"\n")
    fields = dict(field.split(b"=", 1) for field in end.split(b" ")[1:])
    if int(fields[b"frames"]) != sum(kind >= META for kind, _ in found):
        sys.exit("frames are missing")
    db = plain.connect(run)
    data = hashlib.sha256()
    for _, content in sorted(db.execute("SELECT stream, samples FROM series UNION ALL SELECT stream, packets FROM trace")):
        data.update(content)
    text = hashlib.sha256(open(meta, "rb").read())
    sealed = end[: end.index(b" seal=")]
    seal = hashlib.sha256((data.hexdigest() + text.hexdigest()).encode() + sealed).hexdigest()
    print(seal)
    if seal.encode() != fields[b"seal"]:
        sys.exit(f"the seal is {fields[b'seal'].decode()}")


main(*sys.argv[1:])
