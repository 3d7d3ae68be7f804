"""Language models of transformers as models with the methods `prefill` and `decode`."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import torch

from fx_mlir._compiled import compile
from fx_mlir._error import Error
from fx_mlir._models import CompiledModel
from fx_mlir._quantize import quantize as _quantize

#: The file beside `model.so` that tells how to generate with it; `fx_mlir.generate` reads it.
MANIFEST = "fx_generation.json"
_VERSION = 1

#: The formats of `quantize`, as options of `fx_mlir.quantize`.
QUANTIZATIONS: dict[str, dict] = {
    "int8": {"weight_bits": 8},
    "int4": {"weight_bits": 4, "group_size": 32},
}


def _tensors(layer: Any) -> Iterator[tuple[str, Any, Any, torch.Tensor]]:
    """The tensors of a layer of a cache: name, container, key, tensor."""
    for name, value in vars(layer).items():
        if isinstance(value, torch.Tensor):
            yield name, vars(layer), name, value
        elif isinstance(value, dict):
            for key, item in value.items():
                if isinstance(item, torch.Tensor):
                    yield f"{name}_{key}", value, key, item


class _Holder:
    """Holds a cache. torch.export copies the caches, lists and dictionaries that are attributes of
    a module, and puts the copies there."""

    def __init__(self, cache: Any) -> None:
        self.cache = cache
        #: The containers, keys and names of the tensors.
        self.places: list[tuple[dict, Any, str]] = []


class _Cached(torch.nn.Module):
    """A model with a static cache, whose tensors are buffers."""

    def __init__(self, model: torch.nn.Module, max_length: int) -> None:
        from transformers import StaticCache
        from transformers.cache_utils import StaticLayer, StaticSlidingWindowLayer

        super().__init__()
        self.model = model
        config = model.config.get_text_config()
        cache = StaticCache(max_cache_len=max_length, config=config)
        self._holder = _Holder(cache)
        # A sliding window moves its content when it is full. The mask alone limits what a layer
        # attends to, so a cache of all positions gives the same results.
        for k, layer in enumerate(cache.layers):
            if type(layer) is StaticSlidingWindowLayer:
                cache.layers[k] = StaticLayer(max_length)
        # The first run makes the tensors of the cache.
        self.call(torch.zeros(1, 1, dtype=torch.long), torch.zeros(1, dtype=torch.long), 1)
        for k, layer in enumerate(cache.layers):
            for name, container, key, tensor in list(_tensors(layer)):
                self.register_buffer(f"{name}_{k}", torch.zeros_like(tensor), persistent=False)
                self._holder.places.append((container, key, f"{name}_{k}"))

    @property
    def counts_positions(self) -> bool:
        """Whether all layers are attention over a cache by position."""
        from transformers.cache_utils import LinearAttentionCacheLayerMixin as Recurrent

        return not any(isinstance(layer, Recurrent) for layer in self._holder.cache.layers)

    def bind(self) -> None:
        """Makes the buffers the tensors of the cache. torch.export replaces the buffers of modules,
        but a cache is no module."""
        for container, key, name in self._holder.places:
            container[key] = getattr(self, name)

    def call(self, ids: torch.Tensor, positions: torch.Tensor, keep: int) -> torch.Tensor:
        self.bind()
        for layer in self._holder.cache.layers:
            if isinstance(length := getattr(layer, "cumulative_length", None), torch.Tensor):
                length.copy_(positions[0])
        takes = self.model.forward.__code__.co_varnames
        name = "cache_params" if "cache_params" in takes else "past_key_values"
        options: dict = {name: self._holder.cache, "use_cache": True}
        if "logits_to_keep" in takes:
            options["logits_to_keep"] = keep
        return self.model(input_ids=ids, **options).logits


class _Method(torch.nn.Module):
    """A method of a model with a cache. The states of all methods have the same names."""

    def __init__(self, cached: _Cached, keep: int = 1) -> None:
        super().__init__()
        self.cached = cached
        self.keep = keep

    def forward(self, input_ids: torch.Tensor, cache_position: torch.Tensor) -> torch.Tensor:
        logits = self.cached.call(input_ids, cache_position, self.keep).float()
        return logits[:, -1] if self.keep == 1 else logits


def _export(method: _Method, length: int, dynamic: Any = None) -> torch.export.ExportedProgram:
    ids = torch.zeros(1, length, dtype=torch.long)
    with torch.no_grad(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return torch.export.export(
                method, (ids, torch.arange(length)), dynamic_shapes=dynamic, strict=False
            )
        finally:
            method.cached.bind()


def _programs(
    model: torch.nn.Module, max_length: int, speculation: int
) -> dict[str, torch.export.ExportedProgram]:
    cached = _Cached(model, max_length)
    programs = {"decode": _export(_Method(cached), 1)}
    # Recurrent layers continue at the last token alone, and torch.export unrolls their loops over
    # tokens: such a model reads its prompt token by token.
    if cached.counts_positions:
        tokens = torch.export.Dim("tokens", min=2, max=max_length)
        programs["prefill"] = _export(_Method(cached), 7, ({1: tokens}, {0: tokens}))
        if speculation:
            programs["verify"] = _export(_Method(cached, speculation + 1), speculation + 1)
    elif speculation:
        raise Error("speculation: expected a model whose layers are attention")
    return programs


def _ids(value: Any) -> list[int]:
    return [] if value is None else [value] if isinstance(value, int) else list(value)


def export_for_generation(
    model: torch.nn.Module,
    folder: str | os.PathLike,
    *,
    max_length: int = 2048,
    quantize: str | None = None,
    speculation: int = 0,
    tokenizer: Any = None,
    precision: str = "f32",
    cpu: str = "",
    progress: bool | Callable[[str, float], None] | None = None,
) -> CompiledModel:
    """Compiles a causal language model of transformers for generation, and returns it.

    `folder` receives `model.so`, `fx_generation.json`, the model's configuration, and the files
    of `tokenizer`. `python -m fx_mlir.generate FOLDER` generates text with it.

    The model has the methods `decode(input_ids[1, 1], cache_position[1])` and, if its layers are
    attention, `prefill(input_ids[1, T], cache_position[T])` for 2 to `max_length` tokens. Both
    return the logits of the last token as f32[1, vocabulary]. Caches are buffers of `max_length`
    positions that both methods share; no call copies them.

    - `quantize`: "int8" or "int4" (groups of 32) makes the weights of linear layers integers.
    - `speculation`: adds the method `verify(input_ids[1, K], cache_position[K])` for K of this
      number plus 1, which returns the logits of all K tokens.
    - `precision`, `cpu` and `progress` are as in `fx_mlir.compile`.

    A sliding window is computed by the mask: the cache keeps all positions. Operators without
    native code are an error.
    """
    from transformers import GenerationMixin, PreTrainedModel

    if not (isinstance(model, PreTrainedModel) and issubclass(type(model), GenerationMixin)):
        raise TypeError(
            f"expected a model of transformers that generates, got {type(model).__qualname__}"
        )
    if model.config.is_encoder_decoder:
        raise Error("expected a decoder alone, got a model with an encoder")
    if not isinstance(max_length, int) or max_length < 2:
        raise Error(f"max_length: expected 2 or more positions, got {max_length!r:.80}")
    if not isinstance(speculation, int) or not 0 <= speculation < max_length:
        raise Error(f"speculation: expected 0 to {max_length - 1}, got {speculation!r:.80}")
    if quantize is not None and quantize not in QUANTIZATIONS:
        raise Error(f"quantize: expected {' or '.join(QUANTIZATIONS)}, got {quantize!r:.80}")
    model = model.eval()
    with torch.no_grad(), _native_experts(model):
        sources: dict[str, Any] = dict(_programs(model, max_length, speculation))
    if quantize is not None:
        options = QUANTIZATIONS[quantize]
        sources = {
            name: _quantize(program, mode="weight-only", **options)
            for name, program in sources.items()
        }
    compiled = compile(
        sources, no_fallback=True, precision=precision, cpu=cpu, progress=progress
    )
    path = os.fspath(folder)
    os.makedirs(path, exist_ok=True)
    generation = model.generation_config
    manifest = {
        "version": _VERSION,
        "architecture": type(model).__name__,
        "max_length": max_length,
        "vocabulary": model.config.get_text_config().vocab_size,
        "speculation": speculation,
        "recurrent": "prefill" not in sources,
        "quantization": quantize,
        "stop_tokens": _ids(generation.eos_token_id if generation else None),
    }
    compiled.save(os.path.join(path, "model.so"))
    model.config.save_pretrained(path)
    if generation is not None:
        generation.save_pretrained(path)
    if tokenizer is not None:
        tokenizer.save_pretrained(path)
    with open(os.path.join(path, MANIFEST), "w", encoding="utf-8") as file:
        json.dump(manifest, file, indent=2)
        file.write("\n")
    return compiled


class _native_experts:
    """Computes a mixture of experts by batched matmuls, which have native code: those over
    groups of tokens are a custom operator in Python."""

    def __init__(self, model: Any) -> None:
        self.model = model
        self.before = getattr(model.config, "_experts_implementation", None)

    def __enter__(self) -> None:
        if self.before is not None:
            self.model.set_experts_implementation("batched_mm")

    def __exit__(self, *error: Any) -> None:
        if self.before is not None:
            self.model.set_experts_implementation(self.before)
