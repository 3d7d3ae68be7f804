"""A run by the fork server is as one by a process of its own."""

import os
import signal
import subprocess
import time

import exporting
import fork_server
import harness
import leaves
import pytest
import torch

if os.environ.get("ASAN_OPTIONS"):
    pytest.skip("servers do not run with sanitizers", allow_module_level=True)

TOOL = harness.BUILD / "bin" / "fx-run"
LIBRARY = harness.BUILD / "lib" / "libFXTorch.so"


class Sine(torch.nn.Module):
    def forward(self, x):
        return x.sin()


@pytest.fixture(scope="module")
def server():
    made = fork_server.server(TOOL, LIBRARY)
    assert made
    return made


@pytest.fixture
def model(tmp_path):
    x = torch.arange(5.0)
    exporting.save(exporting.export(Sine(), (x,)), tmp_path / "m.pt2")
    leaves.save_inputs(tmp_path / "in", (x,), {})
    return tmp_path / "m.pt2"


@pytest.mark.parametrize("change", [[], ["--nothing"], ["--inputs", "/nowhere"], ["--help"]])
def test_a_run_is_as_one_of_a_process(change, server, model, tmp_path):
    folders = ["--inputs", tmp_path / "in", "--outputs", tmp_path / "out"]
    arguments = [str(a) for a in (model, "--interpret", *folders, *change)]
    forked = server.run(arguments, 60)
    made = (tmp_path / "out" / "out_0.npy").exists()
    process = harness.tool("fx-run", *arguments)
    assert (forked.returncode, forked.stderr) == (process.returncode, process.stderr)
    assert made == (forked.returncode == 0 and "--help" not in change)


def test_runs_are_apart(server, model, tmp_path):
    """Each run sees files and working folder as they are now, and leaves nothing to the next."""
    x = torch.arange(5.0)
    for k in range(3):
        expected = (x + k).sin()
        harness.compare(
            harness.run(model, ((x + k,), {}), tmp_path, expected, "--interpret"), expected
        )
    assert server is fork_server.server(TOOL, LIBRARY)


def test_a_crash_ends_only_its_run(model, tmp_path):
    (tmp_path / "crash.c").write_text("__attribute__((constructor)) void f(void) { *(volatile int *)0 = 0; }")
    library = tmp_path / "crash.so"
    subprocess.run(["cc", "-shared", "-fPIC", tmp_path / "crash.c", "-o", library], check=True)
    server = fork_server.server(TOOL, LIBRARY)
    arguments = [str(model), "--interpret", "--inputs", str(tmp_path / "in"), "--outputs", str(tmp_path / "out")]
    crashed = server.run([*arguments, "--load-library", str(library)], 60)
    assert crashed.returncode == harness.tool("fx-run", *arguments, "--load-library", library).returncode
    assert crashed.returncode not in (0, 1)
    assert server.run(arguments, 60).returncode == 0


def test_a_run_that_hangs_ends(model, tmp_path):
    arguments = [str(model), "--inputs", str(tmp_path / "in"), "--outputs", str(tmp_path / "out")]
    server = fork_server.Server(TOOL, [LIBRARY], fork_server._preload())
    start = time.monotonic()
    with pytest.raises(subprocess.TimeoutExpired):
        server.run([*arguments, "--interpret", "--benchmark", "1000000"], 0.5)
    assert time.monotonic() - start < 20
    assert server.process.returncode == -signal.SIGKILL


def test_another_environment_has_no_server(server, monkeypatch):
    monkeypatch.setenv("FX_TORCH_LIBRARY", "/nowhere")
    assert fork_server.server(TOOL, LIBRARY) is None
    monkeypatch.undo()
    assert fork_server.server(TOOL, LIBRARY) is server
