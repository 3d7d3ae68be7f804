"""Writes modules whose archives need the zip64 forms, and checks archives.

usage: large.py many FILE       more than 65,535 states
       large.py big FILE DATA   a state of more than 4 GiB, its bytes in DATA
       large.py check FILE      every record of an archive has its CRC
"""

import sys
import zipfile
import zlib

HEAD = 'fx.graph @main {{\n  %x = placeholder "x" : !fx.tensor<[2], f32>\n  output(%x) : (!fx.tensor<[2], f32>)\n}}\n'
COUNT = 66_000
SIZE = (4 << 30) + 64


def many(path):
    with open(path, "w") as file:
        file.write(HEAD.format())
        for i in range(COUNT):
            data = ", ".join(str(byte) for byte in i.to_bytes(4, "little"))
            file.write(f"fx.state @s{i} : !fx.tensor<[1], i32> = dense<[{data}]> : tensor<4xui8>\n")


def big(path, data):
    chunk, crc = bytes(1 << 20), 0
    with open(data, "wb") as file:  # sparse
        file.truncate(SIZE)
    for at in range(0, SIZE, len(chunk)):
        crc = zlib.crc32(chunk[: SIZE - at], crc)
    with open(path, "w") as file:
        file.write(HEAD.format())
        for name in ("first", "last"):
            file.write(f"fx.state @{name} : !fx.tensor<[{SIZE}], i8> = "
                       f'#fx.external<"{data}", offset = 0, size = {SIZE}, crc32 = {crc}>\n')
        file.write(f"fx.state @small : !fx.tensor<[2], i8> = dense<[1, 2]> : tensor<2xui8>\n")


def check(path):
    with zipfile.ZipFile(path) as archive:
        names = archive.namelist()
        assert archive.testzip() is None
    print(len(names), "records")


globals()[sys.argv[1]](*sys.argv[2:])
