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

VISION = dict(
    hidden_size=32,
    num_hidden_layers=2,
    num_attention_heads=4,
    intermediate_size=64,
    image_size=32,
    patch_size=8,
)

#: Those that run with --long only.
MORE = {
    "bloom": ("BloomModel", "BloomConfig", dict(hidden_size=32, n_layer=2, n_head=4, vocab_size=99), TOKENS),
    "camembert": ("CamembertModel", "CamembertConfig", TEXT, TOKENS),
    "codegen": ("CodeGenModel", "CodeGenConfig", GPT | dict(rotary_dim=4), TOKENS),
    "cohere": ("CohereModel", "CohereConfig", GQA, TOKENS),
    "deberta_v2": ("DebertaV2Model", "DebertaV2Config", TEXT, TOKENS),
    "falcon": ("FalconModel", "FalconConfig", TEXT, TOKENS),
    "gemma": ("GemmaModel", "GemmaConfig", GQA | dict(head_dim=8), TOKENS),
    "gemma2": ("Gemma2Model", "Gemma2Config", GQA | dict(head_dim=8), TOKENS),
    "gpt_neo": (
        "GPTNeoModel",
        "GPTNeoConfig",
        dict(hidden_size=32, num_layers=2, num_heads=4, vocab_size=99, max_position_embeddings=64)
        | dict(attention_types=[[["global", "local"], 1]], window_size=4),
        TOKENS,
    ),
    "gpt_neox": ("GPTNeoXModel", "GPTNeoXConfig", TEXT, TOKENS),
    "gptj": ("GPTJModel", "GPTJConfig", GPT | dict(rotary_dim=4), TOKENS),
    "granite": ("GraniteModel", "GraniteConfig", GQA, TOKENS),
    "mobilebert": (
        "MobileBertModel",
        "MobileBertConfig",
        TEXT | dict(embedding_size=32, intra_bottleneck_size=32, true_hidden_size=32),
        TOKENS,
    ),
    "mpnet": ("MPNetModel", "MPNetConfig", TEXT, TOKENS),
    "olmo": ("OlmoModel", "OlmoConfig", GQA, TOKENS),
    "olmo2": ("Olmo2Model", "Olmo2Config", GQA, TOKENS),
    "phi3": ("Phi3Model", "Phi3Config", GQA | dict(pad_token_id=0), TOKENS),
    "qwen3": ("Qwen3Model", "Qwen3Config", GQA | dict(head_dim=8), TOKENS),
    "squeezebert": ("SqueezeBertModel", "SqueezeBertConfig", TEXT | dict(embedding_size=32), TOKENS),
    "stablelm": ("StableLmModel", "StableLmConfig", GQA, TOKENS),
    "starcoder2": ("Starcoder2Model", "Starcoder2Config", GQA, TOKENS),
    "xlm_roberta": ("XLMRobertaModel", "XLMRobertaConfig", TEXT, TOKENS),
    "beit": ("BeitModel", "BeitConfig", VISION, IMAGE),
    "deit": ("DeiTModel", "DeiTConfig", VISION, IMAGE),
    "dinov2": ("Dinov2Model", "Dinov2Config", VISION, IMAGE),
    "mobilenet_v2": ("MobileNetV2Model", "MobileNetV2Config", dict(depth_multiplier=0.35), IMAGE),
    "regnet": (
        "RegNetModel",
        "RegNetConfig",
        dict(embedding_size=8, hidden_sizes=[8, 16], depths=[1, 2], groups_width=4),
        IMAGE,
    ),
    "resnet": (
        "ResNetModel",
        "ResNetConfig",
        dict(embedding_size=8, hidden_sizes=[8, 16], depths=[1, 2]),
        IMAGE,
    ),
    "swin": (
        "SwinModel",
        "SwinConfig",
        dict(embed_dim=16, depths=[1, 2], num_heads=[2, 4], window_size=4)
        | dict(image_size=32, patch_size=2),
        IMAGE,
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
    model, config, options, inputs = (MODELS | MORE)[name]
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


@pytest.mark.parametrize("mode", ["interpret", "compiled"])
@pytest.mark.parametrize(
    "name",
    sorted(MODELS) + [pytest.param(n, marks=pytest.mark.long) for n in sorted(MORE)],
)
def test_model(name, mode, tmp_path):
    module, args = build(name)
    harness.check(module, args, folder=tmp_path, modes=[mode])
