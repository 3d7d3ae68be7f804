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
from memory_use import allocated, resident

pytest.importorskip("transformers.exporters")
import transformers

pytestmark = pytest.mark.filterwarnings("ignore")
SIZES = {
    "vocab_size": 256,
    "hidden_size": 64,
    "intermediate_size": 128,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "max_position_embeddings": 256,
}
NO_TOKENS = {"bos_token_id": None, "eos_token_id": None, "pad_token_id": 0}
SMALL = {k: SIZES[k] for k in ("vocab_size", "hidden_size", "num_hidden_layers")}
MODELS = {
    "Llama": SIZES,
    "Qwen2": SIZES,
    "Qwen3": {**SIZES, "head_dim": 16},
    "Gemma2": {**SIZES, "head_dim": 16, "sliding_window": 32},
    "Gemma3": {**SIZES, "head_dim": 16, "sliding_window": 32},
    "Mistral": {**SIZES, "sliding_window": None},
    "Phi": SIZES,
    "Phi3": SIZES,
    "GPT2": {"vocab_size": 256, "n_positions": 256, "n_embd": 64, "n_layer": 2, "n_head": 4},
    "GPTNeoX": {k: v for k, v in SIZES.items() if k != "num_key_value_heads"},
    "Mixtral": {**SIZES, "num_local_experts": 4},
    "Mamba": SMALL,
}
#: Those that run without --long: each has something that the others have not.
DEFAULT = {"Llama", "Gemma3", "Mixtral", "Mamba"}


def make(name, **sizes):
    head = "LMHeadModel" if name == "GPT2" else "ForCausalLM"
    config = "Gemma3TextConfig" if name == "Gemma3" else f"{name}Config"
    torch.manual_seed(0)
    options = {**MODELS[name], **NO_TOKENS, **sizes}
    return getattr(transformers, name + head)(getattr(transformers, config)(**options)).eval()


def expected(model, prompt, count):
    with torch.no_grad():
        tokens = model.generate(
            torch.tensor([prompt]), max_new_tokens=count, do_sample=False, pad_token_id=0
        )
    return tokens[0, len(prompt) :].tolist()


def call(method, tokens, position):
    """The logits. A model from a file returns a tuple."""
    result = method(torch.tensor([tokens]), torch.arange(position, position + len(tokens)))
    return result[0] if isinstance(result, tuple) else result


def logits_of(compiled, prompt):
    """The logits after a prompt, which is read at once if the model can do that."""
    if "prefill" in compiled.methods:
        return call(compiled.prefill, prompt, 0)
    return [call(compiled.decode, [token], k) for k, token in enumerate(prompt)][-1]


def greedy(compiled, prompt, count):
    tokens = [int(logits_of(compiled, prompt).argmax())]
    for position in range(len(prompt), len(prompt) + count - 1):
        tokens.append(int(call(compiled.decode, tokens[-1:], position).argmax()))
    return tokens


PROMPT = [3, 141, 59, 26, 5, 35, 89]


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


def encoder_decoder(name):
    torch.manual_seed(0)
    if name == "T5":
        config = transformers.T5Config(
            vocab_size=256, d_model=64, d_kv=16, d_ff=128, num_layers=2, num_heads=4,
            decoder_start_token_id=0, eos_token_id=None,
        )  # fmt: skip
        ids = torch.randint(1, 256, (1, 9))
        padded = torch.nn.functional.pad(ids, (0, 3))
        mask = (torch.arange(12) < 9).long()[None]
        model = transformers.T5ForConditionalGeneration(config)
        return model.eval(), {"source_length": 12}, (padded, mask), {"input_ids": ids}
    config = transformers.WhisperConfig(
        vocab_size=256, d_model=64, encoder_layers=2, decoder_layers=2, encoder_attention_heads=4,
        decoder_attention_heads=4, encoder_ffn_dim=128, decoder_ffn_dim=128,
        max_source_positions=50, max_target_positions=96, decoder_start_token_id=1,
        bos_token_id=1, eos_token_id=None, pad_token_id=0, begin_suppress_tokens=None,
    )  # fmt: skip
    sound = torch.randn(1, 80, 100)
    model = transformers.WhisperForConditionalGeneration(config)
    return model.eval(), {}, (sound,), {"input_features": sound}


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


@pytest.mark.parametrize(
    "name, dtype, precision",
    [
        ("Llama", torch.float16, "bf16"),
        ("Gemma2", torch.float16, "f32"),
        pytest.param("Gemma3", torch.bfloat16, "f32", marks=pytest.mark.long),
        pytest.param("GPT2", torch.float16, "f32", marks=pytest.mark.long),
        pytest.param("Llama", torch.float16, "f32", marks=pytest.mark.long),
        pytest.param("Llama", torch.bfloat16, "bf16", marks=pytest.mark.long),
        pytest.param("Gemma2", torch.bfloat16, "bf16", marks=pytest.mark.long),
    ],
)
def test_narrow_caches(name, dtype, precision, tmp_path):
    """The logits are those of eager PyTorch with the same caches, for a prompt, steps, and steps in
    slots. A key or value can round to the neighbour."""
    from fx_mlir import _language_modules as modules

    model = make(name, **({} if name == "GPT2" else {"head_dim": 64}))
    options = {"max_length": 64, "slots": 2, "precision": precision}
    compiled = fx_mlir.export_for_generation(model, tmp_path, cache_dtype=dtype, **options)
    manifest = json.loads((tmp_path / "fx_generation.json").read_text())
    assert manifest["cache_dtype"] == str(dtype).removeprefix("torch.")
    exact = fx_mlir.export_for_generation(model, tmp_path / "exact", **options)
    with torch.no_grad():
        decoder = modules.Decoder(model, 64, dtype)
        slots = modules.Slots(decoder, 2)
    assert decoder.keys_0.dtype == slots.keys_slots_0.dtype == dtype
    eager = {
        "prefill": modules.Step(decoder), "decode": modules.Step(decoder),
        "decode_slots": modules.StepSlots(slots), "join": modules.Join(decoder, slots),
    }  # fmt: skip
    f32 = precision == "f32"

    def check(method, *args):
        """The result is closer to eager's with these caches than to that with exact ones."""
        with torch.no_grad():
            want = eager[method](*args)
        got, other = getattr(compiled, method)(*args), getattr(exact, method)(*args)
        if method == "join":
            return
        error = (got - want).norm()
        assert error < (0.5 * (other - want).norm() if f32 else 2e-2 * want.norm())

    check("prefill", torch.tensor([PROMPT]), torch.arange(7))
    for position in range(7, 12):
        check("decode", torch.tensor([[position]]), torch.tensor([position]))
    for slot in range(2):
        check("join", torch.tensor([slot]))
    for k in range(4):
        check("decode_slots", torch.tensor([[k], [9]]), torch.tensor([12 + k, 12 + k % 2]))


def test_narrow_snapshot(tmp_path):
    """Snapshots and slots with caches of 16 bits. Another dtype is refused."""
    model = make("Llama")
    narrow = [
        fx_mlir.export_for_generation(
            model, tmp_path / str(dtype), max_length=64, slots=2, cache_dtype=dtype
        )
        for dtype in (torch.float16, torch.bfloat16)
    ]
    half, other = (fx_mlir.TextGenerator(m, max_positions=64) for m in narrow)
    want = half.generate(PROMPT, max_new_tokens=20).tokens
    half.reset()
    half.generate(PROMPT, max_new_tokens=9)
    saved = half.snapshot()
    assert half.generate(max_new_tokens=11).tokens == want[9:]
    half.restore(saved)
    assert half.generate(max_new_tokens=11).tokens == want[9:]
    with pytest.raises(fx_mlir.Error, match="^snapshot: expected the state .* of another dtype"):
        other.restore(saved)
    pool = fx_mlir.GenerationPool(narrow[0], slots=2, max_positions=64)
    futures = [pool.submit(PROMPT, max_new_tokens=20) for _ in range(3)]
    pool.run()
    assert all(future.result().tokens == want for future in futures)


def test_narrow_encoder(tmp_path):
    """The caches of the decoder are narrow, and those of the source are not."""
    model, options, args, _ = encoder_decoder("T5")
    results = []
    for dtype in (None, torch.float16):
        compiled = fx_mlir.export_for_generation(
            model, tmp_path, max_length=32, cache_dtype=dtype, **options
        )
        compiled.encode(*args)
        for position in range(5):
            logits = compiled.decode(torch.tensor([[position]]), torch.tensor([position]))
        results.append(logits)
    error = (results[0] - results[1]).norm() / results[0].norm()
    assert 0 < error < 1e-3


def test_narrow_errors(tmp_path):
    for name, dtype, model_dtype, message in [
        ("Mamba", torch.float16, torch.float32, "cache_dtype: expected a model whose layers are attention"),
        ("Llama", torch.float16, torch.bfloat16, "cache_dtype: expected a model of float32, got one of torch.bfloat16"),
        ("Llama", torch.int8, torch.float32, "cache_dtype: expected torch.float16 or torch.bfloat16, got torch.int8"),
    ]:  # fmt: skip
        with pytest.raises(fx_mlir.Error, match=re.escape(message)):
            fx_mlir.export_for_generation(
                make(name).to(model_dtype), tmp_path, max_length=64, cache_dtype=dtype
            )


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


def byte_level_tokenizer():
    """A tokenizer with a token for each byte, and some for pairs."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers

    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocabulary = {letter: k for k, letter in enumerate(letters)}
    tokenizer = Tokenizer(models.BPE(vocab=vocabulary, merges=[]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    return tokenizer


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A model with a tokenizer and a chat template, and the model of transformers."""
    pytest.importorskip("tokenizers")
    model, path = make("Llama"), tmp_path_factory.mktemp("language") / "llama"
    tokenizer = transformers.PreTrainedTokenizerFast(tokenizer_object=byte_level_tokenizer())
    tokenizer.chat_template = (
        "{% for m in messages %}[{{ m['role'] }}] {{ m['content'] }}\n{% endfor %}[assistant]"
    )
    fx_mlir.export_for_generation(
        model, path, max_length=96, speculation=3, tokenizer=tokenizer
    )
    return model, path, tokenizer


def test_manifest(folder):
    from fx_mlir._language import _ids

    model, path, _ = folder
    manifest = json.loads((path / "fx_generation.json").read_text())
    assert manifest["stop_tokens"] == [] and manifest["max_length"] == 96
    assert _ids(7) == [7] and _ids([7, 9]) == [7, 9] and _ids(None) == []
    loaded = fx_mlir.load(path / "model.so")
    assert set(loaded.methods) == {"decode", "prefill", "verify"}
    logits_of(loaded, PROMPT)
    got = loaded.verify(torch.tensor([[1, 2, 3, 4]]), torch.arange(7, 11))
    with torch.no_grad():
        want = model(torch.tensor([[*PROMPT, 1, 2, 3, 4]])).logits[:, -4:]
    torch.testing.assert_close(got, want, rtol=1e-4, atol=1e-4)


def command(*args, capfd):
    from fx_mlir import generate

    status = generate.main([str(arg) for arg in args])
    out, err = capfd.readouterr()
    return status, out, err


def test_generate_ids(folder, capfd):
    model, path, _ = folder
    want = expected(model, PROMPT, 24)
    ids = ",".join(map(str, PROMPT))
    for options in ["--lookup=2"], ["--threads=2"], []:
        status, out, err = command(
            path, "--prompt-ids", ids, "--max-new-tokens", 24, *options, capfd=capfd
        )
        assert (status, err) == (0, "") and list(map(int, out.split())) == want


def test_generate_text(folder, capfd):
    model, path, tokenizer = folder
    text = "na\u00efve \u4f60\u597d"
    prompt = tokenizer(text)["input_ids"]
    want = tokenizer.decode(expected(model, prompt, 20))
    status, out, err = command(path, "--prompt", text, "--max-new-tokens", 20, "--stats", capfd=capfd)
    assert status == 0 and out.rstrip("\n") == want.rstrip("\n")
    assert "tokens of the prompt" in err and "per second; end: length" in err
    # With a chat template.
    chat = [{"role": "system", "content": "S"}, {"role": "user", "content": text}]
    prompt = tokenizer.apply_chat_template(chat, add_generation_prompt=True)
    prompt = prompt["input_ids"] if hasattr(prompt, "keys") else prompt
    want = tokenizer.decode(expected(model, prompt, 8))
    status, out, _ = command(
        path, "--prompt", text, "--chat", "--system", "S", "--max-new-tokens", 8, capfd=capfd
    )
    assert status == 0 and out.rstrip("\n") == want.rstrip("\n")


def test_generate_recurrent(tmp_path, capfd):
    """A second prompt that begins like the first one."""
    from fx_mlir.generate import LanguageModel

    model = make("Mamba")
    fx_mlir.export_for_generation(model, tmp_path, max_length=64)
    loaded = LanguageModel(tmp_path)
    for prompt in PROMPT, PROMPT[:4], [*PROMPT, 1, 2]:
        got = loaded.generate(prompt, max_new_tokens=10)
        assert got.tokens == expected(model, prompt, 10)


def test_generate_errors(folder, tmp_path, capfd):
    _, path, _ = folder
    (tmp_path / "fx_generation.json").write_text('{"version": 9}')
    for args, text in [
        (["/no/folder", "--prompt-ids", "1"], "cannot open: No such file"),
        ([tmp_path, "--prompt-ids", "1"], "expected version 1 of fx_generation.json, got 9"),
        ([path, "--prompt-ids", "1,x"], "--prompt-ids: expected integers, got '1,x'"),
        ([path, "--prompt-ids", "1", "--chat"], "--chat: expected a text"),
        ([path, "--prompt-ids", "999"], "an index is out of range"),
        ([path, "--prompt-ids", " "], ""),
        ([path, "--prompt-ids", "1", "--top-p", "2"], "top_p"),
    ]:
        status, out, err = command(*args, capfd=capfd)
        assert status == 1 and err.startswith("error: ") and len(err.splitlines()) == 1, (args, err)
        assert text in err, err
