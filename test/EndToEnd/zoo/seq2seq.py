"""Encoder-decoder models."""

from .entry import Input, transformer

BOTH = {"input_ids": Input(("b", "s"), 99), "decoder_input_ids": Input(("b", 6), 99)}
BART = dict(
    d_model=32,
    encoder_layers=2,
    decoder_layers=2,
    encoder_attention_heads=4,
    decoder_attention_heads=4,
    encoder_ffn_dim=64,
    decoder_ffn_dim=64,
    vocab_size=99,
    max_position_embeddings=64,
    pad_token_id=1,
    bos_token_id=0,
    eos_token_id=2,
    decoder_start_token_id=2,
    forced_eos_token_id=None,
)
T5 = dict(
    d_model=32, d_kv=8, d_ff=64, num_layers=2, num_heads=4, vocab_size=99, decoder_start_token_id=0
)


def add(name, prefix, config, **options):
    transformer(name, prefix, config, BOTH, **dict(dynamic=("b", "s")) | options)


add("bart", "Bart", BART, quick=True)
add("bigbird_pegasus", "BigBirdPegasus", BART | dict(attention_type="original_full"))
add("blenderbot", "Blenderbot", BART)
add("blenderbot_small", "BlenderbotSmall", BART)
add("m2m_100", "M2M100", BART)
add("marian", "Marian", BART | dict(pad_token_id=98))
add("mbart", "MBart", BART)
add("pegasus", "Pegasus", BART)
add("plbart", "PLBart", BART)
add(
    "prophetnet",
    "ProphetNet",
    dict(
        hidden_size=32,
        num_encoder_layers=2,
        num_decoder_layers=2,
        num_encoder_attention_heads=4,
        num_decoder_attention_heads=4,
        encoder_ffn_dim=64,
        decoder_ffn_dim=64,
        vocab_size=99,
        max_position_embeddings=64,
        ngram=2,
        num_buckets=8,
        relative_max_distance=16,
    ),
)
add("t5", "T5", T5)
add("t5_gated", "T5", T5 | dict(feed_forward_proj="gated-gelu"))
