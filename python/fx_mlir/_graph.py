"""Imports live `torch.fx.GraphModule`s into the fx dialect.

One FX node becomes one operation, except `getitem` on a node with several results,
which gives a result its name. The type of a value follows from the value that FX
records for the node (`meta["val"]`), or is `!fx.any` if there is none. Tensors of the
module become states whose bytes are in a temporary file.

A slice in arguments becomes `{"__slice__" = [start, stop, step]}`, an ellipsis
`{"__ellipsis__" = []}`.
"""

from __future__ import annotations

import math
import operator
import types
from typing import Any

import torch
from torch import fx

from fx_mlir import _fx
from fx_mlir._error import Error
from fx_mlir._module import Module
from fx_mlir._resolve import Body, record, recorded_value
from fx_mlir._states import StateFile
from fx_mlir._types import DTYPES, Types

# A value of the dialect, or a list of the values of one FX node.
Value = Any


class _Leaf:
    """A result of a node, with its type."""

    def __init__(self, type: str) -> None:
        self.type = type


class GraphImporter:
    """Builds one module from a GraphModule and its sub-graphs.

    lift     get_attr nodes of tensors become placeholders (of the kind parameter,
             buffer or constant), as in exported programs, so that the graph compiles
    outputs  the nodes to return instead of the output of the graph
    bodies   the recorded operators of calls (fx_mlir._resolve)
    values   the recorded values of nodes
    """

    def __init__(
        self,
        gm: fx.GraphModule,
        *,
        lift: bool = False,
        outputs: list[fx.Node] | None = None,
        bodies: dict[fx.Node, Body] | None = None,
        values: dict[fx.Node, Any] | None = None,
    ) -> None:
        self.gm = gm
        self.bodies = bodies or {}
        self.values = values or {}
        self.lift = lift
        self.outputs = outputs
        self.b = _fx.Builder()
        self.types = Types(self.b)
        self.files = StateFile()
        self.states: dict[str, str] = {}
        # The number of lists in the arguments of the current node so far, and the numbers
        # of those that are tuples.
        self.lists = 0
        self.tuples: list[int] = []

    def run(self) -> Module:
        for body in self.bodies.values():
            self._body(body)
        self._graph(self.gm, "main", "", private=False)
        return Module(self.b.finish(""), (self.files.folder,), "graph", self.gm)

    # Graphs.

    def _graph(self, gm: fx.GraphModule, symbol: str, prefix: str, private: bool) -> None:
        for node in gm.graph.nodes:
            if node.op == "get_attr":
                child = _get(gm, str(node.target))
                name = prefix + str(node.target)
                if isinstance(child, fx.GraphModule):
                    if name not in self.states:
                        self.states[name] = "graph"
                        self._graph(child, name, name + ".", private=True)
                elif isinstance(child, torch.Tensor) and name not in self.states:
                    self._state(name, child)
        self.b.begin_graph(symbol, private)
        self._declare(gm.graph)
        env: dict[fx.Node, Value] = {}
        if self.lift:
            for node in gm.graph.nodes:
                if node.op == "get_attr":
                    self._lift(gm, node, prefix, env)
        placeholders = [n for n in gm.graph.nodes if n.op == "placeholder"]
        others = [n for n in gm.graph.nodes if n.op != "placeholder" and n not in env]
        for node in placeholders + others:
            try:
                self._node(gm, node, prefix, env)
            except Error as e:
                raise e if e.node else _located(e, node) from None

    def _body(self, body: Body) -> None:
        """Adds the private graph of the operators of a call."""
        self.b.begin_graph(body.symbol, True)
        self._declare(body.gm.graph)
        inputs = body.gm.graph.find_nodes(op="placeholder")
        env: dict[fx.Node, Value] = {}
        for node, state in zip(reversed(inputs), [*reversed(body.states), *[None] * len(inputs)]):
            if state is None:
                break
            tensor = _get(self.gm, state)
            if state not in self.states:
                self._state(state, tensor)
            kind = "parameter" if isinstance(tensor, torch.nn.Parameter) else "buffer"
            env[node] = self.b.placeholder(
                state.replace(".", "_"), kind, state, self.types.tensor(tensor)
            )
        for node in body.gm.graph.nodes:
            if node not in env:
                self._node(body.gm, node, f"{body.symbol}.", env)

    def _val(self, node: fx.Node) -> Any:
        """Returns the recorded value of a node, or `...` if there is none."""
        return self.values[node] if node in self.values else recorded_value(node)

    def _declare(self, graph: fx.Graph) -> None:
        """Declares the symbols in the sizes of the inputs."""
        self.types.declare(self._val(node) for node in graph.find_nodes(op="placeholder"))

    def _lift(self, gm: fx.GraphModule, node: fx.Node, prefix: str, env: dict) -> None:
        value = _get(gm, str(node.target))
        if not isinstance(value, torch.Tensor):
            return
        kind = "parameter" if isinstance(value, torch.nn.Parameter) else "tensor_constant"
        if kind != "parameter" and node.target in dict(gm.named_buffers()):
            kind = "buffer"
        same = [n for n in env if n.target == node.target]
        if same:
            env[node] = env[same[0]]
            return
        self._location(node)
        env[node] = self.b.placeholder(
            node.name, kind, prefix + str(node.target), self.types.tensor(value)
        )

    def _state(self, name: str, tensor: torch.Tensor) -> None:
        self.states[name] = "state"
        type = f"!fx.tensor<[{', '.join(map(str, tensor.shape))}], {DTYPES[tensor.dtype]}>"
        if isinstance(tensor, torch._subclasses.FakeTensor) or tensor.device.type == "meta":
            self.b.state(name, type, None, 0, 0, 0)
        else:
            self.b.state(name, type, self.files.path, *self.files.add(tensor))

    # Nodes.

    def _location(self, node: fx.Node) -> None:
        for line in (node.stack_trace or "").splitlines():
            line = line.strip()
            if not line.startswith('File "') or '", line ' not in line:
                continue
            file, rest = line[6:].split('", line ', 1)
            number, _, function = rest.partition(", in ")
            if number.isdigit():
                self.b.push_frame(file, int(number), function)
        if node.stack_trace:
            self.b.push_metadata("stack_trace", node.stack_trace)
        stack = node.meta.get("nn_module_stack")
        if stack:
            entries = (
                f"{key},{path},{type if isinstance(type, str) else _qualified(type)}"
                for key, (path, type) in stack.items()
            )
            self.b.push_metadata("nn_module_stack", ";".join(entries))

    def _node(self, gm: fx.GraphModule, node: fx.Node, prefix: str, env: dict) -> None:
        if node.op == "output":
            self._output(node, env, is_main=not prefix)
            return
        if node.op == "call_function" and node.target is operator.getitem:
            source, index = node.args
            if isinstance(source, fx.Node) and isinstance(env.get(source), list):
                env[node] = env[source][index]
                return
        self._location(node)
        if node.op == "placeholder":
            value = self._val(node)
            type = "!fx.any" if value is ... else self.types.of(value)
            if value is None:
                type = "!fx.none_type"
            if node.args:
                self._argument(node.args[0], env)
            env[node] = self.b.placeholder(node.name, None, None, type)
            return
        if node.op == "get_attr":
            child = _get(gm, str(node.target))
            if isinstance(child, fx.GraphModule):
                type = "!fx.graph_ref"
            elif isinstance(child, torch.Tensor):
                type = self.types.tensor(child)
            else:
                type = "!fx.any"
            env[node] = self.b.get_attr(node.name, prefix + str(node.target), type)
            return
        op, target = self._target(node)
        if op == "call_function" and _is_python(node.target):
            self.b.push_node_attribute("fx.function", "unit")
        if node in self.bodies:
            self.b.push_node_attribute("fx.body", f'@"{self.bodies[node].symbol}"')
        for argument in node.args:
            self._argument(argument, env)
        for name, argument in node.kwargs.items():
            self.b.push_keyword(name)
            self._argument(argument, env)
        self._push_tuples()
        self._call(node, op, target, env)

    def _target(self, node: fx.Node) -> tuple[str, str | None]:
        target = node.target
        if node.op != "call_function" or isinstance(target, str):
            return node.op, str(target)
        if isinstance(target, torch._ops.OpOverload):
            return "call_function", str(target)
        if isinstance(target, torch._ops.HigherOrderOperator):
            name = target.name()
            is_cond = name == "cond" and len(node.args) == 4 and not node.kwargs
            return ("cond", None) if is_cond else ("higher_order", name)
        if isinstance(target, (types.BuiltinFunctionType, types.FunctionType)) and (
            target.__module__ in ("_operator", "math", "builtins")
        ):
            return "call_function", f"{target.__module__}.{target.__name__}"
        return "call_function", fx.node._get_qualified_name(target)

    def _call(self, node: fx.Node, op: str, target: str | None, env: dict) -> None:
        tree = self._results(node)
        leaves: list[_Leaf] = []
        _walk(tree, leaves.append)
        outs = None
        if not isinstance(tree, _Leaf) and not all(isinstance(t, _Leaf) for t in tree):
            outs = f"[{', '.join(_outs(t) for t in tree)}]"
        results = self.b.node(
            op, target, self._names(node, tree), [leaf.type for leaf in leaves], outs
        )
        numbered = dict(zip(map(id, leaves), results))

        def value(t: Any) -> Value:
            if isinstance(t, _Leaf):
                return numbered[id(t)]
            return None if t is None else [value(e) for e in t]

        returns = getattr(getattr(node.target, "_schema", None), "returns", None)
        is_one_list = returns is not None and len(returns) == 1 and not isinstance(tree, _Leaf)
        env[node] = value(tree[0] if is_one_list else tree)

    def _results(self, node: fx.Node) -> Any:
        """Returns the tree of a node's results: a _Leaf if it has one result, or else a
        list of _Leaf, None and lists, with one entry for each return of an operator."""
        known = self._val(node)
        if known is ... and getattr(getattr(node.target, "_schema", None), "returns", None) == []:
            return []  # AOTAutograd records no value for an assertion
        if known is ...:
            return _Leaf("!fx.any")
        # Functions that the dialect defines for numbers only, called on other values.
        numbers = (int, float, torch.SymInt, torch.SymFloat, torch.SymBool)
        if node.op == "call_function" and not isinstance(known, numbers):
            is_operator = isinstance(node.target, torch._ops.OpOverload)
            if not is_operator and not _is_python(node.target):
                return _Leaf("!fx.any")

        def tree(value: Any) -> Any:
            if value is None:
                return None
            if isinstance(value, (list, tuple)):
                return [tree(v) for v in value]
            return _Leaf(self.types.of(value))

        result = tree(known)
        returns = getattr(getattr(node.target, "_schema", None), "returns", None)
        if returns is not None and len(returns) == 1 and isinstance(result, list):
            return [result]  # one return of type Tensor[]
        return [] if result is None else result

    def _names(self, node: fx.Node, tree: Any) -> str:
        """Returns the names of the results, joined with commas: the names of the getitem
        nodes, or new names for results without one."""
        if isinstance(tree, _Leaf):
            return node.name
        taken = {n.name for n in node.graph.nodes}
        names: list[str] = []
        returns = getattr(getattr(node.target, "_schema", None), "returns", None)
        is_one_list = returns is not None and len(returns) == 1

        def visit(t: Any, users: list[fx.Node]) -> None:
            if isinstance(t, _Leaf):
                name = users[0].name if users else f"{node.name}_{len(names)}"
                while not users and name in taken:
                    name += "_"
                taken.add(name)
                names.append(name)
            elif t is not None:
                for i, e in enumerate(t):
                    visit(e, [u for n in users for u in _getitems(n, i)])

        visit(tree[0] if is_one_list and tree else tree, [node])
        return ",".join(names)

    def _output(self, node: fx.Node, env: dict, is_main: bool) -> None:
        value = self.outputs if is_main and self.outputs is not None else node.args[0]
        if isinstance(value, (list, tuple)):
            for element in value:
                self._argument(element, env)
            if isinstance(value, list):
                self.b.set_attribute("fx.list_return", "unit")
        else:
            self._argument(value, env)
            self.b.set_attribute("fx.single_return", "unit")
        self._push_tuples()
        self.b.output()

    def _push_tuples(self) -> None:
        """Adds the attribute that says which lists of the node's arguments, numbered in
        pre-order, are tuples. Indexing treats lists and tuples differently."""
        if self.tuples:
            numbers = ", ".join(map(str, self.tuples))
            self.b.push_node_attribute("fx.tuples", f"array<i64: {numbers}>")
        self.lists, self.tuples = 0, []

    def _argument(self, value: Any, env: dict) -> None:
        b = self.b
        if isinstance(value, fx.Node):
            self._push(env[value])
        elif value is None:
            b.push_none()
        elif isinstance(value, bool):
            b.push_bool(value)
        elif isinstance(value, int):
            if not -(2**63) <= value < 2**63:
                raise Error(f"expected an integer of 64 bits, got {value}")
            b.push_int(value)
        elif isinstance(value, float):
            b.push_float(value)
        elif isinstance(value, str):
            b.push_string(value)
        elif isinstance(value, complex):
            b.push_attribute(f"#fx.complex<{_real(value.real)}, {_real(value.imag)}>")
        elif isinstance(value, torch.dtype):
            b.push_attribute(DTYPES[value])
        elif isinstance(value, torch.device):
            index = "" if value.index is None else f", {value.index}"
            b.push_attribute(f'#fx.device<"{value.type}"{index}>')
        elif isinstance(value, torch.memory_format):
            b.push_attribute(f'#fx.memory_format<"{str(value).removeprefix("torch.")}">')
        elif isinstance(value, torch.layout):
            b.push_attribute(f'#fx.layout<"{str(value).removeprefix("torch.")}">')
        elif isinstance(value, torch._ops.OpOverload):
            b.push_attribute(f'#fx.operator<"{value}">')
        elif isinstance(value, (list, tuple)):
            if isinstance(value, tuple):
                self.tuples.append(self.lists)
            self.lists += 1
            b.push_list()
            for element in value:
                self._argument(element, env)
            b.push_end()
        elif isinstance(value, dict):
            self._dict(value, env)
        elif isinstance(value, slice):
            self._dict({"__slice__": [value.start, value.stop, value.step]}, env)
        elif value is ...:
            self._dict({"__ellipsis__": []}, env)
        else:
            raise Error(f"expected an argument that a graph can hold, got {_qualified(type(value))}")

    def _dict(self, value: dict, env: dict) -> None:
        self.b.push_dict()
        for key, element in value.items():
            self.b.push_key(str(key))
            self._argument(element, env)
        self.b.push_end()

    def _push(self, value: Value) -> None:
        if value is None:
            self.b.push_none()
        elif isinstance(value, list):
            self.lists += 1
            self.b.push_list()
            for element in value:
                self._push(element)
            self.b.push_end()
        else:
            self.b.push_value(value)


def _get(gm: torch.nn.Module, target: str) -> Any:
    value: Any = gm
    for name in target.split("."):
        value = getattr(value, name)
    return value


def _is_python(target: Any) -> bool:
    """Returns true if a function is not an operator, a `sym_` function, or a function of
    `operator` or `math`, which the dialect knows by name."""
    if isinstance(target, torch._ops.OpOverload):
        return False
    symbolic = target.__name__.startswith("sym_") if hasattr(target, "__name__") else False
    return not symbolic and getattr(target, "__module__", "") not in ("_operator", "math")


def _qualified(type: type) -> str:
    return f"{type.__module__}.{type.__qualname__}"


def _located(error: Error, node: fx.Node) -> Error:
    from fx_mlir._compiled import frames_of

    file, line = frames_of(node.graph).get(node.name, ("", 0))
    return Error(error.message, node.name, file, line)


def _walk(tree: Any, fn: Any) -> None:
    if isinstance(tree, _Leaf):
        fn(tree)
    elif tree is not None:
        for element in tree:
            _walk(element, fn)


def _outs(tree: Any) -> str:
    if tree is None:
        return "#fx.none"
    if isinstance(tree, _Leaf):
        return "#fx.operand"
    return f"[{', '.join(_outs(t) for t in tree)}]"


def _getitems(node: fx.Node, index: int) -> list[fx.Node]:
    return [
        user
        for user in node.users
        if user.target is operator.getitem and user.args[0] is node and user.args[1] == index
    ]


def _real(value: float) -> str:
    if math.isnan(value):
        return "0x7FF8000000000000 : f64"
    if math.isinf(value):
        return ("0x7FF0000000000000" if value > 0 else "0xFFF0000000000000") + " : f64"
    return f"{value:.17e} : f64"


def import_graph_module(
    gm: fx.GraphModule,
    args: tuple | None = None,
    kwargs: dict | None = None,
    dynamic_shapes: Any = None,
) -> Module:
    if args is None:
        return GraphImporter(gm).run()
    values, bodies = record(gm, args, kwargs or {}, dynamic_shapes)
    return GraphImporter(gm, lift=True, bodies=bodies, values=values).run()
