"""Writes an archive with 10 GB of weights as a sparse file, or measures a command.

usage: sparse.py write FILE | sparse.py measure SECONDS MEGABYTES COMMAND...
"""

import os
import resource
import struct
import subprocess
import sys
import time

import archive as a

GIGABYTE = 1 << 30
COUNT = 10


def write(path):
    """Ten states of 1 GB each, behind one of 12 GB whose size needs zip64."""
    body = a.graph([a.tensor("x")], [a.tensor("x")], [],
                   tensor_values={"x": a.tensor_meta([2, 3])})
    program = a.program(body, [{"user_input": {"arg": a.tensor("x")}}],
                        [{"user_output": {"arg": a.tensor("x")}}])
    config = {"config": {}}
    sizes = {f"w{i}": GIGABYTE for i in range(COUNT)}
    sizes["big"] = 12 * GIGABYTE
    for i, (name, size) in enumerate(sizes.items()):
        config["config"][name] = {"path_name": f"weight_{i}", "is_param": True, "use_pickle": False,
                                  "tensor_meta": a.tensor_meta([size // 4096, 1024])}
    records = [r for r in a.records(program, config) if not r.name.endswith(b"weight_0")]
    entries, offset = b"", 0
    with open(path, "wb") as f:
        for record in records:
            entries += record.entry(f.tell())
            f.write(record.header() + record.data)
        for i, size in enumerate(sizes.values()):
            extra = struct.pack("<HHQQ", 1, 16, size, size)
            name = f"m/data/weights/weight_{i}".encode()
            offset = f.tell()
            f.write(struct.pack("<IHHHHHIIIHH", 0x04034B50, 0, 0, 0, 0, 0, 0, 0xFFFFFFFF, 0xFFFFFFFF,
                                len(name), len(extra)) + name + extra)
            f.seek(size, os.SEEK_CUR)
            far = struct.pack("<HHQQQ", 1, 24, size, size, offset)
            entries += struct.pack("<IHHHHHHIIIHHHHHII", 0x02014B50, 0, 0, 0, 0, 0, 0, 0, 0xFFFFFFFF,
                                   0xFFFFFFFF, len(name), len(far), 0, 0, 0, 0, 0xFFFFFFFF) + name + far
        start, count = f.tell(), len(records) + len(sizes)
        f.write(entries)
        end = f.tell()
        f.write(struct.pack("<IQHHIIQQQQ", 0x06064B50, 44, 0, 0, 0, 0, count, count, len(entries), start))
        f.write(struct.pack("<IIQI", 0x07064B50, 0, end, 1))
        f.write(struct.pack("<IHHHHIIH", 0x06054B50, 0, 0, 0xFFFF, 0xFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0))


def measure(seconds, megabytes, command):
    begin = time.monotonic()
    code = subprocess.run(command).returncode
    elapsed = time.monotonic() - begin
    resident = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    print(f"exit {code}, {elapsed:.2f} s, {resident:.0f} MB")
    return code != 0 or elapsed > seconds or resident > megabytes


if sys.argv[1] == "write":
    write(sys.argv[2])
else:
    sys.exit(measure(float(sys.argv[2]), float(sys.argv[3]), sys.argv[4:]))
