"""Records the operators that the calls of a live GraphModule run on example inputs."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import operator
from typing import Any

import torch
from torch import fx
from torch._export.non_strict_utils import make_fake_inputs, produce_guards_and_solve_constraints
from torch._subclasses import FakeTensor, FakeTensorMode
from torch.fx.experimental.proxy_tensor import make_fx, py_sym_types
from torch.utils import _pytree as pytree

from fx_mlir._error import Error


@dataclasses.dataclass
class Body:
    """The operators of one call. The inputs of the graph `gm` are the tensors (and
    symbolic numbers) among the arguments of the call in their order, then the states
    with the names `states`. `symbol` is the name of the graph."""

    gm: fx.GraphModule
    states: list[str]
    symbol: str


def record(
    gm: fx.GraphModule, args: tuple, kwargs: dict, dynamic_shapes: Any = None
) -> tuple[dict[fx.Node, Any], dict[fx.Node, Body]]:
    """Returns the values (fake tensors, numbers, containers) of the nodes for these
    inputs, and the bodies of the calls of other functions than operators. Sizes are
    symbolic if `dynamic_shapes` or the values that the graph records of its inputs say
    so."""
    inputs = _bind(gm, args, kwargs)
    if dynamic_shapes is None:
        mode, fakes = _recorded(gm, inputs) or (FakeTensorMode(allow_non_fake_inputs=True), inputs)
        recorder = _Recorder(gm, mode, inputs)
        recorder.trace(*fakes)
        return recorder.values, recorder.bodies
    try:
        mode, fake_args, fake_kwargs, equalities, signature, shapes, *_ = make_fake_inputs(
            gm, args, kwargs, dynamic_shapes
        )
    except Exception as e:  # noqa: BLE001
        raise Error(f"dynamic_shapes: {_first_line(e)}") from e
    recorder = _Recorder(gm, mode, inputs)
    recorder.trace(*_bind(gm, fake_args, fake_kwargs))
    try:
        produce_guards_and_solve_constraints(mode, gm, shapes, equalities, signature)
    except Exception as e:  # noqa: BLE001
        raise Error(f"dynamic_shapes: {_first_line(e)}") from e
    return recorder.values, recorder.bodies


def _recorded(gm: fx.GraphModule, inputs: list) -> tuple[FakeTensorMode, list] | None:
    """Returns the mode and the recorded values of the inputs if any of their sizes is
    symbolic, or else None."""
    values = [recorded_value(n) for n in gm.graph.find_nodes(op="placeholder")]
    fakes = [v for v in values if isinstance(v, FakeTensor)]
    if not any(is_symbolic(s) for v in fakes for s in v.shape) or len(values) != len(inputs):
        return None
    symbolic = (FakeTensor, *py_sym_types)
    return fakes[0].fake_mode, [
        v if isinstance(v, symbolic) else given for v, given in zip(values, inputs)
    ]


def recorded_value(node: fx.Node) -> Any:
    """Returns the value that a tracer recorded for a node, or `...` if there is none.
    Dynamo uses the key "example_value", the other tracers "val"."""
    return node.meta.get("val", node.meta.get("example_value", ...))


def is_symbolic(value: Any) -> bool:
    """Returns true if a number is an expression of symbols."""
    return isinstance(value, py_sym_types) and not value.node.expr.is_number


def _first_line(e: Exception) -> str:
    """Returns the essence of an error of torch without its advice: the first of the
    reasons that it lists, or else its first line."""
    first, *rest = [line.strip() for line in str(e).strip().split("\n")]
    reasons = [line.removeprefix("- ") for line in rest if line.startswith("- ")]
    return reasons[0] if reasons else first.removesuffix(":")


def _bind(gm: fx.GraphModule, args: tuple, kwargs: dict) -> list:
    """Returns the inputs in the order of the placeholders."""
    if isinstance(gm.graph._codegen, fx.graph._PyTreeCodeGen):
        return list(gm.graph._codegen.process_inputs(*args, **kwargs))
    try:
        bound = inspect.signature(gm.forward).bind(*args, **kwargs)
    except TypeError as e:
        raise Error(f"the example inputs do not fit the graph: {e}") from None
    bound.apply_defaults()
    return [*bound.args, *bound.kwargs.values()]


class _Real(fx.Interpreter):
    """Runs a copy of the graph on real tensors, up to the node that is asked for."""

    def __init__(self, gm: fx.GraphModule, inputs: list) -> None:
        gm = copy.deepcopy(gm)
        super().__init__(gm, garbage_collect_values=False)
        self.args_iter = iter(copy.deepcopy(inputs))
        self._rest = iter(gm.graph.nodes)

    @torch.no_grad()
    def until(self, name: str) -> Any:
        """Returns the value of a node. Nodes must be asked for in the order of the graph."""
        for node in self._rest:
            self.env[node] = self.run_node(node)
            if node.name == name:
                return self.env[node]
        raise KeyError(name)


# Runs the graph on fake tensors and records the values of nodes and the bodies of calls.
class _Recorder(fx.Interpreter):
    def __init__(self, gm: fx.GraphModule, mode: FakeTensorMode, inputs: list) -> None:
        super().__init__(gm, garbage_collect_values=False)
        self.mode = mode
        self._gm = gm
        self._inputs = inputs
        self._real: _Real | None = None
        self.values: dict[fx.Node, Any] = {}
        self.bodies: dict[fx.Node, Body] = {}
        self._fakes: dict[int, torch.Tensor] = {}

    def _fake(self, value: Any) -> Any:
        if not isinstance(value, torch.Tensor) or getattr(value, "fake_mode", None) is self.mode:
            return value
        if id(value) not in self._fakes:
            self._fakes[id(value)] = self.mode.from_tensor(value, static_shapes=True)
        return self._fakes[id(value)]

    def trace(self, *args: Any) -> Any:
        return super().run(*pytree.tree_map(self._fake, args), enable_io_processing=False)

    def run_node(self, n: fx.Node) -> Any:
        if n.op == "get_attr":
            value = self.fetch_attr(str(n.target))
            result = self._fake(value)
        elif n.op in ("placeholder", "output"):
            result = super().run_node(n)
        else:
            result = self._call(n)
        if n.op != "output":
            self.values[n] = result
        return result

    def _run(self, n: fx.Node) -> Any:
        """Returns the value of a node, found by running the graph up to it on real
        tensors."""
        try:
            self._real = self._real or _Real(self._gm, self._inputs)
            value = self._real.until(n.name)
        except Exception as e:  # noqa: BLE001
            raise Error(f"cannot run on the example inputs: {e}", n.name) from e
        return pytree.tree_map(self._fake, value)

    def _call(self, n: fx.Node) -> Any:
        tensors: list[Any] = []  # and symbolic numbers
        tree = (n.args, n.kwargs)
        known = fx.node.map_arg(tree, lambda node: self.env[node])
        leaves, spec = pytree.tree_flatten(known)
        for leaf in _operands(n, self.env):
            tensors += filter(_is_input, pytree.tree_leaves(leaf))
        module = self.fetch_attr(str(n.target)) if n.op == "call_module" else None
        names, states = _states(module)

        def run(*inputs: Any) -> Any:
            rest = iter(inputs)
            args, kwargs = pytree.tree_unflatten(
                [next(rest) if _is_input(leaf) else leaf for leaf in leaves], spec
            )
            if module is not None:
                given = dict(zip(names, rest))
                return torch.func.functional_call(module, given, args, kwargs, tie_weights=False)
            if isinstance(n.target, str):
                return getattr(args[0], n.target)(*args[1:], **kwargs)
            return n.target(*args, **kwargs)

        fakes = [self._fake(state) for state in states]
        try:
            with self.mode:
                result = run(*tensors, *fakes)
        except Exception as e:  # noqa: BLE001
            if self.mode.shape_env is not None:
                why = f"cannot run on tensors of dynamic sizes: {_first_line(e)}"
                raise Error(why, n.name) from e
            return self._run(n)  # the call depends on the values of tensors
        if isinstance(result, py_sym_types) and _is_arithmetic(n.target):
            return result  # a symbolic expression of the dialect
        if isinstance(n.target, torch._ops.OpOverload) or n.target is operator.getitem:
            if not _is_index(n, self.env):
                return result
        try:
            body = make_fx(run, pre_dispatch=True, _allow_non_fake_inputs=True)(*tensors, *fakes)
        except Exception:  # noqa: BLE001
            return result  # an opaque call: only its value is recorded
        held = (_get_or_none(body, name) for name in _attributes(body))
        if any(isinstance(value, (torch.Tensor, fx.GraphModule)) for value in held):
            return result  # the body uses a tensor that is not a state, or graphs of its own
        prefix = f"{n.target}." if module is not None else ""
        self.bodies[n] = Body(body, [prefix + name for name in names], f"main.{n.name}")
        return result


def _operands(n: fx.Node, env: dict[fx.Node, Any]) -> list:
    """Returns the values of the nodes in the arguments, in order and with repetitions."""
    found: list = []
    fx.node.map_arg((n.args, n.kwargs), lambda node: found.append(env[node]))
    return found


def _is_input(value: Any) -> bool:
    """Returns true if a value is an input of a call's body. Other numbers are constants
    of the body."""
    return isinstance(value, torch.Tensor) or is_symbolic(value)


def _is_arithmetic(target: Any) -> bool:
    return getattr(target, "__module__", "") in ("_operator", "math")


def _is_index(n: fx.Node, env: dict[fx.Node, Any]) -> bool:
    """Returns true for a getitem that indexes a tensor."""
    return n.target is operator.getitem and isinstance(
        env.get(n.args[0]) if isinstance(n.args[0], fx.Node) else None, torch.Tensor
    )


def _states(module: torch.nn.Module | None) -> tuple[list[str], list[torch.Tensor]]:
    if module is None:
        return [], []
    states: dict[str, torch.Tensor] = dict(module.named_parameters(remove_duplicate=False))
    states.update(module.named_buffers(remove_duplicate=False))
    return list(states), list(states.values())


def _attributes(gm: fx.GraphModule) -> list[str]:
    return [n.target for n in gm.graph.find_nodes(op="get_attr")]


def _get_or_none(gm: fx.GraphModule, target: str) -> Any:
    value: Any = gm
    for part in target.split("."):
        value = getattr(value, part, None)
    return value
