"""Builds programs from seeds. Steps are drawn one by one, and kept if eager accepts them."""

import collections
import random
import re
import warnings

import torch
from alias_arguments import Arguments
from alias_programs import Program, Step
from alias_rows import ROWS, Row
from alias_values import Spec, fits, is_exact, is_kept, is_same_view, memory, overlaps_itself

#: Operators whose results may depend on the last bit of an operand.
_DISCONTINUOUS = re.compile(
    r"floor|ceil|round|trunc|frac|fix|sign|sgn|remainder|fmod|^_?_?(eq|ne|lt|gt|le|ge|less|greater|not_equal)|"
    r"logical|heaviside|arg|sort|topk|kthvalue|mode|median|unique|bucketize|searchsorted|histc|nonzero|isin|tan|"
    r"div|cummax|cummin|max|min|quantile|dtype|hypot|atan2|angle|xlog|pow|view_as"
)
#: The limits of a step's results, and of the number of steps.
MOST_ELEMENTS, MOST_DIMS, MOST_STEPS = 256, 5, 12


class Rejected(Exception):
    """A step that eager refuses, or whose result is not defined."""


class Statistics:
    """How often each row was drawn, and the last error of each row that was refused."""

    def __init__(self):
        self.drawn = collections.Counter()
        self.refused: dict[str, str] = {}


class Builder:
    def __init__(self, seed: int, dynamic: bool = False, statistics: Statistics | None = None):
        self.rng = random.Random(f"{seed} {dynamic}")
        self.statistics = statistics or Statistics()
        self.program = Program(seed)
        self.count = 0
        # A few programs have rounded values; in the others every value is exact.
        self.exact = self.rng.random() < 0.85
        self._draw_tensors(dynamic)
        self._restart()

    # The tensors that a program begins with.

    def _draw_tensors(self, dynamic: bool) -> None:
        rng, program = self.rng, self.program
        for k in range(rng.choice([1, 1, 2, 2, 3])):
            program.inputs[f"x{k}"] = Spec.draw(rng)
        for letter, chance in (("b", 0.5), ("b", 0.2), ("p", 0.2), ("c", 0.15)):
            if rng.random() < chance:
                spec = Spec.draw(rng)
                program.states[f"{letter}{len(program.states)}"] = spec
        if dynamic:
            program.dynamic = tuple(
                n for n, s in program.inputs.items() if s.shape and s.shape[0] > 1 and s.layout != "transposed"
            )[:2]

    def _restart(self) -> None:
        """Runs the program so far in eager."""
        module = self.program.module()
        self.space = {"torch": torch, "self": module}
        self.space.update(zip(self.program.inputs, self.program.arguments()))
        self.names = [*self.program.inputs, *(f"self.{n}" for n in self.program.states)]
        with torch.no_grad(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.roots = [self._value(n) for n in self.names]
            for step in self.program.steps:
                exec("\n".join(step.lines), self.space)
                self.names.extend(step.binds)
        self._read_names()

    def _value(self, text: str):
        return eval(text, self.space)

    def _read_names(self) -> None:
        self.env = {n: self._value(n) for n in self.names}
        constants = [n for n in self.names if n.startswith("self.c")]
        self.constant_storages = {self.env[n].untyped_storage().data_ptr() for n in constants}
        spelled: dict[int, list[str]] = {}
        for name in self.program.dynamic:
            spelled.setdefault(self.program.inputs[name].shape[0], []).append(f"{name}.shape[0]")
        self.arguments = Arguments(self.rng, self.env, spelled)

    def fresh(self, letter: str = "v") -> str:
        self.count += 1
        return f"{letter}{self.count}"

    def pick(self, recent: bool = True) -> str:
        """Picks a tensor of the program, the latest ones more often."""
        names = self.names
        if recent and len(names) > 4 and self.rng.random() < 0.6:
            names = names[-4:]
        return self.rng.choice(names)

    # Steps.

    def _check_writes(self, written, read, pointwise: bool, changes_shape: bool) -> None:
        """Rejects writes whose results PyTorch does not define."""
        if changes_shape:
            if any(w is root for w in written for root in self.roots):
                raise Rejected("changes the shape of an input")
            return
        for k, w in enumerate(written):
            if w.untyped_storage().data_ptr() in self.constant_storages and w.numel():
                raise Rejected("writes to a constant")
            if overlaps_itself(w):
                raise Rejected("writes to elements that lie in the same place")
            mine = memory(w)
            for other in written[k + 1 :]:
                if mine & memory(other):
                    raise Rejected("writes twice to the same place")
            for other in read:
                if mine & memory(other) and not (pointwise and is_same_view(w, other)):
                    raise Rejected("reads what it writes")

    def apply(self, step: Step, written=(), read=(), pointwise=False, changes_shape=False) -> None:
        """Runs a step after the program so far, and keeps it. Raises if it is not kept."""
        self._check_writes(written, read, pointwise, changes_shape)
        sources = [t.clone() for t in (*read, *written) if t.dtype.is_floating_point]
        rounded = any(not is_exact(t) for t in (*read, *written))
        if rounded and any(_DISCONTINUOUS.search(o) for o in step.operators):
            raise Rejected("rounding decides")
        try:
            with torch.no_grad(), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                exec("\n".join(step.lines), self.space)
            results = [self._value(n) for n in step.binds]
            self._check_results(results, [*results, *written], sources, rounded)
            if any(o.startswith("as_strided") for o in step.operators):
                self._check_memory([*results, *written])
        except Exception:
            self._restart()
            raise
        self.program.steps.append(step)
        self.names.extend(step.binds)
        self._read_names()
        self.statistics.drawn.update(step.operators)

    def _check_memory(self, shown) -> None:
        """Rejects results that show memory outside of the elements of inputs and states: its
        contents are unspecified."""
        known: dict[int, set[int]] = {}
        for root in self.roots:
            known.setdefault(root.untyped_storage().data_ptr(), set()).update(memory(root))
        for t in shown:
            if not memory(t) <= known.get(t.untyped_storage().data_ptr(), memory(t)):
                raise Rejected("shows memory that no tensor names")

    def _check_results(self, results, touched, sources, rounded: bool) -> None:
        for t in results:
            if not isinstance(t, torch.Tensor):
                raise Rejected("gives no tensor")
            if t.numel() > MOST_ELEMENTS or t.dim() > MOST_DIMS:
                raise Rejected("too large")
            # PyTorch makes negated views of booleans, but refuses to resolve them.
            t.resolve_neg().resolve_conj()
        for t in touched:
            is_float = t.dtype.is_floating_point or t.is_complex()
            if rounded and not is_float or not all(fits(s, t.dtype) for s in sources):
                raise Rejected("rounding decides")
        good = is_exact if self.exact else is_kept
        if not all(good(t) for t in (*results, *self.env.values())):
            raise Rejected("values that types do not agree in")

    # Calls of rows.

    def _call(self, row: Row, name: str) -> tuple[list[str], dict[str, str]]:
        """Draws the arguments after the first: those by position, and those by name."""
        t, rng = self.env[name], self.rng
        arguments = [a for a in row.schema.arguments[1:] if not a.is_out]
        positional = self.arguments.special(row.base, t) or []
        positional = positional[: sum(not a.kwarg_only for a in arguments)]
        if row.overload.startswith("value") and len(positional) > 2:  # a number, not a tensor
            positional = [*positional[:2], self.arguments.number(t)]
        named: dict[str, str] = {}
        may_skip = True
        for k, argument in enumerate(arguments):
            if not argument.kwarg_only and k < len(positional):
                continue
            needed = not argument.has_default_value()
            if not needed and (rng.random() < 0.5 or argument.name in ("pin_memory", "layout", "non_blocking")):
                may_skip = False
                continue
            text = self.arguments.any(argument, t)
            if text is None:
                if needed:
                    raise Rejected(f"no way to draw {argument.name}: {argument.real_type}")
                may_skip = False
            elif argument.kwarg_only or not may_skip:
                named[argument.name] = text
            else:
                positional.append(text)
        return positional, named

    def _first(self, row: Row, name: str) -> str:
        """Returns the first argument, which is a list of tensors if the row takes one."""
        if "List" not in str(row.schema.arguments[0].real_type):
            return name
        others = [n for n in self.names if n != name and not memory(self.env[n]) & memory(self.env[name])]
        return "[" + ", ".join([name, *self.rng.sample(others, min(len(others), self.rng.randint(0, 1)))]) + "]"

    def _values(self, texts) -> list:
        with torch.no_grad(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return [self._value(text) for text in texts]

    @staticmethod
    def _tensors(values) -> list[torch.Tensor]:
        flat = []
        for value in values:
            flat.extend(value if isinstance(value, (list, tuple)) else [value])
        return [v for v in flat if isinstance(v, torch.Tensor)]

    def _render(self, row: Row, first: str, positional, named) -> str:
        """Renders a call: of a method or an attribute, as people write it, or of the overload."""
        rest = [*positional, *(f"{k}={v}" for k, v in named.items())]
        attribute = {"numpy_T": "T", "matrix_H": "H"}.get(row.name, row.name)
        if not first.startswith("[") and self.rng.random() < 0.8:
            if attribute in ("T", "H", "mT", "mH", "real", "imag") and row.overload == "default":
                return f"{first}.{attribute}"
            if hasattr(torch.Tensor, row.name) and attribute == row.name and row.name not in ("real", "imag", "mT", "mH"):
                return f"{first}.{row.name}({', '.join(rest)})"
        return f"{row.text}({', '.join([first, *rest])})"

    def call_row(self, row: Row) -> None:
        """Draws a step that calls a view operator or an in-place operator."""
        name = self.pick()
        positional, named = self._call(row, name)
        first = self._first(row, name)
        values = self._values([first, *positional, *named.values()])
        if "shift" in row.name and not all(self._may_shift(v) for v in values[1:]):
            raise Rejected("shifts by more than the bits")
        text = self._render(row, first, positional, named)
        operators = (row.key,)
        if row.kind == "view":
            self.apply(self._binding(text, operators), read=self._tensors(values[:1]))
            return
        written = self._tensors(values[:1])
        binds = first == name and self.rng.random() < 0.3
        bound = self.fresh() if binds else ""
        step = Step((f"{bound} = {text}" if binds else text,), (bound,) if binds else (), operators)
        read = self._tensors(values[1:])
        self.apply(step, written, read, row.is_pointwise or row.base in ("copy", "fill"), row.changes_shape)

    def _binding(self, text: str, operators) -> Step:
        """Returns a step that binds the result of a call; of a list, one or two elements."""
        with torch.no_grad(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            value = self._value(text)
        if isinstance(value, torch.Tensor):
            bound = self.fresh()
            return Step((f"{bound} = {text}",), (bound,), operators)
        if not value:
            raise Rejected("an empty list")
        listed = self.fresh("l")
        lines, binds = [f"{listed} = {text}"], []
        for at in sorted(self.rng.sample(range(len(value)), min(len(value), self.rng.randint(1, 2)))):
            binds.append(self.fresh())
            lines.append(f"{binds[-1]} = {listed}[{at}]")
        return Step(tuple(lines), tuple(binds), operators)

    @staticmethod
    def _may_shift(value) -> bool:
        if isinstance(value, torch.Tensor):
            return not value.is_floating_point() and bool(((value >= 0) & (value <= 7)).all())
        return not isinstance(value, (int, float)) or 0 <= value <= 7

    def call_out(self, row: Row) -> None:
        """Draws a step with one `out=` call, into a tensor of the program or a new one."""
        rng, arguments = self.rng, row.schema.arguments
        outs = [a for a in arguments if a.is_out]
        if any("List" in str(a.real_type) for a in outs) or arguments[0].is_out:
            raise Rejected("writes to a list")
        name = self.pick()
        positional, named = self._call(row, name)
        kind = str(arguments[0].real_type)
        if "List" in kind:
            first = self.arguments.any(arguments[0], self.env[name])
        else:
            first = name if kind == "Tensor" else self.arguments.any(arguments[0], self.env[name])
        if first is None:
            raise Rejected(f"no way to draw {kind}")
        texts = [first, *positional, *(f"{k}={v}" for k, v in named.items())]
        values = self._values([first, *positional, *named.values()])
        if "shift" in row.name and not all(self._may_shift(v) for v in values):
            raise Rejected("shifts by more than the bits")
        lines, targets = [], []
        for shape, dtype in self._results(row, texts, len(outs), self.env[name].dtype):
            fitting = [
                n for n, o in self.env.items() if tuple(o.shape) == shape and n not in targets and not overlaps_itself(o)
            ]
            if fitting and rng.random() < 0.7:
                targets.append(rng.choice(fitting))
            else:
                targets.append(self.fresh())
                text = f"torch.zeros({shape}, dtype={dtype})"
                if len(shape) > 1 and rng.random() < 0.5:
                    text = f"torch.zeros({(*shape[:-2], shape[-1], shape[-2])}, dtype={dtype}).mT"
                lines.append(f"{targets[-1]} = {text}")
        given = [f"{a.name}={n}" for a, n in zip(outs, targets)]
        text = f"{row.text}({', '.join([*texts, *given])})"
        made = tuple(n for n in targets if n not in self.env)
        written = [self.env[n] for n in targets if n in self.env]
        shapes = [w.shape for w in written]
        step = Step((*lines, text), made, (row.key,))
        self.apply(step, written, self._tensors(values), row.is_pointwise)
        if shapes != [w.shape for w in written]:
            self.program.steps.pop()
            self._restart()
            raise Rejected("resizes what it writes to")

    def _results(self, row: Row, texts, count: int, dtype: torch.dtype):
        """Returns the shapes and dtypes of a row's outputs, found by a call that resizes empty
        tensors."""
        error = None
        for kind in dict.fromkeys([dtype, torch.int64, torch.bool, torch.float32, torch.int32]):
            outs = [torch.empty(0, dtype=kind) for _ in range(count)]
            space = {**self.space, **{f"out{k}": out for k, out in enumerate(outs)}}
            names = [a.name for a in row.schema.arguments if a.is_out]
            given = [f"{name}=out{k}" for k, name in enumerate(names)]
            try:
                with torch.no_grad(), warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    eval(f"{row.text}({', '.join([*texts, *given])})", space)
            except Exception as e:  # noqa: BLE001  eager refuses the arguments
                error = e
                continue
            if max(out.numel() for out in outs) > MOST_ELEMENTS:
                raise Rejected("too large")
            return [(tuple(out.shape), kind) for out in outs]
        raise error


#: Operators that are drawn more often. Those whose names begin with `_` are drawn less often.
_COMMON = re.compile(
    r"^(copy|fill|zero|add|sub|mul|div|neg|abs|clamp|relu|index_\w+|scatter\w*|masked_\w+|put|logical_not|bitwise_\w+|tril|"
    r"eq|lt|cat|stack|index|gather|where|sum|clone|as_strided|mT|t|transpose|permute|view|unfold|diagonal|narrow|select|"
    r"slice|split\w*|expand|movedim|view_as_real|real|imag|T|unbind|unflatten|unsqueeze|squeeze)_?$"
)
_WEIGHTS = {
    kind: [0.15 if row.name.startswith("_") else 4 if _COMMON.match(row.name) else 1 for row in rows]
    for kind, rows in ROWS.items()
}


def draw_row(builder: Builder, kind: str) -> None:
    (row,) = builder.rng.choices(ROWS[kind], _WEIGHTS[kind])
    try:
        (builder.call_out if kind == "out" else builder.call_row)(row)
    except Exception as error:
        builder.statistics.refused[row.key] = f"{type(error).__name__}: {error}".split("\n")[0][:160]
        raise
