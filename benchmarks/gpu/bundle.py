#!/usr/bin/env python3
"""Makes a folder that runs the benchmark of GPUs on a machine that has torch with CUDA, but
neither this project nor LLVM nor a compiler:

    benchmarks/gpu/bundle.py FOLDER [CASE ...] [--archive]
    python FOLDER/run.py PART

Artefacts are compiled on this machine (for --target, with machine code if ptxas is found) and
packed. For small artefacts the folder contains the results of the tests' emulator. --archive also
packs the folder as FOLDER.tar and writes its checksum to FOLDER.tar.sha256.

--dry makes a bundle of small sizes with kernels for the emulator, for machines without a GPU.
"""

import argparse
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / folder) for folder in ("test/EndToEnd", "benchmarks", "benchmarks/gpu")]

import data  # noqa: E402
import emulate  # noqa: E402
import exporting  # noqa: E402
import isolate  # noqa: E402
import norms  # noqa: E402
import pack  # noqa: E402
import rows  # noqa: E402
import sets  # noqa: E402
import torch  # noqa: E402
import variants  # noqa: E402

#: The set that is also compiled for the emulator.
EMULATED = "calibrate"
SOURCES = ("calibrate", "cases", "compare", "data", "isolate", "nets", "pack", "profiling", "rows",
           "run", "sets", "timing", "variants")


class Bundle:
    def __init__(self, options, made: pathlib.Path):
        self.options, self.folder, self.made = options, options.folder, made
        self.artefacts: dict[str, dict] = {}
        self.files: dict[str, dict[str, pathlib.Path]] = {}
        self.programs: dict[str, pathlib.Path] = {}

    def export(self, key: str, small: bool) -> tuple[pathlib.Path, dict]:
        """Exports the program of a case. Returns its path and the checksums of its inputs and
        weights."""
        case = sets.of_key(key)
        module, args, kwargs = sets.make(key, small)
        about = {"inputs": [data.checksum([x]) for x in rows.tensors((args, kwargs))],
                 "states": data.checksum(module.state_dict().values())}
        path = self.made / f"{key.split('@')[0]}.pt2"
        exporting.save(exporting.export(module, args, kwargs), path)
        return (path if case.folds else norms.keep(path)), about

    def add(self, name: str, key: str) -> None:
        """Compiles a case of the set `name`."""
        small = self.options.dry or name == "calibrate"
        begin = time.monotonic()
        program, about = self.export(key, small)
        file = re.sub(r"\W", "_", key)
        artefact, report = self.made / f"{file}.so", self.made / "report.json"
        tiles = key.partition("@")[2]
        flags = [f"--target={self.options.target}", "--no-fallback",
                 *(["--precision=tf32"] if sets.of_key(key).rounds else []),
                 *([f"--gpu-tiles={tiles}"] if tiles else [])]
        norms.tool("fx-compile", *flags, program, "-o", artefact, "--report", report)
        report = json.loads(report.read_text())
        schedules = {"schedules": {k["name"]: k["schedule"] for k in report["kernels"]}}
        if not variants.are_used(tiles, variants.product_of(schedules)):
            raise SystemExit(f"error: {key}: expected a kernel with these tiles, got {schedules}")
        files = self.files.setdefault(name, {})
        files[f"{file}.so"] = artefact
        about |= {"set": name, "file": file, "kernels": report.get("device_kernels", []),
                  "schedules": [k["schedule"]["kind"] for k in report["kernels"]
                                if k["when"] == "run"]}
        if self.options.dry or (name == EMULATED and not self.options.no_emulated):
            kernels = emulate.compile_kernels(program, self.made / file, target=self.options.target,
                                              flags=flags[2:])
            if self.options.dry:
                files[f"{file}.kernels.so"] = kernels
            if name == EMULATED:
                files[f"{file}.pt"] = self.emulate(key, artefact, kernels, about)
        about["weights"] = pack.split(artefact, report["weight_bytes"], self.folder)
        about["code_bytes"] = artefact.stat().st_size
        self.artefacts[key] = about
        for left in self.made.glob(f"{key.split('@')[0]}.*pt2"):
            left.unlink()
        print(f"{name:10} {key:44} {about['schedules'][:3]} {time.monotonic() - begin:.1f} s",
              flush=True)
        for kernel in about["kernels"]:
            for code in kernel["code"]:
                spills = code.get("spill_store_bytes", 0) + code.get("spill_load_bytes", 0)
                if spills or code["remarks"]:
                    print(f"    {kernel['name']} {code['chip']}: {spills} bytes of spills "
                          f"{code['remarks']}", flush=True)

    def emulate(self, key, artefact, kernels, about) -> pathlib.Path:
        """Runs the kernels on the emulator and returns the file of the results."""
        saved = self.made / f"{about['file']}.pt"
        chip = re.match(r"cuda:sm_(\d+)", self.options.target)[1]
        task = {"do": "ours", "key": key, "small": True, "device": "cpu", "judges": False,
                "times": False, "artefact": str(artefact), "kernels": str(kernels),
                "inputs": about["inputs"], "states": about["states"], "save": str(saved),
                "env": {**emulate.driver(chip=chip), "FX_GPU_LOG": str(self.made / "log")}}
        found = isolate.call(rows.work, task, 300)
        if found["status"] != "ok":
            raise SystemExit(f"error: {key}: the emulator: {found}")
        return saved

    def write(self) -> None:
        """Writes the archives, the manifest and the sources."""
        for name, files in self.files.items():
            pack.store(files, self.folder / f"{name}.tar.xz")
        commit = subprocess.run(["git", "-C", ROOT, "describe", "--always", "--dirty"],
                                capture_output=True, text=True).stdout.strip()
        manifest = {"made": commit, "target": self.options.target, "small": self.options.dry,
                    "torch": torch.__version__, "artefacts": self.artefacts}
        (self.folder / "manifest.json").write_text(json.dumps(manifest, separators=(",", ":")))
        shutil.copytree(ROOT / "test" / "EndToEnd" / "models", self.folder / "models",
                        ignore=shutil.ignore_patterns("__pycache__"))
        for source in SOURCES:
            shutil.copy(ROOT / "benchmarks" / "gpu" / f"{source}.py", self.folder)
        shutil.copy(ROOT / "benchmarks" / "native.py", self.folder)


def archive(folder: pathlib.Path) -> None:
    """Writes FOLDER.tar and its checksum. The archive of the same files has the same bytes."""
    path = folder.with_name(f"{folder.name}.tar")

    def plain(info: tarfile.TarInfo) -> tarfile.TarInfo:
        info.mtime = info.uid = info.gid = 0
        info.uname = info.gname = ""
        return info

    with tarfile.open(path, "w") as tar:
        for file in sorted(f for f in folder.rglob("*") if f.is_file()):
            tar.add(file, f"{folder.name}/{file.relative_to(folder)}", filter=plain)
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    path.with_name(path.name + ".sha256").write_text(f"{digest}  {path.name}\n")
    print(f"{path}: {path.stat().st_size} bytes, sha256 {digest}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("cases", nargs="*", metavar="CASE", help="all but those that are named")
    parser.add_argument("--sets", default=",".join(sets.SETS), help="of " + ", ".join(sets.SETS))
    parser.add_argument("--target", default="cuda:sm_90a")
    parser.add_argument("--dry", action="store_true", help="small sizes, for the emulator")
    parser.add_argument("--no-emulated", action="store_true", help="without the emulator's results")
    parser.add_argument("--archive", action="store_true", help="pack the folder, with a checksum")
    options = parser.parse_intermixed_args()
    torch.set_num_threads(1)  # because processes are forked
    known = [key for part in sets.SETS.values() for key in part]
    if unknown := set(options.cases) - set(known):
        parser.error(f"expected cases of {', '.join(known)}, got {', '.join(unknown)}")
    if unknown := set(options.sets.split(",")) - set(sets.SETS):
        parser.error(f"--sets: expected some of {', '.join(sets.SETS)}, got {', '.join(unknown)}")
    os.environ.pop("FX_LIBCUDA", None)
    options.folder.mkdir(parents=True)
    with tempfile.TemporaryDirectory() as made:
        bundle = Bundle(options, pathlib.Path(made))
        for name in options.sets.split(","):
            for key in sets.SETS[name]:
                if not options.cases or key in options.cases:
                    bundle.add(name, key)
        bundle.write()
    found = pack.sizes(options.folder)
    for name, size in found.items():
        print(f"{size:10} {name}")
    total = sum(found.values())
    print(f"{total} bytes, {total / pack.LIMIT:.0%} of the {pack.LIMIT >> 20} MiB that it may "
          f"have; {len(bundle.artefacts)} artefacts")
    if total > pack.LIMIT:
        sys.exit(f"error: expected at most {pack.LIMIT} bytes, got {total}: leave sets or cases "
                 "out")
    if options.archive:
        archive(options.folder)


if __name__ == "__main__":
    main()
