"""Programs with collectives on several ranks: processes of this machine over gloo."""

import json
import os
import pathlib
import signal
import socket
import subprocess
import sys
import time

import collectives
import exporting
import harness
import leaves
import pytest
import ranks
import torch
import torch.distributed as dist
import torch.distributed._functional_collectives as funcol
from torch import nn

WORLD = 2


def compile(model: pathlib.Path, *flags) -> pathlib.Path:
    artefact = model.with_suffix(".so")
    result = harness.tool("fx-compile", model, "-o", artefact, *flags)
    assert result.returncode == 0, result.stderr
    return artefact


def fallbacks(report: pathlib.Path) -> set[str]:
    nodes = json.loads(report.read_text())["operators"]
    return {n["target"] for n in nodes if n["status"] == "fallback"}


# --- every collective -------------------------------------------------------------------------


@pytest.fixture(scope="module", params=[WORLD, pytest.param(4, marks=pytest.mark.long)])
def everything(request, tmp_path_factory):
    """The folder with a program of all collectives for each rank, its inputs, and the names of
    the collectives and eager's results."""
    world = request.param
    folder = tmp_path_factory.mktemp("collectives")
    ranks.run(*[ranks.python("eager.py", folder)] * world)
    eager = []
    for rank in range(world):
        names, results = torch.load(folder / f"eager{rank}.pt")
        eager.append((names, results))
        xs = collectives.inputs(rank)
        module = collectives.Collectives(names, rank, world)
        collectives.export(module, xs, rank, world, folder / f"all.{rank}.pt2")
        leaves.save_inputs(folder / f"in.{rank}", xs, {})
    assert all(names == eager[0][0] for names, _ in eager)
    return folder, eager


def test_eager_takes_most_dtypes(everything):
    _, eager = everything
    names = eager[0][0]
    for case in collectives.CASES:
        assert sum(name == case for name, _ in names) >= 4, case


@pytest.mark.parametrize("mode", ["interpret", "compiled"])
def test_collectives(everything, mode):
    """Every collective, on all dtypes that it takes, gives eager's result."""
    folder, eager = everything
    world = len(eager)
    model = folder / "all.{rank}.pt2"
    if mode == "compiled":
        for rank in range(world):
            compile(folder / f"all.{rank}.pt2")
        model = folder / "all.{rank}.so"
    command = ranks.fx_run(
        model, *harness.MODES[mode],
        "--inputs", folder / "in.{rank}", "--outputs", folder / f"{mode}.{{rank}}",
    )  # fmt: skip
    ranks.run(*[command] * world)
    for rank, (_, results) in enumerate(eager):
        got = leaves.load_outputs(folder / f"{mode}.{rank}", results)
        harness.compare(got, results)


# --- models -----------------------------------------------------------------------------------


class DataParallel(nn.Module):
    """The mean of a layer's results over the ranks, beside work that does not depend on it."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(64, 64)
        self.other = nn.Linear(64, 64)

    def forward(self, x):
        mean = funcol.all_reduce(self.layer(x), "avg", dist.group.WORLD)
        return mean.relu() + 1, self.other(x).tanh()


def test_data_parallel(tmp_path):
    """Only the communication runs on LibTorch, and it runs beside the other layer."""
    torch.manual_seed(0)
    module = DataParallel().eval()
    xs = [torch.randn(8, 64) for _ in range(WORLD)]
    collectives.export(module, (xs[0],), 0, WORLD, tmp_path / "m.pt2")
    report = tmp_path / "report.json"
    artefact = compile(tmp_path / "m.pt2", "--report", report)
    assert fallbacks(report) == {
        "_c10d_functional.all_reduce.default", "_c10d_functional.wait_tensor.default"}  # fmt: skip
    dumped = harness.tool(
        "fx-compile", tmp_path / "m.pt2", "-o", tmp_path / "d.so", "--dump-after=schedule")
    main = dumped.stderr + dumped.stdout
    main = main[main.index("func.func @main") :]
    start, wait = main.index("all_reduce.default"), main.index("wait_tensor.default")
    assert "fx_kernel.invoke" in main[start:wait]
    for rank, x in enumerate(xs):
        leaves.save_inputs(tmp_path / f"in.{rank}", (x,), {})
    command = ranks.fx_run(artefact, "--inputs", tmp_path / "in.{rank}",
                           "--outputs", tmp_path / "out.{rank}")  # fmt: skip
    ranks.run(*[command] * WORLD)
    with torch.no_grad():
        mean = sum(module.layer(x) for x in xs) / WORLD
        for rank, x in enumerate(xs):
            expected = [mean.relu() + 1, module.other(x).tanh()]
            harness.compare(leaves.load_outputs(tmp_path / f"out.{rank}", expected), expected)


class Block(nn.Module):
    """Attention and an MLP; `rank` of `world` has a part of the heads and of the features."""

    def __init__(self, whole=None, rank: int = 0, world: int = 1):
        super().__init__()
        self.heads, self.world = 4 // world, world
        for name, rows, columns in (
            ("q", 32, 32), ("k", 32, 32), ("v", 32, 32), ("up", 64, 32), ("o", 32, 32),
            ("down", 32, 64),
        ):  # fmt: skip
            dim = 1 if name in ("o", "down") else 0
            weight = getattr(whole, name) if whole else torch.randn(rows, columns) / 6
            self.register_buffer(name, weight.chunk(world, dim)[rank].clone())

    def reduce(self, x):
        return x if self.world == 1 else funcol.all_reduce(x, "sum", dist.group.WORLD)

    def forward(self, x):
        split = lambda w: (x @ w.T).unflatten(-1, (self.heads, 8)).transpose(1, 2)  # noqa: E731
        y = nn.functional.scaled_dot_product_attention(
            split(self.q), split(self.k), split(self.v), is_causal=True)
        x = x + self.reduce(y.transpose(1, 2).flatten(-2) @ self.o.T)
        return x + self.reduce(nn.functional.gelu(x @ self.up.T) @ self.down.T)


@pytest.mark.parametrize("world", [2, 4])
def test_tensor_parallel(tmp_path, world):
    """The parts of a block give what the block gives in a single process."""
    torch.manual_seed(1)
    whole = Block().eval()
    x = torch.randn(2, 6, 32)
    leaves.save_inputs(tmp_path / "in", (x,), {})
    sizes = []
    for rank in range(world):
        part = Block(whole, rank, world)
        collectives.export(part, (x,), rank, world, tmp_path / f"tp.{rank}.pt2")
        compile(tmp_path / f"tp.{rank}.pt2")
        sizes.append(sum(b.numel() for b in part.buffers()))
    assert sizes == [sum(b.numel() for b in whole.buffers()) // world] * world
    command = ranks.fx_run(tmp_path / "tp.{rank}.so", "--inputs", tmp_path / "in",
                           "--outputs", tmp_path / "out.{rank}")  # fmt: skip
    ranks.run(*[command] * world)
    expected = [whole(x)]
    for rank in range(world):
        harness.compare(leaves.load_outputs(tmp_path / f"out.{rank}", expected), expected)


class TwoGroups(nn.Module):
    def forward(self, x):
        y = funcol.all_reduce(x, "sum", dist.group.WORLD).sin()
        z = torch.ops._c10d_functional.all_reduce(x, "max", "1")
        return y, torch.ops._c10d_functional.wait_tensor(z) + 1


@pytest.fixture(scope="module")
def two_groups(tmp_path_factory):
    folder = tmp_path_factory.mktemp("two_groups")
    with collectives.fake_group(0, WORLD):
        dist.new_group([0, 1])
        program = torch.export.export(TwoGroups(), (torch.randn(4, 8),))
        torch.export.save(program, folder / "m.pt2")
    return compile(folder / "m.pt2")


def test_in_python(two_groups):
    """In a process that has called init_process_group, its groups are used by name, by libFXTorch
    and by Python's torch."""
    out = ranks.run(*[ranks.python("in_python.py", two_groups)] * WORLD)
    assert out == ["ok\n"] * WORLD


def test_groups(two_groups, tmp_path):
    """--group gives other groups than that of all ranks."""
    for rank in range(WORLD):
        leaves.save_inputs(tmp_path / f"in.{rank}", (torch.full((4, 8), rank + 1.0),), {})
    command = ranks.fx_run(two_groups, "--inputs", tmp_path / "in.{rank}",
                           "--outputs", tmp_path / "out.{rank}", "--group", "1=0,1")  # fmt: skip
    ranks.run(*[command] * WORLD)
    expected = [torch.full((4, 8), 3.0).sin(), torch.full((4, 8), 3.0)]
    for rank in range(WORLD):
        harness.compare(leaves.load_outputs(tmp_path / f"out.{rank}", expected), expected)
    results = ranks.Ranks().start(*[command[:-2]] * WORLD).wait()
    for code, _, err in results:
        assert code == 1 and len(err.splitlines()) == 1
        assert "uses the process group '1', which is not given (--group 1=RANKS)" in err


class Sequence(nn.Module):
    """Collectives of several kinds. The second one does not need the result of the first."""

    def forward(self, x):
        total = funcol.all_reduce(x * 2, "sum", dist.group.WORLD)
        rows = funcol.all_gather_tensor(x + 1, 0, dist.group.WORLD)
        part = funcol.reduce_scatter_tensor(total.sin(), "sum", 0, dist.group.WORLD)
        first = funcol.broadcast(part.t() * 2, 0, dist.group.WORLD)
        return total, rows.cos(), part, first


def test_recording_group(tmp_path):
    """A group of the process gets the collectives in the program's order, and contiguous tensors.
    Waits come as late as they can: as for NCCL, a result is there after its wait alone."""
    collectives.export(Sequence(), (torch.randn(4, 8),), 0, WORLD, tmp_path / "m.pt2")
    artefact = compile(tmp_path / "m.pt2")
    process = subprocess.run(
        ranks.python("recording.py", artefact), capture_output=True, text=True, timeout=ranks.DEADLINE)
    assert process.returncode == 0, process.stderr
    got = json.loads(process.stdout.splitlines()[-1])
    assert [line for line in got["record"] if not line.startswith("wait")] == [
        "all_reduce [[4, 8]]", "all_gather [[4, 8]]", "reduce_scatter [[4, 8]]", "broadcast [[8, 2]]"]
    order = [line.split(" [")[0] for line in got["record"]]
    assert order.index("all_gather") < order.index("wait all_reduce")
    assert {f"wait {line}" for line in order if not line.startswith("wait")} <= set(order)
    x = torch.arange(32.0).reshape(4, 8) / 32
    total = x * 2 * WORLD
    part = total.sin()[:2] * WORLD
    expected = [total, torch.cat([x + 1] * WORLD).cos(), part, part.t() * 2]
    harness.compare([torch.tensor(t) for t in got["results"]], expected)


def test_trace_shows_overlap(tmp_path):
    """A trace has a collective, the kernels that run while it communicates, and the wait."""
    module = DataParallel().eval()
    x = torch.randn(8, 64)
    collectives.export(module, (x,), 0, WORLD, tmp_path / "m.pt2")
    artefact = compile(tmp_path / "m.pt2", "--profile")
    leaves.save_inputs(tmp_path / "in", (x,), {})
    command = ranks.fx_run(artefact, "--inputs", tmp_path / "in", "--profile=3", "--json",
                           "--trace", tmp_path / "trace.{rank}.json")  # fmt: skip
    outs = ranks.run(*[command] * WORLD)
    for rank, out in enumerate(outs):
        calls = {k["name"]: k for k in json.loads(out)["kernels"]}
        assert calls["_c10d_functional.all_reduce.default"]["calls"] == 1
        assert calls["_c10d_functional.all_reduce.default"]["bytes"] == 8 * 64 * 4
        events = json.loads((tmp_path / f"trace.{rank}.json").read_text())["traceEvents"]
        names = [e["name"] for e in events]
        start, wait = names.index("all_reduce"), names.index("wait_tensor")
        between = [e for e in events[start + 1 : wait] if e["cat"] != "fallback"]
        assert any("other" in e["name"] for e in between), names
        for event in between:
            assert events[start]["ts"] + events[start]["dur"] <= event["ts"] + 1e-6
            assert event["ts"] + event["dur"] <= events[wait]["ts"] + 1e-6


def test_torchrun(two_groups, tmp_path):
    """torchrun starts the ranks, and ends with an error if one fails."""
    leaves.save_inputs(tmp_path / "in", (torch.ones(4, 8),), {})
    command = [
        sys.executable, "-m", "torch.distributed.run", "--standalone", "--no-python",
        "--nproc-per-node=2", *ranks.fx_run(two_groups, "--inputs", tmp_path / "in"),
        "--outputs", tmp_path / "out.{rank}",
    ]  # fmt: skip
    run = lambda *flags: subprocess.run(  # noqa: E731
        list(map(str, [*command, *flags])), capture_output=True, text=True, timeout=60)
    result = run("--group", "1=0,1")
    assert result.returncode == 0, result.stderr
    expected = [torch.full((4, 8), 2.0).sin(), torch.full((4, 8), 2.0)]
    for rank in range(WORLD):
        harness.compare(leaves.load_outputs(tmp_path / f"out.{rank}", expected), expected)
    result = run()
    assert result.returncode != 0
    assert "uses the process group '1'" in result.stderr


class Gathers(nn.Module):
    """Gathers that are all in progress together."""

    def forward(self, *xs):
        started = [collectives.OPS.all_gather_into_tensor_coalesced([x, x + 1], WORLD, "0") for x in xs]
        return [collectives.OPS.wait_tensor(t) for tensors in started for t in tensors]


def test_many_in_progress(tmp_path):
    """Collectives that end at the same time do not disturb each other. Two threads of
    ProcessGroupGloo free a string twice then, which ended 8 of 10 such processes."""
    xs = tuple(torch.ones(4) for _ in range(32))
    collectives.export(Gathers(), xs, 0, WORLD, tmp_path / "m.pt2")
    artefact = compile(tmp_path / "m.pt2")
    leaves.save_inputs(tmp_path / "in", xs, {})
    command = ranks.fx_run(artefact, "--inputs", tmp_path / "in", "--benchmark=400")
    ranks.run(*[command] * WORLD)


class Gradients(nn.Module):
    """All-reduces of several sizes, as of gradients."""

    def forward(self, *xs):
        return [funcol.all_reduce(x * 2, "sum", dist.group.WORLD) for x in xs]


def test_buckets(tmp_path):
    """Small all-reduces as one communication give the same results."""
    xs = [torch.arange(float(n)) for n in (3, 40, 5, 7)]
    collectives.export(Gradients(), tuple(xs), 0, WORLD, tmp_path / "g.pt2")
    text = harness.tool("fx-translate", "--pt2-to-mlir", tmp_path / "g.pt2").stdout
    (tmp_path / "g.mlir").write_text(text)
    result = harness.tool("fx-opt", tmp_path / "g.mlir", "--fx-functionalize",
                          "--fx-bucket-all-reduces=max-bytes=100", "--fx-schedule",
                          "-o", tmp_path / "b.mlir")  # fmt: skip
    assert result.returncode == 0, result.stderr
    bucketed = (tmp_path / "b.mlir").read_text()
    assert bucketed.count("all_reduce_coalesced") == 1 and bucketed.count("all_reduce.default") == 2
    leaves.save_inputs(tmp_path / "in", tuple(xs), {})
    expected = [x * 4 for x in xs]
    for mode in ("interpret", "compiled"):
        command = ranks.fx_run(tmp_path / "b.mlir", *harness.MODES[mode], "--inputs",
                               tmp_path / "in", "--outputs", tmp_path / "out.{rank}")  # fmt: skip
        ranks.run(*[command] * WORLD)
        for rank in range(WORLD):
            harness.compare(leaves.load_outputs(tmp_path / f"out.{rank}", expected), expected)


# --- faults -----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def simple(tmp_path_factory):
    """A compiled program of one all-reduce, another one, and the folder of their inputs."""
    folder = tmp_path_factory.mktemp("simple")

    class Other(nn.Module):
        def forward(self, x):
            return funcol.all_gather_tensor(x, 0, dist.group.WORLD)

    x = torch.ones(4, 8)
    leaves.save_inputs(folder / "in", (x,), {})
    collectives.export(Gradients(), (x,), 0, WORLD, folder / "m.pt2")
    collectives.export(Other(), (x,), 0, WORLD, folder / "o.pt2")
    return compile(folder / "m.pt2"), compile(folder / "o.pt2"), folder / "in"


def check_faults(results: list, *messages: str) -> None:
    """Each rank ends with status 1 and one line, which has its message."""
    for (code, _, err), message in zip(results, messages, strict=True):
        assert code == 1, results
        lines = err.splitlines()
        assert len(lines) == 1 and lines[0].startswith("error: "), results
        assert message in lines[0], results


@pytest.mark.parametrize("victim", [0, 1])
def test_killed_rank(simple, victim):
    """The other rank names it."""
    model, _, inputs = simple
    command = ranks.fx_run(model, "--inputs", inputs, "--benchmark", 1000000)
    started = ranks.Ranks().start(*[command] * WORLD)
    started.wait_for_model(model)
    time.sleep(0.5)
    started.processes[victim].send_signal(signal.SIGKILL)
    killed = time.monotonic()
    results = started.wait()
    assert time.monotonic() - killed < 15
    assert results[victim][0] == -signal.SIGKILL
    check_faults([results[1 - victim]], f"rank {victim}")
    assert "is gone" in results[1 - victim][2]


def test_late_rank(simple):
    """A rank may start later than the others, but not later than the timeout."""
    model, _, inputs = simple
    command = ranks.fx_run(model, "--inputs", inputs)
    started = ranks.Ranks(world=WORLD).start(command)
    time.sleep(1)
    assert [code for code, _, _ in started.start(command, first=1).wait()] == [0, 0]
    alone = ranks.Ranks(world=WORLD).start([*command, "--timeout", 1.5]).wait()
    check_faults(alone, "rank 1 has not joined in 1.5 s")
    alone = ranks.Ranks(world=WORLD).start([*command, "--timeout", 1.5], first=1).wait()
    check_faults(alone, "cannot reach the store of rank 0")


def test_other_program(simple):
    """Both ranks name the rank and the collective."""
    model, other, inputs = simple
    results = ranks.Ranks().start(*[ranks.fx_run(m, "--inputs", inputs) for m in (model, other)]).wait()
    message = ("rank 1 runs another program than rank 0: collective 1 of group '0' is "
               "all_gather_into_tensor(2) float32 [8, 8], expected all_reduce(sum) float32 [4, 8]")  # fmt: skip
    check_faults(results, message, message)


def test_other_sizes(tmp_path):
    """Symbolic sizes must have the same values on all ranks, in compiled and interpreted models."""
    with collectives.fake_group(0, WORLD):
        rows = torch.export.Dim("rows", min=2, max=64)
        program = torch.export.export(
            Gradients(), (torch.ones(4, 8),), dynamic_shapes={"xs": ({0: rows},)})
        torch.export.save(program, tmp_path / "m.pt2")
    model = compile(tmp_path / "m.pt2")
    for rank, n in enumerate((3, 5)):
        leaves.save_inputs(tmp_path / f"in.{rank}", (torch.ones(n, 8),), {})
    run = lambda m, first, second, *flags: ranks.Ranks().start(*[  # noqa: E731
        ranks.fx_run(m, *flags, "--inputs", tmp_path / f"in.{k}") for k in (first, second)]).wait()
    assert [code for code, _, _ in run(model, 1, 1)] == [0, 0]
    for results in (run(model, 0, 1), run(tmp_path / "m.pt2", 0, 1, "--interpret")):
        check_faults(results, *["rank 1 runs another program than rank 0"] * 2)
        assert "= 5, expected all_reduce(sum) float32 [" in results[0][2]


def test_failing_rank(simple, tmp_path):
    """The other rank says why."""
    model, _, inputs = simple
    results = ranks.Ranks().start(
        ranks.fx_run(model, "--inputs", inputs), ranks.fx_run(model, "--inputs", tmp_path)).wait()
    check_faults(results, "rank 1 failed: ", "in_0.npy")
    assert "in_0.npy" in results[0][2]


def test_port_in_use(simple):
    model, _, inputs = simple
    with socket.socket() as s:
        s.bind(("", 0))
        s.listen()
        results = ranks.Ranks(port=s.getsockname()[1]).start(
            *[ranks.fx_run(model, "--inputs", inputs, "--timeout", 3)] * WORLD).wait()
        check_faults(results, f"port {s.getsockname()[1]} (MASTER_PORT) is in use", "")


def test_bad_environment(simple):
    model, _, inputs = simple
    result = subprocess.run(
        list(map(str, ranks.fx_run(model, "--inputs", inputs))), capture_output=True, text=True,
        env={**os.environ, "RANK": "2", "WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1",
             "MASTER_PORT": "1"})  # fmt: skip
    check_faults([(result.returncode, "", result.stderr)],
                 "RANK: expected a number from 0 to 1, got '2'")  # fmt: skip


def test_without_ranks(simple):
    """A process without torchrun's environment has no groups."""
    model, _, inputs = simple
    result = harness.tool("fx-run", model, "--inputs", inputs)
    check_faults([(result.returncode, "", result.stderr)], "expected other ranks (torchrun")


# --- archives ---------------------------------------------------------------------------------


def test_aoti_refuses(tmp_path):
    collectives.export(Gradients(), (torch.ones(4),), 0, WORLD, tmp_path / "m.pt2")
    result = harness.tool("fx-compile", tmp_path / "m.pt2", "--emit=aoti", "-o", tmp_path / "p.pt2")
    assert result.returncode == 1
    assert "it communicates with other processes" in result.stderr


def test_roundtrip(tmp_path):
    """An exported archive has the same nodes."""
    names = [(case, 6) for case in collectives.CASES if case != "all_reduce-avg"]
    module = collectives.Collectives(names, 0, WORLD)
    xs = collectives.inputs(0)
    with collectives.fake_group(0, WORLD):
        program = exporting.export(module.eval(), xs)
        exporting.save(program, tmp_path / "m.pt2")
    text = harness.tool("fx-translate", "--pt2-to-mlir", tmp_path / "m.pt2").stdout
    (tmp_path / "m.mlir").write_text(text)
    result = harness.tool("fx-translate", "--mlir-to-pt2", tmp_path / "m.mlir", "-o", tmp_path / "n.pt2")
    assert result.returncode == 0, result.stderr
    with collectives.fake_group(0, WORLD):
        back = torch.export.load(tmp_path / "n.pt2")
    nodes = lambda p: [(n.name, n.target, str(n.args), str(n.kwargs)) for n in p.graph.nodes]  # noqa: E731
    assert nodes(back) == nodes(program)


# --- C ----------------------------------------------------------------------------------------


def test_c(simple):
    """A C program joins, runs, and learns which rank has failed."""
    model, _, _ = simple
    program = harness.BUILD / "test" / "CAPI" / "fx-distributed-test"
    out = ranks.run(*[[program, model]] * WORLD)
    assert out == [f"rank {r} ({r} on this host) of 2: 6\n" for r in range(WORLD)]
    started = ranks.Ranks().start(*[[program, model, 100000000]] * WORLD)
    started.wait_for_model(model)
    started.processes[1].kill()
    check_faults([started.wait()[0]], "rank 1 is gone")
    alone = subprocess.run([program, model], capture_output=True, text=True)
    check_faults([(alone.returncode, "", alone.stderr)], "expected MASTER_ADDR")
