"""The backend of `torch.compile(model, backend="fx_mlir")`, for inference, and for
training through AOTAutograd. The entry point `torch_dynamo_backends` registers it.

Options of `torch.compile(..., options={...})`: `threads` (of each call, default:
torch's), `no_fallback`, `opt_level`, `precision` ("f32", "bf16", "int8" or "bf16,int8"),
`cache_dir` (the folder of the cache of compiled kernels, "" for none), `tune_file`, `winograd`
("auto", "off", "f2" or "f4").
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fx_mlir import _torch

_torch.require("the backend of torch.compile")

import torch
from torch import fx
from torch._decomp import get_decompositions

from fx_mlir._compiled import build, frames_of, warn_of_fallbacks
from fx_mlir._error import Error
from fx_mlir._graph import GraphImporter
from fx_mlir._models import FlatModel, load_impl
from fx_mlir._module import Tuning
from fx_mlir._operators import register_pure_operators

_aten = torch.ops.aten

# "mode" is torch's own.
_OPTIONS = {"threads", "no_fallback", "opt_level", "precision", "cache_dir", "tune_file"}
_OPTIONS |= {"winograd", "mode"}

# Operators of backward graphs without a lowering that are decomposed into operators
# with one.
_DECOMPOSED = [
    _aten.embedding_dense_backward,
    _aten.gelu_backward,
    _aten.hardswish_backward,
    _aten.hardtanh_backward,
    _aten.leaky_relu_backward,
    _aten._log_softmax_backward_data,
    _aten.mse_loss,
    _aten.mse_loss_backward,
    _aten.native_batch_norm_backward,
    _aten.native_dropout_backward,
    _aten.native_group_norm_backward,
    _aten.native_layer_norm_backward,
    _aten.nll_loss_backward,
    _aten.nll_loss_forward,
    _aten.select_backward,
    _aten.sigmoid_backward,
    _aten.silu_backward,
    _aten.slice_backward,
    _aten._softmax_backward_data,
    _aten.tanh_backward,
    _aten.threshold_backward,
]


def _stride_order(value: Any) -> list[int] | None:
    """Returns the dimensions ordered by stride, the largest first, for a dense tensor
    whose dimensions are not in this order. Returns None for other values."""
    if not isinstance(value, torch.Tensor) or value.layout != torch.strided:
        return None
    hints = [s if isinstance(s, int) else s.node.hint for s in value.stride()]
    sizes = [s if isinstance(s, int) else s.node.hint for s in value.shape]
    if any(h is None or h == 0 for h in hints + sizes):
        return None
    order = sorted(range(len(hints)), key=lambda d: (-hints[d], -sizes[d]))
    expected = 1
    for d in reversed(order):
        if sizes[d] != 1 and hints[d] != expected:
            return None  # not dense
        expected *= sizes[d]
    return None if order == list(range(len(order))) else order


def _restride(tensor: torch.Tensor, order: list[int]) -> torch.Tensor:
    back = sorted(range(len(order)), key=order.__getitem__)
    return tensor.permute(order).contiguous().permute(back)


class _Compiled:
    """A graph of AOTAutograd as native code. It is called with a list of inputs."""

    def __init__(self, gm: fx.GraphModule, options: dict) -> None:
        inputs = gm.graph.find_nodes(op="placeholder")
        output: Any = gm.graph.output_node().args[0]
        outputs = [output] if isinstance(output, fx.Node) else list(output)
        index = {node: i for i, node in enumerate(inputs)}
        computed = list(
            dict.fromkeys(o for o in outputs if isinstance(o, fx.Node) and o not in index)
        )
        # Outputs that are inputs or constants are not outputs of the compiled graph.
        self._places: list[tuple[str, Any]] = []
        for o in outputs:
            if not isinstance(o, fx.Node):
                self._places.append(("constant", o))
            elif o in index:
                self._places.append(("input", index[o]))
            else:
                self._places.append(("result", computed.index(o)))
        self._orders = [_stride_order(o.meta.get("val")) for o in computed]
        self._model: FlatModel | None = None
        self.report: dict = {}
        if not computed:
            return
        register_pure_operators(gm)
        module = GraphImporter(gm, lift=True, outputs=computed).run()
        threads = options.get("threads", torch.get_num_threads())
        path, self.report, self._folder = build(
            module,
            opt_level=options.get("opt_level", 3),
            no_fallback=options.get("no_fallback", False),
            precision=options.get("precision", "f32"),
            cache_dir=options.get("cache_dir"),
            tuning=Tuning(options.get("tune_file"), threads=threads),
            winograd=options.get("winograd", "auto"),
            progress=False,
        )
        warn_of_fallbacks(self.report)
        self._model = FlatModel(load_impl(path, 0), threads, frames_of(gm.graph))
        by_leaf = {o["leaf"]: i for i, o in enumerate(self._model.info["outputs"])}
        self._leaves = [by_leaf[leaf] for leaf in range(len(computed))]

    def __call__(self, inputs: list) -> list:
        values = list(inputs)
        inputs.clear()
        results: list = []
        if self._model is not None:
            flat = self._model(values)
            results = [flat[i] for i in self._leaves]
            for i, order in enumerate(self._orders):
                if order is not None:
                    results[i] = _restride(results[i], order)
        return [
            place if kind == "constant" else (values if kind == "input" else results)[place]
            for kind, place in self._places
        ]


def _compile(gm: fx.GraphModule, example_inputs: list, options: dict) -> Callable:
    for value in example_inputs:
        if isinstance(value, torch.Tensor) and value.device.type != "cpu":
            raise Error(f"fx_mlir compiles for the CPU, got an input on {value.device}")
    compiled = _Compiled(gm, options)

    def run(inputs: list) -> list:
        return compiled(inputs)

    # With this attribute AOTAutograd passes the inputs as a list that holds the only
    # references to them.
    run._boxed_call = True  # type: ignore[attr-defined]
    return run


def fx_mlir(
    gm: fx.GraphModule, example_inputs: list, *, options: dict | None = None, **kwargs: Any
) -> Callable:
    """Compiles the forward and backward graphs of a graph of Dynamo."""
    from torch._dynamo.backends.common import aot_autograd

    options = dict(options or {}, **kwargs)
    unknown = set(options) - _OPTIONS
    if unknown:
        raise Error(f"unknown option '{min(unknown)}' of the backend fx_mlir")

    def compiler(gm: fx.GraphModule, example_inputs: list) -> Callable:
        return _compile(gm, example_inputs, options)

    return aot_autograd(
        fw_compiler=compiler,
        bw_compiler=compiler,
        inference_compiler=compiler,
        decompositions=get_decompositions(_DECOMPOSED),
    )(gm, example_inputs)
