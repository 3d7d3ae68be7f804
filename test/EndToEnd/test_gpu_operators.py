"""PyTorch's operator and module databases, and programs of views and writes, on GPUs.

Programs are compiled for sm_90a, run by the emulator and compared with eager mode. Operators with
native code on the CPU have native code on GPUs. By default every n-th entry is tested, with --long
all.
"""

import json
import pathlib

import emulate
import harness
import opinfo
import pytest

STEP, SAMPLES = 67, 2
TARGET = "cuda:sm_90a"


def fallbacks(model: pathlib.Path, report: pathlib.Path, *flags) -> set[str]:
    """Returns the operators that ATen runs in a model that is compiled with these flags."""
    made = harness.tool("fx-compile", model, *flags, "--report", report, "-o", report.with_suffix(".out"))
    assert not made.returncode, made.stderr
    return {x["target"] for x in json.loads(report.read_text())["operators"] if not x["native"]}


class Runner(opinfo.Runner):
    def _run(self, unit, work, report, flags):
        on_cpu = fallbacks(unit.path, report, "--emit=llvm")
        on_gpu = fallbacks(unit.path, report, f"--target={TARGET}", "--emit=gpu")
        assert on_gpu <= on_cpu, f"no code for GPUs: {sorted(on_gpu - on_cpu)}"
        model = emulate.Model(unit.path, work / "emulated", target=TARGET)
        return model.run((unit.inputs,), unit.expected)


def check(name: str, most: int, folder) -> None:
    result = Runner(opinfo.entries()[name], "training", most, folder).run([])
    problems = [f"sample {k}: {text}" for k, text in result.problems.items()]
    assert not problems, "\n".join(problems)


@pytest.mark.parametrize("name", list(opinfo.entries())[::STEP])
def test_entry(name, tmp_path):
    check(name, SAMPLES, tmp_path)


@pytest.mark.long
@pytest.mark.parametrize("name", list(opinfo.entries()))
def test_all(name, tmp_path):
    check(name, SAMPLES, tmp_path)
