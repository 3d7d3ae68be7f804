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


def call_pinned(model, x, cpus, threads):
    """Calls the model while this thread may use `cpus` only."""
    os.sched_setaffinity(0, cpus)
    try:
        return model(x, threads=threads)
    finally:
        os.sched_setaffinity(0, CPUS)


@needs_two
def test_worker_leaves_the_cpu_of_the_caller(compiled):
    path, x, expected = compiled
    model = artefact.Model(path)
    before = masks()
    first = model(x, threads=2)
    workers = [t for t in masks() if t not in before]
    assert len(workers) == 1
    for cpu in CPUS + CPUS[::-1]:
        got = call_pinned(model, x, {cpu}, 2)
        allowed = os.sched_getaffinity(workers[0])
        assert allowed and cpu not in allowed and allowed <= set(CPUS)
        for a, b in zip(got, first):
            np.testing.assert_array_equal(a, b)
    # The caller of the loop keeps its CPUs.
    assert os.sched_getaffinity(0) == set(CPUS)
    model.close()


def test_workers_of_a_pinned_caller_share_its_cpu(compiled):
    path, x, expected = compiled
    model = artefact.Model(path)
    before = masks()
    got = call_pinned(model, x, {CPUS[0]}, 3)
    workers = {t: m for t, m in masks().items() if t not in before}
    assert len(workers) == 2 and all(m == {CPUS[0]} for m in workers.values())
    for a, b in zip(got, expected):
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5)
    model.close()


@needs_two
def test_more_threads_than_cpus_are_not_restricted(compiled):
    path, x, _ = compiled
    model = artefact.Model(path)
    before = masks()
    model(x, threads=2)
    assert [m for t, m in masks().items() if t not in before] != [set(CPUS)]
    model(x, threads=len(CPUS) + 2)
    workers = [m for t, m in masks().items() if t not in before]
    assert len(workers) > 1 and all(m == set(CPUS) for m in workers)
    model.close()


@needs_two
def test_other_masks_are_respected(compiled):
    """Somebody else, as `taskset -a` does, restricts a worker: it stays where it was put."""
    path, x, _ = compiled
    model = artefact.Model(path)
    before = masks()
    model(x, threads=2)
    (worker,) = [t for t in masks() if t not in before]
    os.sched_setaffinity(worker, CPUS)
    for cpu in CPUS + CPUS:
        call_pinned(model, x, {cpu}, 2)
        assert os.sched_getaffinity(worker) == set(CPUS)
    model.close()


@needs_two
def test_fork(compiled):
    """A child has no workers: its thread stays where it may run."""
    path, x, _ = compiled
    model = artefact.Model(path)
    first = model(x, threads=2)
    child = os.fork()
    if child == 0:
        status = 1
        try:
            for cpu in CPUS + CPUS:
                os.sched_setaffinity(0, {cpu})
                got = model(x, threads=2)
                assert os.sched_getaffinity(0) == {cpu}
                assert all(np.array_equal(a, b) for a, b in zip(got, first))
            status = 0
        finally:
            os._exit(status)
    assert os.waitpid(child, 0)[1] == 0
    model.close()


def test_all_cpus_are_those_of_the_caller(compiled):
    path, x, _ = compiled
    model = artefact.Model(path)
    before = masks()
    call_pinned(model, x, {CPUS[0]}, 0)
    assert not [t for t in masks() if t not in before]
    model.close()


def test_results_do_not_depend_on_threads(compiled):
    path, x, expected = compiled
    model, rng = artefact.Model(path), random.Random(0)
    first = model(x)
    for a, b in zip(first, expected):
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5)
    for _ in range(40):
        cpus = set(rng.sample(CPUS, rng.randint(1, len(CPUS))))
        for a, b in zip(call_pinned(model, x, cpus, rng.randint(0, 9)), first):
            np.testing.assert_array_equal(a, b)
    model.close()


def test_several_callers(compiled):
    path, x, _ = compiled
    model = artefact.Model(path)
    first = model(x)
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        calls = [
            pool.submit(call_pinned, model, x, {CPUS[i % len(CPUS)]}, 1 + i % 4) for i in range(80)
        ]
        for call in calls:
            for a, b in zip(call.result(), first):
                np.testing.assert_array_equal(a, b)
    model.close()
