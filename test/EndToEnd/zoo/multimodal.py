"""Models of text with images or sound, and of time series."""

from .entry import IMAGE, TEXT, TOKENS, Input, transformer

VISION = dict(
    hidden_size=32,
    num_hidden_layers=2,
    num_attention_heads=4,
    intermediate_size=64,
    image_size=32,
    patch_size=8,
)
PAIR = {"input_ids": Input(("b", "s"), 98), "pixel_values": Input(("b", 3, 32, 32))}


def add(name, prefix, config, inputs=PAIR, **options):
    transformer(name, prefix, config, inputs, **options)


TOWERS = dict(
    text_config=TEXT | dict(eos_token_id=98, bos_token_id=0),
    vision_config=VISION,
    projection_dim=16,
)
add("clip", "CLIP", TOWERS, dynamic=("b",), quick=True)
add("clip_text", "CLIPText", TEXT | dict(eos_token_id=98), TOKENS, dynamic=("b", "s"))
add("clip_vision", "CLIPVision", VISION, IMAGE)
add("siglip", "Siglip", dict(text_config=TEXT, vision_config=VISION), dynamic=("b",))
add("siglip_vision", "SiglipVision", VISION, IMAGE)
add(
    "altclip",
    "AltCLIP",
    dict(text_config=TEXT | dict(project_dim=16), vision_config=VISION, projection_dim=16),
    dynamic=("b",),
)
add(
    "blip",
    "Blip",
    dict(
        text_config=TEXT | dict(encoder_hidden_size=32),
        vision_config=VISION,
        projection_dim=16,
        image_text_hidden_size=16,
    ),
    dynamic=("b",),
)
add(
    "chinese_clip",
    "ChineseCLIP",
    dict(text_config=TEXT, vision_config=VISION, projection_dim=16),
    dynamic=("b",),
)
add(
    "owlvit",
    "OwlViT",
    dict(text_config=TEXT, vision_config=VISION, projection_dim=16),
    {"input_ids": Input((2, 8), 98), "pixel_values": Input((2, 3, 32, 32))},
    dynamic=(),
)
add("git", "Git", TEXT | dict(vision_config=VISION), PAIR, dynamic=())
add("flava_text", "FlavaText", TEXT, TOKENS, dynamic=("b", "s"))
add(
    "decision_transformer",
    "DecisionTransformer",
    dict(
        state_dim=5, act_dim=3, hidden_size=32, n_layer=2, n_head=4, n_positions=64, max_ep_len=20
    ),
    {
        "states": Input(("b", "s", 5)),
        "actions": Input(("b", "s", 3)),
        "rewards": Input(("b", "s", 1)),
        "returns_to_go": Input(("b", "s", 1)),
        "timesteps": Input(("b", "s"), 20),
        "attention_mask": Input(("b", "s"), 1),
    },
    dynamic=("b", "s"),
)
add(
    "perceiver",
    "Perceiver",
    dict(
        num_latents=8,
        d_latents=16,
        d_model=16,
        num_blocks=1,
        num_self_attends_per_block=2,
        num_self_attention_heads=2,
        num_cross_attention_heads=2,
    ),
    {"inputs": Input(("b", "s", 16))},
    dynamic=("b", "s"),
)
add(
    "patchtst",
    "PatchTST",
    dict(
        num_input_channels=3,
        context_length=32,
        patch_length=8,
        patch_stride=8,
        d_model=16,
        num_attention_heads=2,
        num_hidden_layers=2,
        ffn_dim=32,
        prediction_length=8,
    ),
    {"past_values": Input(("b", 32, 3))},
    suffix="ForPrediction",
    quick=True,
)
add(
    "patchtsmixer",
    "PatchTSMixer",
    dict(
        num_input_channels=3,
        context_length=32,
        patch_length=8,
        patch_stride=8,
        d_model=16,
        num_layers=2,
        prediction_length=8,
    ),
    {"past_values": Input(("b", 32, 3))},
    suffix="ForPrediction",
)
