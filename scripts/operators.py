"""Writes docs/Operators.md, which tells which operators run natively on PyTorch's samples.

    scripts/operators.py [--samples N] [--jobs N] [--form FORM]... [-o FILE]
                         [--results FILE] [--again NAME]...

Runs the entries of PyTorch's operator and module databases like the long end-to-end
tests (build folder: FX_BUILD_DIR) and writes one row for each. This takes long: with
--results, the measurements are saved to a JSON file, and another run measures only the
entries that are missing in the file or named by --again.
"""

import argparse
import collections
import dataclasses
import functools
import logging
import os
import pathlib
import re
import sys
import tempfile

import measured

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "test" / "EndToEnd"))


def measure(key: tuple[str, str], samples: int) -> dict:
    """Measures an entry in one form."""
    import opinfo
    import torch

    logging.disable(logging.CRITICAL)
    torch.set_num_threads(1)
    name, form = key
    with tempfile.TemporaryDirectory() as folder:
        return dataclasses.asdict(opinfo.run(name, form, samples, pathlib.Path(folder)))


def reasons(result: dict) -> str:
    """Returns the fallbacks grouped by reason. The most common reason is left out."""
    by_reason = collections.defaultdict(list)
    for target, reason in sorted(result["fallbacks"].items()):
        by_reason[reason].append(target.removeprefix("aten."))
    texts = []
    for reason, targets in by_reason.items():
        why = "" if reason == "the operator has no lowering" else f" ({reason})"
        texts.append(", ".join(f"`{t}`" for t in targets) + why)
    return "; ".join(texts).replace("|", "\\|")


def plain(text: str) -> str:
    """Returns a message without the parts that differ between runs and machines."""
    text = re.sub(r"\S*/\S*|0x[0-9a-f]+", "…", text)
    return text[:120].replace("|", "\\|")


def path_of(result: dict | None) -> str:
    if result is None or result["samples"] <= len(result["refused"]):
        return "-"
    if result["problems"]:
        return "**wrong**"
    return "fallback" if result["fallbacks"] else "native"


def write(rows: list[list[dict]], forms: list[str], samples: int) -> str:
    import torch

    lines = [
        "# Operators",
        "",
        "`scripts/operators.py` generates this file; do not edit it.",
        "",
        "The tables show which operators compile. The entries are those of the operator and module",
        f"databases with which PyTorch {torch.__version__.split('+')[0]} is tested. For each entry, up to {samples} samples "
        "of each dtype",
        "(float32 and int64) are exported, compiled, and compared with eager PyTorch within the",
        "tolerances of `torch.testing`. Samples that `torch.export` refuses are left out.",
        "",
        "There are three forms:",
        "",
        "- *training*: the result of `torch.export.export`,",
        "- *decomposed*: the same after `run_decompositions()`,",
        "- *dynamic*: `torch.export` chooses which sizes are dynamic (`Dim.AUTO`).",
        "",
        "The results are:",
        "",
        "- *native*: no sample needs ATen.",
        "- *fallback*: in some sample, ATen runs the operators in the last column. They have no lowering, or",
        "  the lowering does not support the case in parentheses.",
        "",
        "| | form | run | native | fallback | wrong |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for title, is_module in (("operators", False), ("modules", True)):
        group = [row for row in rows if row[0]["name"].startswith("torch.nn.") is is_module]
        for k, form in enumerate(forms):
            count = collections.Counter(path_of(row[k]) for row in group)
            runs = sum(count.values()) - count["-"]
            share = 100 * count["native"] / max(runs, 1)
            lines.append(
                f"| {title} | {form} | {runs} | {count['native']} ({share:.1f} %) | "
                f"{count['fallback']} | {count['**wrong**']} |"
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
        wrong = next((text for r in row for text in r["problems"].values()), "")
        why = "; ".join(filter(None, [why, plain(wrong)]))
        cells = [f"`{row[0]['name']}`", ", ".join(row[0]["dtypes"]), *paths, why]
        lines.append("| " + " | ".join(cells) + " |")
    lines += ["", "## What torch.export refuses", ""]
    for result in refused:
        reason = next(iter(result["refused"].values()), "PyTorch has no samples for the CPU")
        lines.append(f"- `{result['name']}`: {plain(reason)}")
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--samples", type=int, default=10)
    parser.add_argument("--form", action="append", choices=["training", "decomposed", "dynamic"])
    measured.add_options(parser, ROOT / "docs/Operators.md", os.cpu_count())
    options = parser.parse_args()
    forms = options.form or ["training", "decomposed", "dynamic"]
    import opinfo

    names = sorted(opinfo.entries())
    keys = [(name, form) for name in names for form in forms]
    run = functools.partial(measure, samples=options.samples)
    done = measured.measure_all(keys, run, options)
    rows = [[done[name, form] for form in forms] for name in names]
    measured.replace(options.output, write(rows, forms, options.samples))


if __name__ == "__main__":
    main()
