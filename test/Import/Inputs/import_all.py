"""Imports every .pt2 of a folder to .mlir beside it.

usage: import_all.py FOLDER [roundtrip]
`roundtrip` also prints and parses each again, with and without locations.
"""

import pathlib
import subprocess
import sys

folder, roundtrip = pathlib.Path(sys.argv[1]), "roundtrip" in sys.argv
good = bad = 0
for path in sorted(folder.glob("*.pt2")):
    out = path.with_suffix(".mlir")
    commands = [["fx-translate", "--pt2-to-mlir", path, "-o", out]]
    if roundtrip:
        located = path.with_suffix(".loc.mlir")
        commands += [["fx-opt", "--verify-roundtrip", out, "-o", "/dev/null"],
                     ["fx-translate", "--pt2-to-mlir", "--mlir-print-debuginfo", path, "-o", located],
                     ["fx-opt", "--mlir-print-debuginfo", "--verify-roundtrip", located, "-o", "/dev/null"]]
    ok = all(subprocess.run(command).returncode == 0 for command in commands)
    if not ok:
        print("failed:", path)
    good, bad = good + ok, bad + (not ok)
print(f"{good} imported, {bad} failed")
sys.exit(bad != 0)
