"""Gives files that are no archives of torch.export.save to each tool: not_exported.py FOLDER

Each tool must end with 1 and one line on standard error that tells what it expected and got.
"""

import pathlib
import re
import subprocess
import sys
import warnings

import torch

FOLDER = pathlib.Path(sys.argv[1])
EXPORT = ": export the model with torch.export.export"
EXPECTED = "expected an archive of torch.export.save, got "
OTHER = "expected a zip archive of torch.export.save, got a file of another kind"
MLIR = "expected MLIR text or bytecode, got an archive; fx-translate --pt2-to-mlir imports it"


def write() -> dict[str, str]:
    """Writes the files. Returns the pattern of the message about each of them."""
    model = torch.nn.Linear(2, 2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.jit.save(torch.jit.script(model), FOLDER / "script.pt2")
    torch.save(model.state_dict(), FOLDER / "state.pt2")
    torch.save(model, FOLDER / "module.pt2")
    torch.save(model.state_dict(), FOLDER / "old.pt2", _use_new_zipfile_serialization=False)
    (FOLDER / "text.pt2").write_text("a model\n" * 20)
    (FOLDER / "empty.pt2").write_bytes(b"")
    (FOLDER / "script.mlir").write_bytes((FOLDER / "script.pt2").read_bytes())
    return {
        "script.pt2": EXPECTED + "TorchScript of torch.jit.save" + EXPORT,
        "state.pt2": EXPECTED + "one of torch.save" + EXPORT,
        "module.pt2": EXPECTED + "one of torch.save" + EXPORT,
        "old.pt2": OTHER,
        "text.pt2": OTHER,
        "empty.pt2": "expected a zip archive, got a file of 0 bytes",
        "none.pt2": "no such file",
        "script.mlir": MLIR,
    }


def commands(file: str):
    yield "fx-compile", file, "-o", "out.so"
    yield "fx-run", file
    yield "fx-quantize", file, "-o", "out.pt2"
    yield "fx-reduce", file, "--test=true", "-o", "out.mlir"
    yield "fx-translate", "--pt2-to-mlir" if file.endswith(".pt2") else "--mlir-to-fx-text", file
    if "script" in file:
        yield "fx-opt", file


def main() -> None:
    refusals = failures = 0
    for file, message in write().items():
        for command in commands(file):
            result = subprocess.run(command, cwd=FOLDER, capture_output=True, text=True, timeout=60)
            want = MLIR if command[0] == "fx-opt" else message
            line = rf"error: {file}: (cannot open: )?{re.escape(want)}( or directory)?\n"
            good = result.returncode == 1 and not result.stdout
            if good and re.fullmatch(line, result.stderr, re.IGNORECASE):
                refusals += 1
            else:
                failures += 1
                print(f"{' '.join(command)}: {result.returncode}: {result.stderr}{result.stdout}")
    if left := sorted(path.name for path in FOLDER.glob("out*")):
        failures += 1
        print(f"left: {left}")
    print(f"{refusals} refusals, {failures} failures")


main()
