"""Each operator of the tables in operators/ agrees with eager mode."""

import batch
import harness
import pytest
from operators import FAMILIES

#: As exported. "compiled": cases without native code.
CONFIGS = [
    batch.Config(dynamic=dynamic, decomposed=False, mode=mode)
    for dynamic in (False, True)
    for mode in ("interpret", "native", "compiled")
]
#: With --long.
DECOMPOSED = [
    batch.Config(dynamic=True, decomposed=True, mode=mode) for mode in ("interpret", "native")
]


def selected(family: str, config: batch.Config):
    return [
        case
        for case in FAMILIES[family]
        if (case.dynamic or not config.dynamic)
        and (case.decomposes or not config.decomposed)
        # The interpreter treats static sizes as symbolic ones that are known.
        and (config.dynamic or config.mode != "interpret" or not case.dynamic)
        and (config.mode == "interpret" or bool(case.fallback) == (config.mode == "compiled"))
    ]


def parameters():
    for family in FAMILIES:
        for config in [*CONFIGS, *DECOMPOSED]:
            for case in selected(family, config):
                yield pytest.param(
                    family,
                    config,
                    case.name,
                    # One worker runs all tests with the same text before the slash.
                    id=f"{family}-{config.graph}/{config.mode}-{case.name}",
                    marks=[pytest.mark.long] if config in DECOMPOSED else [],
                )


@pytest.mark.parametrize("family, config, name", list(parameters()))
def test_operator(family, config, name, tmp_path_factory):
    cases = tuple(selected(family, config))
    problem = batch.results(cases, config, tmp_path_factory.getbasetemp())[name]
    assert problem is None, problem


FALLBACKS = [
    pytest.param(case, id=f"{family}-{case.name}")
    for family, cases in FAMILIES.items()
    for case in cases
    if case.fallback
]


@pytest.mark.parametrize("case", FALLBACKS)
def test_fallback_is_needed(case, tmp_path):
    """A row that is marked as a fallback without need would leave native code untested."""
    model = batch.exported((case,), False, False, str(tmp_path))
    result = harness.tool(
        "fx-compile", model, "--no-fallback", "--emit=linalg", "-o", tmp_path / "m.mlir"
    )
    assert result.returncode == 1, "the row has native code: take its mark away"
    assert "expected native code for every operator" in result.stderr
