"""Compiled models: native code that takes and returns tensors of torch or NumPy arrays.

The package fx_mlir_runtime has this file, too: imports are relative.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from . import _fx, _pytree, _torch
from ._error import Error
from ._tensors import TENSOR, is_torch, to_array, to_capsule, to_torch

# FXRunFlag.
_ASYNC, _HOST_OUTPUTS, _NO_GRAPHS = 1, 2, 4


def _leaves_like(trees: Any, out: Any, spec: Any) -> list:
    """Returns the leaves of `out`, where None stands for any part of `spec`, a structure of the
    module `trees`."""
    if out is None:
        return [None] * spec.num_leaves
    if spec.is_leaf():
        return [out]
    parts = spec.children()
    level = trees.TreeSpec(spec.type, spec.context, [trees.treespec_leaf() for _ in parts])
    try:
        children = level.flatten_up_to(out)
    except (TypeError, ValueError):
        text = " ".join(str(spec).split())
        raise Error(f"out: expected the structure {text}, got {type(out).__qualname__}") from None
    return [x for child, part in zip(children, parts) for x in _leaves_like(trees, child, part)]


def _is_same(value: Any, constant: Any) -> bool:
    """Returns whether an argument equals a constant of the export. Like the guards of
    torch.export, this does not compare types of numbers."""
    if constant is None or value is None:
        return value is constant
    try:
        return not hasattr(value, "__dlpack__") and bool(value == constant)
    except Exception:  # a value that cannot be compared
        return False


def load_impl(path: str, device: int) -> Any:
    """Loads a model. libFXTorch runs operators without native code, or Python if libFXTorch cannot
    use the torch that is loaded."""
    calls_python = _torch.is_other()
    try:
        return _fx.Model.load(path, device, calls_python)
    except Error:
        if calls_python or not _torch.is_other():
            raise
    # The model needs torch, and the load has imported it.
    return _fx.Model.load(path, device, True)


class FlatModel:
    """A compiled model that takes the flat list of input leaves and returns a flat list
    with one value for each output."""

    def __init__(
        self,
        impl: Any,
        threads: int = 1,
        frames: dict | None = None,
        device: int = 0,
        cuda_graphs: bool = True,
    ) -> None:
        self.impl = impl
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
        # Tensors of torch and arrays need no capsules if all inputs and outputs are tensors.
        self._call = None
        if (
            not self._on_gpu
            and not self._draws_random
            and [leaf for leaf, *_ in self._inputs] == list(range(self.info["n_input_leaves"]))
            and all(kind == TENSOR for kind in (*(i[1] for i in self._inputs), *self._kinds))
        ):
            self._call = getattr(self.impl, "call", None)

    def call_tensors(self, leaves: tuple) -> list | None:
        """Runs the model on plain tensors of torch on the CPU, or on NumPy arrays. Returns None if
        an input, an output or the model is anything else."""
        if self._call is None:
            return None
        try:
            return self._call(leaves, self.threads)
        except Error as e:
            raise self._locate(e) from None

    def __call__(self, leaves: Sequence[Any]) -> list:
        if (outputs := self.call_tensors(tuple(leaves))) is not None:
            return outputs
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
        convert = to_torch if is_torch(leaves) else to_array
        return [convert(o, kind) for o, kind in zip(outputs, self._kinds)]

    def run_into(self, outputs: Sequence[Any], leaves: Sequence[Any]) -> None:
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
        generator: Any = contextlib.nullcontext()
        if self._draws_random and _torch.loaded() is not None:
            from ._generator import shared_generator

            generator = shared_generator(self.impl)
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
        torch = _torch.loaded()
        if torch is None:
            return 0, _HOST_OUTPUTS | self._flags
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
    returns tensors without copies, and does not compute gradients.

    Inputs are tensors of torch, NumPy arrays, or other objects with `__dlpack__`. If one is
    a tensor of torch, the outputs are tensors of torch; otherwise they are NumPy arrays, or
    `fx_mlir.Tensor` for dtypes that NumPy does not have. If torch is loaded, random operators
    draw from its generator of the CPU, like eager PyTorch; otherwise from the model's own.

    `report` describes the compilation: the seconds of each phase, the operators
    without native code and the reasons, the kernels. `info` describes inputs, outputs
    and guards.

    A model with several methods has an attribute for each of them, `m.prefill(x)`, and
    `m.methods` has all of them by name. Each one is a `CompiledModel`; they share the
    weights, the buffers that they mutate, and the random generator. The model itself is the
    first method.
    """

    def __init__(
        self,
        path: str,
        *,
        in_spec: str = "",
        out_spec: str = "",
        constants: list[dict] | None = None,
        texts: list[dict] | None = None,
        report: dict | None = None,
        threads: int = 1,
        frames: dict | None = None,
        keep: tuple = (),
        device: int = 0,
        cuda_graphs: bool = True,
        impl: Any = None,
        method: str = "",
    ) -> None:
        self._path = path
        impl = impl or load_impl(path, device)
        self._flat = FlatModel(impl, threads, frames, device, cuda_graphs)
        self._method = method or impl.methods()[0]
        self._methods: dict[str, CompiledModel] = {}
        # A structure, and the module that it is from: torch may be loaded later.
        self._in_spec: Any = None
        self._out_spec: Any = None
        self._in_trees = self._out_trees = _pytree
        if in_spec:
            self._in_trees, self._in_spec = _pytree.load_spec(in_spec)
        if out_spec:
            self._out_trees, self._out_spec = _pytree.load_spec(out_spec)
        # The inputs that export made constants: the leaf, the name and the value.
        self._constants = constants or []
        #: The outputs that are texts: the leaf and the text.
        self._texts = texts or []
        # Tensors that are passed by position need no flattening.
        self._takes_leaves = not self._constants
        if self._in_spec is not None:
            positional, by_name = self._in_spec.children()
            is_flat = all(child.is_leaf() for child in positional.children())
            self._takes_leaves &= is_flat and not by_name.children()
        self._returns_leaf = self._out_spec is not None and self._out_spec.is_leaf()
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

    @property
    def threads(self) -> int:
        """The number of threads of a call, 0 for all CPUs."""
        return self._flat.threads

    @threads.setter
    def threads(self, threads: int) -> None:
        if not isinstance(threads, int) or threads < 0:
            raise Error(f"threads: expected 0 or more, got {threads!r:.80}")
        self._flat.threads = threads

    def call_flat(self, leaves: Sequence[Any]) -> list:
        """Runs the model on all leaves of its arguments, in order. Returns the leaves of the
        result. Leaves that were constants of the export are not looked at."""
        if len(leaves) != self._n_inputs:
            raise Error(f"expected {self._n_inputs} inputs, got {len(leaves)}")
        return self._leaves(self._flat(leaves))

    def _leaves(self, results: list) -> list:
        """Returns the leaves of the result of these outputs of the model."""
        outputs = [None] * self._n_outputs
        for i, leaf in self._places:
            outputs[leaf] = results[i]
        for text in self._texts:
            outputs[text["leaf"]] = text["value"]
        return outputs

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        outputs = None
        if self._takes_leaves and not kwargs and len(args) == self._n_inputs:
            outputs = self._flat.call_tensors(args)
        if outputs is None:
            outputs = self._flat(self._flatten(args, kwargs))
        return self._unflatten(outputs)

    def _unflatten(self, results: list) -> Any:
        if self._returns_leaf and len(results) == 1 and not self._texts:
            return results[0]
        outputs = self._leaves(results)
        if self._out_spec is None:
            return tuple(outputs)
        if self._returns_leaf:
            return outputs[0]
        return self._out_trees.tree_unflatten(outputs, self._out_spec)

    def run_into(self, out: Any, *args: Any, **kwargs: Any) -> Any:
        """Runs the model, writes its outputs to the tensors of `out`, and returns `out`.

        `out` has the structure of the result. An output whose place has None is dropped;
        that of a number is a 0-d tensor. A tensor that is contiguous, aligned to 64 bytes
        and in memory of its own is written directly, others by a copy. dtypes and shapes
        must be those of the outputs. Models for GPUs are an error.
        """
        if self._out_spec is None:
            leaves = _pytree.implementation().tree_leaves(out, is_leaf=lambda x: x is None)
        else:
            leaves = _leaves_like(self._out_trees, out, self._out_spec)
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
            and all(hasattr(value, "__dlpack__") for value in args)
        ):
            return args
        if self._in_spec is None:
            trees = _pytree.implementation()
            leaves = trees.tree_leaves((args, kwargs), is_leaf=lambda x: x is None)
        else:
            # Put keyword arguments in the order of the export.
            names = self._in_spec.child(1).context
            if set(names) == set(kwargs):
                kwargs = {name: kwargs[name] for name in names}
            leaves, spec = self._in_trees.tree_flatten((args, kwargs))
            if spec != self._in_spec:
                leaves = self._in_other_order(args, kwargs)
            if leaves is None:
                self._check_number(args, kwargs)
                want, got = (" ".join(str(s).split()) for s in (self._in_spec, spec))
                raise Error(f"expected arguments of the form {want}, got {got}")
        if len(leaves) != count:
            raise Error(f"expected {count} inputs, got {len(leaves)}")
        for constant in self._constants:
            want, got = constant["value"], leaves[constant["leaf"]]
            if not _is_same(got, want):
                raise Error(
                    f"input {constant['name']!r}: the model was exported for the value {want!r}, "
                    f"got {got!r:.80}"
                )
        return leaves

    def _in_other_order(self, args: tuple, kwargs: dict) -> list | None:
        """Returns the leaves of arguments whose dictionaries have the keys of the export in another
        order, None for other arguments."""
        trees = self._in_trees

        def visit(spec: Any, value: Any) -> list:
            if spec.is_leaf():
                if not trees.tree_flatten(value)[1].is_leaf():
                    raise ValueError("a leaf of the export is a structure")
                return [value]
            parts = spec.children()
            level = trees.TreeSpec(spec.type, spec.context, [trees.treespec_leaf() for _ in parts])
            values = level.flatten_up_to(value)
            return [x for part, each in zip(parts, values) for x in visit(part, each)]

        try:
            return visit(self._in_spec, (args, kwargs))
        except (TypeError, ValueError, KeyError):
            return None

    def _check_number(self, args: tuple, kwargs: dict) -> None:
        """Raises Error if the module takes plain arguments, and their number is wrong. The text is
        shorter than one about structures."""
        positional, by_name = self._in_spec.children()
        plain = all(child.is_leaf() for child in positional.children()) and not by_name.children()
        if plain and not kwargs and len(args) != self._n_inputs:
            raise Error(f"expected {self._n_inputs} inputs, got {len(args)}")

    @property
    def methods(self) -> dict[str, CompiledModel]:
        """The methods by name. A model with one method has only itself."""
        return self._methods or {self._method: self}

    def _add_methods(self, options: dict[str, dict]) -> None:
        """Sets `methods`. `options` has arguments of `__init__` by the names of methods."""
        names = self._flat.impl.methods()
        for index, name in enumerate(names if len(names) > 1 else []):
            self._methods[name] = CompiledModel(
                self._path,
                threads=self._flat.threads,
                keep=self._keep,
                impl=self._flat.impl.method(index),
                method=name,
                **options.get(name, {}),
            )

    def __getattr__(self, name: str) -> CompiledModel:
        own = self.__dict__.get("_method")
        methods = self.__dict__.get("_methods") or {own: self}
        if own is None or name not in methods:
            known = ", ".join(filter(None, methods))
            raise AttributeError(
                f"'{type(self).__name__}' has no attribute or method '{name}'; its methods: {known}"
            )
        return methods[name]

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._methods]

    def reset(self) -> None:
        """Resets the buffers that the model mutates to their initial values."""
        self._flat.impl.reset()

    def seed(self, seed: int) -> None:
        """Seeds the model's own random generator, from which it draws if torch is not loaded."""
        if not isinstance(seed, int) or not 0 <= seed < 2**64:
            raise Error(f"expected a seed from 0 to 2**64 - 1, got {seed!r:.80}")
        self._flat.impl.seed(seed)

    def load_weights(
        self,
        path: str | os.PathLike,
        *,
        strict: bool = True,
        names: Mapping[str, str] | None = None,
    ) -> None:
        """Replaces the weights by those of a file: safetensors (one file, or a folder or index of
        shards) or GGUF. All methods get them. The model must have been compiled with
        `swappable_weights`; otherwise only weights that are neither folded nor packed can be
        replaced.

        - Tensors have the names of the `state_dict`; a prefix that all names of the model or of
          the file have in addition is found. `names` gives other names: weight to tensor. For
          GGUF files of Llama, Qwen 2 and 3, Gemma and Phi 3, the default is the names of
          transformers.
        - Tensors are read in the mapped file without copies where possible; it must not change.
        - float16, bfloat16 and quantized blocks become float32 if the model has float32. Blocks of
          Q4_0 and Q8_0 become the integers of `quantize` with `group_size=32`, with equal values.
        - `strict`: parameters and persistent buffers that the file lacks, and tensors that the
          model lacks, are errors.

        An error lists all problems, and leaves the model as it was.
        """
        self._weights().WeightFile(path).load_into(self._flat.impl, strict, names)

    def load_state_dict(self, state_dict: Mapping[str, Any], *, strict: bool = True) -> None:
        """Replaces the weights by copies of tensors of torch or NumPy arrays, by name. See
        `load_weights`."""
        self._weights().load_tensors(self._flat.impl, state_dict, strict)

    def apply_lora(self, folder: str | os.PathLike, *, scale: float = 1.0) -> None:
        """Adds `scale` times a low-rank adapter of the package peft to the weights. `folder` has
        `adapter_config.json` and `adapter_model.safetensors`. An adapter that was applied before
        is replaced. The model must have been compiled with `swappable_weights`. While an adapter
        is applied, weights cannot be replaced."""
        self._weights()
        self._flat.impl.apply_lora(os.fspath(folder), float(scale))

    def remove_lora(self) -> None:
        """Restores the weights without the adapter, bit for bit."""
        self._weights()
        self._flat.impl.remove_lora()

    @staticmethod
    def _weights() -> Any:
        try:
            from . import _weights
        except ImportError:  # fx_mlir_runtime
            raise Error("weights are replaced by the package fx_mlir") from None
        return _weights

    def save(self, path: str | os.PathLike) -> None:
        """Writes the shared object, which fx-run and `load` can load."""
        import shutil

        target = os.fsdecode(path)
        temporary = f"{target}.{os.getpid()}.tmp"
        try:
            shutil.copyfile(self._path, temporary)
            os.replace(temporary, target)
        except BaseException:
            with contextlib.suppress(OSError, ValueError):
                os.unlink(temporary)
            raise


def load(
    path: str | os.PathLike, *, threads: int = 1, device: int = 0, cuda_graphs: bool = True
) -> CompiledModel:
    """Loads a shared object of `fx-compile` or `CompiledModel.save`. Call the result like the
    module that was exported. If the structure of arguments and results is not known (the
    program was not exported by torch, or a type is not registered in this process), it takes
    the arguments in order and returns a tuple. Arguments that the export fixed to a constant
    must have this value. `device` and `cuda_graphs` are as in `compile`."""
    impl = load_impl(os.fspath(path), device)
    names = impl.methods()
    options = {n: _stored_options(impl.method(i)) for i, n in enumerate(names) if len(names) > 1}
    model = CompiledModel(
        os.fspath(path),
        threads=threads,
        device=device,
        cuda_graphs=cuda_graphs,
        impl=impl,
        **_stored_options(impl),
    )
    model._add_methods(options)
    return model


def _stored_options(impl: Any) -> dict:
    """Returns arguments of CompiledModel from the report in the shared object."""
    import json

    report = json.loads(impl.report() or "{}")
    specs = {key: report.get(key, "") for key in ("in_spec", "out_spec")}
    options = {
        "report": report,
        "constants": report.get("constants"),
        "texts": report.get("text_outputs"),
    }
    return options | {k: text for k, text in specs.items() if _pytree.is_known(text)}
