"""Operations of a CUDA graph that run at the same time.

The emulated driver runs the nodes of a graph in an order that its edges allow, and ends the process
if two nodes access the same memory, one of them writes it, and there is no path between them.
"""

import copy
import sys

import emulate
import exporting
import harness
import pytest
import torch
from models import registry
from random_graphs import Many, RandomGraph
from test_gpu_streams import PACKAGE, Log
from torch import nn
from torch.utils._pytree import tree_leaves

_generator = torch.Generator().manual_seed(8)


def randn(*sizes):
    return torch.randn(*sizes, generator=_generator)


class Built:
    """A module, its archive, and its code for the emulator."""

    def __init__(self, module, args, folder, dynamic=None):
        self.module, self.folder = module.eval().requires_grad_(False), folder
        self.module = copy.deepcopy(self.module)
        program = exporting.export(module, copy.deepcopy(args), dynamic=dynamic)
        exporting.save(program, folder / "m.pt2")
        self.model = emulate.Model(folder / "m.pt2", folder / "emulated")

    def run(self, runs, env=None, **variables):
        """Compares runs of one instance with eager mode. Returns the messages of the run-time."""
        want = []
        for args in copy.deepcopy(runs):
            with torch.no_grad():
                want.append((copy.deepcopy(self.module(*args)), args))
        torch.save(runs, self.folder / "runs.pt")
        log = Log(self.folder)
        emulate.run_program(
            sys.executable, harness.ROOT / "test/EndToEnd/gpu_runs.py", self.model.artefact,
            self.folder / "runs.pt", self.folder / "outputs.pt", 1,
            env=log.environment(self.model, PACKAGE | (env or {}), {"chip": 90} | variables))
        found = torch.load(self.folder / "outputs.pt")
        for got, expected in zip(found, want, strict=True):
            harness.compare(tree_leaves(got), expected)
        return log.read()


def graphs(log):
    return [(s["nodes"], s["levels"]) for s in log.said if s.get("graph") == "made"]


class Heads(nn.Module):
    """Three matmuls of one input, a shortcut, and a sum of all."""

    def __init__(self):
        super().__init__()
        self.q, self.k, self.v = (nn.Linear(24, 24) for _ in range(3))
        self.short = nn.Linear(24, 16)
        self.out = nn.Linear(24, 16)

    def forward(self, x):
        x = torch.softmax(x, -1)
        q, k, v = torch.softmax(self.q(x), -1), torch.tanh(self.k(x)), self.v(x).cumsum(0)
        y = nn.functional.layer_norm(q @ k.t() @ v, (24,))
        return self.out(y) + torch.softmax(self.short(x), 0)


@pytest.fixture(scope="module")
def heads(tmp_path_factory):
    torch.manual_seed(3)
    return Built(Heads(), (randn(9, 24),), tmp_path_factory.mktemp("heads"))


RUNS = [(randn(9, 24),) for _ in range(4)]


def test_branches(heads):
    """The branches are beside each other in the graph, unless the user turns that off."""
    ((nodes, levels),) = graphs(heads.run(RUNS))
    assert levels < nodes
    ((same, chain),) = graphs(heads.run(RUNS, {"FX_CUDA_BRANCHES": "0"}))
    assert same == chain == nodes
    # A kernel that waits for one kernel starts early. The others have ordinary edges.
    (made,) = (c for c in emulate.read_log(heads.folder / "calls") if c["call"] == "instantiate")
    assert made["programmatic"] == nodes - 1


def test_driver_that_refuses_branches(heads):
    """The graph is a chain then, and graphs whose kernels overlap are another matter."""
    def off(**variables):
        log = heads.run(RUNS, **variables)
        assert log.count("graph") == len(RUNS) - 1
        return {name for line in log.said for name in line if line[name] == "off"}, graphs(log)[0]

    features, (nodes, levels) = off(branches=0)
    assert features == {"branches"} and levels == nodes
    features, (nodes, levels) = off(overlaps=0)
    assert features == {"overlaps"} and levels < nodes
    features, (nodes, levels) = off(overlaps=0, branches=0)
    assert features == {"overlaps", "branches"} and levels == nodes


def test_forgotten_edge_shows(heads):
    """Each edge of the graph is necessary, and the emulator notices that it is missing."""
    for edge in (1, 3, 6, 9):
        with pytest.raises(harness.ToolError, match="race of nodes|Mismatch|differ"):
            try:
                heads.run(RUNS[:3], forgets_edge=edge)
            except AssertionError as error:  # wrong results
                raise harness.ToolError(f"Mismatch: {error}") from error


class TwoParts(nn.Module):
    """Two chains of kernels, of which one may read what the other one writes if the caller passes
    the same memory twice."""

    def forward(self, x, y):
        y.copy_(torch.softmax(y, -1).cumsum(0))
        return torch.softmax(x, 0).cumsum(1).softmax(-1)


def test_other_conflicts(tmp_path):
    """A later run whose memory has other conflicts is refused, and the next ones use the graph. Their
    results are those of the launches one after the other."""
    built = Built(TwoParts(), (randn(6, 8), randn(6, 8)), tmp_path)
    results = {}
    for graphs_on in "10":
        log = Log(tmp_path)
        emulate.run_program(
            sys.executable, harness.ROOT / "test/EndToEnd/gpu_alias.py", built.model.artefact,
            emulate.DRIVER, tmp_path / "outputs.pt",
            env=log.environment(built.model, PACKAGE | {"FX_CUDA_GRAPHS": graphs_on}, {}))
        results[graphs_on] = torch.load(tmp_path / "outputs.pt")
        if graphs_on == "1":
            (first,) = graphs(log.read())
            assert first[1] < first[0]
            # One run without a graph, and three with one.
            assert log.count("graph") == 3
    for got, want in zip(results["1"], results["0"], strict=True):
        harness.compare(got, want)


@pytest.mark.parametrize("start", [0, 25, *(pytest.param(s, marks=pytest.mark.long)
                                            for s in range(50, 500, 25))])
def test_random_graphs(start, tmp_path):
    seeds = range(start, start + 25)
    module = Many(seeds)
    runs = [([RandomGraph.sample(s + 1000 * k) for s in seeds],) for k in range(3)]
    made = graphs(Built(module, runs[0], tmp_path).run(runs))
    assert any(levels < nodes / 2 for nodes, levels in made)


@pytest.mark.parametrize("name", ["llama_small", "llama_small_decode"])
def test_models(name, tmp_path):
    spec = registry.get(name)
    module = spec.build()
    runs = []
    for _ in range(3):
        args, kwargs = spec.inputs()
        assert not kwargs
        runs.append(tuple(args))
    made = graphs(Built(module, runs[0], tmp_path).run(runs))
    assert any(levels < nodes for nodes, levels in made), made
