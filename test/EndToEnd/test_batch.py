"""A case that fails in a batch is reported, and no other one."""

import pathlib
import sys

import batch
import pytest
import torch
from operators.table import Case, f

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "Fuzz"))
import generated  # noqa: E402


def _wrong(x):
    """Computes another function in the exported program than in eager mode."""
    return x.sin() if torch.compiler.is_exporting() else x.cos()


def _not_exported(x):
    if torch.compiler.is_exporting():
        raise ValueError("cannot be exported")
    return x + 1


def _not_native(x):
    return torch.linalg.eigvals(x[:2, :2])


FUNCTIONS = {
    "sin": torch.sin,
    "wrong": _wrong,
    "exp": torch.exp,
    "not_exported": _not_exported,
    "tanh": torch.tanh,
    "not_native": _not_native,
    "neg": torch.neg,
}


@pytest.mark.parametrize("mode", ["interpret", "native"])
@pytest.mark.parametrize("dynamic", [False, True], ids=["static", "dynamic"])
def test_operators(mode, dynamic, tmp_path):
    cases = [Case(name, function, (f("n", 4),)) for name, function in FUNCTIONS.items()]
    found = batch.run(cases, batch.Config(dynamic, False, mode), tmp_path)
    assert list(found) == list(FUNCTIONS)
    expected = {"wrong", "not_exported"} | ({"not_native"} if mode == "native" else set())
    assert {name for name, problem in found.items() if problem} == expected
    assert "elements differ" in found["wrong"]
    assert "cannot be exported" in found["not_exported"]


def test_generated_calls(tmp_path):
    x = torch.linspace(0.5, 2, 37)
    calls = [(name, function) for name, function in FUNCTIONS.items() if name != "not_native"]
    cases = [generated.Case(k, name, function, [x]) for k, (name, function) in enumerate(calls)]
    outcome = generated.check(cases, tmp_path)
    assert [case.text for case in outcome.left_out] == ["not_exported"]
    assert [(case.text, mode) for case, mode, _ in outcome.problems] == [("wrong", "native"), ("wrong", "interpreted")]
    assert outcome.ran == len(cases) - 1


def test_systematic_choices():
    """Seeds in a row take every element once before one is taken again."""
    letters = list("abcdefg")
    taken = [generated.Choices("kind", seed).take("letter", letters) for seed in range(14)]
    assert taken[:7] == taken[7:] and sorted(taken[:7]) == letters
    again = generated.Choices("kind", 3)
    assert again.take("letter", letters) == taken[3]
    assert {again.take("letter", letters) for _ in range(7)} == set(letters)
