"""The table of models. A module of this package adds its own models with `register`."""

import dataclasses
from collections.abc import Callable

import torch


@dataclasses.dataclass
class Spec:
    """One model.

    build    makes the module, in eval mode, with weights from a fixed seed
    inputs   sample (args, kwargs) for the export and for static runs
    dynamic  `dynamic_shapes` for torch.export.export, or None
    others   further (args, kwargs) that a dynamic export must accept
    wide     sample inputs for the dynamic export, where those of `inputs` have
             a dimension of 1 that torch.export would specialise
    """

    name: str
    build: Callable[[], torch.nn.Module]
    inputs: Callable[[], tuple[tuple, dict]]
    dynamic: Callable[[], dict | tuple] | None = None
    others: Callable[[], list[tuple[tuple, dict]]] = lambda: []
    wide: Callable[[], tuple[tuple, dict]] | None = None

    def program(self, module, dynamic: bool = False, decomposed: bool = False):
        """Exports a module that `build` returned."""
        from exporting import export

        args, kwargs = (dynamic and self.wide or self.inputs)()
        shapes = self.dynamic() if dynamic else None
        return export(module, args, kwargs, dynamic=shapes, decomposed=decomposed)


_specs: dict[str, Spec] = {}


def register(spec: Spec) -> Spec:
    assert spec.name not in _specs, spec.name
    _specs[spec.name] = spec
    return spec


def get(name: str) -> Spec:
    if name not in _specs:
        raise SystemExit(f"error: no model '{name}'; one of: {', '.join(names())}")
    return _specs[name]


def names() -> list[str]:
    return sorted(_specs)


def seeded(make: Callable[[], torch.nn.Module], seed: int = 0) -> torch.nn.Module:
    """Builds a module with the same weights each time, in evaluation mode."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        module = make()
    return module.eval().requires_grad_(False)


def rand(*shape: int, seed: int = 1, dtype=torch.float32) -> torch.Tensor:
    g = torch.Generator().manual_seed(seed)
    return torch.randn(*shape, generator=g, dtype=torch.float32).to(dtype)


def randint(high: int, *shape: int, seed: int = 1) -> torch.Tensor:
    g = torch.Generator().manual_seed(seed)
    return torch.randint(high, shape, generator=g)
