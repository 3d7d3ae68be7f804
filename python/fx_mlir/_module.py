"""Modules of the fx dialect."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from fx_mlir import _fx, _torch
from fx_mlir._error import Error

if TYPE_CHECKING:
    import torch

#: The formats that `Module.emit` writes: fx/Pipelines/Formats.def.
EMIT_KINDS = _fx.emit_kinds()

#: The formats that `Module.export` writes: fx/Export/Formats.def.
EXPORT_KINDS = _fx.export_kinds()

#: Notebooks show the picture of a graph with at most this many lines.
_LARGEST_PICTURE = 400

Phase = Callable[[str, float], None]


class Tuning(NamedTuple):
    """Where schedules from measurements come from: the options `--tune-file`, `--tune`,
    `--tune-threads` and `--tune-size` of `fx-compile`. `candidate` selects the schedule
    of each kernel, for tests."""

    file: str | os.PathLike | None = None
    seconds: float = 0
    threads: int = 1
    sizes: Mapping[str, int] = {}
    candidate: int = 0

    def to_c(self) -> tuple[str, float, int, str, int]:
        sizes = ",".join(f"{name}={size}" for name, size in self.sizes.items())
        file = os.fspath(self.file) if self.file is not None else ""
        return file, float(self.seconds), self.threads or -1, sizes, self.candidate


class Module:
    """A module of the fx dialect. `str(module)` is its MLIR text."""

    def __init__(
        self,
        impl: _fx.Module,
        keep: tuple = (),
        name: str = "model",
        root: torch.nn.Module | None = None,
    ) -> None:
        self._impl = impl
        # The live GraphModule that the module was made from.
        self._root = root
        # Keeps the temporary folder of the module's weights alive.
        self._keep = keep
        self.name = name
        # The report of `quantize` on each layer.
        self.report: dict = {}

    @staticmethod
    def parse(text: str | bytes, name: str = "<text>", folder: str = "") -> Module:
        """Parses MLIR text or bytecode. Paths of weights are relative to `folder`."""
        if not isinstance(text, (str, bytes)):
            raise TypeError(f"expected text or bytecode, got {type(text).__qualname__}")
        data = text.encode() if isinstance(text, str) else text
        return Module(_fx.Module.parse(data, name, folder))

    def __str__(self) -> str:
        return self._impl.text(False)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        """For notebooks: the text, and Mermaid's picture of a graph of readable size."""
        bundle = {"text/plain": str(self)}
        with contextlib.suppress(Error):  # no fx.graph
            picture = self.export("mermaid").decode()
            if picture.count("\n") <= _LARGEST_PICTURE:
                bundle["text/vnd.mermaid"] = picture
        return bundle

    def text(self, locations: bool = False) -> str:
        """Returns the MLIR text, with or without `locations` (names, Python stacks,
        metadata)."""
        return self._impl.text(locations)

    def bytecode(self) -> bytes:
        """Returns the MLIR bytecode."""
        return self._impl.bytecode()

    def export(self, kind: str) -> bytes:
        """Exports the module as one of EXPORT_KINDS: an archive for torch.export.load,
        the text of `str(graph)`, Python source, a picture for graphviz or Model
        Explorer, or the nodes as JSON."""
        if kind not in EXPORT_KINDS:
            raise Error(f"expected one of {', '.join(EXPORT_KINDS)}, got '{kind}'")
        return self._impl.export_as(EXPORT_KINDS.index(kind))

    def graph_module(self, root: torch.nn.Module | None = None) -> torch.fx.GraphModule:
        """Returns the graph as a live `torch.fx.GraphModule` with the names of its nodes.
        `root` holds the modules and tensors that the graph refers to; its default is the
        GraphModule that the module was imported from. Inputs that are states, such as
        those of an exported program, stay inputs if there is no root that holds them."""
        torch = _torch.require("graph_module")
        from fx_mlir._live import graph_module

        if root is not None and not isinstance(root, torch.nn.Module):
            raise TypeError(f"expected a module as root, got {type(root).__qualname__}")
        return graph_module(self, self._root if root is None else root)

    def attribute(self, name: str, symbol: str = "main") -> str:
        """Returns a string attribute of a graph, such as `fx.in_spec`, or "" if the graph
        does not have it."""
        return self._impl.attribute(symbol, name)

    def clone(self) -> Module:
        return Module(self._impl.clone(), self._keep, self.name, self._root)

    def verify(self) -> None:
        """Raises `Error` if the module is invalid."""
        self._impl.verify()

    def run(self, passes: str | Iterable[str]) -> Module:
        """Runs passes, which are named as in fx-opt, and returns the module. If a pass
        fails, the module does not change."""
        self._impl.run(passes if isinstance(passes, str) else ",".join(passes))
        return self

    def emit(
        self,
        kind: str,
        path: str | os.PathLike,
        *,
        cpu: str = "",
        opt_level: int = 3,
        no_fallback: bool = False,
        on_phase: Phase | None = None,
        debug_crash: str = "",
        target: str = "",
        precision: str = "f32",
        cache_dir: str | os.PathLike | None = None,
        tuning: Tuning | None = None,
        winograd: str = "auto",
        triple: str = "",
        swappable_weights: bool = False,
        cache_capacity: int = 0,
        methods: Mapping[str, Module] | None = None,
    ) -> str:
        """Compiles to the file `path` and returns the report as JSON. `kind` is one of
        EMIT_KINDS, as in `fx-compile --emit`; `target` is a GPU, as in `fx-compile
        --target`, and `precision` "f32", "bf16", "int8" or "bf16,int8", as in `fx-compile
        --precision`.
        `cache_dir` is the folder of the cache of compiled kernels, as in `fx-compile
        --cache-dir`; "" turns the cache off. `winograd` is "auto", "off", "f2" or "f4", as
        in `fx-compile --winograd`; `triple` is the machine that runs the code, as in
        `fx-compile --mtriple`; `swappable_weights` and `cache_capacity` are as in `compile`.
        `methods` has, by name, the modules that become the methods of a shared object, this
        module among them. A crash of the compiler raises `Error`;
        `debug_crash` names a phase that crashes, for tests of this."""
        tuning = tuning or Tuning()
        if kind not in EMIT_KINDS:
            raise Error(f"expected one of {', '.join(EMIT_KINDS)}, got '{kind}'")
        if not isinstance(opt_level, int) or not 0 <= opt_level <= 3:
            raise Error(f"expected an optimization level from 0 to 3, got {opt_level!r:.80}")
        if not isinstance(cache_capacity, int) or not 0 <= cache_capacity < 2**63:
            raise Error(f"cache_capacity: expected 0 or more, got {cache_capacity!r:.80}")
        return self._impl.compile(
            os.fspath(path),
            EMIT_KINDS.index(kind),
            self.name,
            cpu,
            opt_level,
            no_fallback,
            on_phase,
            debug_crash,
            target,
            precision,
            None if cache_dir is None else os.fspath(cache_dir),
            tuning.to_c(),
            winograd,
            triple,
            bool(swappable_weights),
            cache_capacity,
            [(name, module._impl) for name, module in (methods or {}).items()],
        )


def _limits(nodes: int, text_bytes: int, seconds: float) -> tuple[int, int, float]:
    for name, limit in ("max_nodes", nodes), ("max_text_bytes", text_bytes):
        if not isinstance(limit, int) or not 0 <= limit < 2**64:
            raise Error(f"{name}: expected an integer of 0 or more, got {limit!r:.80}")
    if not isinstance(seconds, (int, float)) or not 0 <= seconds < float("inf"):
        raise Error(f"max_seconds: expected a number of 0 or more, got {seconds!r:.80}")
    return nodes, text_bytes, float(seconds)


def _import_stream(source: Any, model: str, limits: tuple[int, int, float]) -> Module:
    name = getattr(source, "name", None)  # of files that `open` opened
    if not isinstance(name, str) or not name:
        name = "<stream>"
    stem = "model" if name == "<stream>" else os.path.splitext(os.path.basename(name))[0]
    return Module(_fx.Module.import_stream(source.read, name, model, limits), name=stem)


def is_exported_program(source: Any) -> bool:
    torch = _torch.loaded()
    return torch is not None and isinstance(source, torch.export.ExportedProgram)


def import_(
    source: Any,
    args: tuple | None = None,
    kwargs: dict | None = None,
    *,
    dynamic_shapes: Any = None,
    model: str = "",
    max_nodes: int = 0,
    max_text_bytes: int = 0,
    max_seconds: float = 0,
) -> Module:
    """Imports a module of the fx dialect from one of

    - a `torch.export.ExportedProgram`,
    - a live `torch.fx.GraphModule`. Values whose type is unknown are `!fx.any`. With
      example inputs `args` and `kwargs`, the types of all values are recorded, and
      the operators that each call of a module, method or Python function runs, so
      that the pass `fx-resolve-calls` can replace these calls with operators. Sizes
      are those of the examples, unless `dynamic_shapes` (as in torch.export) makes
      them dynamic or the graph was traced with symbolic sizes,
    - the path of a `.pt2` archive (`model` names one of several models in it), or of
      MLIR text or bytecode (`.mlir`, `.mlirbc`),
    - a `.pt2` archive in memory: bytes, a bytearray or a memoryview, which are copied,
      or a binary file object, which is read to its end.

    An archive of unknown origin can be given limits, 0 for none: the number of nodes of
    all graphs, the bytes of JSON that are read, and the seconds of the import. An
    archive that exceeds one raises `Error`.
    """
    limits = _limits(max_nodes, max_text_bytes, max_seconds)
    torch = _torch.loaded()
    is_live = torch is not None and isinstance(source, torch.fx.GraphModule)
    if (args is not None or kwargs) and not is_live:
        raise TypeError("expected a GraphModule, which alone takes example inputs")
    if dynamic_shapes is not None and args is None:
        raise TypeError("expected example inputs with dynamic_shapes")
    if args is not None and not isinstance(args, tuple):
        raise TypeError(f"expected a tuple of example inputs, got {type(args).__qualname__}")
    if isinstance(source, Module):
        return source
    if is_exported_program(source):
        import tempfile

        folder = tempfile.TemporaryDirectory(prefix="fx-mlir-")
        path = os.path.join(folder.name, "model.pt2")
        torch.export.save(source, path)
        return Module(_fx.Module.import_(path, "", limits), (folder,))
    if is_live:
        from fx_mlir._graph import import_graph_module

        return import_graph_module(source, args, kwargs, dynamic_shapes)
    if isinstance(source, (bytes, bytearray, memoryview)):
        return Module(_fx.Module.import_buffer(source, "<bytes>", model, limits))
    if not isinstance(source, (str, os.PathLike)) and callable(getattr(source, "read", None)):
        return _import_stream(source, model, limits)
    if not isinstance(source, (str, os.PathLike)):
        raise TypeError(
            "expected an ExportedProgram, a GraphModule, a path, bytes or a binary file, got "
            f"{type(source).__module__}.{type(source).__qualname__}"
        )
    path = os.fspath(source)
    name, suffix = os.path.splitext(os.path.basename(path))
    if suffix in (".mlir", ".mlirbc"):
        return Module(_fx.Module.parse_file(path), name=name)
    return Module(_fx.Module.import_(path, model, limits), name=name)
