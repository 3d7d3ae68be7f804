#!/usr/bin/env python3
"""Writes docs/Models.md. Exports every model definition of test/EndToEnd/zoo in each form,
compiles it, runs it and compares it with eager PyTorch, and compares the time of
compilation with torch.compile's.

    scripts/model_zoo.py [--jobs N] [-o FILE] [--results FILE] [--again NAME]...
                         [--as-measured] [--without-torch-compile]

Needs a build (folder: FX_BUILD_DIR). This takes long: with --results, the
measurements are saved to a JSON file, and another run measures only the models that are
missing in the file or named by --again. Times are only reliable with one job. Most of
the time is torch.compile's: --without-torch-compile leaves it to a later run.
"""

import argparse
import json
import logging
import os
import pathlib
import signal
import statistics
import sys
import tempfile
import time

import measured

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "test" / "EndToEnd"))
os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("TRANSFORMERS_VERBOSITY", "error")
# Measure compilation without the caches of torch.compile.
os.environ["TORCHINDUCTOR_FORCE_DISABLE_CACHES"] = "1"

FORMS = ["static", "static, decomposed", "dynamic", "dynamic, decomposed"]


#: The maximum seconds of torch.compile for a model.
LIMIT = 300


class Limit(Exception):
    """torch.compile has taken LIMIT seconds."""


def stop(*_) -> None:
    raise Limit


def general(entry) -> str:
    """Returns the form whose compilation is timed."""
    return "dynamic" if entry.dynamic else "static"


def compile_seconds(module, inputs, dynamic: bool) -> float:
    """Returns the seconds of the first call of torch.compile's result minus those of a run
    of eager PyTorch."""
    import exporting
    import torch

    args, kwargs = inputs
    start = time.perf_counter()
    exporting.eager(module, args, kwargs)
    eager = time.perf_counter() - start
    torch._dynamo.reset()
    compiled = torch.compile(module, dynamic=dynamic)
    signal.signal(signal.SIGALRM, stop)
    signal.alarm(LIMIT)
    start = time.perf_counter()
    try:
        with torch.no_grad():
            compiled(*args, **kwargs)
        return time.perf_counter() - start - eager
    finally:
        signal.alarm(0)


def measure(key: tuple[str, str]) -> dict:
    """Measures a model in one form."""
    import exporting
    import harness
    import torch
    import zoo

    logging.disable(logging.CRITICAL)
    torch.set_num_threads(1)
    name, form = key
    result = {"name": name, "form": form, "fallbacks": [], "problem": "", "error": 0.0}
    entry = zoo.get(name)
    dynamic = form.startswith("dynamic")
    module = entry.build()
    with tempfile.TemporaryDirectory() as directory:
        folder = pathlib.Path(directory)
        start = time.perf_counter()
        try:
            program = entry.program(module, dynamic, "decomposed" in form)
        except Exception as error:
            return result | {"problem": f"torch.export: {type(error).__name__}"}
        result["export"] = time.perf_counter() - start
        exporting.save(program, folder / "m.pt2")
        start = time.perf_counter()
        done = harness.tool(
            "fx-compile", folder / "m.pt2", "-o", folder / "m.so", "--report", folder / "r.json"
        )
        result["compile"] = time.perf_counter() - start
        if done.returncode:
            return result | {"problem": done.stderr.strip().replace(directory, "")}
        report = json.loads((folder / "r.json").read_text())
        result["nodes"] = len(report["operators"])
        result["fallbacks"] = [op["target"] for op in report["operators"] if not op["native"]]
        try:
            inputs = [entry.sample(module)] + (entry.others(module) if dynamic else [])
            for k, one in enumerate(inputs):
                want = exporting.eager(module, *one)
                got = harness.run(folder / "m.so", one, folder / str(k), want)
                harness.compare(got, want)
                result["error"] = max(result["error"], harness.largest_error(got, want))
        except AssertionError as error:
            return result | {"problem": str(error)}
    return result


def measure_inductor(key: tuple[str, str]) -> dict:
    """Times torch.compile of a model in one form."""
    import torch
    import zoo

    logging.disable(logging.CRITICAL)
    torch.set_num_threads(1)
    name, form = key
    entry = zoo.get(name)
    module = entry.build()
    start = time.perf_counter()
    try:
        return {"inductor": compile_seconds(module, entry.sample(module), form == "dynamic")}
    except Exception as error:
        # torch.compile may wrap the exception Limit, so look at the time.
        over = time.perf_counter() - start >= LIMIT
        return {"inductor_problem": f"> {LIMIT}" if over else type(error).__name__}


def measure_both(key: tuple[str, str]) -> dict:
    import zoo

    result = measure(key)
    if not result["problem"] and key[1] == general(zoo.get(key[0])):
        result |= measure_inductor(key)
    return result


def path_of(result: dict | None) -> str:
    if result is None:
        return "-"
    if result["problem"]:
        return "**wrong**" if "nodes" in result else "refused"
    count = len(result["fallbacks"])
    return f"{count} fallback" if count else "native"


def seconds(result: dict, what: str) -> str:
    return f"{result[what]:.1f}" if what in result else "-"


def write(names: list[str], missing: int, done: dict[tuple[str, str], dict]) -> str:
    import torch
    import transformers
    import zoo

    lines = [
        "# Models",
        "",
        "`scripts/model_zoo.py` generates this file; do not edit it.",
        "",
        "The tables show which model definitions compile, and how long this takes. The models are those of",
        f"transformers {transformers.__version__} and of `test/EndToEnd/zoo`, with small configurations and random weights,",
        f"exported by PyTorch {torch.__version__.split('+')[0]}. Each compiled model is run and compared with eager PyTorch. The",
        "tolerance is |error| ≤ 1e-4 |value| + 1e-4 RMS. The dynamic forms are compared at three sizes.",
        "",
        "- *native*: no node runs on ATen. *N fallback*: N nodes run on ATen.",
        "- *refused*: PyTorch or `fx-compile` refuses the model in this form.",
        "- *export*, *fx-compile*, *torch.compile*: the times of `torch.export.export`, of the `fx-compile`",
        "  process, and of `torch.compile` until the first result, without caches, in seconds. The form is",
        f"  `dynamic` if the model has it, otherwise `static`. `torch.compile` is stopped after {LIMIT} seconds.",
        "",
        *(
            [f"Not measured yet: {missing} of {len(names) + missing} definitions.", ""]
            if missing
            else []
        ),
        "| form | models | native | at most two fallbacks | more | wrong | refused |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    for form in FORMS:
        rows = [done[name, form] for name in names if (name, form) in done]
        wrong = sum(path_of(row) == "**wrong**" for row in rows)
        refused = sum(path_of(row) == "refused" for row in rows)
        good = [len(row["fallbacks"]) for row in rows if not row["problem"]]
        native = good.count(0)
        few = sum(0 < count <= 2 for count in good)
        lines.append(
            f"| {form} | {len(rows)} | {native} ({100 * native / max(len(rows), 1):.1f} %) | {few} | "
            f"{len(good) - native - few} | {wrong} | {refused} |"
        )
    timed = [done[name, general(zoo.get(name))] for name in names]
    both = [row for row in timed if "compile" in row and "inductor" in row]
    if both:
        shares = [row["compile"] / row["inductor"] for row in both]
        lines += [
            "",
            f"The median of the ratio of `fx-compile`'s time to `torch.compile`'s is {statistics.median(shares):.2f} "
            f"({len(both)} models). The ratios range from {min(shares):.2f} to {max(shares):.2f}. The largest are those of models with",
            "LSTM or GRU layers, which `torch.compile` does not compile but runs on ATen.",
        ]
    head = ["model", "nodes", *FORMS, "export", "fx-compile", "torch.compile", "what ATen runs"]
    lines += ["", "| " + " | ".join(head) + " |", "| " + " | ".join("---" for _ in head) + " |"]
    for name, row in zip(names, timed):
        results = [done.get((name, form)) for form in FORMS]
        runs = sorted({target for r in results if r for target in r["fallbacks"]})
        problem = next((r["problem"] for r in results if r and r["problem"]), "")
        why = "; ".join(filter(None, [", ".join(f"`{t}`" for t in runs), problem[:120]]))
        cells = [name, str(row.get("nodes", "-")), *map(path_of, results)]
        cells += [seconds(row, what) for what in ("export", "compile", "inductor")]
        if "inductor_problem" in row:
            cells[-1] = row["inductor_problem"]
        lines.append("| " + " | ".join([*cells, why.replace("|", "\\|").replace("\n", " ")]) + " |")
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    measured.add_options(parser, ROOT / "docs/Models.md", 1)
    parser.add_argument(
        "--as-measured", action="store_true", help="write what --results has, measure nothing"
    )
    parser.add_argument("--without-torch-compile", action="store_true", help="leave out its times")
    options = parser.parse_args()
    import zoo

    keys = [
        (name, form)
        for name, entry in zoo.entries.items()
        for form in FORMS
        if entry.dynamic or form.startswith("static")
    ]
    quick = options.without_torch_compile or options.as_measured

    def is_complete(result: dict) -> bool:
        timed = "inductor" in result or "inductor_problem" in result
        is_general = result["form"] == general(zoo.get(result["name"]))
        return quick or timed or not is_general or bool(result["problem"])

    done = measured.measure_all(
        [] if options.as_measured else keys,
        measure if quick else measure_both,
        options,
        is_complete,
    )
    # A model of which a form is missing is not counted.
    incomplete = {name for name, form in keys if (name, form) not in done}
    names = [name for name in zoo.entries if name not in incomplete]
    measured.replace(options.output, write(names, len(incomplete), done))


if __name__ == "__main__":
    main()
