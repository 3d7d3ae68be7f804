"""Streams, events, devices, threads and graphs of an emulated GPU.

The emulated driver delays the work on a stream until the stream is synchronized, so that a missing
wait is noticed. test/Cuda/streams.c is a process with its own streams.
"""

import copy
import json
import os
import sys

import emulate
import exporting
import harness
import pytest
import torch
from torch import nn
from torch.utils._pytree import tree_leaves

_generator = torch.Generator().manual_seed(7)


def randn(*sizes):
    return torch.randn(*sizes, generator=_generator)


class Steps(nn.Module):
    """The model that streams.c expects: three matmuls, each its own kernel."""

    def __init__(self, counts=False):
        super().__init__()
        self.counts = counts
        self.register_buffer("w", 2 * torch.eye(8))
        self.register_buffer("count", torch.zeros(8))

    def forward(self, x, y):
        z = ((x @ self.w + 1) @ self.w + y) @ self.w
        if not self.counts:
            return z
        self.count.add_(1)
        return z + self.count


class Numbers(Steps):
    def forward(self, x, y, k: int):
        return super().forward(x, y) + torch.tensor([k])


@pytest.fixture(scope="module")
def steps(tmp_path_factory):
    """Returns the compiled models of streams.c, by kind."""
    made, dynamic = {}, torch.export.Dim.DYNAMIC

    def get(kind="plain"):
        if kind not in made:
            folder = tmp_path_factory.mktemp("steps")
            module = Numbers() if kind == "numbers" else Steps(kind == "states")
            args, shapes = (torch.ones(4, 8), torch.ones(4, 8)), None
            if kind == "numbers":
                args, shapes = (*args, 2), (None, None, dynamic)
            program = torch.export.export(module, args, dynamic_shapes=shapes)
            exporting.save(program, folder / "m.pt2")
            made[kind] = emulate.Model(folder / "m.pt2", folder / "emulated")
        return made[kind]

    return get


class Log:
    """The calls of the driver, and the messages of the run-time."""

    def __init__(self, folder):
        self.folder, self.path = folder, folder / "said"
        self.path.unlink(missing_ok=True)
        self.path.touch()

    def environment(self, model, env, variables):
        return emulate.driver(model.kernels, log=self.folder / "calls", **variables) | {
            "FX_GPU_LOG": str(self.path)} | (env or {})

    def read(self):
        self.calls = [entry["call"] for entry in emulate.read_log(self.folder / "calls")]
        self.said = [json.loads(line) for line in self.path.read_text().splitlines()]
        return self

    def count(self, call):
        return self.calls.count(call)


def scenario(name, model, folder, env=None, **variables):
    log = Log(folder)
    emulate.run_program(harness.BUILD / "test" / "Cuda" / "fx-cuda-streams", name, model.artefact,
                        emulate.DRIVER, env=log.environment(model, env, variables))
    return log.read()


@pytest.mark.parametrize("name", ["exchange", "many-streams", "states", "devices", "threads",
                                  "allocator", "numbers", "captured", "captured-first",
                                  "captured-elsewhere"])
def test_scenarios(name, steps, tmp_path):
    """Streams are late or progress at random; with graphs, with launches, and without pools."""
    model = steps(name if name in ("states", "numbers") else "plain")
    captured = {"captured": 3, "captured-first": 3, "numbers": 2}.get(name, 0)
    for seed, env, pools in [(0, {}, 1), (1, {}, 1), (2, {"FX_CUDA_GRAPHS": "0"}, 1),
                             *([] if captured or name == "captured-elsewhere" else [(3, {}, 0)])]:
        log = scenario(name, model, tmp_path, env, devices=2, seed=seed, pools=pools)
        launched = log.count("graph") - captured
        assert launched == 0 if env else launched > 1, (seed, launched)


@pytest.mark.parametrize("name", ["forgotten-input", "forgotten-output"])
def test_forgotten_event_shows(name, steps, tmp_path):
    """A program that does not wait for an event sees the previous contents, which the scenario
    asserts."""
    scenario(name, steps(), tmp_path)
    scenario(name, steps(), tmp_path, {"FX_CUDA_GRAPHS": "0"})


def test_event_that_the_driver_forgets_shows(steps, tmp_path):
    """If the driver ignores one of the run-time's waits, the results are wrong."""
    for name, kind in (("exchange", "plain"), ("states", "states")):
        with pytest.raises(harness.ToolError, match="Assert|expected"):
            scenario(name, steps(kind), tmp_path, forgets_events=1)
    found = 0
    for seed in range(8):
        try:
            scenario("many-streams", steps(), tmp_path, forgets_events=1, seed=seed)
        except harness.ToolError:
            found += 1
    assert found


def test_wrong_device_shows(steps, tmp_path):
    """PTX tells which arguments are addresses. Without PTX the kernel accesses an invalid
    address."""
    for chip, error in ((80, "an address of device 0 on device 1"),
                        (90, "an address of device 0 on device 1|ILLEGAL_ADDRESS")):
        with pytest.raises(harness.ToolError, match=error):
            scenario("wrong-device", steps(), tmp_path, devices=2, chip=chip)


def test_replays(steps, tmp_path):
    """The first run is launched, the second creates a graph. Addresses that change are updated."""
    log = scenario("replays", steps(), tmp_path)
    assert log.count("launch") == 3 and log.count("instantiate") == 1
    # The addresses of outputs and inputs change in each run.
    assert log.count("graph") == 9 and log.count("graph update") == 2 * 8
    assert [line for line in log.said if "graph" in line] == [
        {"graph": "made", "nodes": 3, "levels": 3},
        *({"graph": "replayed", "times": k, "nodes": 3, "changed": 2} for k in (1, 2, 4, 8))]


def _programmatic(log):
    """Returns the number of programmatic edges of each graph that was instantiated."""
    calls = emulate.read_log(log.folder / "calls")
    return [c.get("programmatic", 0) for c in calls if c["call"] == "instantiate"]


def test_kernels_that_overlap(steps, tmp_path):
    """On chips whose kernels wait for those before them, kernels of a graph may start early."""
    assert _programmatic(scenario("replays", steps(), tmp_path)) == [2]
    # Kernels that the driver compiles from PTX for sm_80 do not wait.
    assert _programmatic(scenario("replays", steps(), tmp_path, chip=86)) == [0]
    off = {"FX_CUDA_OVERLAP": "0"}
    assert _programmatic(scenario("replays", steps(), tmp_path, off)) == [0]


def test_driver_that_refuses_overlap(steps, tmp_path):
    """Then graphs have none."""
    log = scenario("replays", steps(), tmp_path, fail="cuGraphAddDependencies_v2")
    assert _programmatic(log) == [0] and log.count("graph") == 9
    assert [line for line in log.said if "overlaps" in line] == [
        {"overlaps": "off", "why": "a graph cannot be made: CUDA_ERROR_NOT_SUPPORTED (operation "
                                   "not supported), number 801"}]
    # A driver that refuses each such graph when it is launched: graphs of other streams were made
    # before the first one is refused.
    for name in ("replays", "many-streams"):
        log = scenario(name, steps(), tmp_path, overlaps=0)
        said = [line["why"].split(":")[0] for line in log.said if "overlaps" in line]
        assert said == ["a graph cannot be launched"], name
        assert not [line for line in log.said if "graphs" in line] and log.count("graph") > 1
    # A driver that cannot launch graphs at all keeps what it said of overlap.
    log = scenario("replays", steps(), tmp_path, fail="cuGraphLaunch")
    assert not [line for line in log.said if "overlaps" in line]
    # Launches of a stream are tried first.
    log = scenario("replays", steps(), tmp_path, fail="cuLaunchKernelEx")
    assert _programmatic(log) == [0] and log.count("launch") == 3
    assert [line["why"].split(":")[0] for line in log.said if "overlaps" in line] == [
        "a kernel cannot be launched"]
    log = scenario("replays", steps(), tmp_path, {"FX_CUDA_OVERLAP": "0"}, fail="cuLaunchKernelEx")
    assert not [line for line in log.said if "overlaps" in line]
    # The third edge is that of a second graph.
    log = scenario("states", steps("states"), tmp_path, devices=2,
                   fail="cuGraphAddDependencies_v2:4")
    assert 0 in _programmatic(log) and not [line for line in log.said if "graphs" in line]


@pytest.mark.parametrize("call, why", [
    ("cuGraphCreate", "made"), ("cuGraphAddKernelNode:3", "made"),
    ("cuGraphInstantiateWithFlags", "instantiated"), ("cuGraphLaunch", "launched"),
    ("cuGraphLaunch:4", "launched")])
def test_graphs_that_fail(call, why, steps, tmp_path):
    """Kernels are then launched one by one, which is reported once."""
    log = scenario("replays", steps(), tmp_path, fail=call)
    replayed = 3 if call.endswith(":4") else 0
    assert log.count("launch") == 3 * (10 - replayed) and log.count("graph") == replayed
    assert [line for line in log.said if "graphs" in line] == [
        {"graphs": "off", "why": f"a graph cannot be {why}: CUDA_ERROR_NOT_SUPPORTED (operation "
                                 "not supported), number 801"}]


def test_graph_that_cannot_be_changed(steps, tmp_path):
    """The graph is instantiated again."""
    log = scenario("replays", steps(), tmp_path, fail="cuGraphExecKernelNodeSetParams")
    assert log.count("launch") == 3 and log.count("graph") == 9
    assert log.count("instantiate") == 9
    assert not [line for line in log.said if "graphs" in line]


@pytest.mark.parametrize("variable, value, why", [
    ("FX_CUDA_GRAPHS", "0", "FX_CUDA_GRAPHS=0"), ("FX_GPU_SYNC", "1", "FX_GPU_SYNC")])
def test_no_graphs(variable, value, why, steps, tmp_path):
    log = scenario("replays", steps(), tmp_path, {variable: value})
    assert log.count("launch") == 30 and log.count("instantiate") == 0
    # The program creates an instance to load the driver, and then another one.
    assert log.said.count({"graphs": "off", "why": why}) == 2


PACKAGE = {"PYTHONPATH": f"{harness.BUILD / 'python'}:{os.environ.get('PYTHONPATH', '')}"}


def test_package(steps, tmp_path):
    """The Python package passes on streams, flags and tensors of the device."""
    model, log = steps(), Log(tmp_path)
    emulate.run_program(sys.executable, harness.ROOT / "test/EndToEnd/gpu_package.py",
                        model.artefact, emulate.DRIVER,
                        env=log.environment(model, PACKAGE, {"devices": 2}))
    assert log.read().count("graph") == 3


# ---------------------------------------------------------------------------
# Models that do more than launch
# ---------------------------------------------------------------------------


def chain(x, w):
    for _ in range(3):
        x = torch.softmax(x @ w, -1)
    return x


class Chain(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(randn(8, 8))

    def forward(self, x):
        return chain(x, self.w)


class Host(Chain):
    """Between kernels the host draws random numbers, ATen computes eigenvalues, and a size is known
    only at run time."""

    def forward(self, x):
        y = chain(chain(x, self.w) + torch.rand_like(x), self.w)
        y = chain(torch.linalg.eigvalsh(y.t() @ y).expand(3, 8), self.w)
        return chain(x[x[:, 0] > 0], self.w) + y[0]


class Branch(Chain):
    """The host reads a condition and continues with other kernels."""

    def forward(self, x):
        y = chain(x, self.w)
        return torch.cond(x.sum() > 0, lambda y: chain(y * 3, self.w), lambda y: y - 1, (y,)) + x


class Keeps(Chain):
    """A buffer and an input that are written, and a number that gives the place of the write."""

    def __init__(self):
        super().__init__()
        self.register_buffer("cache", torch.zeros(6, 8))

    def forward(self, x, at: int, y):
        self.cache.index_copy_(0, torch.tensor([at]), x[:1])
        y.add_(1)
        return chain(self.cache + y[0], self.w)


ROWS = torch.export.Dim("rows", max=4096)
#: Module, arguments of the runs, dynamic shapes, and the least number of graph launches. 0: the
#: caller disables graphs.
RUNS = {
    "no-graphs": (Chain, [(randn(3, 8),) for _ in range(6)], None, 0),
    "dynamic": (Chain, [(randn(n, 8),) for n in (3, 70, 3, 200, 70, 3, 70)], ({0: ROWS},), 4),
    "host": (Host, [(randn(6, 8),) for _ in range(6)], None, 15),
    "host-on-device": (Host, [(randn(6, 8),) for _ in range(6)], None, 15),
    "cond": (Branch, [(randn(3, 8).abs() * sign,) for sign in (1, -1, 1, 1, -1, -1)], None, 5),
    "states": (Keeps, [(randn(2, 8), k % 6, randn(6, 8)) for k in range(8)],
               (None, torch.export.Dim.DYNAMIC, None), 6),
}


@pytest.mark.parametrize("name", [
    pytest.param(name, marks=[pytest.mark.long] if name == "host-on-device" else [])
    for name in RUNS])
def test_runs(name, tmp_path):
    """Each run agrees with eager mode, whatever the host did in between. Graphs are used if a
    sequence of launches is repeated, unless the caller disables them."""
    make, runs, dynamic, least = RUNS[name]
    torch.manual_seed(5)
    module = make().eval().requires_grad_(False)
    exporting.save(exporting.export(module, runs[0], dynamic=dynamic), tmp_path / "m.pt2")
    model = emulate.Model(tmp_path / "m.pt2", tmp_path / "emulated")
    torch.save(runs, tmp_path / "runs.pt")
    torch.manual_seed(11)
    want = []
    for args in copy.deepcopy(runs):
        with torch.no_grad():
            want.append((module(*args), args))
    libraries = {}
    if name.endswith("on-device"):  # ATen gets tensors on the device
        libraries = {"FX_TORCH_LIBRARY": str(emulate.DRIVER.with_name("libDeviceFallback.so")),
                     "FX_HOST_FALLBACK": str(harness.BUILD / "lib" / "libFXTorch.so")}
    log = Log(tmp_path)
    env = log.environment(model, PACKAGE | libraries, {"chip": 80})
    emulate.run_program(sys.executable, harness.ROOT / "test/EndToEnd/gpu_runs.py", model.artefact,
                        tmp_path / "runs.pt", tmp_path / "outputs.pt", int(least > 0), env=env)
    for got, expected in zip(torch.load(tmp_path / "outputs.pt"), want, strict=True):
        harness.compare(tree_leaves(got), expected)
    count = log.read().count("graph")
    assert count >= least if least else count == 0
    assert not [line for line in log.said if "graphs" in line]
