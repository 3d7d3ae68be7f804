"""Draws random arguments of an overload, as Python source, from their types and names."""

import random

import torch
from alias_values import DTYPES, draw_dtype, memory, tensor_text

NUMBERS = ["0", "1", "2", "3", "-1", "2", "0.5", "2.5", "True"]


class Arguments:
    """Draws arguments for operators on the tensors in `env`."""

    def __init__(self, rng: random.Random, env: dict[str, torch.Tensor], spelled: dict[int, list[str]]):
        self.rng, self.env = rng, env
        # The expressions for each dynamic size.
        self.spelled = spelled

    # Numbers and lists.

    def size(self, value: int) -> str:
        if value in self.spelled and self.rng.random() < 0.7:
            return self.rng.choice(self.spelled[value])
        return str(value)

    def sizes(self, values) -> str:
        return "[" + ", ".join(self.size(v) for v in values) + "]"

    def dim(self, t: torch.Tensor, extra: int = 0) -> int:
        rank = t.dim() + extra
        return self.rng.randrange(-rank, rank) if rank else self.rng.choice([0, -1])

    def number(self, t: torch.Tensor | None) -> str:
        text = self.rng.choice(NUMBERS)
        if t is not None and t.is_complex() and self.rng.random() < 0.3:
            return "(1 + 2j)"
        if t is not None and not (t.dtype.is_floating_point or t.is_complex()) and "." in text:
            return "2"
        return text

    # Tensors.

    def tensor(self, shape, dtype: torch.dtype) -> str:
        return tensor_text(tuple(shape), dtype, self.rng.randrange(35))

    def operand(self, t: torch.Tensor) -> str:
        """Returns a tensor that broadcasts to `t`: one of the program's, or a new one."""
        rng = self.rng
        if rng.random() < 0.6:
            fitting = [n for n, o in self.env.items() if self._broadcasts(o, t)]
            if fitting:
                return rng.choice(fitting)
        shape = [1 if rng.random() < 0.3 else s for s in t.shape][rng.choice([0, 0, 0, 1]) :]
        dtype = t.dtype if rng.random() < 0.7 else draw_dtype(rng)
        return self.tensor(shape, dtype)

    @staticmethod
    def _broadcasts(o: torch.Tensor, t: torch.Tensor) -> bool:
        if o.dim() > t.dim():
            return False
        return all(a in (1, b) for a, b in zip(reversed(o.shape), reversed(t.shape)))

    def mask(self, t: torch.Tensor, whole: bool = False) -> str:
        rng = self.rng
        if rng.random() < 0.4:
            fitting = [
                n
                for n, o in self.env.items()
                if (o.shape == t.shape if whole else self._broadcasts(o, t)) and not o.is_complex()
            ]
            if fitting:
                name = rng.choice(fitting)
                return name if self.env[name].dtype is torch.bool else f"({name} > 0)"
        return self.tensor(t.shape if whole or rng.random() < 0.6 else t.shape[-1:], torch.bool)

    def indices(self, size: int, distinct: bool, count: int | None = None) -> list[int]:
        rng = self.rng
        if not size:
            return []
        if count is None:
            count = rng.randint(1, size if distinct else size + 1)
        if distinct:
            return rng.sample(range(size), min(count, size))
        return [rng.randrange(size) for _ in range(count)]

    @staticmethod
    def index_text(values, dtype=torch.int64) -> str:
        if values == list(range(len(values))) and len(values) > 1:
            return f"torch.arange({len(values)})"
        return f"torch.tensor({values})" if values else "torch.arange(0)"

    # Whole argument lists of operators whose arguments depend on each other.

    def special(self, name: str, t: torch.Tensor) -> list[str] | None:
        """Returns the arguments after the first, or None if they follow from types and names."""
        method = getattr(self, f"_args_{name}", None)
        return None if method is None else method(t)

    def _factors(self, count: int) -> list[int]:
        found = []
        while count > 1 and len(found) < 3:
            size = self.rng.choice([d for d in range(1, count + 1) if count % d == 0])
            found.append(size)
            count //= size
        return [*found, count]

    def _regroup(self, t: torch.Tensor) -> list[int]:
        """Returns sizes for a view: a dimension is split, or two are merged."""
        sizes, rng = list(t.shape), self.rng
        if not sizes or rng.random() < 0.3:
            return self._factors(t.numel())
        at = rng.randrange(len(sizes))
        if rng.random() < 0.5 and at + 1 < len(sizes):
            sizes[at : at + 2] = [sizes[at] * sizes[at + 1]]
        else:
            sizes[at : at + 1] = self._factors(sizes[at])
        return sizes

    def _args_view(self, t):
        sizes = self._regroup(t)
        text = [self.size(s) for s in sizes]
        if t.numel() and self.rng.random() < 0.3:
            text[self.rng.randrange(len(text))] = "-1"
        return ["[" + ", ".join(text) + "]"]

    _args_reshape = _args_view

    def _args_unflatten(self, t):
        dim = self.dim(t)
        size = t.shape[dim] if t.dim() else 1
        return [str(dim), self.sizes(self._factors(size))]

    def _args_expand(self, t):
        rng = self.rng
        sizes = [s if s != 1 else rng.choice([1, 2, 3]) for s in t.shape]
        return [self.sizes([rng.choice([1, 2])] * (rng.random() < 0.3 and t.dim() < 4) + sizes)]

    _args_broadcast_to = _args_expand

    def _args_as_strided(self, t):
        """Draws a view of those elements of the storage that the program's tensors hold."""
        rng = self.rng
        width = t.element_size()
        start = t.untyped_storage().data_ptr()
        held = set()
        for other in self.env.values():
            if other.untyped_storage().data_ptr() == start:
                held |= memory(other)
        held = {(at - start) // width for at in held if (at - start) % width == 0}
        if not held:
            return None
        for _ in range(12):
            rank = rng.choice([1, 2, 2, 3])
            sizes = [rng.randint(1, 4) for _ in range(rank)]
            strides = [rng.randint(1, 8) for _ in range(rank)]
            if rng.random() < 0.5:  # the strides of a dense tensor
                step = 1
                for k in reversed(range(rank)):
                    strides[k], step = step, step * sizes[k]
            given = rng.random() < 0.6
            offset = rng.choice([0, 0, 1, 2, 4, t.storage_offset()]) if given else t.storage_offset()
            reached = {offset}
            for size, stride in zip(sizes, strides):
                reached = {at + k * stride for at in reached for k in range(size)}
            if reached <= held:
                return [str(tuple(sizes)), str(tuple(strides)), *([str(offset)] if given else [])]
        return None

    def _args_slice(self, t):
        rng = self.rng
        dim = self.dim(t)
        size = t.shape[dim] if t.dim() else 1
        start = rng.choice(["None", str(rng.randint(-size, size) if size else 0)])
        end = rng.choice(["None", str(rng.randint(-1, size + 1)), self.size(size), "9223372036854775807"])
        return [str(dim), start, end, str(rng.choice([1, 1, 2, 3]))]

    def _args_narrow(self, t):
        dim = self.dim(t)
        size = t.shape[dim] if t.dim() else 1
        start = self.rng.randint(0, max(0, size - 1))
        length = self.rng.randint(0 if self.rng.random() < 0.1 else min(1, size - start), size - start)
        if length and start + length == size and size in self.spelled:
            return [str(dim), str(start), f"{self.size(size)} - {start}"]
        return [str(dim), str(start), str(length)]

    def _args_select(self, t):
        dim = self.dim(t)
        size = t.shape[dim] if t.dim() else 1
        return [str(dim), str(self.rng.randrange(-size, size) if size else 0)]

    def _args_unfold(self, t):
        dim = self.dim(t)
        size = t.shape[dim] if t.dim() else 1
        return [str(dim), str(self.rng.randint(min(1, size), size)), str(self.rng.randint(1, 3))]

    def _args_permute(self, t):
        order = self.rng.sample(range(t.dim()), t.dim())
        return [str([d - t.dim() * (self.rng.random() < 0.2) for d in order])]

    def _parts(self, size: int) -> list[int]:
        parts = []
        while size > 0 and len(parts) < 4:
            part = self.rng.randint(1, size)
            parts.append(part)
            size -= part
        return [*parts, size] if size else parts

    def _args_split_with_sizes(self, t):
        dim = self.dim(t)
        return [str(self._parts(t.shape[dim] if t.dim() else 1)), str(dim)]

    # Writes by indices.

    def _source(self, t, dim: int, count: int) -> str:
        shape = list(t.shape)
        if shape:
            shape[dim] = count
        fitting = [n for n, o in self.env.items() if list(o.shape) == shape and o.dtype == t.dtype]
        if fitting and self.rng.random() < 0.5:
            return self.rng.choice(fitting)
        return self.tensor(shape, t.dtype)

    def _by_index(self, t, distinct: bool):
        dim = self.dim(t)
        index = self.indices(t.shape[dim] if t.dim() else 1, distinct)
        return [str(dim), self.index_text(index), self._source(t, dim, len(index))]

    def _args_index_copy(self, t):
        return self._by_index(t, True)

    def _args_index_add(self, t):
        return self._by_index(t, False)

    def _args_index_reduce(self, t):
        kind = self.rng.choice(["'prod'", "'amax'", "'amin'"])
        return [*self._by_index(t, False), kind]

    def _args_index_fill(self, t):
        dim = self.dim(t)
        index = self.indices(t.shape[dim] if t.dim() else 1, False)
        return [str(dim), self.index_text(index)]

    def _args_index_put(self, t):
        rng = self.rng
        accumulate = rng.random() < 0.4
        if not t.dim():
            return None
        if rng.random() < 0.35:
            mask = self.mask(t, whole=True)
            return [f"[{mask}]", self.tensor((), t.dtype), str(accumulate)]
        count = rng.randint(1, min(2, t.dim()))
        dims = sorted(rng.sample(range(t.dim()), count))
        sizes = [t.shape[d] for d in dims]
        total = 1
        for size in sizes:
            total *= size
        flat = self.indices(total, not accumulate, rng.randint(1, max(1, min(6, total))))
        columns = []
        for size in reversed(sizes):
            columns.append([k % size for k in flat])
            flat = [k // size for k in flat]
        texts = ["None"] * (dims[-1] + 1)
        for d, column in zip(dims, reversed(columns)):
            texts[d] = self.index_text([c - t.shape[d] * (rng.random() < 0.1) for c in column])
        return ["[" + ", ".join(texts) + "]", self._values(t, dims, len(flat)), str(accumulate)]

    def _values(self, t, dims, count: int) -> str:
        """Returns values for the elements that `count` indices of the dimensions `dims` select."""
        rest = [s for d, s in enumerate(t.shape) if d not in dims]
        adjacent = dims == list(range(dims[0], dims[-1] + 1))
        shape = [*rest[: dims[0]], count, *rest[dims[0] :]] if adjacent else [count, *rest]
        kind = self.rng.choice(["whole", "one", "last"])
        if kind == "one":
            return self.tensor((), t.dtype)
        return self.tensor(shape if kind == "whole" else shape[-1:], t.dtype)

    def _args__index_put_impl(self, t):
        return self._args_index_put(t)

    def _args_put(self, t):
        accumulate = self.rng.random() < 0.4
        index = self.indices(t.numel(), not accumulate, self.rng.randint(1, 5))
        return [self.index_text(index), self.tensor((len(index),), t.dtype), str(accumulate)]

    def _lanes(self, t, distinct: bool):
        """Draws a dimension, an index for `scatter` and its sizes. If `distinct`, the indices of
        each lane along the dimension are distinct."""
        if not t.dim() or not t.numel():
            return None
        dim = self.rng.randrange(t.dim())
        shape = [self.rng.randint(1, s) for s in t.shape]
        index = torch.empty(shape, dtype=torch.int64)
        lanes = index.movedim(dim, -1).reshape(-1, shape[dim])
        rows = [self.indices(t.shape[dim], distinct, shape[dim]) for _ in range(lanes.shape[0])]
        moved = [s for d, s in enumerate(shape) if d != dim] + [shape[dim]]
        index = torch.tensor(rows).reshape(moved).movedim(-1, dim)
        return str(dim - t.dim() * (self.rng.random() < 0.2)), f"torch.tensor({index.tolist()})", shape

    def _scatter(self, t, distinct: bool, last: list[str]):
        if (lanes := self._lanes(t, distinct)) is None:
            return None
        dim, index, shape = lanes
        return [dim, index, self.tensor(shape, t.dtype), *last]

    def _args_scatter(self, t):
        return self._scatter(t, True, [])

    def _args_scatter_add(self, t):
        return self._scatter(t, False, [])

    def _args_scatter_reduce(self, t):
        kind = self.rng.choice(["'sum'", "'prod'", "'amax'", "'amin'"])
        return self._scatter(t, False, [kind])

    def _args_masked_scatter(self, t):
        return [self.mask(t), self.tensor((max(1, t.numel()),), t.dtype)]

    def _args_gather(self, t):
        if (lanes := self._lanes(t, False)) is None:
            return None
        return [lanes[0], lanes[1]]

    def _args_index_select(self, t):
        dim = self.dim(t)
        return [str(dim), self.index_text(self.indices(t.shape[dim] if t.dim() else 1, False))]

    def _args_take(self, t):
        return [self.index_text(self.indices(t.numel(), False, self.rng.randint(1, 5)))]

    def _args_diagonal_scatter(self, t):
        return [self.operand(t.diagonal())] if t.dim() > 1 else None

    def _args_select_scatter(self, t):
        args = self._args_select(t)
        return [self.operand(t.select(int(args[0]), int(args[1]))), *args] if t.numel() and t.dim() else None

    def _args_slice_scatter(self, t):
        if not t.dim():
            return None
        dim, start, end, step = self._args_slice(t)
        # Evaluate the bounds: the source must have the sizes of the part.
        ends = [None if v == "None" or not v.lstrip("-").isdigit() else int(v) for v in (start, end)]
        part = torch.ops.aten.slice(t, int(dim), *ends, int(step))
        return [self._source(part, 0, part.shape[0]), dim, *("None" if v is None else str(v) for v in ends), step]

    def _matrix(self, *shape) -> str:
        return self.tensor(shape, self._dtype)

    def _args_addmm(self, t):
        if t.dim() != 2:
            return None
        self._dtype, k = t.dtype, self.rng.randint(1, 3)
        return [self._matrix(t.shape[0], k), self._matrix(k, t.shape[1])]

    def _args_addmv(self, t):
        if t.dim() != 1:
            return None
        self._dtype, k = t.dtype, self.rng.randint(1, 3)
        return [self._matrix(t.shape[0], k), self._matrix(k)]

    def _args_addr(self, t):
        if t.dim() != 2:
            return None
        self._dtype = t.dtype
        return [self._matrix(t.shape[0]), self._matrix(t.shape[1])]

    def _args_baddbmm(self, t):
        if t.dim() != 3:
            return None
        self._dtype, k = t.dtype, self.rng.randint(1, 3)
        return [self._matrix(t.shape[0], t.shape[1], k), self._matrix(t.shape[0], k, t.shape[2])]

    def _args_addbmm(self, t):
        if t.dim() != 2:
            return None
        self._dtype, k = t.dtype, self.rng.randint(1, 3)
        return [self._matrix(2, t.shape[0], k), self._matrix(2, k, t.shape[1])]

    def _args_mm(self, t):
        if t.dim() != 2:
            return None
        self._dtype = t.dtype
        return [self._matrix(t.shape[1], self.rng.randint(1, 3))]

    def _args_bmm(self, t):
        if t.dim() != 3:
            return None
        self._dtype = t.dtype
        return [self._matrix(t.shape[0], t.shape[2], self.rng.randint(1, 3))]

    def _args_mv(self, t):
        if t.dim() != 2:
            return None
        self._dtype = t.dtype
        return [self._matrix(t.shape[1])]

    def _args_linear(self, t):
        if not t.dim():
            return None
        self._dtype = t.dtype
        return [self._matrix(self.rng.randint(1, 3), t.shape[-1])]

    # Arguments by their types and names.

    def any(self, argument, t: torch.Tensor) -> str | None:
        """Returns the source of one argument, or None if its kind is unknown."""
        kind, name, rng = str(argument.real_type), argument.name, self.rng
        optional = kind.startswith("Optional[")
        kind = kind.removeprefix("Optional[").removesuffix("]") if optional else kind
        if optional and rng.random() < 0.4:
            return "None"
        if kind == "Tensor":
            if "mask" in name or name == "condition":
                return self.mask(t)
            if "ind" in name or name in ("repeats",):
                return self.index_text(self.indices(t.shape[0] if t.dim() else 1, True))
            return self.operand(t)
        if kind == "List[Tensor]":
            alike = [n for n, o in self.env.items() if o.shape == t.shape]
            texts = [rng.choice(alike) for _ in range(rng.randint(1, 2))] if alike else []
            return "[" + ", ".join([*texts, self.tensor(t.shape, rng.choice([t.dtype, draw_dtype(rng)]))]) + "]"
        if kind == "bool":
            return str(rng.random() < 0.5)
        if kind in ("int", "SymInt"):
            return self._int(name, argument, t)
        if kind in ("List[int]", "List[SymInt]"):
            return self._ints(name, t)
        if kind in ("number", "Scalar", "float"):
            if argument.name == "correction":
                return rng.choice(["0", "1"])
            return self.number(t) if kind != "float" else rng.choice(["0.5", "1.0", "2.0"])
        if kind == "List[number]":
            return "[" + ", ".join(self.number(t) for _ in range(rng.randint(1, 3))) + "]"
        if kind == "str":
            texts = {"reduce": ["'add'", "'multiply'", "'sum'"], "rounding_mode": ["'floor'", "'trunc'"], "approximate": ["'none'", "'tanh'"]}
            return rng.choice(texts.get(name, ["'floor'"]))
        return self._rest(kind, optional)

    def _rest(self, kind: str, optional: bool) -> str | None:
        if kind == "ScalarType":
            return str(self.rng.choice(DTYPES))
        if kind == "MemoryFormat":
            return self.rng.choice(["torch.contiguous_format"] * 2 + ["torch.channels_last"])
        if optional:
            return "None"
        return "torch.device('cpu')" if kind == "Device" else None

    def _int(self, name: str, argument, t: torch.Tensor) -> str:
        rng = self.rng
        if name == "dtype":  # an int in the schemas of TorchScript
            return str(rng.choice(DTYPES))
        if any(part in name for part in ("dim", "axis", "source", "destination")):
            return str(self.dim(t, extra=(name == "dim" and rng.random() < 0.3)))
        if name in ("sections", "chunks", "split_size"):
            divisors = [d for s in t.shape for d in range(1, s + 1) if s % d == 0]
            return str(rng.choice([*divisors, 1, 2]))
        if name in ("offset", "diagonal"):
            return str(rng.randint(-2, 2))
        return str(rng.randint(0, 3))

    def _ints(self, name: str, t: torch.Tensor) -> str:
        rng = self.rng
        if name in ("split_size", "split_sizes"):
            return str(self._parts(t.shape[0] if t.dim() else 1))
        if name == "indices":
            return str(sorted(rng.randint(0, max(t.shape, default=1)) for _ in range(rng.randint(1, 2))))
        if any(part in name for part in ("dim", "source", "destination")):
            count = rng.randint(1, max(1, min(2, t.dim())))
            return str(rng.sample(range(t.dim()), min(count, t.dim())))
        if name in ("size", "shape"):
            return self.sizes(self._factors(t.numel()))
        if name == "shifts":
            return str([rng.randint(-2, 2)])
        return str([rng.randint(0, 2) for _ in range(rng.randint(1, 2))])
