"""PyTorch's own export examples (torch._export.db), with eager's results."""

import warnings

import harness
import pytest

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from torch._export.db.case import SupportLevel
    from torch._export.db.examples import filter_examples_by_support_level

EXAMPLES = filter_examples_by_support_level(SupportLevel.SUPPORTED)


@pytest.mark.parametrize("mode", ["interpret", "compiled"])
@pytest.mark.parametrize("name", sorted(EXAMPLES))
def test_example(name, mode, tmp_path):
    case = EXAMPLES[name]
    harness.check(
        case.model,
        tuple(case.example_args),
        dict(case.example_kwargs),
        folder=tmp_path,
        modes=[mode],
        dynamic=case.dynamic_shapes,
        strict=False,
    )
