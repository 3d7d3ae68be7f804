#!/usr/bin/env python3
"""Makes a folder that runs the benchmark of GPUs on a machine that has torch with CUDA and
nothing of this project, no LLVM and no compiler:

    benchmarks/gpu/bundle.py FOLDER [CASE ...]
    python FOLDER/run.py

Artefacts are compiled here (for --target, with machine code where there is a ptxas) and packed.

    benchmarks/gpu/bundle.py FOLDER --calibrate [CASE ...]

makes one at small sizes, with what the emulator of the tests computes: on a GPU it shows where the
two differ.
"""

import argparse
import lzma
import pathlib
import re
import shutil
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / folder) for folder in ("test/EndToEnd", "benchmarks", "benchmarks/gpu")]

import cases  # noqa: E402
import exporting  # noqa: E402
import emulate  # noqa: E402
import norms  # noqa: E402
import torch  # noqa: E402

#: What a bundle may take.
LIMIT = 64 << 20


def export(name: str, small: bool, path: pathlib.Path) -> pathlib.Path:
    """Makes the archive at `path`; what is to be compiled of it."""
    module, args, kwargs = cases.make(name, small)
    exporting.save(exporting.export(module, args, kwargs), path)
    return path if cases.CASES[name].folds else norms.keep(path)


def add(name: str, small: bool, target: str, folder: pathlib.Path) -> None:
    """Packs the artefact of a case into the folder."""
    artefact = folder / f"{name}.so"
    with tempfile.TemporaryDirectory() as made:
        source = export(name, small, pathlib.Path(made) / f"{name}.pt2")
        norms.tool("fx-compile", f"--target={target}", source, "-o", artefact)
    with open(artefact, "rb") as source, lzma.open(f"{artefact}.xz", "wb", preset=1) as packed:
        shutil.copyfileobj(source, packed, 1 << 24)
    artefact.unlink()


def emulated(name: str, target: str, folder: pathlib.Path) -> dict:
    """What the kernels of a packed case compute on the emulator."""
    with tempfile.TemporaryDirectory() as made:
        made = pathlib.Path(made)
        kernels = emulate.compile_kernels(export(name, True, made / f"{name}.pt2"), made, target=target)
        chip = int(re.match(r"cuda:sm_(\d+)", target)[1])
        run = [sys.executable, folder / "run.py", name, "--device", "cpu", "--save", made / "saved.pt"]
        emulate.run_program(*run, env=emulate.driver(kernels, chip=chip))
        return torch.load(made / "saved.pt")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("cases", nargs="*", metavar="CASE", default=list(cases.CASES))
    parser.add_argument("--target", default="cuda:sm_90a")
    parser.add_argument("--small", action="store_true", help="sizes for an emulated GPU")
    parser.add_argument("--calibrate", action="store_true", help="add the emulator's results")
    options = parser.parse_args()
    options.small |= options.calibrate
    if unknown := set(options.cases) - set(cases.CASES):
        parser.error(f"expected cases of {', '.join(cases.CASES)}, got {', '.join(unknown)}")
    options.folder.mkdir(parents=True)
    for name in options.cases:
        add(name, options.small, options.target, options.folder)
        print(name, (options.folder / f"{name}.so.xz").stat().st_size, flush=True)
    if options.small:
        (options.folder / "small").touch()
    shutil.copytree(ROOT / "test" / "EndToEnd" / "models", options.folder / "models",
                    ignore=shutil.ignore_patterns("__pycache__"))
    for source in ("gpu/cases.py", "gpu/run.py", "native.py"):
        shutil.copy(ROOT / "benchmarks" / source, options.folder)
    if options.calibrate:
        results = {}
        for name in options.cases:
            results |= emulated(name, options.target, options.folder)
        torch.save(results, options.folder / "emulated.pt")
    size = sum(f.stat().st_size for f in options.folder.rglob("*") if f.is_file())
    print(f"{size / 1e6:.1f} MB")
    if size > LIMIT:
        sys.exit(f"expected at most {LIMIT >> 20} MiB: leave cases out")


if __name__ == "__main__":
    main()
