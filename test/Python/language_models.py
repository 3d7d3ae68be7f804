"""Small language models of transformers with random weights, and runs of them."""

import pytest
import torch

pytest.importorskip("transformers.exporters")
import transformers

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
