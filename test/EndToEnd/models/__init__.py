"""The project's own model definitions, with random seeded weights.

`get(name)` returns a Spec: how to build the module, sample inputs, which dimensions may be dynamic,
and further inputs inside those ranges. Nothing is downloaded and nothing depends on torchvision.
"""

from models.registry import Spec, get, names

from models import autoencoder, bert, control_flow, llama, mlp, resnet  # noqa: F401

__all__ = ["Spec", "get", "names"]
