"""Model definitions that people use: those of transformers and others, small,
with random weights; as exported and decomposed, static and dynamic."""

import json

import exporting
import harness
import pytest
import roundtrip
import zoo


def forms():
    """Each model in its most general form as exported; the others with --long."""
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
        # GPT-2's attention gives strides that the view behind it cannot take.
        pytest.skip(f"torch cannot decompose it: {error}"[:200])


@pytest.mark.parametrize("entry, dynamic, decomposed", list(forms()))
def test_compiled(entry, dynamic, decomposed, tmp_path):
    """Natively, but for so many nodes as the entry says."""
    module = entry.build()
    exporting.save(export(entry, module, dynamic, decomposed), tmp_path / "m.pt2")
    result = harness.tool(
        "fx-compile", tmp_path / "m.pt2", "-o", tmp_path / "m.so", "--report", tmp_path / "r.json"
    )
    assert result.returncode == 0, result.stderr
    report = json.loads((tmp_path / "r.json").read_text())
    fallbacks = [op["target"] for op in report["operators"] if not op["native"]]
    assert max(len(fallbacks), report["fallbacks"]) <= entry.fallbacks, fallbacks
    for k, inputs in enumerate([entry.sample(module)] + (entry.others(module) if dynamic else [])):
        expected = exporting.eager(module, *inputs)
        got = harness.run(tmp_path / "m.so", inputs, tmp_path / str(k), expected)
        harness.compare(got, expected)


@pytest.mark.parametrize("entry, dynamic, decomposed", list(forms()))
def test_interpreted(entry, dynamic, decomposed, tmp_path):
    module = entry.build()
    harness.check(
        module,
        *entry.sample(module),
        folder=tmp_path,
        modes=["interpret"],
        others=entry.others(module) if dynamic else [],
        program=export(entry, module, dynamic, decomposed),
    )


@pytest.mark.parametrize("entry, dynamic, decomposed", list(forms()))
def test_roundtrip(entry, dynamic, decomposed, tmp_path):
    """The way back: archive, FX's text, and Python that re-traces."""
    module = entry.build()
    exporting.save(export(entry, module, dynamic, decomposed), tmp_path / "m.pt2")
    before, after = roundtrip.check(tmp_path / "m.pt2", tmp_path)
    inputs = entry.sample(module)
    roundtrip.equal(before, after, *inputs)
    roundtrip.check_source(tmp_path / "m.pt2", before, *inputs)
