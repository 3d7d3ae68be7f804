"""Steps as people write them: indexing, assignments to parts, and operators that copy."""

import torch
from alias_build import Builder, Rejected
from alias_programs import Step
from alias_values import draw_dtype


def basic_index(b: Builder, t: torch.Tensor) -> str:
    """Draws an index expression that gives a view."""
    rng, parts = b.rng, []
    for size in t.shape:
        kind = rng.choice("all int slice slice step none-all".split())
        if kind == "int" and size:
            parts.append(str(rng.randrange(-size, size)))
        elif kind == "slice" and size:
            start = rng.randrange(size)
            parts.append(rng.choice([f"{start}:", f":{start + 1}", f"{start}:{min(size, start + 2)}", f":-{start + 1}"]))
        elif kind == "step":
            parts.append(rng.choice(["::2", "1::2", "::3"]))
        elif kind == "none-all" and t.dim() < 4 and rng.random() < 0.3:
            parts.extend(["None", ":"])
        else:
            parts.append(":")
    if rng.random() < 0.3 and parts:
        at = rng.randrange(len(parts))
        parts = [*parts[:at], "..."] if rng.random() < 0.5 else ["...", *parts[at:]]
    return ", ".join(parts) or "..."


def _advanced_index(b: Builder, t: torch.Tensor, distinct: bool) -> str:
    """Draws an index expression with a tensor of indices."""
    if not t.dim() or not t.numel():
        raise Rejected("nothing to index")
    at = b.rng.randrange(t.dim())
    index = b.arguments.index_text(b.arguments.indices(t.shape[at], distinct))
    return ", ".join([":"] * at + [index])


def take_part(b: Builder) -> None:
    name = b.pick()
    v = b.fresh()
    text = f"{v} = {name}[{basic_index(b, b.env[name])}]"
    b.apply(Step((text,), (v,), ("x[...]",)), read=[b.env[name]])


def set_part(b: Builder) -> None:
    """Draws `x[...] = y` or `x[...] += y`, where `y` is a number or a tensor."""
    name = b.pick()
    t = b.env[name]
    index = basic_index(b, t)
    (part,) = b._values([f"{name}[{index}]"])
    value = b.arguments.number(t) if b.rng.random() < 0.3 else b.arguments.operand(part)
    sign = b.rng.choice(["=", "=", "=", "+=", "*=", "-="])
    read = b._tensors(b._values([value]))
    step = Step((f"{name}[{index}] {sign} {value}",), (), (f"x[...] {sign}",))
    b.apply(step, [part], read, pointwise=True)


def set_masked(b: Builder) -> None:
    name = b.pick()
    t = b.env[name]
    mask = b.arguments.mask(t, whole=True)
    other = [n for n, o in b.env.items() if o.shape == t.shape and o.dtype == t.dtype and n != name]
    if other and b.rng.random() < 0.3:
        source = b.rng.choice(other)
        value = f"{source}[{mask}]"
    else:
        source, value = None, b.arguments.number(t)
    read = b._tensors(b._values([mask] + ([source] if source else [])))
    b.apply(Step((f"{name}[{mask}] = {value}",), (), ("x[mask] =",)), [t], read)


def set_indexed(b: Builder) -> None:
    name = b.pick()
    t = b.env[name]
    sign = b.rng.choice(["=", "+=", "*="])
    index = _advanced_index(b, t, True)
    (part,) = b._values([f"{name}[{index}]"])
    value = b.arguments.number(t) if b.rng.random() < 0.5 else b.arguments.operand(part)
    read = b._tensors(b._values([value]))
    b.apply(Step((f"{name}[{index}] {sign} {value}",), (), (f"x[index] {sign}",)), [t], read)


def augment(b: Builder) -> None:
    name = b.pick()
    if name.startswith("self."):
        raise Rejected("assigns to a state")
    t = b.env[name]
    value = b.arguments.number(t) if b.rng.random() < 0.4 else b.arguments.operand(t)
    sign = b.rng.choice(["+=", "-=", "*="])
    read = b._tensors(b._values([value]))
    b.apply(Step((f"{name} {sign} {value}",), (), (f"x {sign}",)), [t], read, pointwise=True)


def move_part(b: Builder) -> None:
    """Draws an assignment of a part of a tensor to another part, through a copy."""
    name = b.pick()
    t = b.env[name]
    if not t.dim() or t.shape[0] < 2:
        raise Rejected("too small")
    n = b.rng.randint(1, t.shape[0] - 1)
    text = b.rng.choice([f"{name}[{n}:] = {name}[:-{n}].clone()", f"{name}[:-{n}].copy_({name}[{n}:].clone())"])
    b.apply(Step((text,), (), ("x[n:] = x[:-n].clone()",)), [t], [])


def copy_values(b: Builder) -> None:
    """Draws an operator that makes a new tensor of one or two others."""
    rng, name = b.rng, b.pick()
    t = b.env[name]
    other = b.arguments.operand(t)
    alike = [n for n, o in b.env.items() if o.dim() == t.dim() and o.shape[1:] == t.shape[1:]] if t.dim() else []
    same = rng.choice(alike) if alike else b.arguments.tensor(t.shape, draw_dtype(rng))
    dim = b.arguments.dim(t)
    text = rng.choice(
        [
            *[f"{name}.clone()"] * 4,
            f"{name}.clone(memory_format=torch.contiguous_format)",
            f"torch.zeros_like({name})",
            f"torch.ones({tuple(t.shape)}, dtype={draw_dtype(rng)})",
            f"torch.full({tuple(t.shape)}, 2.0)",
            *[f"torch.cat([{name}, {same}])"] * 3,
            f"torch.cat([{name}, {b.arguments.tensor(t.shape, draw_dtype(rng))}], {dim})",
            f"torch.stack([{name}, {name}], {dim})",
            f"{name} + {other}",
            f"{name} * {other}",
            f"{name} - {b.arguments.number(t)}",
            f"torch.where({b.arguments.mask(t)}, {name}, {other})",
            f"{name}.flip({dim})",
            f"{name}.roll(1, {dim})",
            f"{name}.sum({dim})",
            f"{name}.repeat_interleave(2, {dim})",
            f"{name}.masked_fill({b.arguments.mask(t)}, 3)",
            f"-{name}",
            f"{name}.to({draw_dtype(rng)})",
            f"torch.view_copy({name}, {b.arguments.special('view', t)[0]})",
        ]
    )
    v = b.fresh()
    function = text.split("(")[0].replace(name, "x") if "(" in text.split(" ")[0] else "x op y"
    read = b._tensors(b._values([name]))
    if " + " in text or " * " in text or "where" in text or "cat" in text:
        read += b._tensors(b._values([other, same]))
    b.apply(Step((f"{v} = {text}",), (v,), (f"copy: {function}",)), read=read)


def copy_indexed(b: Builder) -> None:
    name, v = b.pick(), b.fresh()
    text = f"{v} = {name}[{_advanced_index(b, b.env[name], False)}]"
    b.apply(Step((text,), (v,), ("x[index]",)), read=[b.env[name]])


STEPS = [
    *[(take_part, 4), (set_part, 6), (set_masked, 2), (set_indexed, 2), (augment, 2)],
    *[(move_part, 1), (copy_values, 9), (copy_indexed, 1)],
]
