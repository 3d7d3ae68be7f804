"""PyTorch's operator and module databases through the compiler (opinfo.py).

By default every n-th entry with two samples of a dtype; --long takes all
entries and ten samples, plain, decomposed and with dynamic sizes.
"""

import opinfo
import pytest
import torch

QUICK_STEP, QUICK_SAMPLES, ALL_SAMPLES = 9, 2, 10


def names():
    return list(opinfo.entries())


def check(name: str, form: str, most: int, folder) -> opinfo.Result:
    result = opinfo.run(name, form, most, folder)
    problems = [f"sample {k}: {text}" for k, text in result.problems.items()]
    assert not problems, "\n".join(problems)
    return result


@pytest.mark.parametrize("name", names()[::QUICK_STEP])
def test_entry(name, tmp_path):
    check(name, "training", QUICK_SAMPLES, tmp_path)


@pytest.mark.long
@pytest.mark.parametrize("form", opinfo.FORMS)
@pytest.mark.parametrize("name", names())
def test_all(name, form, tmp_path):
    check(name, form, ALL_SAMPLES, tmp_path)


def test_wrong_values_are_found(tmp_path):
    """The comparison can fail: eager computes something else than was run."""
    entry = opinfo.entries()["add"]
    runner = opinfo.Runner(entry, "training", 1, tmp_path)
    (unit,) = runner.export([0])
    runner.samples[0].call.function = torch.sub
    unit.expected = opinfo._eager(runner.samples[:1])
    runner.check(unit, [])
    assert "not close" in runner.result.problems[0]
