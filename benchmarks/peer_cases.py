"""The cases of `benchmarks/peers.py`: name -> a function that returns a module in float32
and its arguments. Cases of torchvision or transformers need these packages."""

import copy
import functools
import importlib.util
import pathlib
import re

import models
import torch
from torch import nn
from torch.nn import functional as F


def _project(name, inputs=None):
    def build():
        spec = models.get(name)
        args, kwargs = spec.inputs()
        return spec.build(), inputs() if inputs else (*args, *kwargs.values())

    return build


def _images(batch):
    return (torch.rand(batch, 3, 224, 224, generator=torch.Generator().manual_seed(0)) - 0.5,)


@functools.cache
def _torchvision():
    """Imports torchvision. Its wheel is made for torch with CUDA: with another build its own
    operators, which these models do not use, cannot be loaded, and the import fails for want
    of their definitions."""
    try:
        import torchvision
    except RuntimeError:
        folder = pathlib.Path(importlib.util.find_spec("torchvision").origin).parent
        text = (folder / "_meta_registrations.py").read_text()
        library = torch.library.Library("torchvision", "FRAGMENT")
        for name in set(re.findall(r'torchvision::(\w+)"|register_meta\("(\w+)"', text)):
            library.define("".join(name) + "() -> Tensor")
        import torchvision

        torchvision.definitions = library  # which end with the library object
    return torchvision


def _vision(name, batch=1):
    def build():
        torchvision = _torchvision()
        torch.manual_seed(0)
        model = getattr(torchvision.models, name)(weights=None)
        for parameter in model.parameters():
            # The head of a vision transformer starts at zero, and so would the results.
            if not parameter.any():
                nn.init.normal_(parameter, std=0.02)
        return model, _images(batch)

    return build


def _tokens(batch, length, words):
    return torch.randint(0, words, (batch, length), generator=torch.Generator().manual_seed(0))


def _bert(batch):
    def inputs():
        return _tokens(batch, 128, 30522), torch.ones(batch, 128, dtype=torch.int64)

    return _project("bert_base", inputs)


class Logits(nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, tokens):
        return self.model(tokens, use_cache=False, return_dict=False)[0]


def _gpt2():
    import transformers

    torch.manual_seed(0)
    model = transformers.GPT2LMHeadModel(transformers.GPT2Config(use_cache=False))
    return Logits(model), (_tokens(1, 128, 50257),)


def _autoencoder(batch):
    def inputs():
        return (torch.rand(batch, 17768, generator=torch.Generator().manual_seed(0)),)

    return _project("autoencoder", inputs)


class Pointwise(nn.Module):
    """A module without weights."""

    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, *args):
        return self.function(*args)


class Normalized(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.LayerNorm(1024)

    def forward(self, x, y):
        return F.gelu(self.norm(x + y))


def _rows(function, count=1):
    def build():
        generator = torch.Generator().manual_seed(0)
        args = tuple(torch.rand(4096, 1024, generator=generator) for _ in range(count))
        module = copy.deepcopy(function) if isinstance(function, nn.Module) else Pointwise(function)
        return module, args

    return build


#: Cases that multiply no matrices.
POINTWISE = {
    "softmax": _rows(lambda x: x.softmax(-1)),
    "add_norm_gelu": _rows(Normalized(), 2),
    "pointwise": _rows(lambda x, y: torch.sigmoid(x) * y + x.tanh() * 0.5, 2),
    "column_sum": _rows(lambda x: x.sum(0)),
}

CASES = {
    "resnet50": _project("resnet50"),
    "resnet50_b16": _project("resnet50", lambda: _images(16)),
    "resnet18": _vision("resnet18"),
    "mobilenet_v2": _vision("mobilenet_v2"),
    "bert_base": _bert(1),
    "bert_base_b8": _bert(8),
    "vit_b_16": _vision("vit_b_16"),
    "gpt2": _gpt2,
    "llama": _project("llama"),
    "llama_decode": _project("llama_decode"),
    "autoencoder_b1": _autoencoder(1),
    "autoencoder_b16": _autoencoder(16),
    "autoencoder_b64": _autoencoder(64),
    **POINTWISE,
}
