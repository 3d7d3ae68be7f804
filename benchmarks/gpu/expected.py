#!/usr/bin/env python3
"""Prints a table of the kernels of the benchmark: their work, the time that the compiler's model
expects on a GPU, registers, shared memory and spills of ptxas, and the times of a run on a GPU.

usage: expected.py [CASE ...] [--results DIR] [--gpu H200]

Needs the build and ptxas, and no GPU: the artefacts run on the test driver, which records the
launches and computes nothing. `--results` names the folder in which run.py has written speed.jsonl;
without it, the times are "not measured". The share is the expected time of the limit alone, without
launches, over the measured time.
"""

import argparse
import json
import os
import pathlib
import re
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "benchmarks"), str(ROOT / "test" / "EndToEnd")]
import emulate  # noqa: E402
import exporting  # noqa: E402
import norms  # noqa: E402
import rows  # noqa: E402
import sets  # noqa: E402

def launch_seconds(gpu: str) -> float:
    """Returns the seconds that the model adds for each launch, the last number of a GPU."""
    speeds = (ROOT / "lib" / "CodeGen" / "GPU" / "Backend" / "DeviceSpeeds.inc").read_text()
    return float(re.search(rf'^\{{"{gpu}",.*, ([^,]+)\}},$', speeds, re.M)[1])


def read_results(folder: pathlib.Path | None) -> dict[tuple[str, str], float]:
    """Returns the microseconds on the GPU by case and by who ran it."""
    if not folder:
        return {}
    found = [json.loads(line) for line in (folder / "speed.jsonl").read_text().splitlines()]
    return {(row["case"], row["who"]): 1e3 * row["events_ms"] for row in found
            if row.get("status") == "ok" and row.get("events_ms")}


def record(artefact: pathlib.Path, inputs: list) -> list[dict]:
    """Returns the launches of a run."""
    import native

    # The driver opens the log once.
    log = pathlib.Path(os.environ["FX_FAKE_CUDA_LOG"])
    before = len(emulate.read_log(log)) if log.exists() else 0
    native.Model(artefact)(*inputs)
    return [line for line in emulate.read_log(log)[before:] if line["call"] == "launch"]


def row(key: str, gpu: str, times: dict, folder: pathlib.Path) -> list[str]:
    module, args, kwargs = sets.make(key, small=False)
    program, artefact = folder / f"{key}.pt2", folder / f"{key}.so"
    exporting.save(exporting.export(module, args, kwargs), program)
    flags = ["--precision=tf32"] if sets.of_key(key).rounds else []
    norms.tool("fx-compile", "--target=cuda:sm_90a", "--no-fallback", *flags, program, "-o",
               artefact, "--report", folder / "report.json")
    report = json.loads((folder / "report.json").read_text())
    kernels = {kernel["name"]: kernel for kernel in report["device_kernels"]}
    launches = record(artefact, rows.tensors((args, kwargs)))
    launched = [kernels[launch["kernel"]] for launch in launches]
    codes = [code for kernel in launched for code in kernel["code"] if code["chip"] == "sm_90a"]
    expected = [kernel["expected"][gpu] for kernel in launched]
    main = max(range(len(launched)), key=lambda i: expected[i]["microseconds"])
    kinds = [k["schedule"]["kind"] for k in report["kernels"] if k["when"] == "run"]
    least = sum(e["microseconds"] - launch_seconds(gpu) * 1e6 for e in expected)
    ours, theirs = times.get((key, "ours")), times.get((key, "eager"))
    shared = max(launch["shared"] + code.get("shared_bytes", 0)
                 for launch, code in zip(launches, codes, strict=True))
    spills = sum(code["spill_store_bytes"] + code["spill_load_bytes"] for code in codes)
    return [f"`{key}`", ", ".join(f"`{kind}`" for kind in dict.fromkeys(kinds)), str(len(launches)),
            f"{sum(k['work']['bytes'] for k in launched) / 1e6:.1f}",
            f"{sum(k['work']['operations'] for k in launched) / 1e9:.2f}",
            expected[main]["bound"], f"{sum(e['microseconds'] for e in expected):.1f}",
            f"{ours:.1f}" if ours else "not measured", f"{least / ours:.0%}" if ours else "",
            f"{theirs:.1f}" if theirs else "", str(max(code["registers"] for code in codes)),
            f"{shared / 1024:.0f}", str(spills)]


HEADER = ["case", "class", "launches", "MB", "billion operations", "limit", "expected, µs",
          "measured, µs", "share", "eager, µs", "registers", "shared KiB", "spills"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    known = list(sets.SETS["kernels"])
    parser.add_argument("cases", nargs="*", metavar="CASE", help="default: all kernels")
    parser.add_argument("--results", type=pathlib.Path, help="a folder with speed.jsonl")
    parser.add_argument("--gpu", default="H200", choices=["H100", "H200"])
    options = parser.parse_args()
    if unknown := set(options.cases) - set(known):
        parser.error(f"expected cases of {', '.join(known)}, got {', '.join(sorted(unknown))}")
    times = read_results(options.results)
    for line in (HEADER, ["---"] * len(HEADER)):
        print("|", " | ".join(line), "|")
    with tempfile.TemporaryDirectory() as made:
        # Memory of GPUs is aligned to 256 bytes.
        os.environ.update(emulate.driver(chip=90, alignment=256,
                                         log=pathlib.Path(made) / "launches.jsonl"))
        for key in options.cases or known:
            print("|", " | ".join(row(key, options.gpu, times, pathlib.Path(made))), "|",
                  flush=True)


if __name__ == "__main__":
    main()
