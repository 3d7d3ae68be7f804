"""Compiles models to native code."""

from __future__ import annotations

import os
import re
import sys
import time
import warnings
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from fx_mlir import _torch
from fx_mlir._error import Error, FallbackWarning
from fx_mlir._models import CompiledModel
from fx_mlir._module import Module, Tuning, import_, is_exported_program
from fx_mlir._operators import register_pure_operators

if TYPE_CHECKING:
    import tempfile

    import torch


class Progress:
    """Shows the progress of a long compilation as one line on stderr."""

    def __init__(self) -> None:
        self._start = time.monotonic()
        self._shown = False

    def __call__(self, phase: str, done: float) -> None:
        if time.monotonic() - self._start < 1:
            return
        self._shown = True
        bar = "#" * int(done * 20)
        print(f"\r\033[K[{bar:20}] {done:4.0%} {phase}", end="", file=sys.stderr, flush=True)

    def close(self) -> None:
        if self._shown:
            print("\r\033[K", end="", file=sys.stderr, flush=True)


def warn_of_fallbacks(report: dict, hint: str = "") -> None:
    """Warns the caller of the caller if ATen runs operators of the model."""
    for method in report.get("methods", [report]):
        if summary := method["fallback_summary"]:
            name = f"method '{method['name']}': " if "name" in method else ""
            warnings.warn(name + summary + hint, FallbackWarning, stacklevel=3)


def build(
    module: Module,
    *,
    methods: Mapping[str, Module] | None = None,
    cpu: str = "",
    opt_level: int = 3,
    no_fallback: bool = False,
    progress: bool | Callable[[str, float], None] | None = None,
    target: str = "",
    precision: str = "f32",
    cache_dir: str | os.PathLike | None = None,
    tuning: Tuning | None = None,
    winograd: str = "auto",
    swappable_weights: bool = False,
    cache_capacity: int = 0,
) -> tuple[str, dict, tempfile.TemporaryDirectory]:
    """Compiles a module, or the `methods`, of which it is one. Returns the path of the shared
    object, the report, and the temporary folder of the shared object."""
    import json
    import tempfile

    folder = tempfile.TemporaryDirectory(prefix="fx-mlir-")
    path = os.path.join(folder.name, f"{module.name}.so")
    own = None
    if progress is True or (progress is None and sys.stderr.isatty()):
        progress = own = Progress()
    try:
        report = module.emit(
            "so",
            path,
            cpu=cpu,
            opt_level=opt_level,
            no_fallback=no_fallback,
            on_phase=progress or None,
            target=target,
            precision=precision,
            cache_dir=cache_dir,
            tuning=tuning,
            winograd=winograd,
            swappable_weights=swappable_weights,
            cache_capacity=cache_capacity,
            methods=methods,
        )
    finally:
        if own:
            own.close()
    return path, json.loads(report), folder


def frames_of(graph: torch.fx.Graph) -> dict[str, tuple[str, int]]:
    """Returns the innermost source line of each node that has a stack trace."""
    frames = {}
    for node in graph.nodes:
        for line in reversed((node.stack_trace or "").splitlines()):
            if line.strip().startswith('File "'):
                file, rest = line.strip()[6:].split('", line ', 1)
                frames[node.name] = (file, int(rest.split(",")[0]))
                break
    return frames


def _call_options(report: dict, source: Any) -> dict:
    """Returns the arguments of CompiledModel that tell how a method is called. `report` is that
    of the method."""
    return {
        "in_spec": report.get("in_spec", ""),
        "out_spec": report.get("out_spec", ""),
        "constants": report.get("constants"),
        "texts": report.get("text_outputs"),
        "frames": frames_of(source.graph) if is_exported_program(source) else {},
    }


def _default_precision(target: str) -> str:
    """Returns "tf32" if torch's switch allows it and all chips of the target have it."""
    torch = _torch.loaded()
    platform, _, chips = target.partition(":")
    numbers = re.findall(r"sm_(\d+)", chips)
    has_tf32 = platform == "cuda" and all(int(number) >= 80 for number in numbers)
    if torch is None or not has_tf32:
        return "f32"
    return "f32" if torch.get_float32_matmul_precision() == "highest" else "tf32"


def compile(
    source: Any,
    args: tuple | None = None,
    kwargs: dict | None = None,
    *,
    dynamic_shapes: Any = None,
    model: str = "",
    no_fallback: bool = False,
    threads: int = 1,
    cpu: str = "",
    opt_level: int = 3,
    progress: bool | Callable[[str, float], None] | None = None,
    target: str = "",
    precision: str | None = None,
    cache_dir: str | os.PathLike | None = None,
    tune: float = 0,
    tune_file: str | os.PathLike | None = None,
    tune_sizes: Mapping[str, int] | None = None,
    winograd: str = "auto",
    swappable_weights: bool = False,
    cache_capacity: int = 0,
    device: int = 0,
    cuda_graphs: bool = True,
) -> CompiledModel:
    """Compiles a model for inference.

    `source` is an argument of `import_`, or an `nn.Module` with example `args` and
    `kwargs` (and `dynamic_shapes`), which is exported first. Or it is a dictionary of
    arguments of `import_`, which become methods of one model: with `{"prefill": p,
    "decode": d}` the result has `prefill(...)` and `decode(...)`. Methods share weights of
    equal values, and mutated buffers of the same name.

    - `no_fallback`: operators without native code are an error; by default ATen runs
      them, and a `FallbackWarning` names them.
    - `threads`: the number of threads of each call, 0 for all CPUs.
    - `progress`: a call-back with the arguments (phase, part done), or True or False
      for a line on stderr; by default the line is shown on terminals.
    - `target`: the GPU that runs the model: "cuda" or "cuda:sm_90a,sm_80", "rocm" or
      "rocm:gfx942", or "vulkan". It is the one with the number `device`. Tensors may
      then be on the GPU, except for Vulkan, and outputs are where the inputs are.
      Without `cuda_graphs` kernels are launched one by one.
    - `precision`: "bf16" rounds the operands of f32 matmuls and convolutions to bf16;
      their sums, and all other computations, stay in f32. "int8" rounds the f32 operand
      of matmuls with integer weights to 8 bits, with a scale for each 32 terms of a row
      (on CPUs with VNNI; for weights of four bits also with AVX2). "bf16,int8" does both.
      "tf32" rounds the operands to TF32 (NVIDIA GPUs of sm_80 and newer); it is the
      default for these if `torch.get_float32_matmul_precision()` is not "highest".
      Otherwise the default is "f32".
    - `cache_dir`: the folder of the cache of compiled kernels, "" for none; by default
      $FX_CACHE_DIR or ~/.cache/fx-mlir, and none if $FX_CACHE is 0.
    - `tune`: measure schedules of the kernels on this machine for about this many
      seconds, with `threads` threads, and use those that are faster than the default.
      `tune_file` receives them; later compilations with this `tune_file` use them
      without measurements. `tune_sizes` gives the values of symbolic sizes in the
      measurements: {"s17": 16}.
    - `winograd`: the 3 x 3 convolutions of f32 that use Winograd's method: "auto" for
      those that gain from it, "off" for none, "f2" or "f4" for all.
    - `swappable_weights`: keep what `CompiledModel.load_weights`, `load_state_dict` and
      `apply_lora` need to replace weights that are folded or packed. The file is then up to
      twice as large, and integers of 4 bits are stored as bytes.
    - `cache_capacity`: caches that the program takes as inputs and returns with new values
      become states of the model with this number of rows, written in place. The model then
      has no inputs and outputs for them, but a last input `cache_length`, the number of rows
      before the new ones. Methods share caches of equal names.
    """
    torch = _torch.loaded()
    if args is not None:
        torch = _torch.require("compile with example inputs")
        source = torch.export.export(source, args, kwargs, dynamic_shapes=dynamic_shapes)
    elif torch is not None and isinstance(source, torch.nn.Module):
        raise TypeError("expected example inputs to export the module with: compile(module, (x,))")
    is_several = isinstance(source, Mapping)
    if is_several and (not source or model):
        raise TypeError("expected methods by name, and no `model`" if source else "no methods")
    sources = source if is_several else {"": source}
    modules = {}
    for name, each in sources.items():
        if is_exported_program(each):
            register_pure_operators(each.graph_module)
        modules[name] = import_(each, model=model)
    path, report, folder = build(
        next(iter(modules.values())),
        methods=modules if is_several else None,
        cpu=cpu,
        opt_level=opt_level,
        no_fallback=no_fallback,
        progress=progress,
        target=target,
        precision=precision or _default_precision(target),
        cache_dir=cache_dir,
        tuning=Tuning(tune_file, tune, threads, tune_sizes or {}),
        winograd=winograd,
        swappable_weights=swappable_weights,
        cache_capacity=cache_capacity,
    )
    warn_of_fallbacks(report, "; `report` of the result gives the reasons")
    reports = report.get("methods", [report])
    options = {n: _call_options(r, sources[n]) for n, r in zip(modules, reports)}
    compiled = CompiledModel(
        path,
        **next(iter(options.values())),
        report=report,
        threads=threads,
        keep=(folder,),
        device=device,
        cuda_graphs=cuda_graphs,
    )
    compiled._add_methods(options)
    return compiled
