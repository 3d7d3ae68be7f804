"""Generates text: `python -m fx_mlir.generate FOLDER --prompt TEXT`.

FOLDER is what `fx_mlir.export_for_generation` writes. Text needs the package `tokenizers` and the
file `tokenizer.json` in FOLDER; `--chat` needs `jinja2`, too. `--prompt-ids` needs neither. torch
and transformers are not needed.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Sequence
from typing import Any

from fx_mlir._error import Error
from fx_mlir._models import load
from fx_mlir._text import GeneratedText, TextGenerator

MANIFEST = "fx_generation.json"
_VERSION = 1


def _read_json(folder: str, name: str) -> dict:
    path = os.path.join(folder, name)
    try:
        with open(path, encoding="utf-8") as file:
            value = json.load(file)
    except OSError as e:
        raise Error(f"{path}: cannot open: {e.strerror}") from None
    except ValueError as e:
        raise Error(f"{path}: expected JSON: {str(e).splitlines()[0]}") from None
    if not isinstance(value, dict):
        raise Error(f"{path}: expected an object, got {type(value).__name__}")
    return value


def _read_optional(folder: str, name: str) -> dict:
    return _read_json(folder, name) if os.path.exists(os.path.join(folder, name)) else {}


def _byte_of_letter() -> dict[str, int]:
    """The letters by which byte-level tokenizers write bytes. Printable letters of Latin-1 stand
    for themselves, other bytes for the letters from U+0100 on (GPT-2's `bytes_to_unicode`)."""
    plain = [*range(33, 127), *range(161, 173), *range(174, 256)]
    letters = {chr(byte): byte for byte in plain}
    for k, byte in enumerate(byte for byte in range(256) if byte not in plain):
        letters[chr(256 + k)] = byte
    return letters


class Tokenizer:
    """A `tokenizer.json`, with the bytes of each token and the chat template."""

    def __init__(self, folder: str) -> None:
        path = os.path.join(folder, "tokenizer.json")
        try:
            import tokenizers
        except ImportError:
            raise Error(
                "text needs the package 'tokenizers': pip install tokenizers, or pass --prompt-ids"
            ) from None
        if not os.path.exists(path):
            raise Error(f"{path}: no such file: pass --prompt-ids, or export with a tokenizer")
        try:
            self._impl = tokenizers.Tokenizer.from_file(path)
        except Exception as e:  # the package raises Exception itself
            raise Error(f"{path}: cannot be read: {str(e).splitlines()[0]}") from None
        description = json.loads(self._impl.to_str())
        self._is_byte_level = "ByteLevel" in json.dumps(description.get("decoder"))
        self._special = {t["id"] for t in description.get("added_tokens", []) if t["special"]}
        self._letters = _byte_of_letter()
        self._config = _read_optional(folder, "tokenizer_config.json")
        self._folder = folder
        self._bytes: dict[int, bytes] = {}

    def encode(self, text: str, special: bool = True) -> list[int]:
        return self._impl.encode(text, add_special_tokens=special).ids

    def get_bytes(self, token: int) -> bytes:
        """The bytes of a token in a text; none for special tokens."""
        found = self._bytes.get(token)
        if found is None:
            found = self._bytes[token] = self._find_bytes(token)
        return found

    def _find_bytes(self, token: int) -> bytes:
        piece = self._impl.id_to_token(token)
        if piece is None or token in self._special:
            return b""
        if self._is_byte_level:
            return b"".join(
                bytes([self._letters[c]]) if c in self._letters else c.encode() for c in piece
            )
        if len(piece) == 6 and piece.startswith("<0x") and piece.endswith(">"):
            return bytes([int(piece[3:5], 16)])
        return piece.replace("\u2581", " ").encode()

    def render_chat(self, messages: Sequence[dict[str, str]]) -> str:
        """Applies the chat template of the model to messages with `role` and `content`."""
        path = os.path.join(self._folder, "chat_template.jinja")
        template = self._config.get("chat_template")
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                template = file.read()
        if isinstance(template, list):  # several by name
            template = {t["name"]: t["template"] for t in template}.get("default")
        if not template:
            raise Error(f"{self._folder}: expected a chat template, got a tokenizer without one")
        try:
            import jinja2
            import jinja2.sandbox
        except ImportError:
            raise Error("--chat needs the package 'jinja2': pip install jinja2") from None

        def fail(text: str) -> None:
            raise jinja2.TemplateError(text)

        environment = jinja2.sandbox.ImmutableSandboxedEnvironment(
            trim_blocks=True, lstrip_blocks=True
        )
        environment.globals["raise_exception"] = fail
        values: dict[str, Any] = {"messages": messages, "add_generation_prompt": True}
        for name in ("bos_token", "eos_token", "unk_token", "pad_token"):
            token = self._config.get(name)
            values[name] = token["content"] if isinstance(token, dict) else token or ""
        try:
            return environment.from_string(template).render(**values)
        except jinja2.TemplateError as e:
            raise Error(f"the chat template fails: {str(e).splitlines()[0]}") from None


class LanguageModel:
    """A folder of `fx_mlir.export_for_generation`, loaded. `generator` is its `TextGenerator`."""

    def __init__(self, folder: str | os.PathLike, *, threads: int = 1) -> None:
        self.folder = os.fspath(folder)
        self.manifest = _read_json(self.folder, MANIFEST)
        version = self.manifest.get("version")
        if version != _VERSION:
            raise Error(f"{self.folder}: expected version {_VERSION} of {MANIFEST}, got {version}")
        for name in ("max_length", "speculation", "vocabulary"):
            value = self.manifest.get(name)
            if not isinstance(value, int) or value < 0:
                raise Error(f"{self.folder}: {MANIFEST}: expected a number as {name}, got {value!r}")
        self._tokenizer: Tokenizer | None = None
        #: The compiled model.
        self.model = load(os.path.join(self.folder, "model.so"), threads=threads)
        self.generator = TextGenerator(
            self.model,
            max_positions=self.manifest["max_length"],
            token_bytes=self._get_bytes if self.has_tokenizer else None,
            recurrent=bool(self.manifest.get("recurrent")),
        )

    @property
    def has_tokenizer(self) -> bool:
        return os.path.exists(os.path.join(self.folder, "tokenizer.json"))

    @property
    def tokenizer(self) -> Tokenizer:
        if self._tokenizer is None:
            self._tokenizer = Tokenizer(self.folder)
        return self._tokenizer

    def _get_bytes(self, token: int) -> bytes:
        return self.tokenizer.get_bytes(token)

    def encode(self, *inputs: Any) -> None:
        """Runs the encoder of a model that has one, on the source of the next generations. The
        sequence becomes empty: its keys and values are those of the source before."""
        if "encode" not in self.model.methods:
            raise Error(f"{self.folder}: expected a model with an encoder, got a decoder alone")
        self.generator.truncate(0)
        self.model.encode(*inputs)

    def generate(self, prompt: str | Sequence[int], **options: Any) -> GeneratedText:
        """Generates after a prompt, a text or token ids. The options are those of
        `TextGenerator.generate`; the stop tokens are the model's own by default."""
        ids = self.tokenizer.encode(prompt) if isinstance(prompt, str) else list(prompt)
        options.setdefault("stop_tokens", self.manifest.get("stop_tokens", []))
        return self.generator.generate(ids, **options)


def _parse_ids(text: str) -> list[int]:
    try:
        return [int(part) for part in text.replace(",", " ").split()]
    except ValueError:
        raise Error(f"--prompt-ids: expected integers, got '{text[:80]}'") from None


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("python -m fx_mlir.generate", description=__doc__)
    parser.add_argument("folder", help="what fx_mlir.export_for_generation writes")
    given = parser.add_mutually_exclusive_group(required=True)
    given.add_argument("--prompt", help="the text to continue; '-': standard input")
    given.add_argument("--prompt-ids", help="its token ids: 1,2,3")
    parser.add_argument("--chat", action="store_true", help="the prompt is a message of a chat")
    parser.add_argument("--system", help="with --chat: the message of the system")
    parser.add_argument("--max-new-tokens", type=int, default=128, metavar="N")
    parser.add_argument("--temperature", type=float, default=0.0, help="0 (default): greedy")
    parser.add_argument("--top-k", type=int, default=0)
    parser.add_argument("--top-p", type=float, default=1.0)
    parser.add_argument("--min-p", type=float, default=0.0)
    parser.add_argument("--repetition-penalty", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--stop", action="append", default=[], help="a text that ends the answer")
    parser.add_argument("--ignore-stop-tokens", action="store_true")
    parser.add_argument(
        "--lookup", type=int, default=0, metavar="N",
        help="prompt lookup: propose what followed the last N tokens before",
    )  # fmt: skip
    parser.add_argument("--threads", type=int, default=1, help="0: all CPUs")
    parser.add_argument("--stats", action="store_true", help="print speeds on standard error")
    return parser


def _prompt_of(args: argparse.Namespace, model: LanguageModel) -> list[int]:
    if args.prompt_ids is not None:
        if args.chat:
            raise Error("--chat: expected a text (--prompt), got token ids")
        return _parse_ids(args.prompt_ids)
    text = sys.stdin.read() if args.prompt == "-" else args.prompt
    if not args.chat:
        return model.tokenizer.encode(text)
    messages = [{"role": "system", "content": args.system}] if args.system else []
    messages.append({"role": "user", "content": text})
    # The template writes the special tokens itself.
    return model.tokenizer.encode(model.tokenizer.render_chat(messages), special=False)


def _run(args: argparse.Namespace) -> None:
    start = time.perf_counter()
    model = LanguageModel(args.folder, threads=args.threads)
    if args.prompt is not None:
        _ = model.tokenizer  # an error before the prompt is read
    loaded = time.perf_counter()
    prompt = _prompt_of(args, model)
    times: list[float] = []
    shows_text = args.prompt is not None

    def show(token: int, text: bytes) -> None:
        times.append(time.perf_counter())
        if shows_text:
            sys.stdout.buffer.write(text)
        else:
            sys.stdout.write(f"{token} ")
        sys.stdout.flush()

    options: dict[str, Any] = {}
    if args.ignore_stop_tokens:
        options["stop_tokens"] = []
    begin = time.perf_counter()
    result = model.generate(
        prompt,
        max_new_tokens=args.max_new_tokens,
        temperature=args.temperature,
        top_k=args.top_k,
        top_p=args.top_p,
        min_p=args.min_p,
        repetition_penalty=args.repetition_penalty,
        seed=args.seed,
        stop_strings=args.stop,
        lookup=args.lookup,
        on_token=show,
        **options,
    )
    sys.stdout.write("\n")
    sys.stdout.flush()
    if not args.stats or not times:
        return
    print(
        f"loaded in {loaded - start:.3f} s; {len(prompt)} tokens of the prompt and the first token "
        f"in {times[0] - begin:.3f} s",
        file=sys.stderr,
    )
    rest = len(times) - 1
    if rest and times[-1] > times[0]:
        speed = rest / (times[-1] - times[0])
        print(f"{len(times)} tokens, {speed:.1f} per second; end: {result.reason}", file=sys.stderr)


def main(arguments: Sequence[str] | None = None) -> int:
    args = _parser().parse_args(arguments)
    try:
        _run(args)
    except Error as e:
        print(f"error: {e.message}", file=sys.stderr)
        return 1
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
