"""Compares two archives, record by record.

usage: archives.py FILE OTHER
"""

import json
import pathlib
import sys
import zipfile


def records(path: pathlib.Path) -> dict[str, bytes]:
    """The records of an archive by their names below its root folder."""
    with zipfile.ZipFile(path) as archive:
        return {
            info.filename.split("/", 1)[1]: archive.read(info)
            for info in archive.infolist()
        }


def difference(a, b, path: str = "") -> str | None:
    """Where two JSON values differ; the order of an object's members is free."""
    if type(a) is not type(b):
        return f"{path}: {a!r} became {b!r}"[:600]
    if isinstance(a, dict):
        if a.keys() != b.keys():
            lost, new = a.keys() - b.keys(), b.keys() - a.keys()
            return f"{path}: lost {sorted(lost)}, got {sorted(new)}"[:600]
        steps = [(key, a[key], b[key]) for key in a]
    elif isinstance(a, list):
        if len(a) != len(b):
            return f"{path}: {len(a)} elements became {len(b)}: {a} {b}"[:600]
        steps = [(k, x, y) for k, (x, y) in enumerate(zip(a, b))]
    else:
        return None if a == b else f"{path}: {a!r} became {b!r}"[:600]
    for key, x, y in steps:
        if problem := difference(x, y, f"{path}.{key}"):
            return problem
    return None


#: Written by every writer of archives in its own way.
OWN = {".data/serialization_id", ".data/version", "version"}


def compare_archives(path: pathlib.Path, other: pathlib.Path) -> None:
    """Every record is equal; JSON by its values."""
    want, got = records(path), records(other)
    assert want.keys() - OWN == got.keys() - OWN
    for name in want.keys() - OWN:
        if name.endswith(".json"):
            problem = difference(json.loads(want[name]), json.loads(got[name]))
            assert problem is None, f"{name}{problem}"
        else:
            assert want[name] == got[name], f"{name}: other bytes"


if __name__ == "__main__":
    compare_archives(*map(pathlib.Path, sys.argv[1:3]))
