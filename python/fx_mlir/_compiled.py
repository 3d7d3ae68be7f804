"""Compiled models: native code that takes and returns torch tensors."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import torch
from torch.utils import _pytree as pytree

from fx_mlir import _fx
from fx_mlir._error import Error, FallbackWarning
from fx_mlir._generator import shared_generator
from fx_mlir._module import Module, Tuning, import_
from fx_mlir._operators import register_pure_operators

# FXValueKind of fx/Runtime/model.h.
TENSOR, INT, FLOAT, BOOL, NONE = range(5)
# FXRunFlag.
_ASYNC, _HOST_OUTPUTS, _NO_GRAPHS = 1, 2, 4
_SCALAR_DTYPES = {INT: torch.int64, FLOAT: torch.float64, BOOL: torch.bool}


def to_capsule(
    value: Any, kind: int, name: str, mutated: bool = False, on_gpu: bool = False
) -> Any:
    """Returns a DLPack capsule of a tensor, or of a number as a 0-d tensor."""
    if isinstance(value, torch.Tensor):
        if value.device.type != "cpu" and not (on_gpu and value.device.type == "cuda"):
            where = "the CPU or a CUDA device" if on_gpu else "the CPU"
            raise Error(f"{name}: expected a tensor on {where}, got one on {value.device}")
        if value.layout != torch.strided:
            raise Error(f"{name}: expected a strided tensor, got {value.layout}")
        if value.is_nested or value.is_quantized:
            kind_of = "nested" if value.is_nested else "quantized"
            raise Error(f"{name}: expected a plain tensor, got a {kind_of} one")
        value = value.detach()
        if value.is_conj() or value.is_neg():
            # PyTorch conjugates and negates lazily; a view with these bits cannot be mutated.
            if mutated:
                raise Error(f"{name}: expected a tensor to write to, got a lazy conjugate or negative")
            value = value.resolve_conj().resolve_neg()
        try:
            return torch.utils.dlpack.to_dlpack(value)
        except (BufferError, RuntimeError) as e:  # DLPack does not support the dtype or storage
            raise Error(f"{name}: {e}") from e
    if kind == TENSOR or not isinstance(value, (int, float)):
        want = "a tensor" if kind == TENSOR else "a number"
        raise Error(f"{name}: expected {want}, got {type(value).__qualname__}")
    if kind == INT and isinstance(value, float):
        raise Error(f"{name}: expected an int, got {value}")
    try:
        number = torch.tensor(value, dtype=_SCALAR_DTYPES[kind])
    except (OverflowError, RuntimeError, ValueError) as e:
        raise Error(f"{name}: {e}") from e
    return torch.utils.dlpack.to_dlpack(number)


def from_capsule(capsule: Any, kind: int) -> Any:
    if capsule is None:
        return None
    tensor = torch.utils.dlpack.from_dlpack(capsule)
    return tensor if kind == TENSOR else tensor.item()


def _leaves_like(out: Any, spec: pytree.TreeSpec) -> list:
    """Returns the leaves of `out`, where None stands for any part of `spec`."""
    if out is None:
        return [None] * spec.num_leaves
    if spec.is_leaf():
        return [out]
    parts = spec.children()
    level = pytree.TreeSpec(spec.type, spec.context, [pytree.treespec_leaf() for _ in parts])
    try:
        children = level.flatten_up_to(out)
    except (TypeError, ValueError):
        text = " ".join(str(spec).split())
        raise Error(f"out: expected the structure {text}, got {type(out).__qualname__}") from None
    return [x for child, part in zip(children, parts) for x in _leaves_like(child, part)]


class FlatModel:
    """A compiled model that takes the flat list of input leaves and returns a flat list
    with one value for each output."""

    def __init__(
        self,
        path: str,
        threads: int = 1,
        frames: dict | None = None,
        device: int = 0,
        cuda_graphs: bool = True,
    ) -> None:
        self.impl = _fx.Model.load(path, device)
        self.info: dict = self.impl.info()
        self.threads = threads
        self.device = device
        self._flags = 0 if cuda_graphs else _NO_GRAPHS
        self._on_gpu = self.info["target"] is not None
        self._draws_random = self.info["draws_random"]
        self._frames = frames or {}
        self._inputs = [
            (i["leaf"], i["kind"], i["name"], i["mutated"]) for i in self.info["inputs"]
        ]
        self._kinds = [o["kind"] for o in self.info["outputs"]]

    def __call__(self, leaves: Sequence[Any]) -> list:
        capsules = self._capsules(leaves)
        options = self._options(leaves)
        if self._draws_random:
            with self._running():
                outputs = self.impl.run(capsules, self.threads, *options)
        else:  # a context manager takes as long as a small kernel
            try:
                outputs = self.impl.run(capsules, self.threads, *options)
            except Error as e:
                raise self._locate(e) from None
        return [from_capsule(o, kind) for o, kind in zip(outputs, self._kinds)]

    def run_into(self, outputs: Sequence[torch.Tensor | None], leaves: Sequence[Any]) -> None:
        """Runs the model and writes each output to a tensor; those for None are dropped."""
        targets = [
            None if o is None else to_capsule(o, TENSOR, f"output {k}", mutated=True)
            for k, o in enumerate(outputs)
        ]
        with self._running():
            self.impl.run_into(self._capsules(leaves), targets, self.threads)

    def _capsules(self, leaves: Sequence[Any]) -> list:
        return [
            to_capsule(leaves[leaf], kind, name, mutated, self._on_gpu)
            for leaf, kind, name, mutated in self._inputs
        ]

    @contextlib.contextmanager
    def _running(self) -> Iterator[None]:
        """Shares torch's random generator with the model, and locates the errors of a run."""
        generator = shared_generator(self.impl) if self._draws_random else contextlib.nullcontext()
        try:
            with generator:
                yield
        except Error as e:
            raise self._locate(e) from None

    def _options(self, leaves: Sequence[Any]) -> tuple[int, int]:
        """Returns the stream and the flags of a run. If an input is on the device, the
        outputs are on the device, too, and the run is asynchronous on PyTorch's current
        stream. Otherwise the outputs are on the host."""
        if not self._on_gpu:
            return 0, 0
        used = [v for leaf, *_ in self._inputs if isinstance(v := leaves[leaf], torch.Tensor)]
        if not any(v.device.type == "cuda" for v in used):
            return 0, _HOST_OUTPUTS | self._flags
        stream = torch.cuda.current_stream(self.device).cuda_stream
        # PyTorch reuses pinned memory when its tensor is freed, and does not know that the
        # run may still copy from it: wait for the run.
        is_pinned = any(v.device.type == "cpu" and v.dim() and v.is_pinned() for v in used)
        return stream, (0 if is_pinned else _ASYNC) | self._flags

    def _locate(self, error: Error) -> Error:
        """Returns the error with the source line of the node that its text begins with."""
        # The name of a node with several results joins their names: "getitem,getitem_1".
        node = error.message.split(":", 1)[0].split(",", 1)[0]
        file, line = self._frames.get(node, ("", 0))
        return Error(error.message, node if file else "", file, line)


class CompiledModel:
    """A model as native code. Call it like the module that was exported. It takes and
    returns torch tensors without copies, and does not compute gradients. Random
    operators draw from torch's generator of the CPU, like eager PyTorch.

    `report` describes the compilation: the seconds of each phase, the operators
    without native code and the reasons, the kernels. `info` describes inputs, outputs
    and guards.
    """

    def __init__(
        self,
        path: str,
        *,
        in_spec: pytree.TreeSpec | None = None,
        out_spec: pytree.TreeSpec | None = None,
        constants: dict[int, Any] | None = None,
        report: dict | None = None,
        threads: int = 1,
        frames: dict | None = None,
        keep: tuple = (),
        device: int = 0,
        cuda_graphs: bool = True,
    ) -> None:
        self._path = path
        self._flat = FlatModel(path, threads, frames, device, cuda_graphs)
        self._in_spec = in_spec
        self._out_spec = out_spec
        self._constants = constants or {}
        # Tensors that are passed by position need no flattening.
        self._takes_leaves = not self._constants
        if in_spec is not None:
            positional, by_name = in_spec.children()
            is_flat = all(child.is_leaf() for child in positional.children())
            self._takes_leaves &= is_flat and not by_name.children()
        self._returns_leaf = out_spec is not None and out_spec.is_leaf()
        self._keep = keep
        self.report: dict = report or {}
        outputs = self.info["outputs"]
        self._n_inputs: int = self.info["n_input_leaves"]
        # Outputs that only mutate inputs have no leaf.
        self._places = [(i, o["leaf"]) for i, o in enumerate(outputs) if o["leaf"] >= 0]
        self._n_outputs = max((leaf + 1 for _, leaf in self._places), default=0)

    @property
    def info(self) -> dict:
        return self._flat.info

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        results = self._flat(self._flatten(args, kwargs))
        outputs = [None] * self._n_outputs
        for i, leaf in self._places:
            outputs[leaf] = results[i]
        if self._out_spec is None:
            return tuple(outputs)
        if self._returns_leaf:
            return outputs[0]
        return pytree.tree_unflatten(outputs, self._out_spec)

    def run_into(self, out: Any, *args: Any, **kwargs: Any) -> Any:
        """Runs the model, writes its outputs to the tensors of `out`, and returns `out`.

        `out` has the structure of the result. An output whose place has None is dropped;
        that of a number is a 0-d tensor. A tensor that is contiguous, aligned to 64 bytes
        and in memory of its own is written directly, others by a copy. dtypes and shapes
        must be those of the outputs. Models for GPUs are an error.
        """
        if self._out_spec is None:
            leaves = pytree.tree_leaves(out, is_leaf=lambda x: x is None)
        else:
            leaves = _leaves_like(out, self._out_spec)
        if len(leaves) != self._n_outputs:
            raise Error(f"expected {self._n_outputs} outputs, got {len(leaves)}")
        targets: list = [None] * len(self.info["outputs"])
        for i, leaf in self._places:
            targets[i] = leaves[leaf]
        self._flat.run_into(targets, self._flatten(args, kwargs))
        return out

    def _flatten(self, args: tuple, kwargs: dict) -> Sequence[Any]:
        """Returns the leaves of the arguments, and checks those that are constants."""
        count = self._n_inputs
        if (
            self._takes_leaves
            and not kwargs
            and len(args) == count
            and all(isinstance(value, torch.Tensor) for value in args)
        ):
            return args
        if self._in_spec is None:
            leaves = pytree.tree_leaves((args, kwargs), is_leaf=lambda x: x is None)
        else:
            # Put keyword arguments in the order of the export.
            names = self._in_spec.child(1).context
            if set(names) == set(kwargs):
                kwargs = {name: kwargs[name] for name in names}
            leaves, spec = pytree.tree_flatten((args, kwargs))
            if spec != self._in_spec:
                want, got = (" ".join(str(s).split()) for s in (self._in_spec, spec))
                raise Error(f"expected arguments of the form {want}, got {got}")
        if len(leaves) != count:
            raise Error(f"expected {count} inputs, got {len(leaves)}")
        for leaf, want in self._constants.items():
            if leaves[leaf] != want:
                raise Error(f"input {leaf}: expected {want!r}, as exported, got {leaves[leaf]!r}")
        return leaves

    def reset(self) -> None:
        """Resets the buffers that the model mutates to their initial values."""
        self._flat.impl.reset()

    def save(self, path: str | os.PathLike) -> None:
        """Writes the shared object, which fx-run and `load` can load."""
        target = os.fsdecode(path)
        temporary = f"{target}.{os.getpid()}.tmp"
        try:
            shutil.copyfile(self._path, temporary)
            os.replace(temporary, target)
        except BaseException:
            with contextlib.suppress(OSError, ValueError):
                os.unlink(temporary)
            raise


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
    if summary := report["fallback_summary"]:
        warnings.warn(summary + hint, FallbackWarning, stacklevel=3)


def build(
    module: Module,
    *,
    cpu: str = "",
    opt_level: int = 3,
    no_fallback: bool = False,
    progress: bool | Callable[[str, float], None] | None = None,
    target: str = "",
    precision: str = "f32",
    cache_dir: str | os.PathLike | None = None,
    tuning: Tuning | None = None,
    winograd: str = "auto",
) -> tuple[str, dict, tempfile.TemporaryDirectory]:
    """Compiles a module. Returns the path of the shared object, the report, and the
    temporary folder of the shared object."""
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
        )
    finally:
        if own:
            own.close()
    return path, json.loads(report), folder


def _spec(module: Module, name: str) -> pytree.TreeSpec | None:
    try:
        text = module.attribute(name)
    except Error:  # no fx.graph @main
        return None
    return pytree.treespec_loads(text) if text else None


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
    precision: str = "f32",
    cache_dir: str | os.PathLike | None = None,
    tune: float = 0,
    tune_file: str | os.PathLike | None = None,
    tune_sizes: Mapping[str, int] | None = None,
    winograd: str = "auto",
    device: int = 0,
    cuda_graphs: bool = True,
) -> CompiledModel:
    """Compiles a model for inference.

    `source` is an argument of `import_`, or an `nn.Module` with example `args` and
    `kwargs` (and `dynamic_shapes`), which is exported first.

    - `no_fallback`: operators without native code are an error; by default ATen runs
      them, and a `FallbackWarning` names them.
    - `threads`: the number of threads of each call, 0 for all CPUs.
    - `progress`: a call-back with the arguments (phase, part done), or True or False
      for a line on stderr; by default the line is shown on terminals.
    - `target`: the GPU that runs the model, "cuda" or "cuda:sm_90a,sm_80". Tensors may
      then be on the GPU with the number `device`, and outputs are where the inputs
      are. Without `cuda_graphs` kernels are launched one by one. The other targets of
      `fx-compile` are errors: it makes kernels for them, but no runtime runs them yet.
    - `precision`: "bf16" rounds the operands of f32 matmuls and convolutions to bf16;
      their sums, and all other computations, stay in f32.
    - `cache_dir`: the folder of the cache of compiled kernels, "" for none; by default
      $FX_CACHE_DIR or ~/.cache/fx-mlir, and none if $FX_CACHE is 0.
    - `tune`: measure schedules of the kernels on this machine for about this many
      seconds, with `threads` threads, and use those that are faster than the default.
      `tune_file` receives them; later compilations with this `tune_file` use them
      without measurements. `tune_sizes` gives the values of symbolic sizes in the
      measurements: {"s17": 16}.
    - `winograd`: the 3 x 3 convolutions of f32 that use Winograd's method: "auto" for
      those that gain from it, "off" for none, "f2" or "f4" for all.
    """
    if args is not None:
        source = torch.export.export(source, args, kwargs, dynamic_shapes=dynamic_shapes)
    elif isinstance(source, torch.nn.Module):
        raise TypeError("expected example inputs to export the module with: compile(module, (x,))")
    constants: dict[int, Any] = {}
    frames: dict = {}
    if isinstance(source, torch.export.ExportedProgram):
        frames = frames_of(source.graph)
        register_pure_operators(source.graph_module)
    module = import_(source, model=model)
    path, report, folder = build(
        module,
        cpu=cpu,
        opt_level=opt_level,
        no_fallback=no_fallback,
        progress=progress,
        target=target,
        precision=precision,
        cache_dir=cache_dir,
        tuning=Tuning(tune_file, tune, threads, tune_sizes or {}),
        winograd=winograd,
    )
    warn_of_fallbacks(report, "; `report` of the result gives the reasons")
    compiled = CompiledModel(
        path,
        in_spec=_spec(module, "fx.in_spec"),
        out_spec=_spec(module, "fx.out_spec"),
        report=report,
        threads=threads,
        frames=frames,
        keep=(folder,),
        device=device,
        cuda_graphs=cuda_graphs,
    )
    if isinstance(source, torch.export.ExportedProgram) and source.example_inputs:
        passed = {i["leaf"] for i in compiled.info["inputs"]}
        for leaf, value in enumerate(pytree.tree_leaves(source.example_inputs)):
            if leaf not in passed:
                constants[leaf] = value
        compiled._constants = constants
    return compiled


def load(
    path: str | os.PathLike, *, threads: int = 1, device: int = 0, cuda_graphs: bool = True
) -> CompiledModel:
    """Loads a shared object of `fx-compile` or `CompiledModel.save`. A shared object does
    not store the structure of arguments and outputs: call it with the arguments in
    order; it returns a tuple. `device` and `cuda_graphs` are as in `compile`."""
    return CompiledModel(
        os.fspath(path), threads=threads, device=device, cuda_graphs=cuda_graphs
    )
