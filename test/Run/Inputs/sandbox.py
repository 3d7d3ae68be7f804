"""Runs a model under seccomp filters with the system calls that SECURITY.md lists, and without
each one of them.

usage: sandbox.py SECURITY.md SANDBOX FX_RUN FOLDER

FOLDER holds m.so, the folder `in` with its inputs, and `want` with its outputs.
"""

import pathlib
import re
import subprocess
import sys

PAGE, SANDBOX, FX_RUN = sys.argv[1:4]
FOLDER = pathlib.Path(sys.argv[4])
MODEL = FOLDER / "m.so"


def calls_of(name):
    """Returns the system calls in a block of SECURITY.md."""
    pattern = rf"<!-- system calls: {name} -->\n+```text\n(.*?)```"
    (block,) = re.findall(pattern, pathlib.Path(PAGE).read_text(), re.S)
    return block.split()


def run(calls, *command):
    command = [SANDBOX, ",".join(calls), *command]
    return subprocess.run(command, capture_output=True, text=True, timeout=60)


def run_tool(calls, outputs):
    return run(calls, "exec", FX_RUN, MODEL, "--inputs", FOLDER / "in", "--outputs", outputs)


def run_model(calls):
    return run(calls, "load", MODEL, "3")


def expect_killed(result, what):
    assert result.returncode == 1 and result.stderr == "killed by SIGSYS\n", f"{what}: {result}"


def removed(calls):
    """Yields each call, with the list that lacks it."""
    for call in calls:
        yield call, [other for other in calls if other != call]


def main():
    tool, model = calls_of("fx-run"), calls_of("model")
    result = run_tool(tool, FOLDER / "got")
    assert result.returncode == 0, f"fx-run: {result.stderr}"
    name = "out_0.npy"
    assert (FOLDER / "got" / name).read_bytes() == (FOLDER / "want" / name).read_bytes()
    result = run_model(model)
    assert result.returncode == 0, f"the model: {result.stderr}"
    assert result.stdout == "sum 1.67772e+07\n" * 3, result.stdout

    # The test of the test: without a call that is needed, the process is killed.
    for call, others in removed(tool):
        expect_killed(run_tool(others, FOLDER / "less"), f"fx-run without {call}")
    for call, others in removed(model):
        expect_killed(run_model(others), f"the model without {call}")
    print(f"{len(tool)} system calls of fx-run, {len(model)} of a model, all needed")


main()
