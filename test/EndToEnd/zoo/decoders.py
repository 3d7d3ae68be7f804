"""Text decoders: dense, mixtures of experts, state spaces."""

from .entry import GQA, TEXT, TOKENS, transformer

BOTH = dict(dynamic=("b", "s"))
GPT = dict(n_embd=32, n_layer=2, n_head=4, vocab_size=99, n_positions=64)
EXPERTS = GQA | dict(
    num_experts=4, num_local_experts=4, num_experts_per_tok=2, moe_intermediate_size=16
)


def add(name, prefix, config=None, base=GQA, **options):
    transformer(name, prefix, base | (config or {}), TOKENS, **BOTH | options)


HEAD = dict(head_dim=8)
add("apertus", "Apertus")
add("arcee", "Arcee")
add("biogpt", "BioGpt", base=TEXT)
add("bitnet", "BitNet")
add("bloom", "Bloom", base=dict(hidden_size=32, n_layer=2, n_head=4, vocab_size=99))
add("codegen", "CodeGen", dict(rotary_dim=4), base=GPT)
add("cohere", "Cohere")
add("cohere2", "Cohere2", dict(sliding_window=4))
add("ctrl", "CTRL", dict(dff=64), base=GPT)
add("ernie4_5", "Ernie4_5", HEAD)
add("exaone4", "Exaone4", dict(sliding_window=4))
add("falcon", "Falcon", base=TEXT)
add("gemma", "Gemma", HEAD)
add("gemma2", "Gemma2", HEAD)
add(
    "gemma3_text",
    "Gemma3Text",
    HEAD | dict(sliding_window=4),
    suffix="Model",
    configuration="Gemma3TextConfig",
)
add("glm", "Glm", HEAD | dict(pad_token_id=0))
add("glm4", "Glm4", HEAD | dict(pad_token_id=0))
add("gpt2", "GPT2", base=GPT, quick=True)
add("gpt2_lm", "GPT2", base=GPT, suffix="LMHeadModel")
add("gpt_bigcode", "GPTBigCode", base=GPT)
add(
    "gpt_neo",
    "GPTNeo",
    base=dict(
        hidden_size=32,
        num_layers=2,
        num_heads=4,
        vocab_size=99,
        max_position_embeddings=64,
        attention_types=[[["global", "local"], 1]],
        window_size=4,
    ),
)
add("gpt_neox", "GPTNeoX", base=TEXT)
add("gptj", "GPTJ", dict(rotary_dim=4), base=GPT)
add("granite", "Granite")
add("helium", "Helium", HEAD)
add("llama", "Llama", suffix="ForCausalLM", quick=True)
add("mistral", "Mistral", dict(sliding_window=4))
add("mpt", "Mpt", base=dict(d_model=32, n_heads=4, n_layers=2, vocab_size=99, max_seq_len=64))
add("nemotron", "Nemotron")
add("olmo", "Olmo")
add("olmo2", "Olmo2")
add("openai_gpt", "OpenAIGPT", base=GPT)
add(
    "opt",
    "OPT",
    base=dict(
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=4,
        ffn_dim=64,
        vocab_size=99,
        max_position_embeddings=64,
        word_embed_proj_dim=32,
    ),
    quick=True,
)
add("persimmon", "Persimmon", base=TEXT)
add("phi", "Phi", base=TEXT)
add("phi3", "Phi3", dict(pad_token_id=0))
add("qwen2", "Qwen2")
add("qwen3", "Qwen3", HEAD)
add("seed_oss", "SeedOss", HEAD)
add("smollm3", "SmolLM3", dict(pad_token_id=0))
add("stablelm", "StableLm")
add("starcoder2", "Starcoder2")
add(
    "xglm",
    "XGLM",
    base=dict(
        d_model=32,
        num_layers=2,
        attention_heads=4,
        ffn_dim=64,
        vocab_size=99,
        max_position_embeddings=64,
    ),
)

# Mixtures of experts.
add("gpt_oss", "GptOss", HEAD | dict(sliding_window=4), base=EXPERTS)
add("granitemoe", "GraniteMoe", base=EXPERTS)
add("mixtral", "Mixtral", base=EXPERTS, quick=True)
add("olmoe", "Olmoe", base=EXPERTS)
add("phimoe", "Phimoe", base=EXPERTS)
add("qwen2_moe", "Qwen2Moe", dict(shared_expert_intermediate_size=16), base=EXPERTS)
add("qwen3_moe", "Qwen3Moe", HEAD, base=EXPERTS)
add(
    "deepseek_v2",
    "DeepseekV2",
    dict(
        num_key_value_heads=4,
        n_routed_experts=4,
        n_shared_experts=1,
        q_lora_rank=16,
        kv_lora_rank=16,
        qk_rope_head_dim=8,
        qk_nope_head_dim=8,
        v_head_dim=8,
        n_group=1,
        topk_group=1,
        first_k_dense_replace=1,
        topk_method="greedy",
    ),
    base=EXPERTS,
)
add(
    "deepseek_v3",
    "DeepseekV3",
    dict(
        num_key_value_heads=4,
        n_routed_experts=4,
        n_shared_experts=1,
        q_lora_rank=16,
        kv_lora_rank=16,
        qk_rope_head_dim=8,
        qk_nope_head_dim=8,
        v_head_dim=8,
        n_group=2,
        topk_group=1,
        first_k_dense_replace=1,
    ),
    base=EXPERTS,
)

# State spaces and linear recurrences.
SSM = dict(hidden_size=32, num_hidden_layers=2, vocab_size=99, state_size=4)
add("mamba", "Mamba", base=SSM, dynamic=("b",))
add("falcon_mamba", "FalconMamba", base=SSM, dynamic=("b",))
add(
    "mamba2",
    "Mamba2",
    dict(num_heads=8, head_dim=8, n_groups=1, chunk_size=4),
    base=SSM,
    dynamic=("b",),
)
add(
    "recurrent_gemma",
    "RecurrentGemma",
    HEAD | dict(lru_width=32, attention_window_size=8, block_types=["recurrent", "attention"]),
    dynamic=("b",),
)
add(
    "rwkv",
    "Rwkv",
    base=dict(
        hidden_size=32,
        attention_hidden_size=32,
        num_hidden_layers=2,
        intermediate_size=64,
        vocab_size=99,
        context_length=64,
    ),
    dynamic=("b",),
)
add("lfm2", "Lfm2", dict(full_attn_idxs=[1], block_multiple_of=8))
