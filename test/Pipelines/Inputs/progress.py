"""Compiles a chain of matmuls, each of a kernel of its own, with and without a terminal."""

import os
import pathlib
import pty
import re
import subprocess
import sys

FOLDER = pathlib.Path(sys.argv[1])
COUNT = 240  # several seconds on a fast machine


def make():
    """Sizes that differ, so that no two products share a kernel."""
    size = lambda i: 40 + i
    lines, value = [], "%x"
    for i in range(COUNT):
        a, b = size(i), size(i + 1)
        lines.append(f'  %w{i} = placeholder "w{i}" : !fx.tensor<[{a}, {b}], f32>')
    lines.insert(0, f'  %x = placeholder "x" : !fx.tensor<[9, {size(0)}], f32>')
    for i in range(COUNT):
        a, b = size(i), size(i + 1)
        types = f"!fx.tensor<[9, {a}], f32>, !fx.tensor<[{a}, {b}], f32>"
        lines.append(f"  %m{i} = call_function @aten.mm.default({value}, %w{i}) : ({types}) -> !fx.tensor<[9, {b}], f32>")
        value = f"%m{i}"
    lines.append(f"  output({value}) : (!fx.tensor<[9, {size(COUNT)}], f32>)")
    text = "fx.graph @main attributes {functional} {\n" + "\n".join(lines) + "\n}\n"
    (FOLDER / "m.mlir").write_text(text)


def expect(condition, what, got):
    if not condition:
        raise SystemExit(f"expected {what}, got {got!r}")


def main():
    make()
    command = ["fx-compile", str(FOLDER / "m.mlir"), "-o", str(FOLDER / "m.so")]
    silent = subprocess.run(command, capture_output=True)
    expect(silent.returncode == 0 and not silent.stderr and not silent.stdout, "silence", silent)
    ours, theirs = pty.openpty()
    process = subprocess.Popen(command, stderr=theirs)
    os.close(theirs)
    output = b""
    while True:
        try:
            data = os.read(ours, 4096)
        except OSError:  # the terminal is gone with its last writer
            break
        if not data:
            break
        output += data
    expect(process.wait() == 0, "success", process.returncode)
    lines = output.decode().split("\r\x1b[K")
    shown = [re.fullmatch(r"\[ *(\d+)%\] ([a-z ]+)(?: \((\d+) of (\d+) kernels\))?", line) for line in lines if line]
    expect(shown and all(shown), "lines of progress", lines)
    parts = [int(m[1]) for m in shown]
    expect(parts == sorted(parts) and parts[-1] <= 100, "progress that grows", parts)
    counted = [(m[2], int(m[3]), int(m[4])) for m in shown if m[3]]
    expect({"code"} == {phase for phase, _, _ in counted}, "kernels that are counted", lines)
    expect(all(0 < done <= COUNT == of for _, done, of in counted), f"counts up to {COUNT}", counted)
    expect(lines[-1] == "", "the line to be cleared at the end", lines[-1])


main()
