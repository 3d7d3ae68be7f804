"""Text encoders."""

from .entry import TEXT, TOKENS, Input, transformer

BOTH = dict(dynamic=("b", "s"))
PAIRS = TOKENS | {"attention_mask": Input(("b", "s"), 1)}


def add(name, prefix, config=None, inputs=TOKENS, **options):
    transformer(name, prefix, TEXT | (config or {}), inputs, **BOTH | options)


add("bert", "Bert", inputs=PAIRS, quick=True)
add("bert_mlm", "Bert", suffix="ForMaskedLM")
add("albert", "Albert", dict(embedding_size=16))
add("big_bird", "BigBird", dict(attention_type="original_full"))
add("camembert", "Camembert")
add(
    "convbert",
    "ConvBert",
    dict(embedding_size=32, conv_kernel_size=3, head_ratio=2, num_groups=1),
    fallbacks=2,
)
add("data2vec_text", "Data2VecText")
add("deberta", "Deberta")
add("deberta_v2", "DebertaV2", dict(relative_attention=True, pos_att_type=["p2c", "c2p"]))
transformer(
    "distilbert",
    "DistilBert",
    dict(dim=32, n_layers=2, n_heads=4, hidden_dim=64, vocab_size=99),
    TOKENS,
    quick=True,
    **BOTH,
)
add("electra", "Electra", dict(embedding_size=16))
add("ernie", "Ernie")
add("esm", "Esm", dict(pad_token_id=1, mask_token_id=2), inputs=PAIRS)
transformer(
    "flaubert",
    "Flaubert",
    dict(emb_dim=32, n_layers=2, n_heads=4, vocab_size=99, max_position_embeddings=64),
    TOKENS,
    **BOTH,
)
add("fnet", "FNet", dict(use_tpu_fourier_optimizations=False), fallbacks=2)
transformer(
    "funnel",
    "Funnel",
    dict(
        block_sizes=[1, 1],
        d_model=32,
        n_head=4,
        d_head=8,
        d_inner=64,
        vocab_size=99,
        num_decoder_layers=1,
    ),
    TOKENS,
    dynamic=("b",),
)
add("ibert", "IBert")
add("layoutlm", "LayoutLM", inputs=TOKENS | {"bbox": Input(("b", "s", 4), 1)})
add("luke", "Luke", dict(entity_vocab_size=10, entity_emb_size=16))
add("megatron_bert", "MegatronBert")
add(
    "mobilebert",
    "MobileBert",
    dict(embedding_size=32, intra_bottleneck_size=32, true_hidden_size=32),
)
add("modernbert", "ModernBert", dict(pad_token_id=0, local_attention=4), quick=True)
add("mpnet", "MPNet")
add(
    "nystromformer",
    "Nystromformer",
    dict(segment_means_seq_len=8, num_landmarks=8),
    {"input_ids": Input(("b", 8), 99)},
    dynamic=("b",),
)
add("rembert", "RemBert", dict(input_embedding_size=16, output_embedding_size=16))
add("roberta", "Roberta")
add("roberta_prelayernorm", "RobertaPreLayerNorm")
add(
    "roc_bert",
    "RoCBert",
    dict(
        pronunciation_vocab_size=20,
        shape_vocab_size=20,
        pronunciation_embed_dim=8,
        shape_embed_dim=8,
    ),
)
add("roformer", "RoFormer", dict(embedding_size=32))
add("splinter", "Splinter")
add("squeezebert", "SqueezeBert", dict(embedding_size=32))
transformer(
    "t5_encoder",
    "T5",
    dict(d_model=32, d_kv=8, d_ff=64, num_layers=2, num_heads=4, vocab_size=99),
    TOKENS,
    suffix="EncoderModel",
    quick=True,
    **BOTH,
)
transformer(
    "umt5_encoder",
    "UMT5",
    dict(d_model=32, d_kv=8, d_ff=64, num_layers=2, num_heads=4, vocab_size=99),
    TOKENS,
    suffix="EncoderModel",
    **BOTH,
)
add("xlm_roberta", "XLMRoberta")
transformer(
    "xlm",
    "XLM",
    dict(emb_dim=32, n_layers=2, n_heads=4, vocab_size=99, max_position_embeddings=64, n_langs=2),
    TOKENS,
    **BOTH,
)
transformer(
    "xlnet",
    "XLNet",
    dict(d_model=32, n_layer=2, n_head=4, d_inner=64, vocab_size=99),
    TOKENS,
    dynamic=("b",),
)
add("xmod", "Xmod", dict(default_language="en_XX", languages=("en_XX",)), fallbacks=4)
