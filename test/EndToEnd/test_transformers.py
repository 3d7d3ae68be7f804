"""Models of the transformers package, with small configurations and random
weights, where what has no lowering runs by falling back."""

import harness
import pytest
import torch
import transformers
from models.registry import rand, randint, seeded

TEXT = dict(
    hidden_size=32,
    num_hidden_layers=2,
    num_attention_heads=4,
    intermediate_size=64,
    vocab_size=99,
    max_position_embeddings=64,
)
GPT = dict(n_embd=32, n_layer=2, n_head=4, vocab_size=99, n_positions=64)
GQA = TEXT | dict(num_key_value_heads=2)
TOKENS = dict(input_ids=(99, 2, 7))
IMAGE = dict(pixel_values=(2, 3, 32, 32))

MODELS = {
    "gpt2": ("GPT2Model", "GPT2Config", GPT, TOKENS),
    "distilbert": (
        "DistilBertModel",
        "DistilBertConfig",
        dict(dim=32, n_layers=2, n_heads=4, hidden_dim=64, vocab_size=99),
        TOKENS,
    ),
    "roberta": ("RobertaModel", "RobertaConfig", TEXT, TOKENS),
    "albert": ("AlbertModel", "AlbertConfig", TEXT | dict(embedding_size=16), TOKENS),
    "electra": ("ElectraModel", "ElectraConfig", TEXT | dict(embedding_size=16), TOKENS),
    "opt": (
        "OPTModel",
        "OPTConfig",
        dict(
            hidden_size=32,
            num_hidden_layers=2,
            num_attention_heads=4,
            ffn_dim=64,
            vocab_size=99,
            max_position_embeddings=64,
            word_embed_proj_dim=32,
        ),
        TOKENS,
    ),
    "llama": ("LlamaForCausalLM", "LlamaConfig", GQA, TOKENS),
    "mistral": ("MistralModel", "MistralConfig", GQA | dict(sliding_window=4), TOKENS),
    "qwen2": ("Qwen2Model", "Qwen2Config", GQA, TOKENS),
    "phi": ("PhiModel", "PhiConfig", TEXT, TOKENS),
    "t5_encoder": (
        "T5EncoderModel",
        "T5Config",
        dict(d_model=32, d_kv=8, d_ff=64, num_layers=2, num_heads=4, vocab_size=99),
        TOKENS,
    ),
    "vit": (
        "ViTModel",
        "ViTConfig",
        {k: v for k, v in TEXT.items() if k not in ("vocab_size", "max_position_embeddings")}
        | dict(image_size=32, patch_size=8),
        IMAGE,
    ),
    "convnext": (
        "ConvNextModel",
        "ConvNextConfig",
        dict(hidden_sizes=[8, 16], depths=[1, 1], num_stages=2, patch_size=2),
        IMAGE,
    ),
    "whisper_encoder": (
        "WhisperModel",
        "WhisperConfig",
        dict(
            d_model=32,
            encoder_layers=2,
            decoder_layers=1,
            encoder_attention_heads=4,
            decoder_attention_heads=4,
            encoder_ffn_dim=64,
            decoder_ffn_dim=64,
            num_mel_bins=8,
            max_source_positions=16,
            vocab_size=99,
            pad_token_id=0,
            bos_token_id=1,
            eos_token_id=2,
            decoder_start_token_id=1,
        ),
        dict(input_features=(1, 8, 32)),
    ),
}


class Outputs(torch.nn.Module):
    """The tensors of a model's output as a tuple, without its caches."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, inputs):
        out = self.model(**inputs, return_dict=True)
        return tuple(x for x in out.values() if isinstance(x, torch.Tensor))


def build(name):
    model, config, options, inputs = MODELS[name]
    config = getattr(transformers, config)(**options)
    for cache in ("use_cache",):
        if hasattr(config, cache):
            setattr(config, cache, False)

    def make():
        made = getattr(transformers, model)(config)
        return Outputs(made.get_encoder() if name.endswith("whisper_encoder") else made)

    args = {
        key: randint(*shape) if key == "input_ids" else rand(*shape)
        for key, shape in inputs.items()
    }
    return seeded(make), (args,)


@pytest.mark.parametrize(
    "mode", [m for m in ["interpret", "compiled"] if m in harness.TESTED]
)
@pytest.mark.parametrize("name", sorted(MODELS))
def test_model(name, mode, tmp_path):
    module, args = build(name)
    harness.check(module, args, folder=tmp_path, modes=[mode])
