"""count_opcodes.py [--runs] CUBIN KERNEL OPCODE...: how often each opcode is in a kernel's machine
code, or how often it follows itself or opcodes that are not named.

An instruction has 16 bytes, the lower 12 bits of which are the opcode (of compute capability 7.0
and newer): 23c is HMMA, 83b LDSM, fae LDGSTS.
"""

import collections
import itertools
import struct
import sys

runs = sys.argv[1] == "--runs"
path, kernel, *opcodes = sys.argv[1 + runs :]
with open(path, "rb") as file:
    data = file.read()
(table,) = struct.unpack_from("<Q", data, 40)
size, count, names = struct.unpack_from("<3H", data, 58)
sections = [struct.unpack_from("<2I4Q", data, table + i * size) for i in range(count)]
text = {}
for name, _, _, _, offset, length in sections:
    start = sections[names][4] + name
    text[data[start : data.index(b"\0", start)].decode()] = data[offset : offset + length]
code = text[f".text.{kernel}"]
words = [word & 0xFFF for word, _ in struct.iter_unpack("<2Q", code)]
if runs:
    named = (f"{word:03x}" for word in words if f"{word:03x}" in opcodes)
    for opcode, run in itertools.groupby(named):
        print(opcode, len(list(run)))
else:
    found = collections.Counter(words)
    for opcode in opcodes:
        print(opcode, found[int(opcode, 16)])
