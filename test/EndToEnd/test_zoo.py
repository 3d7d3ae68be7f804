"""Widely used model definitions: those of transformers and others, small, with random weights; as
exported and decomposed, static and dynamic."""

import json

import exporting
import harness
import pytest
import roundtrip
import zoo


def forms():
    """Yields each model in its most general form as exported. The others need --long."""
    for entry in zoo.entries.values():
        for dynamic in (False, True) if entry.dynamic else (False,):
            for decomposed in (False, True):
                shapes = "dynamic" if dynamic else "static"
                graph = "decomposed" if decomposed else "training"
                general = dynamic == bool(entry.dynamic) and not decomposed
                marks = [] if entry.quick and general else [pytest.mark.long]
                yield pytest.param(
                    entry, dynamic, decomposed, id=f"{entry.name}-{shapes}-{graph}", marks=marks
                )


def export(entry, module, dynamic, decomposed):
    try:
        return entry.program(module, dynamic, decomposed)
    except ValueError as error:
        if not decomposed:
            raise
        # GPT-2's attention has strides that the next view does not accept.
        pytest.skip(f"torch cannot decompose it: {error}"[:200])


def check_compiled(entry, runs, folder):
    """Checks that the model is native except for as many nodes as the entry allows."""
    result = harness.tool(
        "fx-compile", folder / "m.pt2", "-o", folder / "m.so", "--report", folder / "r.json"
    )
    assert result.returncode == 0, result.stderr
    report = json.loads((folder / "r.json").read_text())
    fallbacks = [op["target"] for op in report["operators"] if not op["native"]]
    assert max(len(fallbacks), report["fallbacks"]) <= entry.fallbacks, fallbacks
    for k, (inputs, expected) in enumerate(runs):
        got = harness.run(folder / "m.so", inputs, folder / f"compiled_{k}", expected)
        harness.compare(got, expected)


def check_interpreted(runs, folder):
    for k, (inputs, expected) in enumerate(runs):
        flags = harness.MODES["interpret"]
        got = harness.run(folder / "m.pt2", inputs, folder / f"run_{k}", expected, *flags)
        harness.compare(got, expected)


def check_roundtrip(inputs, folder):
    """Checks the round trips: the archive, FX's text, and Python that re-traces."""
    before, after = roundtrip.check(folder / "m.pt2", folder)
    roundtrip.equal(before, after, *inputs)
    roundtrip.check_source(folder / "m.pt2", before, *inputs)


@pytest.mark.parametrize("entry, dynamic, decomposed", list(forms()))
def test_model(entry, dynamic, decomposed, tmp_path):
    """Runs all checks of one export in one test, since exporting takes as long as the rest."""
    module = entry.build()
    exporting.save(export(entry, module, dynamic, decomposed), tmp_path / "m.pt2")
    samples = [entry.sample(module), *(entry.others(module) if dynamic else [])]
    runs = [(inputs, exporting.eager(module, *inputs)) for inputs in samples]
    check_compiled(entry, runs, tmp_path)
    check_interpreted(runs, tmp_path)
    check_roundtrip(samples[0], tmp_path)
