"""The table of definitions."""

import dataclasses
from collections.abc import Callable

import exporting
import torch
import transformers
from models.registry import rand, randint, seeded

#: The sizes of the named dimensions: those of the export, and others that a dynamic export has to
#: accept.
SAMPLE = {"b": 2, "s": 8}
OTHERS = [{"b": 1, "s": 5}, {"b": 3, "s": 12}]


@dataclasses.dataclass
class Input:
    """One tensor: a shape with names for dynamic dimensions, and the values: integers below `high`,
    ones if `high` is 1, or normal values if `high` is None."""

    shape: tuple
    high: int | None = None
    dtype: torch.dtype | None = None

    def make(self, sizes: dict[str, int], seed: int) -> torch.Tensor:
        shape = [sizes.get(d, d) for d in self.shape]
        if self.high is None:
            return rand(*shape, seed=seed)
        value = (
            torch.ones(shape, dtype=torch.int64)
            if self.high == 1
            else randint(self.high, *shape, seed=seed)
        )
        return value.to(self.dtype) if self.dtype else value


@dataclasses.dataclass
class Entry:
    """One definition.

    make       the module, with random weights
    inputs     keyword arguments by name
    dynamic    the dimensions that its dynamic export has; none: static only
    fallbacks  how many nodes may run on ATen
    quick      whether it is tested without --long too
    """

    name: str
    make: Callable[[], torch.nn.Module]
    inputs: dict[str, Input]
    dynamic: tuple[str, ...] = ("b",)
    fallbacks: int = 0
    quick: bool = False

    def build(self) -> torch.nn.Module:
        return seeded(self.make)

    def sample(self, module, sizes: dict[str, int] | None = None) -> tuple[tuple, dict]:
        """(args, kwargs) for the given sizes of the dynamic dimensions."""
        sizes = SAMPLE | {k: v for k, v in (sizes or {}).items() if k in self.dynamic}
        inputs = {
            name: x.make(sizes, seed) for seed, (name, x) in enumerate(self.inputs.items(), 1)
        }
        return ((inputs,), {}) if isinstance(module, Outputs) else ((), inputs)

    def others(self, module) -> list[tuple[tuple, dict]]:
        return [self.sample(module, sizes) for sizes in OTHERS]

    def program(self, module, dynamic=False, decomposed=False) -> torch.export.ExportedProgram:
        shapes = None
        if dynamic:
            # Some models compare their length with 2 and with the length of their tables.
            dims = {
                name: torch.export.Dim(name, min=1 if name == "b" else 3, max=63)
                for name in self.dynamic
            }
            shapes = {
                name: {i: dims[d] for i, d in enumerate(x.shape) if d in dims} or None
                for name, x in self.inputs.items()
            }
            if isinstance(module, Outputs):
                shapes = {"inputs": shapes}
        return exporting.export(module, *self.sample(module), dynamic=shapes, decomposed=decomposed)


entries: dict[str, Entry] = {}


def get(name: str) -> Entry:
    return entries[name]


def define(name: str, make, inputs: dict[str, Input], **options) -> None:
    assert name not in entries, name
    entries[name] = Entry(name, make, inputs, **options)


class Outputs(torch.nn.Module):
    """The tensors of a model's output as a tuple, without its caches."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, inputs: dict[str, torch.Tensor]):
        out = self.model(**inputs, return_dict=True)
        return tuple(x for x in out.values() if isinstance(x, torch.Tensor))


def transformer(
    name: str,
    prefix: str,
    config: dict,
    inputs: dict[str, Input],
    *,
    suffix="Model",
    configuration=None,
    part=None,
    **options,
) -> None:
    """Defines the model `prefix + suffix` of transformers with `prefix + Config`. `part` selects
    the part of the model that runs. A function gives the configuration if it contains other
    configurations."""

    def make():
        made = getattr(transformers, configuration or prefix + "Config")(
            **(config() if callable(config) else config)
        )
        if hasattr(made, "use_cache"):
            made.use_cache = False
        # Experts run one by one or as one matmul. Only the matmul can be exported without an
        # operator that is written in Python.
        made._experts_implementation = "batched_mm"
        model = getattr(transformers, prefix + suffix)(made)
        return Outputs(part(model) if part else model)

    define(name, make, inputs, **options)


#: The inputs of most text models.
TOKENS = {"input_ids": Input(("b", "s"), 99)}
IMAGE = {"pixel_values": Input(("b", 3, 32, 32))}

TEXT = dict(
    hidden_size=32,
    num_hidden_layers=2,
    num_attention_heads=4,
    intermediate_size=64,
    vocab_size=99,
    max_position_embeddings=64,
)
GQA = TEXT | dict(num_key_value_heads=2)
