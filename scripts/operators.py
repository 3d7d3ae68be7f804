"""Writes docs/Operators.md: what runs natively, by PyTorch's own samples.

    scripts/operators.py [--samples N] [--jobs N] [--form FORM]... [-o FILE]

Runs the entries of PyTorch's operator and module databases as the long
end-to-end tests do (build folder: FX_BUILD_DIR) and writes one row for each.
"""

import argparse
import collections
import dataclasses
import functools
import logging
import multiprocessing
import os
import pathlib
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "test" / "EndToEnd"))


def measure(name: str, forms: list[str], samples: int) -> list[dict]:
    import opinfo
    import torch

    logging.disable(logging.CRITICAL)
    torch.set_num_threads(1)
    results = []
    for form in forms:
        with tempfile.TemporaryDirectory() as folder:
            results.append(opinfo.run(name, form, samples, pathlib.Path(folder)))
    return [dataclasses.asdict(result) for result in results]


def reasons(result: dict) -> str:
    """The fallbacks by reason, the operators' common reason left out."""
    by_reason = collections.defaultdict(list)
    for target, reason in sorted(result["fallbacks"].items()):
        by_reason[reason].append(target.removeprefix("aten."))
    texts = []
    for reason, targets in by_reason.items():
        why = "" if reason == "the operator has no lowering" else f" ({reason})"
        texts.append(", ".join(f"`{t}`" for t in targets) + why)
    return "; ".join(texts).replace("|", "\\|")


def path_of(result: dict | None) -> str:
    if result is None or result["samples"] <= len(result["refused"]):
        return "-"
    if result["problems"]:
        return "wrong"
    return "fallback" if result["fallbacks"] else "native"


def write(rows: list[list[dict]], forms: list[str], samples: int) -> str:
    import torch

    lines = [
        "# Operators",
        "",
        "Written by `scripts/operators.py`; do not edit. Every entry of the operator and",
        f"module databases that PyTorch {torch.__version__.split('+')[0]} tests itself with "
        f"(up to {samples} samples for each",
        "dtype, float32 and int64), exported in each form, compiled and compared with eager",
        "within the tolerances of `torch.testing`. *native*: no sample needs ATen; *fallback*:",
        "ATen runs the operators named, in some sample.",
        "",
        "| | runs | native | fallback | wrong |",
        "| --- | --- | --- | --- | --- |",
    ]
    for k, form in enumerate(forms):
        count = collections.Counter(path_of(row[k]) for row in rows)
        runs = sum(count.values()) - count["-"]
        share = 100 * count["native"] / max(runs, 1)
        lines.append(
            f"| {form} | {runs} | {count['native']} ({share:.1f} %) | "
            f"{count['fallback']} | {count['wrong']} |"
        )
    head = ["entry", "dtypes", *forms, "what ATen runs, and why"]
    lines += ["", "| " + " | ".join(head) + " |", "| " + " | ".join("---" for _ in head) + " |"]
    refused = []
    for row in rows:
        paths = [path_of(result) for result in row]
        if set(paths) == {"-"}:
            refused.append(row[0])
            continue
        why = next((reasons(r) for r in row if r["fallbacks"]), "")
        cells = [f"`{row[0]['name']}`", ", ".join(row[0]["dtypes"]), *paths, why]
        lines.append("| " + " | ".join(cells) + " |")
    lines += ["", "## What torch.export refuses", ""]
    for result in refused:
        reason = next(iter(result["refused"].values()), "PyTorch has no samples for the CPU")
        lines.append(f"- `{result['name']}`: {reason[:120]}")
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--samples", type=int, default=10)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--form", action="append", choices=["training", "decomposed", "dynamic"])
    parser.add_argument("-o", "--output", type=pathlib.Path, default=ROOT / "docs/Operators.md")
    options = parser.parse_args()
    forms = options.form or ["training", "decomposed", "dynamic"]
    import opinfo

    names = sorted(opinfo.entries())
    run = functools.partial(measure, forms=forms, samples=options.samples)
    rows = []
    with multiprocessing.Pool(options.jobs, maxtasksperchild=100) as pool:
        for row in pool.imap(run, names):
            rows.append(row)
            print(f"\r{len(rows)} of {len(names)}", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    temporary = options.output.with_suffix(".tmp")
    temporary.write_text(write(rows, forms, options.samples))
    temporary.replace(options.output)


if __name__ == "__main__":
    main()
