"""Generates tokens by a compiled language model."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from fx_mlir import _fx
from fx_mlir._error import Error
from fx_mlir._models import CompiledModel

if TYPE_CHECKING:
    from concurrent.futures import Future

#: The names of FXFinishReason in fx-c/Generate.h.
_REASONS = ("length", "stop_token", "stop_string", "stopped", "positions")


@dataclass(frozen=True)
class GeneratedText:
    """The result of `TextGenerator.generate`.

    `reason` says why the generation ended:

    - "length": `max_new_tokens` tokens were generated.
    - "stop_token": the last token is one of `stop_tokens`.
    - "stop_string": the text would contain one of `stop_strings`.
    - "stopped": `on_token` returned False.
    - "positions": the caches have no position left.

    `text` ends before the stop token or the stop string. It is "" without `token_bytes`.
    The numbers count the calls of the methods, and the tokens that prompt lookup proposed
    and kept.
    """

    tokens: list[int]
    text: str
    reason: str
    prefills: int
    decodes: int
    verifies: int
    proposed: int
    accepted: int


def _make_text(tokens: list[int], text: bytes, reason: int, *counts: int) -> GeneratedText:
    return GeneratedText(tokens, text.decode(errors="replace"), _REASONS[reason], *counts)


#: The bytes of the text of each token.
TokenBytes = Sequence[bytes] | Callable[[int], bytes]

#: Number of tokens, sampling, stop tokens, stop strings, bytes, call-back, lookup.
_Arguments = tuple[
    int,
    tuple[float, int, float, float, float, int],
    list[int],
    list[str],
    Callable[[int], bytes] | None,
    Callable[[int, bytes], bool | None] | None,
    int,
]


class _Model:
    """A model, and the text of its tokens."""

    def __init__(self, model: CompiledModel, token_bytes: TokenBytes | None) -> None:
        if not isinstance(model, CompiledModel):
            raise TypeError(f"expected a CompiledModel, got {type(model).__qualname__}")
        # The shared object of a model that was not saved is removed with the model.
        self._model = model
        self._get_bytes: Callable[[int], bytes] | None = None
        if token_bytes is not None:
            self._get_bytes = token_bytes if callable(token_bytes) else token_bytes.__getitem__

    def _options(
        self,
        *,
        max_new_tokens: int = 128,
        temperature: float = 0.0,
        top_k: int = 0,
        top_p: float = 1.0,
        min_p: float = 0.0,
        repetition_penalty: float = 1.0,
        seed: int = 0,
        stop_tokens: Iterable[int] = (),
        stop_strings: Iterable[str] = (),
        on_token: Callable[[int, bytes], bool | None] | None = None,
        lookup: int = 0,
    ) -> _Arguments:
        """Returns the arguments of the extension."""
        if not 0 <= seed < 2**64:
            raise Error(f"seed: expected a number from 0 to 2**64 - 1, got {seed}")
        sampling = (temperature, top_k, top_p, min_p, repetition_penalty, seed)
        tokens, strings = _ids(stop_tokens), list(stop_strings)
        return max_new_tokens, sampling, tokens, strings, self._get_bytes, on_token, lookup


class TextGenerator(_Model):
    """A sequence of tokens that a compiled language model continues.

    `model` has up to three methods. Their inputs are int64 and their outputs float32:

    - `decode(input_ids[1, 1], cache_position[1]) -> logits[1, V]`
    - `prefill(input_ids[1, T], cache_position[T]) -> logits[1, V]`, of the last token.
      It is optional, and runs the prompt in chunks. T may be symbolic.
    - `verify(input_ids[1, K], cache_position[K]) -> logits[1, K, V]`, of all tokens.
      It is optional, and needed for prompt lookup.

    Caches are buffers that the model mutates. A method writes the entries at
    `cache_position`, and a token reads only the entries up to its own position.

    - `max_positions`: the number of positions of the caches.
    - `chunk`: the largest chunk of a `prefill` with a symbolic T.
    - `token_bytes`: the bytes of each token's text, as a sequence or a function. They may
      be a part of a character of UTF-8.
    - `recurrent`: the model has buffers that are not read by position, as in Mamba. To roll
      back, the model is reset and the sequence is run from its beginning.

    The generator uses the buffers of the model: a model has one generator at a time, which
    one thread at a time uses.
    """

    def __init__(
        self,
        model: CompiledModel,
        *,
        max_positions: int,
        chunk: int = 256,
        token_bytes: TokenBytes | None = None,
        recurrent: bool = False,
    ) -> None:
        super().__init__(model, token_bytes)
        flat = model._flat
        self._impl = _fx.TextGenerator(
            flat.impl, max_positions, chunk, flat.threads, recurrent
        )

    @property
    def tokens(self) -> list[int]:
        """The tokens of the sequence."""
        return self._impl.tokens()

    @property
    def vocabulary_size(self) -> int:
        """The number of logits of the model."""
        return self._impl.vocabulary_size()

    def append(self, tokens: Iterable[int]) -> None:
        """Appends tokens, which the next call of `generate` runs."""
        self._impl.append(_ids(tokens))

    def truncate(self, size: int) -> None:
        """Rolls back to the first `size` tokens."""
        if size < 0:
            raise Error(f"expected a number of tokens of at least 0, got {size}")
        self._impl.truncate(size)

    def snapshot(self) -> bytes:
        """Returns the sequence and the caches as bytes: of caches, the positions that are in
        use. They can be kept in a file, and restored by a generator of the same model."""
        return self._impl.snapshot()

    def restore(self, snapshot: bytes) -> None:
        """Replaces the sequence and the caches by those of a snapshot. Other bytes are an
        error, and change nothing."""
        self._impl.restore(bytes(snapshot))

    def reset(self) -> None:
        """Removes all tokens and resets the buffers of the model. This is necessary only
        after an error, which may leave NaN in the caches."""
        self._impl.reset()

    def generate(self, prompt: Iterable[int] | None = None, **options: Any) -> GeneratedText:
        """Continues the sequence, or the `prompt`, which replaces it. Tokens that the
        sequence and the prompt both begin with are not run again. The options are:

        - `max_new_tokens`: 128 by default.
        - `temperature`: 0, the default, chooses the token with the largest logit. Other values draw a
          token, after the filters of transformers in their order: `repetition_penalty`,
          `temperature`, `top_k`, `top_p`, `min_p`. The defaults turn the filters off.
        - `seed`: the seed and the position of a token determine its random number. Equal
          logits give the same tokens on every platform. Two calls for ten tokens each give
          the tokens of one call for twenty.
        - `stop_tokens`: the generation ends after one of these tokens.
        - `stop_strings`: the generation ends when the text has one of these. They need
          `token_bytes`.
        - `on_token(token, text)` is called for each token. `text` has the bytes that have
          become certain: whole characters that cannot become a part of a stop string.
          False stops the generation.
        - `lookup`: if up to this many last tokens occur earlier in the sequence, `verify`
          runs the tokens that follow there at once, and those that are chosen as well are
          kept. The tokens are the same as without it, unless a rounding error of the
          logits decides.
        """
        arguments = self._options(**options)
        if prompt is not None:
            self._impl.set_tokens(_ids(prompt))
        return _make_text(*self._impl.generate(*arguments))


class GenerationPool(_Model):
    """Runs several requests at a time, each in a slot with caches of its own. All slots share the
    weights in the model's file. Requests join and leave between steps, and their tokens are
    those of a `TextGenerator`.

    A model that was exported with `slots` decodes a token of all requests in one call, which
    reads the weights once. Other models make a call for each request.

        pool = fx_mlir.GenerationPool(model, slots=4, max_positions=1024)
        futures = [pool.submit(prompt, max_new_tokens=20) for prompt in prompts]
        pool.run()
        texts = [future.result() for future in futures]

    `threads` slots run at the same time, if each makes its own call. The other arguments are those of `TextGenerator`.
    """

    def __init__(
        self,
        model: CompiledModel,
        *,
        slots: int,
        max_positions: int,
        chunk: int = 256,
        threads: int = 1,
        token_bytes: TokenBytes | None = None,
        recurrent: bool = False,
    ) -> None:
        super().__init__(model, token_bytes)
        flat = model._flat
        self._impl = _fx.GenerationPool(
            flat.impl, slots, threads, max_positions, chunk, flat.threads, recurrent
        )
        self._numbers: dict[Future, int] = {}

    def submit(self, prompt: Iterable[int], **options: Any) -> Future[GeneratedText]:
        """Adds a request, which starts in a step when a slot is free. The options are those
        of `TextGenerator.generate`; `on_token` is called on a thread of the pool. The result
        has the exception of `on_token`, if it raises one."""
        from concurrent.futures import Future

        future: Future[GeneratedText] = Future()

        def finish(result: tuple | None, error: str | None, exception: BaseException | None) -> None:
            del self._numbers[future]
            if result is not None:
                future.set_result(_make_text(*result))
            else:
                future.set_exception(exception or Error(error or ""))

        number = self._impl.submit(_ids(prompt), *self._options(**options), finish)
        self._numbers[future] = number
        return future

    def cancel(self, future: Future[GeneratedText]) -> bool:
        """Ends a request in the next step. Its result has the tokens so far and the reason
        "stopped". Returns False if it has ended before."""
        number = self._numbers.get(future)
        return number is not None and self._impl.cancel(number)

    def step(self) -> int:
        """Lets requests start and end, and makes one call of a method for each one that
        runs. Returns the number of requests that have not ended."""
        return self._impl.step()

    def run(self) -> None:
        """Makes steps until all requests have ended."""
        while self.step():
            pass


def _ids(tokens: Iterable[int]) -> list[int]:
    """Returns the ids of a list, a NumPy array or a tensor with one dimension."""
    to_list = getattr(tokens, "tolist", None)
    return to_list() if to_list else list(tokens)
