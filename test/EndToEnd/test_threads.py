"""Threads of parallel loops: on which CPUs they run, and that results do not depend on them."""

import concurrent.futures
import os
import pathlib
import random

import artefact
import exporting
import harness
import numpy as np
import pytest
import torch
from torch import nn

CPUS = sorted(os.sched_getaffinity(0))
needs_two = pytest.mark.skipif(len(CPUS) < 2, reason="needs two CPUs")


class Layers(nn.Module):
    """Loops with few and many iterations."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 40, 3, padding=1)
        self.depthwise = nn.Conv2d(40, 40, 3, groups=40)
        self.linear = nn.Linear(40, 70)

    def forward(self, x):
        y = torch.relu(self.conv(x)) + 1
        y = self.depthwise(y).flatten(2).mT
        return torch.softmax(self.linear(y), -1), y.sum((0, 1)), x.mT.contiguous()


@pytest.fixture(scope="module")
def compiled(tmp_path_factory):
    folder = tmp_path_factory.mktemp("threads")
    torch.manual_seed(0)
    module, x = Layers().eval(), torch.randn(2, 3, 60, 52)
    exporting.save(exporting.export(module, (x,)), folder / "m.pt2")
    result = harness.tool("fx-compile", folder / "m.pt2", "-o", folder / "m.so", "--no-fallback")
    assert result.returncode == 0, result.stderr
    with torch.no_grad():
        return folder / "m.so", x.numpy(), [y.numpy() for y in module(x)]


def masks() -> dict[int, set[int]]:
    """Returns the CPUs that each thread of this process may use."""
    threads = {}
    for task in pathlib.Path("/proc/self/task").iterdir():
        try:
            threads[int(task.name)] = os.sched_getaffinity(int(task.name))
        except ProcessLookupError:
            pass
    return threads


class Case:
    """An instance of the compiled model with its input and result."""

    def __init__(self, path, x, expected):
        self.model, self.x, self.expected = artefact.Model(path), x, expected
        self.before = masks()

    def workers(self) -> dict[int, set[int]]:
        """Returns the CPUs of each thread that calls have started."""
        return {t: m for t, m in masks().items() if t not in self.before}

    def __call__(self, threads, cpus=CPUS):
        """Calls the model while this thread may use `cpus` only."""
        os.sched_setaffinity(0, cpus)
        try:
            return self.model(self.x, threads=threads)
        finally:
            os.sched_setaffinity(0, CPUS)


@pytest.fixture
def case(compiled):
    made = Case(*compiled)
    yield made
    made.model.close()


def check_equal(got, expected):
    for a, b in zip(got, expected, strict=True):
        np.testing.assert_array_equal(a, b)


def check_close(got, expected):
    for a, b in zip(got, expected, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5)


@needs_two
def test_worker_leaves_the_cpu_of_the_caller(case):
    first = case(2)
    (worker,) = case.workers()
    for cpu in CPUS + CPUS[::-1]:
        check_equal(case(2, {cpu}), first)
        allowed = os.sched_getaffinity(worker)
        assert allowed and cpu not in allowed and allowed <= set(CPUS)


def test_workers_of_a_pinned_caller_share_its_cpu(case):
    check_close(case(3, {CPUS[0]}), case.expected)
    assert list(case.workers().values()) == [{CPUS[0]}] * 2


@needs_two
def test_more_threads_than_cpus_are_not_restricted(case):
    case(2)
    assert set(CPUS) not in case.workers().values()
    case(len(CPUS) + 2)
    workers = list(case.workers().values())
    assert len(workers) > 1 and all(m == set(CPUS) for m in workers)


@needs_two
def test_other_masks_are_respected(case):
    """Somebody else, as `taskset -a` does, restricts a worker: it stays where it was put."""
    case(2)
    (worker,) = case.workers()
    os.sched_setaffinity(worker, CPUS)
    for cpu in CPUS + CPUS:
        case(2, {cpu})
        assert os.sched_getaffinity(worker) == set(CPUS)


@needs_two
def test_fork(case):
    """A child has no workers: its thread stays where it may run."""
    first = case(2)
    child = os.fork()
    if child == 0:
        status = 1
        try:
            for cpu in CPUS + CPUS:
                os.sched_setaffinity(0, {cpu})
                check_equal(case.model(case.x, threads=2), first)
                assert os.sched_getaffinity(0) == {cpu}
            status = 0
        finally:
            os._exit(status)
    assert os.waitpid(child, 0)[1] == 0


def test_all_cpus_are_those_of_the_caller(case):
    case(0, {CPUS[0]})
    assert not case.workers()


def test_results_do_not_depend_on_threads(case):
    rng, first = random.Random(0), case(1)
    check_close(first, case.expected)
    for _ in range(40):
        cpus = set(rng.sample(CPUS, rng.randint(1, len(CPUS))))
        check_equal(case(rng.randint(0, 9), cpus), first)


def test_several_callers(case):
    first = case(1)
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        calls = [pool.submit(case, 1 + i % 4, {CPUS[i % len(CPUS)]}) for i in range(80)]
        for call in calls:
            check_equal(call.result(), first)
