"""The arguments and results that torch.export accepts, in every mode."""

import harness
import pytest
import torch
from arguments import CONTAINERS, LEAVES, Contain, Defaults, Leaves

MODES = ["interpret", "compiled", "native"]


@pytest.mark.parametrize("decomposed", [False, True], ids=["training", "decomposed"])
@pytest.mark.parametrize("kind", CONTAINERS)
def test_container(kind, decomposed, tmp_path):
    make = CONTAINERS[kind]
    args = (make(torch.tensor([1.0, -2.0, 0.5])),)
    harness.check(Contain(make), args, folder=tmp_path, modes=MODES, decomposed=decomposed)


def test_dynamic_container(tmp_path):
    """Sizes shared by the leaves of a container."""
    make = CONTAINERS["dict"]
    n = torch.export.Dim("n", min=2, max=9)
    harness.check(
        Contain(make),
        (make(torch.ones(3)),),
        folder=tmp_path,
        modes=MODES,
        dynamic=({"a": {0: n}, "b": {0: n}},),
        others=[((make(torch.arange(7.0)),), {})],
    )


@pytest.mark.parametrize("decomposed", [False, True], ids=["training", "decomposed"])
def test_leaves(decomposed, tmp_path):
    harness.check(Leaves(), *LEAVES, folder=tmp_path, modes=MODES, decomposed=decomposed)


@pytest.mark.parametrize("first", [(), (5,)], ids=["default", "given"])
def test_defaults(first, tmp_path):
    """A placeholder with a default, keywords of **kwargs."""
    kwargs = {"k": None, "one": torch.tensor([3.0, 4.0]), "two": torch.ones(2)}
    harness.check(Defaults(), (torch.ones(2), *first), kwargs, folder=tmp_path, modes=MODES)
