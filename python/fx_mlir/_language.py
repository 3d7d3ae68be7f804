"""Language models of transformers as models with the methods `prefill` and `decode`."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Callable
from typing import Any

import torch

from fx_mlir._compiled import compile
from fx_mlir._error import Error
from fx_mlir._language_modules import (
    Cached,
    Decoder,
    EncodeFeatures,
    EncoderDecoder,
    EncodeText,
    Join,
    Slots,
    Step,
    StepSlots,
    sample_source,
)
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


def _export(
    module: torch.nn.Module, cached: Cached, args: tuple, dynamic: Any = None
) -> torch.export.ExportedProgram:
    with torch.no_grad(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return torch.export.export(module, args, dynamic_shapes=dynamic, strict=False)
        finally:
            cached.bind()


def _example(length: int) -> tuple[torch.Tensor, torch.Tensor]:
    return torch.zeros(1, length, dtype=torch.long), torch.arange(length)


def _slot_programs(decoder: Decoder, count: int) -> dict[str, torch.export.ExportedProgram]:
    slots = Slots(decoder, count)
    args = (torch.zeros(count, 1, dtype=torch.long), torch.arange(count))
    decode = _export(StepSlots(slots), slots, args)
    join = _export(Join(decoder, slots), slots, (torch.zeros(1, dtype=torch.long),))
    decoder.bind()
    return {"decode_slots": decode, "join": join}


def _programs(
    model: Any,
    max_length: int,
    speculation: int,
    source_length: int | None = None,
    slots: int = 0,
    cache_dtype: torch.dtype | None = None,
) -> dict[str, torch.export.ExportedProgram]:
    cached: Cached
    programs = {}
    if model.config.is_encoder_decoder:
        source = sample_source(model, source_length)
        cached = encoder = EncoderDecoder(model, max_length, source, cache_dtype)
        if encoder.is_text:
            mask = torch.ones(1, encoder.length, dtype=torch.long)
            programs["encode"] = _export(EncodeText(encoder), cached, (source, mask))
        else:
            programs["encode"] = _export(EncodeFeatures(encoder), cached, (source,))
    else:
        cached = Decoder(model, max_length, cache_dtype)
    programs["decode"] = _export(Step(cached), cached, _example(1))
    # Recurrent layers continue at the last token alone, and torch.export unrolls their loops over
    # tokens: such a model reads its prompt token by token.
    if cached.has_positions:
        tokens = torch.export.Dim("tokens", min=2, max=max_length)
        programs["prefill"] = _export(Step(cached), cached, _example(7), ({1: tokens}, {0: tokens}))
        if speculation:
            step = Step(cached, speculation + 1)
            programs["verify"] = _export(step, cached, _example(speculation + 1))
    elif speculation:
        raise Error("speculation: expected a model whose layers are attention")
    if slots:
        if not isinstance(cached, Decoder) or not cached.has_positions:
            raise Error("slots: expected a decoder alone whose layers are attention")
        programs |= _slot_programs(cached, slots)
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
    slots: int = 0,
    cache_dtype: torch.dtype | None = None,
    source_length: int | None = None,
    tokenizer: Any = None,
    precision: str = "f32",
    cpu: str = "",
    swappable_weights: bool = False,
    progress: bool | Callable[[str, float], None] | None = None,
) -> CompiledModel:
    """Compiles a language model of transformers for generation, and returns it.

    `folder` receives `model.so`, `fx_generation.json`, the model's configuration, and the files
    of `tokenizer`. `python -m fx_mlir.generate FOLDER` generates text with it.

    The model has the methods `decode(input_ids[1, 1], cache_position[1])` and, if its layers are
    attention, `prefill(input_ids[1, T], cache_position[T])` for 2 to `max_length` tokens. Both
    return the logits of the last token as f32[1, vocabulary]. Caches are buffers of `max_length`
    positions that both methods share; no call copies them. A model with an encoder also has the
    method `encode`, which is called first: `encode(input_ids[1, S], attention_mask[1, S])` for S =
    `source_length`, where 0 in the mask stands for padding, or `encode(input_features)` for sound.

    - `quantize`: "int8" or "int4" (groups of 32) makes the weights of linear layers integers.
    - `speculation`: adds the method `verify(input_ids[1, K], cache_position[K])` for K of this
      number plus 1, which returns the logits of all K tokens.
    - `slots`: adds the method `decode_slots(input_ids[slots, 1], cache_position[slots])`, which
      decodes a token of each of so many sequences and reads the weights once, and `join(slot[1])`,
      which copies the caches of the other methods to a slot. `GenerationPool` uses them.
    - `cache_dtype`: `torch.float16` or `torch.bfloat16` stores the keys and values of a float32
      model in 16 bits. Long contexts and several sequences read half of the bytes; keys and values
      are rounded. Caches of an encoder's result keep the model's dtype.
    - `precision`, `cpu`, `swappable_weights` and `progress` are as in `fx_mlir.compile`.

    A sliding window is computed by the mask: the cache keeps all positions. Operators without
    native code are an error.
    """
    from transformers import GenerationMixin, PreTrainedModel

    if not (isinstance(model, PreTrainedModel) and issubclass(type(model), GenerationMixin)):
        raise TypeError(
            f"expected a model of transformers that generates, got {type(model).__qualname__}"
        )
    if source_length is not None and not model.config.is_encoder_decoder:
        raise Error("source_length: expected a model with an encoder, got a decoder alone")
    if not isinstance(max_length, int) or max_length < 2:
        raise Error(f"max_length: expected 2 or more positions, got {max_length!r:.80}")
    if not isinstance(speculation, int) or not 0 <= speculation < max_length:
        raise Error(f"speculation: expected 0 to {max_length - 1}, got {speculation!r:.80}")
    if not isinstance(slots, int) or slots < 0:
        raise Error(f"slots: expected 0 or more, got {slots!r:.80}")
    if cache_dtype not in (None, torch.float16, torch.bfloat16):
        raise Error(
            f"cache_dtype: expected torch.float16 or torch.bfloat16, got {cache_dtype!r:.80}"
        )
    if cache_dtype is not None and model.dtype not in (torch.float32, cache_dtype):
        raise Error(f"cache_dtype: expected a model of float32, got one of {model.dtype}")
    if quantize is not None and quantize not in QUANTIZATIONS:
        raise Error(f"quantize: expected {' or '.join(QUANTIZATIONS)}, got {quantize!r:.80}")
    model = model.eval()
    with torch.no_grad(), _native_experts(model):
        sources: dict[str, Any] = dict(
            _programs(model, max_length, speculation, source_length, slots, cache_dtype)
        )
    if quantize is not None:
        options = QUANTIZATIONS[quantize]
        sources = {
            name: program if name == "join" else _quantize(program, mode="weight-only", **options)
            for name, program in sources.items()
        }
    compiled = compile(
        sources,
        no_fallback=True,
        precision=precision,
        cpu=cpu,
        swappable_weights=swappable_weights,
        progress=progress,
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
        "slots": slots,
        "recurrent": "prefill" not in sources,
        "source_length": source_length,
        "quantization": quantize,
        "cache_dtype": cache_dtype and str(cache_dtype).removeprefix("torch."),
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
