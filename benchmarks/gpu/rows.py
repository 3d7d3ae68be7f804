"""Makes the rows of the results. Each task is a function that runs in a process of its own
(isolate.py). It reports its results stage by stage with `emit`, so that those before a crash are
kept."""

import contextlib
import copy
import ctypes
import json
import os
import pathlib
import shutil
import subprocess

import compare
import timing
import torch
from torch.utils import _pytree as pytree


def to(tree, device=None, dtype=None):
    def move(x):
        if not isinstance(x, torch.Tensor):
            return x
        kind = dtype if dtype and x.is_floating_point() else x.dtype
        if not x.storage_offset():
            return x.to(device or x.device, kind)
        flat = torch.empty(x.numel() + x.storage_offset(), dtype=kind, device=device or x.device)
        return flat[x.storage_offset():].reshape(x.shape).copy_(x)

    return pytree.tree_map(move, tree)


def tensors(tree) -> list[torch.Tensor]:
    return [x for x in pytree.tree_leaves(tree) if isinstance(x, torch.Tensor)]


def _finish(is_cuda: bool) -> None:
    if is_cuda:
        torch.cuda.synchronize()


def _open(device: str, profiles: bool = False) -> None:
    """Creates the context of the device, and prepares CUPTI, so that measurements do not wait for
    them."""
    if device != "cuda":
        return
    torch.zeros(1, device=device)
    if profiles:
        with contextlib.suppress(Exception):  # the measurement has the details
            timing.kernels(lambda: torch.zeros(1, device=device))


def _alone(task):
    """Excludes other measurements if the task measures times."""
    return timing.alone() if task.get("times", True) else contextlib.nullcontext()


# ---------------------------------------------------------------------------
# The machine
# ---------------------------------------------------------------------------


def _driver(emit) -> None:
    path = os.environ.get("FX_LIBCUDA", "libcuda.so.1")
    emit(stage="driver", libcuda=path)
    driver = ctypes.CDLL(path)
    name = ctypes.c_char_p()

    def check(what, code):
        if code:
            driver.cuGetErrorName(code, ctypes.byref(name))
            raise RuntimeError(f"{what}: {(name.value or b'?').decode()}, number {code}")

    check("cuInit", driver.cuInit(0))
    number = ctypes.c_int()
    check("cuDriverGetVersion", driver.cuDriverGetVersion(ctypes.byref(number)))
    emit(driver=f"{number.value // 1000}.{number.value % 1000 // 10}")
    check("cuDeviceGetCount", driver.cuDeviceGetCount(ctypes.byref(number)))
    emit(devices=number.value)
    if not number.value:
        raise RuntimeError("expected a device, got none")


def machine(task, emit) -> None:
    """Reports the driver, the GPU, the tools, and the bandwidth of a copy."""
    emit(torch=torch.__version__, torch_cuda=torch.version.cuda,
         tools={tool: shutil.which(tool) for tool in ("ncu", "compute-sanitizer", "nvidia-smi")})
    _driver(emit)
    if task["device"] != "cuda":
        emit(gpu="emulated, with tensors on the host")
        return
    emit(stage="torch", is_available=torch.cuda.is_available())
    properties = torch.cuda.get_device_properties(0)
    emit(gpu=properties.name, multiprocessors=properties.multi_processor_count,
         capability=f"{properties.major}.{properties.minor}", memory=properties.total_memory,
         free=torch.cuda.mem_get_info()[0])
    if shutil.which("nvidia-smi"):
        emit(stage="nvidia-smi")
        fields = ("driver_version,vbios_version,clocks.sm,clocks.mem,clocks.max.sm,power.draw,"
                  "power.limit,temperature.gpu,ecc.mode.current,mig.mode.current")
        said = subprocess.run(["nvidia-smi", f"--query-gpu={fields}", "--format=csv,noheader"],
                              capture_output=True, text=True, timeout=20)
        emit(nvidia_smi=dict(zip(fields.split(","), said.stdout.strip().split(", "))))
    emit(stage="copy")
    emit(copy_rate=timing.copy_rate())


# ---------------------------------------------------------------------------
# fx-mlir
# ---------------------------------------------------------------------------


def _load(task, emit):
    """Loads the compiled model and reports its image, code and schedules."""
    import native

    emit(stage="load")
    if kernels := task.get("kernels"):
        os.environ["FX_FAKE_CUDA_KERNELS"] = kernels
    log = pathlib.Path(os.environ["FX_GPU_LOG"])
    model = native.Model(task["artefact"])
    report = json.loads(model.info.report)
    image = json.loads(log.read_text().splitlines()[0]) if log.exists() else {}
    emit(image=image, code=report.get("device_kernels", []),
         schedules={k["name"]: k["schedule"] for k in report["kernels"] if k["when"] == "run"})
    return model


def _inputs(task, emit):
    """Returns the inputs on the host. Raises an error unless they are those that the bundle was
    made for."""
    import data
    import sets

    emit(stage="inputs")
    _open(task["device"])
    args, kwargs = sets.of_key(task["key"]).inputs(task["small"])
    leaves = tensors((args, kwargs))
    for i, (x, want) in enumerate(zip(leaves, task["inputs"], strict=True)):
        if (got := data.checksum([x])) != want:
            raise ValueError(f"input {i}: expected numbers with the checksum {want}, as the bundle "
                             f"was made for, got {got}: data.py or a seed has changed")
    return [to(x, task["device"]) for x in leaves]


def _reference(task, emit, where: str):
    """Returns the reference in float64, and the errors of eager PyTorch in the dtype of the case
    (None if eager fails). Both are computed on the device `where`."""
    import data
    import sets

    module, args, kwargs = sets.make(task["key"], task["small"])
    if (got := data.checksum(module.state_dict().values())) != task["states"]:
        raise ValueError(f"weights: expected numbers with the checksum {task['states']}, as the "
                         f"artefact holds, got {got}: data.py or a seed has changed")
    module = module.to(where)
    _set_tf32(sets.of_key(task["key"]).rounds)
    exact = copy.deepcopy(module).double()
    want = tensors(exact(*to(args, where, torch.float64), **to(kwargs, where, torch.float64)))
    del exact
    try:
        theirs = tensors(module(*to(args, where), **to(kwargs, where)))
    except Exception as e:  # the row of eager has the details
        emit(eager_failed=f"{type(e).__name__}: {e}"[:500])
        return want, None
    found = compare.distance(theirs, want), compare.spread(theirs, want)
    emit(eager_difference=compare.number(found[0]), eager_rms=compare.number(found[1]))
    return want, found


# Compares the outputs with a float64 reference, on the device or else on the host.
def _judge(task, emit, ours: list) -> None:
    import sets

    emit(stage="reference")
    places = [task["device"]] + (["cpu"] if task["device"] == "cuda" else [])
    for where in places:
        try:
            want, eager = _reference(task, emit, where)
            emit(reference=f"float64 on {where}")
            break
        except Exception as e:
            emit(**{f"reference_failed_{where}": f"{type(e).__name__}: {e}"[:1000]})
            if isinstance(e, ValueError) and "checksum" in str(e):
                emit(status="failed", error=str(e))
                return
    else:
        emit(status="unverified")
        return
    ours = [x.to(where) for x in ours]
    case = sets.of_key(task["key"])
    dtype = case.dtype
    kinds = [x.dtype for x in ours if x.dtype in compare.TOLERANCE] + [dtype]
    limit = max(compare.TOLERANCE[kind] for kind in kinds)
    limit_of_all = limit / 4
    if eager and max(eager) < float("inf"):
        # The errors of eager show how the case amplifies rounding errors.
        limit = max(compare.LARGEST * eager[0],
                    compare.LITTLE_TF32 if case.rounds else compare.LITTLE)
        limit_of_all = max(compare.ALL * eager[1],
                           compare.LITTLE_TF32_OF_ALL if case.rounds else compare.LITTLE_OF_ALL)
    difference, of_all = compare.distance(ours, want), compare.spread(ours, want)
    emit(difference=compare.number(difference), limit=limit, rms_difference=compare.number(of_all),
         rms_limit=limit_of_all)
    if difference > limit or of_all > limit_of_all:
        limit = limit if difference > limit else 3 * limit_of_all
        worst = [compare.mismatch(g, w, limit) for g, w in zip(ours, want)]
        emit(status="wrong", outputs=[len(ours), len(want)],
             error=f"results differ from float64 by {difference:.2e} at most and {of_all:.2e} in "
                   f"all, in units of the RMS; expected {limit:.2e} and {limit_of_all:.2e}",
             mismatches=[{"output": i, **about} for i, about in enumerate(worst)
                         if about.get("wrong", 1)])


def _graphs(log: pathlib.Path) -> dict:
    """Returns what the runtime logs about CUDA graphs: the number of graphs made, the largest power
    of two that the number of replays has reached, and why it makes no graphs."""
    lines = [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []
    made = [line for line in lines if line.get("graph") == "made"]
    found = {"made": len(made),
             "nodes": [line["nodes"] for line in made][:16],
             "levels": [line["levels"] for line in made][:16],
             "replayed": max((line["times"] for line in lines if "times" in line), default=0)}
    off = [line["why"] for line in lines if line.get("graphs") == "off"]
    return found | ({"off": off[0]} if off else {})


def _without_graphs(model, call, emit, is_cuda: bool, host_ms: float) -> None:
    """Measures again with kernels launched one by one, if graphs were used."""
    graphs = _graphs(pathlib.Path(os.environ["FX_GPU_LOG"]))
    emit(stage="time without graphs", graphs=graphs)
    if not graphs["made"]:
        return
    model.cuda_graphs = False
    emit(host_launches_ms=timing.host(call, is_cuda))
    if is_cuda:
        emit(events_launches_ms=timing.events(call, host_ms, 10))
    model.cuda_graphs = True


def ours(task, emit) -> None:
    """Runs the artefact, compares the results and times it. Also checks that all runs give the same
    results."""
    is_cuda = task["device"] == "cuda"
    inputs = _inputs(task, emit)
    _open(task["device"], task.get("times", True) and task.get("how") in ("", "quick"))
    emit(stage="wait")
    with torch.no_grad(), _alone(task):
        inputs = [to(x, task["device"]) for x in inputs]
        model = _load(task, emit)
        emit(stage="run")
        got = model(*inputs)
        _finish(is_cuda)
        first = [x.clone() for x in got]
        emit(stage="repeat", outputs_shape=[list(x.shape) for x in first])

        def again(what):
            count = sum(compare.differing(model(*inputs), first)
                        for _ in range(3 if is_cuda else 1))
            emit(**{what: count})
            if count:
                emit(status="wrong", error="runs on the same inputs differ: a race")

        again("differ_in_repeats")
        if task.get("emulated"):
            want = [x.to(task["device"]) for x in torch.load(task["emulated"])]
            equal = sum(w.numel() for w in want) - compare.differing(first, want)
            emit(emulated={"equal": equal, "of": sum(w.numel() for w in want),
                           "difference": compare.number(compare.distance(first, want))})
        if task.get("judges", True):
            _judge(task, emit, first)
        if task.get("times", True):
            host_ms = timing.all_of(lambda: model(*inputs), emit, is_cuda,
                                    how=task.get("how", ""))
            if host_ms:
                _without_graphs(model, lambda: model(*inputs), emit, is_cuda, host_ms)
            emit(stage="after the timed runs")
            again("differ_after_times")
        if task.get("save"):
            torch.save([x.cpu() for x in first], task["save"])


def once(task, emit) -> None:
    """Runs only the artefact, twice, under a tool."""
    with torch.no_grad():
        inputs = [to(x, task["device"]) for x in _inputs(task, emit)]
        model = _load(task, emit)
        emit(stage="run")
        for _ in range(2):
            model(*inputs)
            _finish(task["device"] == "cuda")


# ---------------------------------------------------------------------------
# PyTorch
# ---------------------------------------------------------------------------


def _theirs(task, emit):
    import sets

    emit(stage="build")
    made = sets.make(task["key"], task["small"])
    _open(task["device"])
    emit(stage="wait")
    return *made, sets.of_key(task["key"])


def _move(module, args, kwargs, device):
    return module.to(device), to(args, device), to(kwargs, device)


def _set_tf32(is_on: bool) -> None:
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = is_on


def eager(task, emit) -> None:
    """Times eager PyTorch; cases for which TF32 matters also with TF32."""
    is_cuda = task["device"] == "cuda"
    *made, case = _theirs(task, emit)
    with torch.no_grad(), timing.alone():
        module, args, kwargs = _move(*made, task["device"])
        emit(stage="run")
        _set_tf32(case.rounds)
        timing.all_of(lambda: module(*args, **kwargs), emit, is_cuda, how=task.get("how", ""))
        if case.tf32 and is_cuda and not task.get("how"):
            _set_tf32(True)
            emit(stage="tf32")
            emit(tf32_ms=timing.events(lambda: module(*args, **kwargs), 5, 50, timing.QUICK))


def compiled(task, emit) -> None:
    """Times torch.compile with the mode of the task. Several processes may compile at the same
    time; all of them have finished before one measures."""
    is_cuda = task["device"] == "cuda"
    with torch.no_grad():
        with timing.together():
            *made, case = _theirs(task, emit)
            module, args, kwargs = _move(*made, task["device"])
            emit(stage="compile")
            _set_tf32(case.rounds)
            # A dry run is on the host, which may have no compiler for Inductor.
            how = {"mode": task["mode"]} if is_cuda else {"backend": "aot_eager"}
            call = torch.compile(module, **how)
            call(*args, **kwargs)
            _finish(is_cuda)
        emit(stage="wait")
        with timing.alone():
            emit(stage="run")
            timing.all_of(lambda: call(*args, **kwargs), emit, is_cuda,
                          captures=task["mode"] != "reduce-overhead",
                          how=task.get("how", ""))


def work(task, emit) -> None:
    globals()[task["do"]](task, emit)
