"""PyTorch's operator and module databases through the compiler (opinfo.py).

By default every n-th entry with two samples per dtype; --long takes all entries and ten samples,
plain, decomposed and with dynamic sizes. On views (layouts.py) by default some entries, with --long
all, in every layout.
"""

import layouts
import opinfo
import pytest
import torch

QUICK_STEP, QUICK_SAMPLES, ALL_SAMPLES = 9, 2, 10
VIEWS_STEP, VIEWS_SAMPLES = 61, 2


def names():
    return list(opinfo.entries())


def check(name: str, form: str, most: int, folder, views=()) -> opinfo.Result:
    result = opinfo.run(name, form, most, folder, views=views)
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


@pytest.mark.parametrize("name", names()[4::VIEWS_STEP])
def test_views(name, tmp_path):
    check(name, "training", 1, tmp_path, layouts.NAMES)


@pytest.mark.long
@pytest.mark.parametrize("name", names())
def test_all_views(name, tmp_path):
    check(name, "training", VIEWS_SAMPLES, tmp_path, layouts.NAMES)


def test_wrong_values_are_found(tmp_path):
    """The comparison can fail: eager mode computes other values than the program."""
    entry = opinfo.entries()["add"]
    runner = opinfo.Runner(entry, "training", 1, tmp_path)
    (unit,) = runner.export([0])
    runner.samples[0].call.function = torch.sub
    unit.expected = opinfo._eager(runner.samples[:1])
    runner.check(unit, [])
    assert "not close" in runner.result.problems[0]
