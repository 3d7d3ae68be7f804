"""Random programs of views, and writes through them, agree with eager mode.

A failure prints the shrunk program; `test/Fuzz/aliasing.py --seeds N` repeats it."""

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

#: (flags, first seed, end, the most seconds), and the same flags with more seeds for --long. By
#: default all seeds are tested, so that the speed of the machine does not decide which programs run.
#: Programs as exported, which take a third of the time, are more, and draw most operators.
PATHS = "functionalized,native"
FORMS = {
    "static-both": (["--both", f"--paths={PATHS},roundtrip"], 0, 25, 1000),
    "static": ([f"--paths={PATHS}"], 25, 90, 1000),
    "dynamic-both": (["--dynamic", "--both", f"--paths={PATHS},roundtrip"], 0, 25, 1000),
    "dynamic": (["--dynamic", f"--paths={PATHS}"], 25, 90, 1000),
}
LONG = {name: (flags, 0, 2000, 1200) for name, (flags, *_) in FORMS.items() if "both" in name}
CASES = [pytest.param(*case, id=name) for name, case in FORMS.items()] + [
    pytest.param(*case, id=f"{name}-long", marks=pytest.mark.long) for name, case in LONG.items()
]


@pytest.mark.parametrize("flags, first, end, seconds", CASES)
def test_random_programs(flags, first, end, seconds):
    result = subprocess.run(
        [sys.executable, FUZZ / "aliasing.py", f"--seeds={first}:{end}", f"--time={seconds}", "--shrink=3"]
        + ["--shrink-time=15", *flags],
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        timeout=seconds + 300,
    )
    assert result.returncode == 0, f"{result.stdout}\n{result.stderr[-2000:]}"
    summary = result.stdout.splitlines()[-1]
    programs, compared = (int(summary.split(f" {word}")[0].split()[-1]) for word in ("programs", "compared"))
    assert compared > programs / 2, summary
    assert programs == end - first or seconds > 1000, summary


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
    """Compares with a program without its writes by `mul_`, as a faulty compiler would produce."""

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


_ROW = "torch.arange(8).to(torch.float64)"
#: name: (state b0, steps, returned, dynamic). The value that a decomposed export returns for b0 has
#: another dtype, shape or memory than b0, or b0 is seen through views.
WRITES = {
    "fewer dims": (Spec((4, 8), torch.float32, "dense", 1), ["self.b0[..., :] = 2.5"], "x0 * 1", False),
    "broadcast": (Spec((1, 3), torch.float16, "dense", 2), ["self.b0.copy_(x0[:1, :1].half())"], "x0 * 1", True),
    "dtype": (Spec((2, 2), torch.bool, "dense", 1), ["self.b0.copy_(x0.as_strided((1,), (1,), 2))"], "x0 * 1", False),
    "returned too": (Spec((4, 8), torch.float32, "dense", 1), [f"self.b0[:, :] = {_ROW}"], "self.b0", False),
    "own view": (Spec((1, 2, 2), torch.float32, "dense", 4), ["v = self.b0.mT", "v.conj_physical_()"], "v * 1", False),
    "gaps": (
        Spec((3, 2, 8), torch.int8, "gaps", 2),
        ["v = self.b0.as_strided((1, 2), (1, 6), 0)", "v[torch.tensor([[False, True]])] = 0"],
        "v.clone()",
        False,
    ),
    "order": (
        Spec((2, 2, 4), torch.complex64, "transposed", 1),
        ["v = self.b0.as_strided((3, 4), (1, 3), None)", "v[1:, :] *= torch.arange(8).reshape(2, 4)"],
        "x0 * 1",
        False,
    ),
}


@pytest.mark.parametrize("form", ["exported", "decomposed"])
@pytest.mark.parametrize("name", WRITES)
def test_what_is_written_back(name, form):
    """Torch writes back by `copy_`, which converts and broadcasts, into the buffer's memory."""
    state, lines, returned, dynamic = WRITES[name]
    program = Program(
        0,
        inputs={"x0": Spec((3, 4), torch.float32, "dense", 1)},
        states={"b0": state},
        steps=[Step(tuple(lines))],
        returns=[returned],
        dynamic=("x0",) if dynamic else (),
    )
    outcome = Checker(["functionalized", "native", "interpret", "run", "roundtrip"], [form]).check(program)
    assert not outcome.refused and not outcome.torch_differs and not outcome.failures


def test_a_ravel_that_copies():
    """`ravel` of an input with gaps is a copy: a write to it does not change the input."""
    program = Program(
        0,
        inputs={"x0": Spec((2, 1, 3, 4), torch.float32, "gaps", 0)},
        steps=[Step(("v1 = x0.ravel()", "v1.mul_(2)"), ("v1",))],
        returns=["x0 * 1"],
    )
    outcome = Checker(["functionalized", "native", "interpret", "run", "roundtrip"]).check(program)
    assert not outcome.refused and not outcome.torch_differs and not outcome.failures


def test_a_computed_size_of_one():
    """A guard states that `x0.shape[0] // 2` is 1, so the size is squeezed."""
    program = Program(
        0,
        inputs={"x0": Spec((3, 2), torch.float32, "dense", 1)},
        steps=[Step(("v1 = x0[1::2].squeeze(0)",), ("v1",))],
        returns=["v1 * 1"],
        dynamic=("x0",),
    )
    checker = Checker(["functionalized", "native", "interpret"])
    outcome = checker.check(program)
    assert not outcome.refused and not outcome.failures
