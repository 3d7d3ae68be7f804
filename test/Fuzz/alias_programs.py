"""A program: its tensors, steps and returned values, all as Python source."""

import dataclasses
import itertools
import re
import textwrap

import torch
from alias_values import Spec

_NAME = re.compile(r"\b(?:self\.)?[xbpcv]\d+\b")


@dataclasses.dataclass(frozen=True)
class Step:
    """Lines of source, the names that they bind, and the operators in them."""

    lines: tuple[str, ...]
    binds: tuple[str, ...] = ()
    operators: tuple[str, ...] = ()


@dataclasses.dataclass
class Program:
    """The program of a seed. Inputs are named `x<k>`, buffers `self.b<k>`, parameters
    `self.p<k>` and constants `self.c<k>`."""

    seed: int
    inputs: dict[str, Spec] = dataclasses.field(default_factory=dict)
    states: dict[str, Spec] = dataclasses.field(default_factory=dict)
    steps: list[Step] = dataclasses.field(default_factory=list)
    returns: list[str] = dataclasses.field(default_factory=list)
    #: The inputs whose first size is dynamic.
    dynamic: tuple[str, ...] = ()

    def body(self) -> list[str]:
        lines = [line for step in self.steps for line in step.lines]
        return [*lines, f"return [{', '.join(self.returns)}]"]

    def _init(self) -> list[str]:
        lines = ["super().__init__()"]
        for name, spec in self.states.items():
            text = spec.text()
            if name.startswith("b"):
                lines.append(f'self.register_buffer("{name}", {text})')
            elif name.startswith("p"):
                lines.append(f"self.{name} = nn.Parameter({text}, requires_grad=False)")
            else:
                lines.append(f"self.{name} = {text}")
        return lines

    def class_source(self) -> str:
        init = textwrap.indent("\n".join(self._init()), " " * 8)
        body = textwrap.indent("\n".join(self.body()), " " * 8)
        names = ", ".join(["self", *self.inputs])
        return (
            f"class Program(nn.Module):\n    def __init__(self):\n{init}\n\n"
            f"    def forward({names}):\n{body}\n"
        )

    def source(self) -> str:
        """Returns a script that exports the program."""
        values = ", ".join(spec.text() for spec in self.inputs.values())
        shapes = ""
        if self.dynamic:
            each = ("{0: torch.export.Dim.AUTO}" if n in self.dynamic else "None" for n in self.inputs)
            shapes = f", dynamic_shapes=({', '.join(each)},)"
        return (
            f"# seed {self.seed}\nimport torch\nfrom torch import nn\n\n\n{self.class_source()}\n\n"
            f"inputs = ({values},)\n"
            f"program = torch.export.export(Program(), inputs{shapes})\n"
        )

    def module(self) -> torch.nn.Module:
        space = {"torch": torch, "nn": torch.nn}
        exec(self.class_source(), space)
        return space["Program"]()

    def arguments(self, more: int = 0) -> tuple[torch.Tensor, ...]:
        """Returns new inputs. The dynamic sizes are larger by `more`."""
        space = {"torch": torch}
        return tuple(
            eval(spec.text(spec.shape[0] + more if name in self.dynamic else None), space)
            for name, spec in self.inputs.items()
        )

    def dynamic_shapes(self):
        if not self.dynamic:
            return None
        auto = torch.export.Dim.AUTO
        return tuple({0: auto} if name in self.dynamic else None for name in self.inputs)

    # Shorter programs.

    def without_unused(self) -> "Program":
        """Returns the program without unused inputs and states. At least one input stays."""
        used = set(itertools.chain.from_iterable(_NAME.findall(line) for line in self.body()))
        inputs = {n: s for n, s in self.inputs.items() if n in used}
        if not inputs:
            inputs = dict(itertools.islice(self.inputs.items(), 1))
        states = {n: s for n, s in self.states.items() if f"self.{n}" in used}
        dynamic = tuple(n for n in self.dynamic if n in inputs)
        return dataclasses.replace(self, inputs=inputs, states=states, dynamic=dynamic)

    def without_steps(self, dropped: set[int]) -> "Program":
        """Returns the program without the steps `dropped`, and without the steps and returned
        values that depend on them."""
        known = {*self.inputs, *(f"self.{n}" for n in self.states)}
        steps = []
        for k, step in enumerate(self.steps):
            named = set(_NAME.findall("\n".join(step.lines))) - set(step.binds)
            if k not in dropped and named <= known:
                steps.append(step)
                known |= set(step.binds)
        returns = [r for r in self.returns if set(_NAME.findall(r)) <= known]
        return dataclasses.replace(self, steps=steps, returns=returns)
