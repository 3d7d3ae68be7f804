"""The names of llama.cpp's files for the weights of transformers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from fx_mlir._error import Error

#: A weight of the program (None: the tensor is ignored), the tensor of the file, the number of
#: heads whose rows are pairs, and the number that is added.
Binding = tuple[str | None, str, int, float]

_MODEL = {
    "token_embd": "model.embed_tokens",
    "output_norm": "model.norm",
    "output": "lm_head",
}
_LAYER = {
    "attn_norm": "input_layernorm",
    "attn_q": "self_attn.q_proj",
    "attn_k": "self_attn.k_proj",
    "attn_v": "self_attn.v_proj",
    "attn_qkv": "self_attn.qkv_proj",
    "attn_output": "self_attn.o_proj",
    "attn_q_norm": "self_attn.q_norm",
    "attn_k_norm": "self_attn.k_norm",
    "ffn_norm": "post_attention_layernorm",
    "ffn_gate": "mlp.gate_proj",
    "ffn_up": "mlp.up_proj",
    "ffn_down": "mlp.down_proj",
}
_GEMMA = {
    "post_attention_norm": "post_attention_layernorm",
    "ffn_norm": "pre_feedforward_layernorm",
    "post_ffw_norm": "post_feedforward_layernorm",
}

#: The names of a layer's tensors in each architecture.
_ARCHITECTURES: dict[str, dict[str, str]] = {
    "llama": _LAYER,
    "qwen2": _LAYER,
    "qwen3": _LAYER,
    "gemma": _LAYER,
    "gemma2": {**_LAYER, **_GEMMA},
    "gemma3": {**_LAYER, **_GEMMA},
    "phi3": {**_LAYER, "ffn_up": "mlp.gate_up_proj"},
}
#: Tables that transformers computes from the configuration.
_IGNORED = ("rope_freqs.weight", "rope_factors_long.weight", "rope_factors_short.weight")


def _weight(name: str, layer: dict[str, str]) -> str | None:
    """Returns transformers' name of a tensor."""
    stem, _, suffix = name.rpartition(".")
    if suffix not in ("weight", "bias"):
        return None
    if stem in _MODEL:
        return f"{_MODEL[stem]}.{suffix}"
    block, _, rest = stem.partition(".")
    number, _, part = rest.partition(".")
    if block != "blk" or not number.isdigit() or part not in layer:
        return None
    return f"model.layers.{number}.{layer[part]}.{suffix}"


def bindings(path: str, metadata: Mapping[str, Any], names: Iterable[str]) -> list[Binding]:
    """Returns the weights of transformers that the tensors of a file are.

    llama.cpp changes some tensors: it interleaves the rows of Llama's queries and keys, and adds
    one to the weights of Gemma's norms.
    """
    architecture = metadata.get("general.architecture")
    if not isinstance(architecture, str) or architecture not in _ARCHITECTURES:
        known = ", ".join(_ARCHITECTURES)
        raise Error(f"{path}: expected a model of {known}, got {architecture!r:.80}: pass `names`")
    heads = {"q": 0, "k": 0}
    if architecture == "llama":
        count = metadata.get("llama.attention.head_count")
        groups = metadata.get("llama.attention.head_count_kv", count)
        for part, value in ("q", count), ("k", groups):
            if not isinstance(value, int) or not 0 < value < 2**31:
                raise Error(f"{path}: expected the number of heads in the metadata")
            heads[part] = value
    layer = _ARCHITECTURES[architecture]
    result: list[Binding] = []
    known_names = set(names)
    for name in sorted(known_names):
        weight = _weight(name, layer)
        if weight is None:
            if name in _IGNORED:
                result.append((None, name, 0, 0.0))
            continue
        part = name.split(".")[-2]
        pairs = heads[part[-1]] if part in ("attn_q", "attn_k") else 0
        is_norm = architecture.startswith("gemma") and name.endswith("norm.weight")
        result.append((weight, name, pairs, -1.0 if is_norm else 0.0))
    if "output.weight" not in known_names and "token_embd.weight" in known_names:
        result.append(("lm_head.weight", "token_embd.weight", 0, 0.0))
    return result
