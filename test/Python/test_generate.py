"""Greedy text generation by `generate` of transformers: with torch.compile(backend="fx_mlir")
the tokens and logits are those of eager."""

import os

import pytest
import torch

os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("TRANSFORMERS_VERBOSITY", "error")

import transformers  # noqa: E402

IDS = dict(vocab_size=99, pad_token_id=0, bos_token_id=1, eos_token_id=None)


def llama():
    config = transformers.LlamaConfig(
        hidden_size=32,
        num_hidden_layers=1,
        num_attention_heads=4,
        num_key_value_heads=2,
        intermediate_size=64,
        max_position_embeddings=64,
        **IDS,
    )
    return transformers.LlamaForCausalLM(config)


def gpt2():
    config = transformers.GPT2Config(n_embd=32, n_layer=1, n_head=4, n_positions=64, **IDS)
    return transformers.GPT2LMHeadModel(config)


def t5():
    config = transformers.T5Config(
        d_model=32, num_layers=1, num_heads=4, d_kv=8, d_ff=64, decoder_start_token_id=0, **IDS
    )
    return transformers.T5ForConditionalGeneration(config)


def whisper():
    config = transformers.WhisperConfig(
        d_model=32,
        encoder_layers=1,
        decoder_layers=1,
        encoder_attention_heads=4,
        decoder_attention_heads=4,
        encoder_ffn_dim=64,
        decoder_ffn_dim=64,
        num_mel_bins=8,
        max_source_positions=16,
        max_target_positions=32,
        decoder_start_token_id=1,
        suppress_tokens=None,
        begin_suppress_tokens=None,
        **IDS,
    )
    return transformers.WhisperForConditionalGeneration(config)


MODELS = {"llama": llama, "gpt2": gpt2, "t5": t5, "whisper": whisper}
# The cases that run without --long. A model of one layer compiles in seconds.
QUICK = {("llama", "default"), ("gpt2", "static"), ("t5", "static"), ("whisper", "default")}


def build(name):
    """Returns the model and its inputs. The weights are so large that the tokens differ."""
    model = MODELS[name]().eval()
    for parameter in model.parameters():
        if parameter.dim() > 1:
            torch.nn.init.normal_(parameter, std=0.4)
    model.generation_config.eos_token_id = None
    if name == "whisper":
        return model, {"input_features": torch.randn(2, 8, 32)}
    return model, {"input_ids": torch.randint(3, 99, (2, 5))}


def draw(generate, inputs, cache, count, **options):
    if cache != "default":
        options["cache_implementation"] = cache
    torch.manual_seed(0)
    return generate(
        **inputs,
        do_sample=False,
        max_new_tokens=count,
        return_dict_in_generate=True,
        output_logits=True,
        **options,
    )


def check(got, want, count):
    assert torch.equal(got.sequences, want.sequences)
    assert len(got.logits) == count
    assert len(set(want.sequences[0, -count:].tolist())) > 2
    for g, w in zip(got.logits, want.logits):
        torch.testing.assert_close(g, w, rtol=1e-3, atol=1e-3)


def cases():
    for name in MODELS:
        for cache in ("default", "static"):
            marks = [] if (name, cache) in QUICK else [pytest.mark.long]
            yield pytest.param(name, cache, marks=marks, id=f"{name}-{cache}")


@pytest.mark.parametrize("name, cache", list(cases()))
def test_forward(name, cache, long):
    """Compiles `forward`: the first step, the steps of one token, and the static
    cache that is written in place."""
    count = 20 if long else 8
    model, inputs = build(name)
    want = draw(model.generate, inputs, cache, count, disable_compile=True)
    calls = []
    model.forward = compile(model.forward, calls)
    got = draw(model.generate, inputs, cache, count, disable_compile=True)
    check(got, want, count)
    assert calls


def compile(function, calls):
    """Compiles a function by the backend, which appends each graph to `calls`."""
    from fx_mlir.backend import fx_mlir

    def backend(gm, inputs):
        calls.append(gm)
        return fx_mlir(gm, inputs)

    return torch.compile(function, backend=backend)


@pytest.mark.long
@pytest.mark.parametrize("cache", ["default", "static"])
@pytest.mark.parametrize("name", ["llama", "gpt2"])
def test_generate(name, cache):
    """Compiles `generate` itself, including its loop."""
    model, inputs = build(name)
    want = draw(model.generate, inputs, cache, 8, disable_compile=True)
    calls = []
    got = draw(compile(model.generate, calls), inputs, cache, 8, disable_compile=True)
    check(got, want, 8)
    assert calls


@pytest.mark.long
@pytest.mark.parametrize("name", MODELS)
def test_compile_config(name):
    """Lets transformers compile the model, which it does if the cache is static."""
    model, inputs = build(name)
    want = draw(model.generate, inputs, "static", 8, disable_compile=True)
    config = transformers.CompileConfig(backend="fx_mlir", mode=None, fullgraph=False)
    config._compile_all_devices = True
    model.generation_config.compile_config = config
    compiled = torch._dynamo.utils.counters["stats"]["unique_graphs"]
    got = draw(model.generate, inputs, "static", 8)
    check(got, want, 8)
    assert torch._dynamo.utils.counters["stats"]["unique_graphs"] > compiled
