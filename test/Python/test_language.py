"""Language models of transformers, exported for generation. No weights can be downloaded: all are
random and small. 64 greedy tokens must be those of transformers."""

import json
import math
import random
import re
import warnings

import fx_mlir
import pytest
import torch
from language_models import (
    MODELS,
    PROMPT,
    call,
    encoder_decoder,
    expected,
    greedy,
    logits_of,
    make,
)
from memory_use import allocated, resident

import transformers

pytestmark = pytest.mark.filterwarnings("ignore")
#: Those that run without --long: each has something that the others have not.
DEFAULT = {"Llama", "Gemma3", "Mixtral", "Mamba"}


@pytest.mark.parametrize(
    "name",
    [name if name in DEFAULT else pytest.param(name, marks=pytest.mark.long) for name in MODELS],
)
def test_greedy(name, tmp_path):
    model = make(name)
    compiled = fx_mlir.export_for_generation(model, tmp_path, max_length=160)
    assert all(m.info["n_fallbacks"] == 0 for m in compiled.methods.values())
    assert greedy(compiled, PROMPT, 64) == expected(model, PROMPT, 64)
    loaded = fx_mlir.load(tmp_path / "model.so")
    assert greedy(loaded, PROMPT[:3], 8) == expected(model, PROMPT[:3], 8)


def test_slots(tmp_path):
    """Requests of mixed lengths in the slots of one model: the tokens of each are those of a run
    alone. Prompts of one token, prompts with a common beginning, and requests that are cancelled
    before, while and after their prompt runs."""
    model = make("Gemma3")
    compiled = fx_mlir.export_for_generation(model, tmp_path, max_length=160, slots=3)
    assert set(compiled.methods) == {"decode", "prefill", "decode_slots", "join"}
    draw = random.Random(1)
    # transformers takes a 0 for padding.
    prompts = [draw.choices(range(1, 256), k=draw.randrange(1, 40)) for _ in range(8)]
    prompts += [[7], prompts[-1][:9] + [1, 2, 3]]
    counts = [draw.randrange(1, 30) for _ in prompts]
    pool = fx_mlir.GenerationPool(compiled, slots=3, max_positions=160, chunk=8)
    long = pool.submit(PROMPT * 5, max_new_tokens=90)
    futures = [pool.submit(p, max_new_tokens=n) for p, n in zip(prompts, counts)]
    waiting = pool.submit(PROMPT, max_new_tokens=5)
    assert pool.step() == 12 and pool.cancel(waiting)  # the first chunk of `long` has run
    for _ in range(6):
        pool.step()
    assert pool.cancel(long)
    started = pool.submit(PROMPT * 20, max_new_tokens=5)
    pool.run()
    for prompt, count, future in zip(prompts, counts, futures):
        assert future.result().tokens == expected(model, prompt, count)
    stopped = long.result()
    assert stopped.reason == waiting.result().reason == "stopped"
    assert stopped.tokens == expected(model, PROMPT * 5, len(stopped.tokens))
    assert started.result().tokens == expected(model, PROMPT * 20, 5)
    # The end of the positions, a stop token, and a seed.
    full = pool.submit(prompts[0] + [9] * 110, max_new_tokens=90)
    stop = expected(model, PROMPT, 4)[3]
    stops = pool.submit(PROMPT, max_new_tokens=50, stop_tokens=[stop])
    drawn = [pool.submit(PROMPT, max_new_tokens=9, temperature=1, seed=4) for _ in range(2)]
    pool.run()
    assert full.result().reason == "positions" and stops.result().reason == "stop_token"
    assert drawn[0].result().tokens == drawn[1].result().tokens
    # The single sequence is free again for others.
    alone = fx_mlir.TextGenerator(compiled, max_positions=160)
    assert alone.generate(PROMPT, max_new_tokens=9).tokens == expected(model, PROMPT, 9)
    with pytest.raises(fx_mlir.Error, match="slots: expected at most 3"):
        fx_mlir.GenerationPool(compiled, slots=4, max_positions=160)
    with pytest.raises(fx_mlir.Error, match="slots: expected a decoder alone"):
        fx_mlir.export_for_generation(make("Mamba"), tmp_path / "m", slots=2)


def test_many_requests(tmp_path):
    """1,000 requests that join and leave between steps: each gives the tokens of a run alone, and
    memory does not grow."""
    model = make("Llama", vocab_size=64, hidden_size=32, intermediate_size=64)
    compiled = fx_mlir.export_for_generation(model, tmp_path, max_length=48, slots=8)
    draw = random.Random(2)
    prompts = [draw.choices(range(1, 64), k=draw.randrange(1, 25)) for _ in range(17)]
    # One token, and beginnings of others.
    prompts += [[5], prompts[0][:3], prompts[1] + [1, 2, 3]]
    want = [expected(model, prompt, 16) for prompt in prompts]
    pool = fx_mlir.GenerationPool(compiled, slots=8, max_positions=48, chunk=8)

    def run(count):
        requests = []
        for i in range(count):
            k, length = draw.randrange(len(prompts)), draw.randrange(1, 17)
            stops = [want[k][2]] if i % 5 == 0 else []
            future = pool.submit(prompts[k], max_new_tokens=length, stop_tokens=stops)
            # Some are cancelled, most of them while they run or wait.
            requests.append((k, length, stops, future, i % 11 == 3))
            if i > 4 and requests[i - 4][4]:
                pool.cancel(requests[i - 4][3])
            if i % 3:
                pool.step()
        pool.run()
        for k, length, stops, future, is_cancelled in requests:
            tokens = want[k][:length]
            if stops and stops[0] in tokens:
                tokens = tokens[: tokens.index(stops[0]) + 1]
            got = future.result().tokens
            assert got == (tokens[: len(got)] if is_cancelled else tokens), (prompts[k], length)

    run(200)
    before = allocated(), resident()
    run(800)
    # A leak of 32 bytes for each request is more than this.
    assert allocated() - before[0] < 24 << 10
    assert resident() - before[1] < 1 << 20


@pytest.mark.parametrize("name", ["Llama", "Mamba"])
def test_snapshot(name, tmp_path):
    """A sequence goes on from a snapshot in another instance, as if nothing had come between."""
    model = make(name)
    compiled = fx_mlir.export_for_generation(model, tmp_path, max_length=64)
    want = expected(model, PROMPT, 24)

    def start(instance):
        recurrent = name == "Mamba"
        return fx_mlir.TextGenerator(instance, max_positions=64, recurrent=recurrent)

    generator = start(compiled)
    empty = generator.snapshot()
    assert generator.generate(PROMPT, max_new_tokens=9).tokens == want[:9]
    saved = generator.snapshot()
    assert generator.generate(max_new_tokens=15).tokens == want[9:]
    generator.restore(saved)
    assert generator.generate(max_new_tokens=15).tokens == want[9:]
    other = start(fx_mlir.load(tmp_path / "model.so"))
    other.restore(saved)
    assert generator.tokens[:16] == other.tokens == [*PROMPT, *want[:9]]
    assert other.generate(max_new_tokens=15).tokens == want[9:]
    # Any other bytes are refused, and change nothing.
    draw = random.Random(0)
    for cut in [0, 5, 8, 39, 40, len(saved) - 1, *draw.choices(range(len(saved)), k=20)]:
        with pytest.raises(fx_mlir.Error, match="^snapshot: expected"):
            other.restore(saved[:cut])
    for at in [*range(0, 24, 3), 32]:
        for byte in (1, 0xFF):
            changed = bytearray(saved)
            changed[at] ^= byte
            with pytest.raises(fx_mlir.Error, match="^snapshot: expected"):
                other.restore(changed)
    with pytest.raises(fx_mlir.Error, match="^snapshot: expected"):
        other.restore(saved + b"0")
    assert other.tokens == [*PROMPT, *want]
    other.restore(empty)
    assert other.generate(PROMPT, max_new_tokens=4).tokens == want[:4]


@pytest.mark.parametrize("name", ["T5", pytest.param("Whisper", marks=pytest.mark.long)])
def test_encoder(name, tmp_path):
    model, options, args, source = encoder_decoder(name)
    compiled = fx_mlir.export_for_generation(model, tmp_path, max_length=80, **options)
    assert all(m.info["n_fallbacks"] == 0 for m in compiled.methods.values())
    start = [model.config.decoder_start_token_id]
    for _ in range(2):
        compiled.encode(*args)
        tokens = list(start)
        with torch.no_grad():
            encoded = model.get_encoder()(*source.values())
        for position in range(64):
            logits = call(compiled.decode, tokens[-1:], position)
            tokens.append(int(logits.argmax()))
        # Eager PyTorch on all tokens at once, without a cache.
        with torch.no_grad():
            ids = torch.tensor([tokens[:-1]])
            want = model(encoder_outputs=encoded, decoder_input_ids=ids).logits[0].argmax(-1)
        assert tokens[1:] == want.tolist()
        # The decoder's prompt at once.
        at_once = call(compiled.prefill, tokens[:5], 0)
        assert int(at_once.argmax()) == tokens[5]
    # Another source, after a prompt with the same beginning.
    from fx_mlir.generate import LanguageModel

    loaded = LanguageModel(tmp_path)
    other = (torch.flip(args[0], (1,)), *args[1:])
    for each in other, args:
        loaded.encode(*each)
        got = loaded.generate(tokens[:4], max_new_tokens=8)
    assert got.tokens == tokens[4:12]


@pytest.mark.parametrize("quantize", [pytest.param("int8", marks=pytest.mark.long), "int4"])
def test_quantized(quantize, tmp_path):
    """Both methods have the same integers: a prompt at once and token by token agree, and the file
    is about as large as that of one method."""
    # Smaller weights are not kept as integers: they gain no time.
    sizes = {"vocab_size": 500, "hidden_size": 512, "intermediate_size": 1024}
    model = make("Llama", num_hidden_layers=1, **sizes)
    compiled = fx_mlir.export_for_generation(model, tmp_path, max_length=32, quantize=quantize)
    at_once = logits_of(compiled, PROMPT)
    for position, token in enumerate(PROMPT):
        step = call(compiled.decode, [token], position)
    torch.testing.assert_close(step, at_once, rtol=1e-3, atol=1e-3)
    with torch.no_grad():
        want = model(torch.tensor([PROMPT])).logits[0, -1]
    error = (at_once[0] - want).norm() / want.norm()
    # Random weights have larger errors than trained ones.
    assert error < (0.02 if quantize == "int8" else 0.35)
    weights = 4 * sum(p.numel() for p in model.parameters())
    assert (tmp_path / "model.so").stat().st_size < 0.55 * weights


def test_weights_are_stored_once(tmp_path):
    model = make("Llama", vocab_size=2000, hidden_size=256, intermediate_size=512)
    fx_mlir.export_for_generation(model, tmp_path, max_length=32)
    weights = 4 * sum(p.numel() for p in model.parameters())
    # The output layer reads its weights packed.
    assert (tmp_path / "model.so").stat().st_size < 1.1 * weights + (200 << 10)


def test_caches_are_not_copied(tmp_path):
    """A step writes the keys and values of its token: no copy in the bufferized program has more
    elements."""
    from fx_mlir._language import _programs

    program = _programs(make("Llama"), 512, 0)["decode"]
    path = tmp_path / "m.mlir"
    fx_mlir.import_(program).emit("memref", path)
    text = path.read_text()
    cache = re.search(r"%\w+: memref<([0-9x]+)xf32> {[^}]*fx.state = @cached.keys_0", text)
    assert cache and math.prod(map(int, cache[1].split("x"))) == 2 * 512 * 16
    copied = re.findall(r"memref\.copy .*: memref<([0-9x]+)xf32.* to memref<", text)
    assert copied and all(math.prod(map(int, c.split("x"))) <= 2 * 16 for c in copied)


def test_errors(tmp_path):
    with pytest.raises(TypeError, match="expected a model of transformers that generates, got Linear"):
        fx_mlir.export_for_generation(torch.nn.Linear(2, 2), tmp_path)
    model = make("Llama")
    for options, text in [
        ({"max_length": 1}, "max_length: expected 2 or more positions, got 1"),
        ({"speculation": -1}, "speculation: expected 0 to 2047, got -1"),
        ({"quantize": "int3"}, "quantize: expected int8 or int4, got 'int3'"),
    ]:
        with pytest.raises(fx_mlir.Error, match=text):
            fx_mlir.export_for_generation(model, tmp_path, **options)
    with pytest.raises(fx_mlir.Error, match="source_length: expected a model with an encoder"):
        fx_mlir.export_for_generation(model, tmp_path, source_length=3)
    t5 = encoder_decoder("T5")[0]
    with pytest.raises(fx_mlir.Error, match="source_length: expected 1 or more tokens, got None"):
        fx_mlir.export_for_generation(t5, tmp_path)
    with pytest.raises(fx_mlir.Error, match="expected a model whose layers are attention"):
        fx_mlir.export_for_generation(make("Mamba"), tmp_path, speculation=2)


# The backend of transformers.exporters


def exporter(**options):
    import fx_mlir.transformers
    from transformers.exporters.auto import AutoHfExporter

    config = fx_mlir.transformers.FXConfig(**options)
    return AutoHfExporter.from_config(config), config


def test_backend_export(tmp_path):
    from transformers.exporters.base import ExportedModel

    torch.manual_seed(0)
    config = transformers.BertConfig(
        vocab_size=256, hidden_size=64, num_hidden_layers=2, num_attention_heads=4,
        intermediate_size=128,
    )
    model = transformers.BertModel(config).eval()
    inputs = {"input_ids": torch.randint(0, 256, (2, 9)), "attention_mask": torch.ones(2, 9).long()}
    inputs["attention_mask"][1, 5:] = 0
    export, options = exporter(no_fallback=True)
    exported = export.export(model, inputs, options)
    exported.save_pretrained(tmp_path)
    with torch.no_grad():
        want = model(**inputs)
    for each in exported, ExportedModel.from_pretrained(tmp_path):
        got = each(**inputs)
        assert type(got) is type(want)
        for name in "last_hidden_state", "pooler_output":
            torch.testing.assert_close(got[name], want[name], rtol=1e-4, atol=1e-4)
    with pytest.raises(fx_mlir.Error, match="got no attention_mask"):
        exported.runners["model"](input_ids=inputs["input_ids"])


@pytest.mark.parametrize("static", [False, True])
def test_backend_generation(static):
    """The caches of transformers pass through the programs: as outputs, or written in place."""
    model = make("Llama")
    export, options = exporter(dynamic=not static, no_fallback=True)
    config = transformers.GenerationConfig(max_new_tokens=12)
    if static:
        config.cache_implementation, config.max_cache_len = "static", 32
    ids = torch.tensor([PROMPT])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exported = export.export_for_generation(
            model, {"input_ids": ids}, options, generation_config=config
        )
    runners = exported.runners
    names = runners["prefill"].metadata.kwargs
    if static:
        from transformers import StaticCache

        # The prefill makes the tensors of the cache, and decode writes them in place.
        length = int(re.search("max_cache_len': ([0-9]+)", str(runners["prefill"].in_spec))[1])
        cache = StaticCache(max_cache_len=length, config=model.config)
    else:
        cache = transformers.DynamicCache(config=model.config)
    assert "past_key_values" in names
    values = {
        "input_ids": ids,
        "position_ids": torch.arange(len(PROMPT))[None],
        "past_key_values": cache,
    }
    stage, tokens = "prefill", []
    for step in range(8):
        wanted = runners[stage].metadata.kwargs
        if "attention_mask" in wanted:
            mask = wanted["attention_mask"]
            shape = mask["shape"] if static else [1, len(PROMPT) + step]
            values["attention_mask"] = torch.zeros(shape, dtype=getattr(torch, mask["dtype"]))
            values["attention_mask"][..., : len(PROMPT) + step] = 1
        out = runners[stage](**{k: v for k, v in values.items() if k in wanted})
        tokens.append(int(out.logits[0, -1].argmax()))
        if out.past_key_values is not None:
            values["past_key_values"] = out.past_key_values
        values["input_ids"] = torch.tensor([[tokens[-1]]])
        values["position_ids"] = torch.tensor([[len(PROMPT) + step]])
        stage = "decode"
    assert tokens == expected(model, PROMPT, 8)


# Generation from a folder
