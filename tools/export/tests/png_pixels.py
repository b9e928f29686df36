# SPDX-License-Identifier: BSD-2-Clause
"""png_pixels.py NAME FILE.png: NAME, width and height of a PNG of 8 bits a channel without interlace,
then its pixels, a line of hexadecimal colours for each line. Reads the format by its specification
(W3C, PNG 1.2) and Python's zlib alone."""
import struct
import sys
import zlib

name, path = sys.argv[1:]
data = open(path, "rb").read()
assert data[:8] == b"\x89PNG\r\n\x1a\n"
at, packed = 8, b""
while at < len(data):
    length, kind = struct.unpack(">I4s", data[at:at + 8])
    body = data[at + 8:at + 8 + length]
    assert struct.unpack(">I", data[at + 8 + length:at + 12 + length])[0] == zlib.crc32(kind + body)
    if kind == b"IHDR":
        width, height, depth, colour, _, _, interlace = struct.unpack(">IIBBBBB", body)
        assert (depth, colour, interlace) == (8, 2, 0)
    elif kind == b"IDAT":
        packed += body
    at += 12 + length
raw = zlib.decompress(packed)
stride = 3 * width
assert len(raw) == height * (stride + 1)
before = bytearray(stride)
print(name, width, height)


def paeth(a, b, c):
    p = a + b - c
    return min((abs(p - a), 0, a), (abs(p - b), 1, b), (abs(p - c), 2, c))[2]


for y in range(height):
    kind = raw[y * (stride + 1)]
    line = bytearray(raw[y * (stride + 1) + 1:(y + 1) * (stride + 1)])
    for i in range(stride):
        left = line[i - 3] if i >= 3 else 0
        corner = before[i - 3] if i >= 3 else 0
        guess = (0, left, before[i], (left + before[i]) // 2, paeth(left, before[i], corner))[kind]
        line[i] = (line[i] + guess) & 255
    print(" ".join(line[3 * x:3 * x + 3].hex() for x in range(width)))
    before = line
