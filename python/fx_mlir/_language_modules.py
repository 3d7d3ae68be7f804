"""Language models of transformers as modules whose caches are buffers, for torch.export."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator
from typing import Any

import torch

from fx_mlir._error import Error


def _tensors(layer: Any) -> Iterator[tuple[str, Any, Any, torch.Tensor]]:
    """The tensors of a layer of a cache: name, container, key, tensor."""
    for name, value in vars(layer).items():
        if isinstance(value, torch.Tensor):
            yield name, vars(layer), name, value
        elif isinstance(value, dict):
            for key, item in value.items():
                if isinstance(item, torch.Tensor):
                    yield f"{name}_{key}", value, key, item


def _static_layer(length: int, dtype: torch.dtype | None) -> Any:
    """A layer of a cache of all positions, of the model's dtype or of `dtype`."""
    from transformers.cache_utils import StaticLayer

    class Converted(StaticLayer):
        def lazy_initialization(self, keys: Any, values: Any) -> None:
            super().lazy_initialization(keys.to(dtype), values.to(dtype))

        def update(self, keys: Any, values: Any, *args: Any, **kwargs: Any) -> Any:
            cached = super().update(keys.to(dtype), values.to(dtype), *args, **kwargs)
            return tuple(tensor.to(keys.dtype) for tensor in cached)

    return StaticLayer(length) if dtype is None else Converted(length)


def _static_cache(config: Any, length: int, dtype: torch.dtype | None = None) -> Any:
    from transformers import StaticCache
    from transformers.cache_utils import StaticLayer, StaticSlidingWindowLayer

    cache = StaticCache(max_cache_len=length, config=config)
    # A sliding window moves its content when it is full. The mask alone limits what a layer
    # attends to, so a cache of all positions gives the same results.
    for k, layer in enumerate(cache.layers):
        if type(layer) in (StaticLayer, StaticSlidingWindowLayer):
            cache.layers[k] = _static_layer(length, dtype)
    return cache


def _check_dtype(layers: Iterable[Any], dtype: torch.dtype | None) -> None:
    """Checks that the layers keep keys and values of this dtype; of any one if it is None."""
    for layer in layers if dtype is not None else ():
        keys = getattr(layer, "keys", None)
        if not isinstance(keys, torch.Tensor) or keys.dtype != dtype:
            raise Error(
                "cache_dtype: expected a model whose layers are attention with a static cache, "
                f"got a layer of {type(layer).__name__}"
            )


def _set_length(layers: Iterable[Any], length: torch.Tensor) -> None:
    for layer in layers:
        if isinstance(count := getattr(layer, "cumulative_length", None), torch.Tensor):
            count.copy_(length)


class _Holder:
    """Holds a cache. torch.export copies the caches, lists and dictionaries that are attributes of
    a module, and puts the copies there."""

    def __init__(self, cache: Any) -> None:
        self.cache = cache
        #: The containers, keys and names of the tensors.
        self.places: list[tuple[dict, Any, str]] = []


class Cached(torch.nn.Module):
    """A model with a cache, whose tensors are buffers."""

    def __init__(self, model: torch.nn.Module, cache: Any) -> None:
        super().__init__()
        self.model = model
        self._holder = _Holder(cache)

    def register_cache(self, layers: Iterable[Any], suffix: str = "") -> None:
        """Makes buffers of the tensors of layers, which a run has made. They are zero."""
        for k, layer in enumerate(layers):
            for name, container, key, tensor in list(_tensors(layer)):
                buffer = f"{name}{suffix}_{k}"
                self.register_buffer(buffer, torch.zeros_like(tensor), persistent=False)
                self._holder.places.append((container, key, buffer))

    def bind(self) -> None:
        """Makes the buffers the tensors of the cache. torch.export replaces the buffers of modules,
        but a cache is no module."""
        for container, key, name in self._holder.places:
            container[key] = getattr(self, name)

    def call(self, ids: torch.Tensor, positions: torch.Tensor, keep: int) -> torch.Tensor:
        """The logits of the last `keep` tokens; 1 means at least the last one."""
        raise NotImplementedError

    @property
    def has_positions(self) -> bool:
        """Whether all layers are attention over a cache by position."""
        return True


class Decoder(Cached):
    """A model of a decoder alone."""

    def __init__(self, model: Any, max_length: int, dtype: torch.dtype | None = None) -> None:
        super().__init__(model, _static_cache(model.config.get_text_config(), max_length, dtype))
        # The first run makes the tensors of the cache.
        self.call(torch.zeros(1, 1, dtype=torch.long), torch.zeros(1, dtype=torch.long), 1)
        self.register_cache(self._holder.cache.layers)
        _check_dtype(self._holder.cache.layers, dtype)

    @property
    def has_positions(self) -> bool:
        from transformers.cache_utils import LinearAttentionCacheLayerMixin as Recurrent

        return not any(isinstance(layer, Recurrent) for layer in self._holder.cache.layers)

    def call(self, ids: torch.Tensor, positions: torch.Tensor, keep: int) -> torch.Tensor:
        self.bind()
        cache = self._holder.cache
        _set_length(cache.layers, positions[0])
        # The signature of the function that the decorators wrap.
        takes = inspect.signature(self.model.forward).parameters
        name = "cache_params" if "cache_params" in takes else "past_key_values"
        options: dict = {name: cache, "use_cache": True}
        if "logits_to_keep" in takes:
            options["logits_to_keep"] = keep
        return self.model(input_ids=ids, **options).logits


def _sliding_windows(config: Any) -> tuple[int | None, bool]:
    """The size of a sliding window, None without one, and whether only some layers have it."""
    types = set(getattr(config, "layer_types", None) or [])
    window = getattr(config, "sliding_window", None)
    if types and "sliding_attention" not in types:
        window = None
    return window, len(types) > 1


class Slots(Cached):
    """The model of a decoder, with the caches of several sequences. A sequence is in a slot, and
    has a position of its own."""

    def __init__(self, decoder: Decoder, slots: int) -> None:
        from transformers import Cache
        from transformers.cache_utils import StaticLayer

        class Slot(StaticLayer):
            def update(self, keys: Any, values: Any, *args: Any, **kwargs: Any) -> Any:
                # [slot, head, position, element]: one position of each slot.
                at = torch.arange(keys.shape[0])
                self.keys[at, :, self.positions] = keys[:, :, 0].to(self.keys.dtype)
                self.values[at, :, self.positions] = values[:, :, 0].to(self.values.dtype)
                return self.keys.to(keys.dtype), self.values.to(values.dtype)

        layers = []
        for single in decoder._holder.cache.layers:
            layer = Slot(single.max_cache_len)
            for name in ("keys", "values"):
                tensor = getattr(single, name)
                setattr(layer, name, tensor.new_zeros(slots, *tensor.shape[1:]))
            layer.is_initialized = True
            layers.append(layer)
        super().__init__(decoder.model, Cache(layers=layers))
        self.slots = slots
        # `cumulative_length` is not used: positions are an input.
        for layer in layers:
            del layer.cumulative_length
        self.register_cache(layers, "_slots")

    def _masks(self, positions: torch.Tensor) -> Any:
        config = self.model.config.get_text_config()
        window, is_mixed = _sliding_windows(config)
        at = torch.arange(self._holder.cache.layers[0].max_cache_len)
        distance = positions[:, None, None, None] - at
        full = distance >= 0
        if window is None:
            return self._mask(full)
        sliding = self._mask(full & (distance < window))
        if not is_mixed:
            return sliding
        return {"full_attention": self._mask(full), "sliding_attention": sliding}

    def _mask(self, seen: torch.Tensor) -> torch.Tensor:
        if self.model.config._attn_implementation != "eager":
            return seen
        hidden = torch.finfo(self.model.dtype).min
        return torch.where(seen, 0.0, hidden).to(self.model.dtype)

    def call(self, ids: torch.Tensor, positions: torch.Tensor, keep: int) -> torch.Tensor:
        self.bind()
        for layer in self._holder.cache.layers:
            layer.positions = positions
            layer.cumulative_length = positions[0]
        try:
            out = self.model(
                input_ids=ids, past_key_values=self._holder.cache, use_cache=True,
                attention_mask=self._masks(positions), position_ids=positions[:, None],
            )  # fmt: skip
        finally:
            for layer in self._holder.cache.layers:
                del layer.positions, layer.cumulative_length
        return out.logits


class StepSlots(torch.nn.Module):
    """The method `decode_slots`: the logits of one token of each slot."""

    def __init__(self, slots: Slots) -> None:
        super().__init__()
        # Methods share buffers of the same name: `Join` has this one, too.
        self.slots = slots

    def forward(self, input_ids: torch.Tensor, cache_position: torch.Tensor) -> torch.Tensor:
        return self.slots.call(input_ids, cache_position, 1).float()[:, -1]


class Join(torch.nn.Module):
    """The method `join`: copies the caches of the single sequence to a slot."""

    def __init__(self, decoder: Decoder, slots: Slots) -> None:
        super().__init__()
        self.cached = decoder
        self.slots = slots

    def forward(self, slot: torch.Tensor) -> None:
        for k in range(len(self.cached._holder.cache.layers)):
            for name in ("keys", "values"):
                target = getattr(self.slots, f"{name}_slots_{k}")
                target.index_copy_(0, slot, getattr(self.cached, f"{name}_{k}"))


class EncoderDecoder(Cached):
    """A model with an encoder. `encode` keeps what the decoder reads of the encoder's result: the
    keys and values of the attention of each layer, and for text the mask of the source."""

    def __init__(
        self,
        model: Any,
        max_length: int,
        source: torch.Tensor,
        dtype: torch.dtype | None = None,
    ) -> None:
        from transformers import EncoderDecoderCache

        config = model.config.get_text_config(decoder=True)
        self.size = model.config.d_model
        self.is_text = model.main_input_name == "input_ids"
        self_attention = _static_cache(config, max_length, dtype)
        with torch.no_grad():
            self.length = model.get_encoder()(source).last_hidden_state.shape[1]
        cross_attention = _static_cache(config, self.length)
        super().__init__(model, EncoderDecoderCache(self_attention, cross_attention))
        mask = torch.ones(1, self.length, dtype=torch.long)
        if self.is_text:
            self.register_buffer("source_mask", mask.clone(), persistent=False)
        self.encode(source, mask)
        self.register_cache(self_attention.layers)
        _check_dtype(self_attention.layers, dtype)
        self.register_cache(cross_attention.layers, "_source")

    def _decode(self, encoded: torch.Tensor, ids: torch.Tensor, is_updated: bool) -> torch.Tensor:
        from transformers.modeling_outputs import BaseModelOutput

        cache = self._holder.cache
        for k in range(len(cache.self_attention_cache.layers)):
            cache.is_updated[k] = is_updated
        out = self.model(
            encoder_outputs=BaseModelOutput(last_hidden_state=encoded),
            attention_mask=self.source_mask if self.is_text else None,
            decoder_input_ids=ids,
            past_key_values=cache,
            use_cache=True,
        )
        return out.logits

    def encode(self, source: torch.Tensor, mask: torch.Tensor) -> None:
        self.bind()
        cache = self._holder.cache
        start = torch.zeros((), dtype=torch.long)
        _set_length(cache.self_attention_cache.layers, start)
        _set_length(cache.cross_attention_cache.layers, start)
        options = {self.model.main_input_name: source}
        if self.is_text:
            self.source_mask.copy_(mask)
            options["attention_mask"] = mask
        encoded = self.model.get_encoder()(**options).last_hidden_state
        # The first token of a decoder computes the keys and values of the source.
        self._decode(encoded, torch.zeros(1, 1, dtype=torch.long), is_updated=False)

    def call(self, ids: torch.Tensor, positions: torch.Tensor, keep: int) -> torch.Tensor:
        self.bind()
        _set_length(self._holder.cache.self_attention_cache.layers, positions[0])
        # The size of the encoder's result is all that is read of it.
        return self._decode(torch.zeros(1, self.length, self.size), ids, is_updated=True)[:, -keep:]


class Step(torch.nn.Module):
    """The methods `decode`, `prefill` and `verify`: logits of the last token, or of `keep`."""

    def __init__(self, cached: Cached, keep: int = 1) -> None:
        super().__init__()
        self.cached = cached
        self.keep = keep

    def forward(self, input_ids: torch.Tensor, cache_position: torch.Tensor) -> torch.Tensor:
        logits = self.cached.call(input_ids, cache_position, self.keep).float()
        return logits[:, -1] if self.keep == 1 else logits


class EncodeText(torch.nn.Module):
    """The method `encode` of a model for text."""

    def __init__(self, cached: EncoderDecoder) -> None:
        super().__init__()
        self.cached = cached

    def forward(self, input_ids: torch.Tensor, attention_mask: torch.Tensor) -> None:
        self.cached.encode(input_ids, attention_mask)


class EncodeFeatures(torch.nn.Module):
    """The method `encode` of a model for sound."""

    def __init__(self, cached: EncoderDecoder) -> None:
        super().__init__()
        self.cached = cached

    def forward(self, input_features: torch.Tensor) -> None:
        self.cached.encode(input_features, torch.empty(0))


def sample_source(model: Any, source_length: int | None) -> torch.Tensor:
    """An input of the encoder: token ids, or the features of a sound of the model's length."""
    config = model.config
    if model.main_input_name == "input_features" and hasattr(config, "num_mel_bins"):
        if source_length is not None:
            raise Error("source_length: expected none for a model of sounds of one length")
        return torch.zeros(1, config.num_mel_bins, 2 * config.max_source_positions)
    if model.main_input_name != "input_ids":
        raise Error(f"expected an encoder of text or sound, got one of {model.main_input_name}")
    if not isinstance(source_length, int) or source_length < 1:
        raise Error(f"source_length: expected 1 or more tokens, got {source_length!r:.80}")
    return torch.zeros(1, source_length, dtype=torch.long)
