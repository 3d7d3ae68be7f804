"""Programs that fx-shard and fx-stage divide between ranks, and a simulator that runs all ranks in
one process: one thread for each rank, which meet in each collective."""

import pathlib
import threading

import collectives
import exporting
import harness
import torch
from torch.utils import _pytree as pytree
from torch.utils._python_dispatch import TorchDispatchMode


def divide(model: pathlib.Path, ranks: int, plan: str | None = None, **options) -> list[pathlib.Path]:
    """Runs fx-translate. Returns the program of each rank. Without a plan, the ranks are stages."""
    out = model.parent / f"{model.stem}.{ranks}" / "m.{rank}.pt2"
    out.parent.mkdir(exist_ok=True)
    if plan is None:
        flags = ["--stages", ranks]
    else:
        (model.parent / "plan.txt").write_text(plan)
        flags = ["--shard", model.parent / "plan.txt", "--ranks", ranks]
    for name, value in options.items():
        flags += [f"--{name}", value]
    result = harness.tool("fx-translate", "--pt2-to-mlir", "--mlir-to-pt2", model, *flags, "-o", out)
    if result.returncode:
        raise harness.ToolError(result.stderr)
    divide.remarks = result.stderr
    return [pathlib.Path(str(out).replace("{rank}", str(rank))) for rank in range(ranks)]


class Meeting:
    """Where the ranks exchange tensors."""

    def __init__(self, ranks: int):
        self.barrier = threading.Barrier(ranks, timeout=60)
        self.given: list = [None] * ranks

    def exchange(self, rank: int, what, tensor: torch.Tensor) -> list[torch.Tensor]:
        self.given[rank] = (what, tensor.clone())
        self.barrier.wait()
        given = list(self.given)
        self.barrier.wait()
        assert len({str(w) for w, _ in given}) == 1, given
        assert len({(t.shape, t.dtype) for _, t in given}) == 1, given
        return [t for _, t in given]


class Rank(TorchDispatchMode):
    """Runs the collectives of a thread."""

    def __init__(self, rank: int, meeting: Meeting):
        super().__init__()
        self.rank, self.meeting = rank, meeting
        self.count = 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        if func.namespace != "_c10d_functional":
            return func(*args, **(kwargs or {}))
        name = func._opname
        if name == "wait_tensor":
            return args[0]
        self.count += 1
        tensors = self.meeting.exchange(self.rank, (name, *args[1:]), args[0])
        if name == "all_reduce":
            assert args[1] == "sum"
            return sum(tensors[1:], tensors[0])
        if name == "all_gather_into_tensor":
            assert args[0].is_contiguous()
            return torch.cat(tensors)
        assert name == "broadcast", name
        return tensors[args[1]].clone()


class Ranks:
    """The programs of all ranks. A call runs them, and returns the flat outputs of each."""

    def __init__(self, files: list[pathlib.Path]):
        with collectives.fake_group(0, len(files)):
            self.programs = [torch.export.load(file) for file in files]
        self.modules = [program.module(check_guards=False) for program in self.programs]
        #: The number of collectives of the last call.
        self.count = 0

    def __call__(self, *args, **kwargs) -> list[list]:
        meeting = Meeting(len(self.modules))
        results: list = [None] * len(self.modules)
        errors = []

        def run(rank: int) -> None:
            mode = Rank(rank, meeting)
            try:
                with torch.no_grad(), mode:
                    results[rank] = pytree.tree_leaves(self.modules[rank](*args, **kwargs))
            except Exception as e:
                errors.append(e)
                meeting.barrier.abort()
            self.count = mode.count

        threads = [threading.Thread(target=run, args=(r,)) for r in range(len(self.modules))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if errors:
            raise next((e for e in errors if not isinstance(e, threading.BrokenBarrierError)), errors[0])
        return results


def check(files: list[pathlib.Path], module, *inputs: tuple) -> Ranks:
    """Compares all ranks with the eager module on several inputs, one after the other."""
    ranks = Ranks(files)
    for args in inputs:
        with torch.no_grad():
            expected = pytree.tree_leaves(module(*args))
        for rank, got in enumerate(ranks(*args)):
            for k, (g, w) in enumerate(zip(got, expected, strict=True)):
                difference = harness.difference(g, w)
                assert difference is None, f"rank {rank}, output {k}: {difference}"
    return ranks


def export(module, args: tuple, path: pathlib.Path, **options) -> pathlib.Path:
    exporting.save(exporting.export(module, args, **options), path)
    return path
