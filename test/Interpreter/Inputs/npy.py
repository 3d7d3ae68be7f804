"""npy.py write DIR EXPR...   each EXPR, of numpy's names, to DIR/in_<k>.npy; "-" skips a k
npy.py show DIR            every DIR/out_<k>.npy: dtype, shape and elements"""

import os
import pathlib
import re
import sys

import numpy

command, folder, *exprs = sys.argv[1:]
if command == "write":
    os.makedirs(folder, exist_ok=True)
    for old in pathlib.Path(folder).glob("in_*.npy"):
        old.unlink()
    for k, expr in enumerate(exprs):
        if expr != "-":
            value = eval(expr, vars(numpy) | {"numpy": numpy})
            numpy.save(f"{folder}/in_{k}.npy", value)
else:
    files = {
        int(re.fullmatch(r"out_(\d+)\.npy", p.name)[1]): p
        for p in pathlib.Path(folder).iterdir()
    }
    for k in sorted(files):
        value = numpy.load(files[k])
        flat = value.tobytes().hex() if value.dtype.kind == "V" else value.tolist()
        print(f"out_{k}: {value.dtype}{list(value.shape)} {flat}")
