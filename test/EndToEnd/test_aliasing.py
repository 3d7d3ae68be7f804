"""Random programs of views and writes through them agree with eager.

A failure prints the program, made short; `test/Fuzz/aliasing.py --seeds N` repeats it."""

import subprocess
import sys

import harness
import pytest
import torch

FUZZ = harness.ROOT / "test" / "Fuzz"
sys.path.append(str(FUZZ))
if not (harness.BUILD / "python" / "fx_mlir").exists():
    pytest.skip("needs the Python package", allow_module_level=True)

from alias_build import Statistics  # noqa: E402
from alias_draw import draw  # noqa: E402
from alias_paths import Checker  # noqa: E402
from alias_programs import Program, Step  # noqa: E402
from alias_shrink import shrink  # noqa: E402
from alias_values import Spec  # noqa: E402

#: (flags, seeds, seconds) by default, and the same flags with more seeds.
FORMS = {
    "static": ([], 60, 45),
    "dynamic": (["--dynamic"], 40, 40),
    "decomposed": (["--decomposed"], 30, 40),
    "dynamic-decomposed": (["--dynamic", "--decomposed"], 25, 40),
}
LONG = {name: (flags, 2000, 1200) for name, (flags, _, _) in FORMS.items()}
CASES = [pytest.param(*case, id=name) for name, case in FORMS.items()] + [
    pytest.param(*case, id=f"{name}-long", marks=pytest.mark.long) for name, case in LONG.items()
]


@pytest.mark.parametrize("flags, seeds, seconds", CASES)
def test_random_programs(flags, seeds, seconds):
    result = subprocess.run(
        [sys.executable, FUZZ / "aliasing.py", f"--seeds=0:{seeds}", f"--time={seconds}", "--shrink=3"]
        + ["--shrink-time=15", "--paths=functionalized,native,roundtrip", *flags],
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        timeout=seconds + 300,
    )
    assert result.returncode == 0, f"{result.stdout}\n{result.stderr[-2000:]}"
    assert int(result.stdout.splitlines()[-1].split(" compared")[0].split()[-1]) >= 5


@pytest.mark.parametrize("dynamic", [False, True], ids=["static", "dynamic"])
def test_a_seed_is_one_program(dynamic):
    for seed in range(3):
        once, again = (draw(seed, dynamic).source() for _ in range(2))
        assert once == again
    assert draw(0, dynamic).source() != draw(1, dynamic).source()


def test_operators_come_from_schemas():
    statistics = Statistics()
    for seed in range(30):
        draw(seed, statistics=statistics)
    assert len(statistics.drawn) > 80
    assert {"x[...] =", "as_strided.default"} <= set(statistics.drawn)


class Forgetful(Checker):
    """Compares with a program that writes nothing by `mul_`, as a wrong compiler would."""

    def _import(self):
        forgets = Program(
            0,
            inputs={"x0": Spec((2, 3), torch.float32, "dense", 1)},
            steps=[Step(("v1 = x0.clone()",), ("v1",))],
            returns=["v1 * 1"],
        )
        program = torch.export.export(forgets.module(), forgets.arguments())
        torch.export.save(program, self.at / "m.pt2")
        return super()._import()


def _written_view() -> Program:
    return Program(
        0,
        inputs={"x0": Spec((2, 3), torch.float32, "dense", 1)},
        steps=[
            Step(("v1 = x0.clone()",), ("v1",)),
            Step(("v2 = x0.flip(0)",), ("v2",)),
            Step(("v3 = v1.mT",), ("v3",)),
            Step(("v3.mul_(2)",)),
            Step(("v4 = v1[1:]",), ("v4",)),
        ],
        returns=["v1 * 1"],
    )


def test_a_lost_write_is_found_and_made_short():
    checker = Forgetful(["functionalized"])

    def fails(program: Program) -> bool:
        return any(kind == "wrong" for _, kind, _ in checker.check(program).failures)

    assert fails(_written_view())
    short = shrink(_written_view(), fails)
    assert short.body() == ["v1 = x0.clone()", "v3 = v1.mT", "v3.mul_(2)", "return [v1 * 1]"]
    assert list(short.inputs) == ["x0"]


def test_what_is_right_is_not_reported():
    outcome = Checker(["functionalized", "roundtrip"]).check(_written_view())
    assert not outcome.refused and not outcome.torch_differs and not outcome.failures
