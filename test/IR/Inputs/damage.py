"""damage.py FILE FOLDER: gives bytecode of another producer the text by which
ours is checked (m.mlirbc), and makes copies of that with a bit changed, the end
cut, and a bit of the producer changed as well."""

import pathlib
import sys
import zlib

data = pathlib.Path(sys.argv[1]).read_bytes()
folder = pathlib.Path(sys.argv[2])
header, (_, body) = data[:5], data[5:].split(b"\0", 1)
rest = header + body
good = header + b"fx-mlir %08x %08x\0" % (len(rest), zlib.crc32(rest)) + body


def write(name: str, change) -> None:
    content = bytearray(good)
    change(content)
    (folder / name).write_bytes(content)


def flip(at: int):
    def change(content: bytearray) -> None:
        content[at] ^= 0x20

    return change


def both(content: bytearray) -> None:
    flip(5)(content)
    flip(-9)(content)


def cut(content: bytearray) -> None:
    del content[-5:]


write("m.mlirbc", lambda content: None)
write("changed.mlirbc", flip(len(good) * 2 // 3))
write("producer.mlirbc", both)
write("cut.mlirbc", cut)
write("cut.mlir", cut)
