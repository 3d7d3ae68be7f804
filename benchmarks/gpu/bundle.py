#!/usr/bin/env python3
"""Makes a folder that runs the benchmark of GPUs on a machine that has torch with CUDA and
nothing of this project, no LLVM and no compiler:

    benchmarks/gpu/bundle.py FOLDER [CASE ...]
    python FOLDER/run.py

Artefacts are compiled here (for --target, with machine code where there is a ptxas) and packed.
"""

import argparse
import lzma
import pathlib
import shutil
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "test" / "EndToEnd"), str(ROOT / "benchmarks" / "gpu")]

import cases  # noqa: E402
import exporting  # noqa: E402
import harness  # noqa: E402

#: What a bundle may take.
LIMIT = 64 << 20


def export(name: str, small: bool, path: pathlib.Path) -> None:
    module, args, kwargs = cases.make(name, small)
    exporting.save(exporting.export(module, args, kwargs), path)


def add(name: str, small: bool, target: str, folder: pathlib.Path) -> None:
    """Packs the artefact of a case into the folder."""
    program, artefact = folder / f"{name}.pt2", folder / f"{name}.so"
    export(name, small, program)
    result = harness.tool("fx-compile", f"--target={target}", program, "-o", artefact)
    program.unlink()
    if result.returncode:
        sys.exit(result.stderr)
    with open(artefact, "rb") as source, lzma.open(f"{artefact}.xz", "wb", preset=1) as packed:
        shutil.copyfileobj(source, packed, 1 << 24)
    artefact.unlink()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("cases", nargs="*", metavar="CASE", default=list(cases.CASES))
    parser.add_argument("--target", default="cuda:sm_90a")
    parser.add_argument("--small", action="store_true", help="sizes for an emulated GPU")
    options = parser.parse_args()
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
    size = sum(f.stat().st_size for f in options.folder.rglob("*") if f.is_file())
    print(f"{size / 1e6:.1f} MB")
    if size > LIMIT:
        sys.exit(f"expected at most {LIMIT >> 20} MiB: leave cases out")


if __name__ == "__main__":
    main()
