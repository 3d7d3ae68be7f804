"""Measures the times of calls: on the host, on the GPU with events and with captured graphs, and of
each kernel with CUPTI through torch.profiler. All times are in milliseconds for one call."""

import contextlib
import fcntl
import json
import os
import pathlib
import statistics
import tempfile
import time

import torch

#: The number of rounds, of calls in a captured graph, and of launches that fit a stream's queue.
ROUNDS, CAPTURED, QUEUE = 15, 20, 900
#: The maximum seconds of one kind of measurement, also of a quick one, and the number of kernels
#: that are reported.
BUDGET, QUICK, KERNELS = 1.0, 0.25, 40


@contextlib.contextmanager
def _locked(operation: int):
    """Holds a lock on the file that FX_GPU_LOCK names, if any."""
    if not (path := os.environ.get("FX_GPU_LOCK")):
        yield
        return
    with open(path, "a") as file:
        fcntl.flock(file, operation)
        yield


def alone():
    """Waits until no other process uses the GPU, and keeps it from them."""
    return _locked(fcntl.LOCK_EX)


def together():
    """Uses the GPU beside other processes, but not while one of them measures."""
    return _locked(fcntl.LOCK_SH)


def host(call, is_cuda: bool, budget: float = BUDGET) -> float:
    """Measures calls, issued one after the other, with the clock of the host."""
    def finish():
        if is_cuda:
            torch.cuda.synchronize()

    call()
    finish()
    begin, rounds = time.perf_counter(), []
    for _ in range(ROUNDS if is_cuda else 1):
        start = time.perf_counter()
        for _ in range(5 if is_cuda else 1):
            call()
        finish()
        rounds.append((time.perf_counter() - start) / (5 if is_cuda else 1) * 1e3)
        if time.perf_counter() - begin > budget:
            break
    return statistics.median(rounds)


def _between(rounds: int, run, budget: float = BUDGET) -> list[float]:
    """Returns the times between two events that `run(start, end)` records."""
    times, begin = [], time.perf_counter()
    for _ in range(rounds):
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        run(start, end)
        end.synchronize()
        times.append(start.elapsed_time(end))
        if time.perf_counter() - begin > budget:
            break
    return times


def events(call, host_ms: float, launches: int, budget: float = BUDGET) -> float:
    """Measures calls with events. The calls are queued while the GPU is busy, so that there are no
    gaps between them."""
    count = max(1, min(CAPTURED, QUEUE // max(launches, 1)))
    # The GPU waits for so many cycles, at about 2 GHz: longer than the host needs for the calls.
    cycles = int(min(host_ms * count * 2 + 1, 400) * 2e6)

    def run(start, end):
        torch.cuda._sleep(cycles)
        start.record()
        for _ in range(count):
            call()
        end.record()

    return statistics.median(_between(ROUNDS, run, budget)) / count


def graph(call, launches: int = 1) -> dict:
    """Measures calls in a captured graph."""
    count = max(1, min(CAPTURED, 4000 // max(launches, 1)))
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        call()
    torch.cuda.current_stream().wait_stream(stream)
    torch.cuda.synchronize()
    captured = torch.cuda.CUDAGraph()
    with torch.cuda.graph(captured):
        for _ in range(count):
            call()
    captured.replay()
    torch.cuda.synchronize()

    def run(start, end):
        start.record()
        captured.replay()
        end.record()

    times = [t / count for t in _between(ROUNDS, run)]
    return {"graph_ms": statistics.median(times), "graph_min_ms": min(times)}


def kernels(call, calls: int = 3) -> list[dict]:
    """Returns what CUPTI reports for each kernel of a call, sorted by descending time."""
    from torch.profiler import ProfilerActivity, profile

    call()
    torch.cuda.synchronize()
    with profile(activities=[ProfilerActivity.CUDA, ProfilerActivity.CPU]) as profiler:
        for _ in range(calls):
            call()
        torch.cuda.synchronize()
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "trace.json"
        profiler.export_chrome_trace(str(path))
        trace = json.loads(path.read_text(errors="replace"))["traceEvents"]
    found: dict[str, dict] = {}
    for event in trace:
        if event.get("cat") not in ("kernel", "gpu_memcpy", "gpu_memset"):
            continue
        about, name = event.get("args", {}), event["name"][:200]
        entry = found.setdefault(name, {
            "name": name, "kind": event["cat"], "calls": 0, "ms": 0.0,
            **{key.replace(" ", "_"): about[key] for key in (
                "grid", "block", "registers per thread", "shared memory",
                "est. achieved occupancy %") if key in about}})
        entry["calls"] += 1
        entry["ms"] += event["dur"] / 1e3
    for entry in found.values():
        entry["calls"] /= calls
        entry["ms"] = round(entry["ms"] / calls, 6)
    return sorted(found.values(), key=lambda e: -e["ms"])


def all_of(call, emit, is_cuda: bool, captures: bool = True, how: str = "") -> float | None:
    """Does all measurements that this machine supports and reports each at once with `emit`.
    Returns the host's milliseconds. If `how` is "quick" or "brief", does fewer and shorter ones,
    in the latter case without those of each kernel; if it is "events", measures only the time
    between events. Then it returns None."""
    emit(stage="time")
    if how == "events" and is_cuda:
        call()
        emit(events_ms=events(call, 0.2, 10, QUICK))
        return None
    budget = QUICK if how in ("quick", "brief") else BUDGET
    host_ms = host(call, is_cuda, budget)
    emit(host_ms=host_ms)
    if not is_cuda:
        return host_ms
    # If they are not counted, assume a launch in each 4 µs of the host.
    launches = int(host_ms * 250) + 1
    try:
        if how != "brief":
            emit(stage="profile")
            found = kernels(call)
            launches = int(sum(e["calls"] for e in found)) or launches
            emit(cupti_ms=sum(e["ms"] for e in found), launches=launches, kernels=found[:KERNELS])
    except Exception as e:  # CUPTI may be forbidden; continue with the other measurements
        emit(cupti_failed=f"{type(e).__name__}: {e}"[:500])
    emit(stage="events")
    emit(events_ms=events(call, host_ms, launches, budget))
    if how in ("quick", "brief"):
        return None
    if captures:
        emit(stage="graph")
        try:
            emit(**graph(call, launches))
        except Exception as e:
            emit(graph_failed=f"{type(e).__name__}: {e}"[:500])
    return host_ms


def copy_rate() -> float:
    """Returns the bytes per second that a copy on the device reads and writes."""
    x = torch.empty(1 << 28, device="cuda")
    y = torch.empty_like(x)
    return 2 * 4 * x.numel() / events(lambda: y.copy_(x), 0.1, 1) * 1e3
