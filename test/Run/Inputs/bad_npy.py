"""bad_npy.py DIR FX_RUN MODEL: run the model on malformed npy files, print each message."""

import io
import os
import pathlib
import struct
import subprocess
import sys

import numpy

folder, fx_run, model = pathlib.Path(sys.argv[1]), *sys.argv[2:]
X = numpy.arange(6, dtype="<f4").reshape(2, 3)


def file(header: str, data: bytes = X.tobytes(), version=(1, 0), length=None) -> bytes:
    text = header.encode("latin1") + b"\n"
    size = struct.pack(
        "<H" if version[0] == 1 else "<I", len(text) if length is None else length
    )
    return b"\x93NUMPY" + bytes(version) + size + text + data


def saved(array) -> bytes:
    out = io.BytesIO()
    numpy.save(out, array)
    return out.getvalue()


def head(descr="'<f4'", shape="(2, 3)", order="False", more=""):
    return f"{{'descr': {descr}, 'fortran_order': {order}, 'shape': {shape}, {more}}}"


CASES = {
    "empty": b"",
    "magic": b"PK\x03\x04" + bytes(60),
    "version": file(head(), version=(9, 0)),
    "truncated_header": file(head(), b"", length=500),
    "huge_header": file(head(), version=(2, 0), length=0xFFFFFFFF),
    "no_dict": file("[1, 2]"),
    "no_shape": file("{'descr': '<f4', 'fortran_order': False}"),
    "twice": file(head(more="'descr': '<f4'")),
    "unknown_key": file(head(more="'color': 'red'")),
    "nul": file(head(more="\0")),
    "trailing": file(head() + " 1"),
    "big_endian": file(head("'>f4'")),
    "object": file(head("'|O'")),
    "structured": file(head("[('a', '<f4')]")),
    "negative": file(head(shape="(-2, 3)")),
    "overflow": file(head(shape="(4611686018427387904, 3)")),
    "too_big": file(head(shape="(99999999999999999999, 3)")),
    "rank": file(head(shape="(" + "1, " * 65 + ")")),
    "short": file(head(), b"\0" * 4),
    "long": file(head(), b"\0" * 28),
    "wrong_dtype": saved(X.astype("f8")),
    "folder": None,
    "pipe": None,
    "ok_fortran": saved(numpy.asfortranarray(X)),
    "ok_version2": file(head(), version=(2, 0)),
    "ok_spaces": file("{ 'shape' :( 2 ,3 ) ,\n\t'fortran_order':False, \"descr\": \"<f4\" }"),
}

for name, content in CASES.items():
    inputs, outputs = folder / name / "in", folder / name / "out"
    inputs.mkdir(parents=True)
    path = inputs / "in_0.npy"
    if name == "folder":
        path.mkdir()
    elif name == "pipe":
        os.mkfifo(path)
    else:
        path.write_bytes(content)
    result = subprocess.run(
        [fx_run, model, "--interpret", "--inputs", inputs, "--outputs", outputs],
        capture_output=True,
        text=True,
        timeout=60,
    )
    if name.startswith("ok"):
        assert result.returncode == 0, result.stderr
        assert (numpy.load(outputs / "out_0.npy") == X * 2).all()
        print(f"{name}: passed")
        continue
    assert result.returncode == 1, (name, result.returncode, result.stderr)
    assert result.stderr.count("\n") == 1, result.stderr
    prefix = f"error: {path}: "
    assert result.stderr.startswith(prefix), result.stderr
    assert not outputs.exists() or not list(outputs.iterdir()), name
    print(f"{name}: {result.stderr[len(prefix):].strip()}")
