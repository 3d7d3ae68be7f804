"""Each operator beside eager, from the tables in operators/."""

import batch
import harness
import pytest
from operators import FAMILIES

CONFIGS = [
    batch.Config(dynamic=False, decomposed=False, mode="interpret"),
    batch.Config(dynamic=True, decomposed=True, mode="interpret"),
    batch.Config(dynamic=False, decomposed=False, mode="native"),
    batch.Config(dynamic=True, decomposed=True, mode="native"),
    batch.Config(dynamic=True, decomposed=False, mode="native"),
]


def selected(family: str, config: batch.Config):
    return [
        case
        for case in FAMILIES[family]
        if (case.dynamic or not config.dynamic)
        and (case.native or config.mode != "native")
    ]


def parameters():
    for family in FAMILIES:
        for config in CONFIGS:
            if config.mode not in harness.TESTED:
                continue
            for case in selected(family, config):
                yield pytest.param(
                    family,
                    config,
                    case.name,
                    id=f"{family}-{config}-{case.name}",
                    # A batch is exported and run by one worker.
                    marks=pytest.mark.xdist_group(f"{family}-{config.graph}"),
                )


_results: dict = {}


@pytest.mark.parametrize("family, config, name", list(parameters()))
def test_operator(family, config, name, tmp_path_factory):
    key = family, config
    if key not in _results:
        folder = tmp_path_factory.getbasetemp()
        _results[key] = batch.run(selected(family, config), config, folder)
    problem = _results[key][name]
    assert problem is None, problem
