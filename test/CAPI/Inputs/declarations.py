"""Compares the functions of the C interface with the frozen list: none may disappear or change.

usage: declarations.py SOURCE_ROOT          fails on a difference
       declarations.py SOURCE_ROOT --write  adds new functions to the list
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(sys.argv[1])
FROZEN = ROOT / "test" / "CAPI" / "Inputs" / "declarations.txt"


def get_declared() -> list[str]:
    found = []
    for header in sorted((ROOT / "include" / "fx-c").glob("*.h")):
        text = re.sub(r"/\*.*?\*/", "", header.read_text(), flags=re.S)
        for match in re.finditer(r"^FX_CAPI ([^;{]*);", text, flags=re.M):
            found.append(re.sub(r"\s+", " ", match[1]).strip())
    return found


def main() -> int:
    declared = get_declared()
    frozen = FROZEN.read_text().splitlines() if FROZEN.exists() else []
    gone = [line for line in frozen if line not in declared]
    new = [line for line in declared if line not in frozen]
    if gone:
        print("error: removed from the C interface, or changed:", *gone, sep="\n  ")
        return 1
    if "--write" in sys.argv:
        FROZEN.write_text("\n".join(frozen + new) + "\n")
    elif new:
        print(f"error: not in the list (add with --write): {new}")
        return 1
    print(f"{len(declared)} functions")
    return 0


sys.exit(main())
