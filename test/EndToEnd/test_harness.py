"""The harness itself: a comparison that cannot fail tests nothing."""

import math

import exporting
import harness
import leaves
import models
import pytest
import torch

LEAVES = [
    torch.arange(6, dtype=torch.int64).reshape(2, 3).t(),
    torch.tensor(1.5),
    torch.zeros(0, 3, dtype=torch.bool),
    torch.randn(3, 2).to(torch.bfloat16),
    torch.randn(5).to(torch.float8_e4m3fn),
    torch.randn(2, 2, dtype=torch.complex64),
    torch.view_as_complex(torch.randn(2, 3, 2, dtype=torch.float16)),
    None,
    "sum",
    3,
    2.5,
    True,
]


def test_leaves_round_trip(tmp_path):
    leaves.save(tmp_path, "out", LEAVES)
    got = leaves.load_outputs(tmp_path, LEAVES)
    for a, b in zip(got, LEAVES):
        assert type(a) is type(b)
        if isinstance(b, torch.Tensor):
            assert a.dtype == b.dtype and a.shape == b.shape
            assert str(a) == str(b)
        else:
            assert a == b
    assert not (tmp_path / "out_7.npy").exists()
    assert not (tmp_path / "out_8.npy").exists()


def test_one_output_too_many(tmp_path):
    leaves.save(tmp_path, "out", LEAVES)
    with pytest.raises(AssertionError, match="too many"):
        leaves.load_outputs(tmp_path, LEAVES[:-1])


@pytest.mark.parametrize(
    "got, want",
    [
        (torch.ones(2), torch.ones(2, dtype=torch.float64)),
        (torch.ones(2), torch.ones(2, 1)),
        (torch.tensor([1.0, 1.001]), torch.ones(2)),
        (torch.tensor([math.nan]), torch.zeros(1)),
        (torch.tensor([math.inf]), torch.tensor([-math.inf])),
        (torch.zeros(1), torch.tensor([math.nan])),
        (torch.tensor([3]), torch.tensor([4])),
        (torch.tensor([True]), torch.tensor([False])),
        (3, 4),
        (None, 1),
        (1.0, 1.1),
    ],
)
def test_difference_is_seen(got, want):
    assert harness.difference(got, want)


@pytest.mark.parametrize(
    "got, want",
    [
        (torch.tensor([1.0, 1.00001]), torch.ones(2)),
        (torch.tensor([math.nan, math.inf]), torch.tensor([math.nan, math.inf])),
        (torch.tensor([100.0, 0.001]), torch.tensor([100.0, 0.0])),
        (torch.zeros(0), torch.zeros(0)),
        (math.nan, math.nan),
        ("a", "a"),
        (None, None),
    ],
)
def test_equal_is_equal(got, want):
    assert harness.difference(got, want) is None


def test_models_are_reproducible():
    spec = models.get("mlp")
    args, kwargs = spec.inputs()
    once, again = (exporting.eager(spec.build(), args, kwargs) for _ in range(2))
    assert torch.equal(once, again)
