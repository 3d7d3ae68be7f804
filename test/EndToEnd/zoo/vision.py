"""Vision models: classification, segmentation, detection."""

import transformers

from .entry import IMAGE, Input, transformer

VIT = dict(
    hidden_size=32,
    num_hidden_layers=2,
    num_attention_heads=4,
    intermediate_size=64,
    image_size=32,
    patch_size=8,
)
LARGE = {"pixel_values": Input(("b", 3, 64, 64))}


def add(name, prefix, config, inputs=IMAGE, **options):
    transformer(name, prefix, config, inputs, **options)


add("beit", "Beit", VIT)
add("bit", "Bit", dict(embedding_size=16, hidden_sizes=[16, 32], depths=[1, 1], num_groups=4))
add(
    "convnext",
    "ConvNext",
    dict(hidden_sizes=[8, 16], depths=[1, 1], num_stages=2, patch_size=2),
    quick=True,
)
add(
    "convnextv2",
    "ConvNextV2",
    dict(hidden_sizes=[8, 16], depths=[1, 1], num_stages=2, patch_size=2),
)
add(
    "cvt",
    "Cvt",
    dict(
        embed_dim=[16, 16, 32],
        num_heads=[1, 2, 2],
        depth=[1, 2, 3],
        mlp_ratio=[2.0] * 3,
        drop_path_rate=[0.0] * 3,
    ),
)
add("data2vec_vision", "Data2VecVision", VIT)
add("deit", "DeiT", VIT)
add("dinov2", "Dinov2", VIT)
add("dinov3_vit", "DINOv3ViT", VIT)
add(
    "dpt",
    "DPT",
    VIT
    | dict(
        image_size=32,
        backbone_out_indices=[0, 1],
        neck_hidden_sizes=[16, 16],
        reassemble_factors=[1, 0.5],
        fusion_hidden_size=16,
        is_hybrid=False,
    ),
)
add(
    "efficientnet",
    "EfficientNet",
    dict(image_size=32, width_coefficient=0.25, depth_coefficient=0.25, hidden_dim=320),
)
add(
    "focalnet",
    "FocalNet",
    dict(
        image_size=32,
        embed_dim=16,
        depths=[1, 1],
        hidden_sizes=[16, 32],
        focal_levels=[2, 2],
        focal_windows=[3, 3],
        patch_size=4,
    ),
)
add(
    "glpn",
    "GLPN",
    dict(
        num_encoder_blocks=2,
        depths=[1, 1],
        sr_ratios=[2, 1],
        hidden_sizes=[16, 32],
        num_attention_heads=[1, 2],
        patch_sizes=[7, 3],
        strides=[4, 2],
        mlp_ratios=[2, 2],
        decoder_hidden_size=16,
    ),
    suffix="ForDepthEstimation",
)
add(
    "hiera",
    "Hiera",
    dict(
        embed_dim=16,
        image_size=[32, 32],
        patch_size=[7, 7],
        patch_stride=[4, 4],
        patch_padding=[3, 3],
        mlp_ratio=2.0,
        depths=[1, 1],
        num_heads=[1, 2],
        embed_dim_multiplier=2.0,
        num_query_pool=1,
        query_stride=[2, 2],
        masked_unit_size=[4, 4],
        masked_unit_attention=[True, False],
    ),
    dynamic=(),
)
add("ijepa", "IJepa", VIT)
add(
    "levit",
    "Levit",
    dict(
        image_size=64,
        hidden_sizes=[16, 24, 32],
        num_attention_heads=[2, 3, 4],
        depths=[1, 1, 1],
        key_dim=[8, 8, 8],
        patch_size=16,
        down_ops=[["Subsample", 8, 2, 4, 2, 2], ["Subsample", 8, 3, 4, 2, 2]],
    ),
    inputs=LARGE,
)
add("mobilenet_v1", "MobileNetV1", dict(depth_multiplier=0.25))
add("mobilenet_v2", "MobileNetV2", dict(depth_multiplier=0.35))
add(
    "mobilevit",
    "MobileViT",
    dict(
        image_size=32,
        hidden_sizes=[16, 20, 24],
        neck_hidden_sizes=[8, 8, 12, 12, 16, 16, 24],
        num_attention_heads=2,
    ),
    inputs=LARGE,
)
add(
    "poolformer",
    "PoolFormer",
    dict(hidden_sizes=[8, 16, 24, 32], depths=[1, 1, 1, 1]),
    inputs=LARGE,
)
add(
    "pvt",
    "Pvt",
    dict(
        image_size=32,
        num_encoder_blocks=2,
        depths=[1, 1],
        sequence_reduction_ratios=[2, 1],
        hidden_sizes=[16, 32],
        num_attention_heads=[1, 2],
        patch_sizes=[4, 2],
        strides=[4, 2],
        mlp_ratios=[2, 2],
    ),
)
add(
    "pvt_v2",
    "PvtV2",
    dict(
        image_size=32,
        num_encoder_blocks=2,
        depths=[1, 1],
        sr_ratios=[2, 1],
        hidden_sizes=[16, 32],
        num_attention_heads=[1, 2],
        patch_sizes=[7, 3],
        strides=[4, 2],
        mlp_ratios=[2, 2],
    ),
)
add("regnet", "RegNet", dict(embedding_size=8, hidden_sizes=[8, 16], depths=[1, 2], groups_width=4))
add("resnet", "ResNet", dict(embedding_size=8, hidden_sizes=[8, 16], depths=[1, 2]), quick=True)
add(
    "segformer",
    "Segformer",
    dict(
        num_encoder_blocks=2,
        depths=[1, 1],
        sr_ratios=[2, 1],
        hidden_sizes=[16, 32],
        num_attention_heads=[1, 2],
        patch_sizes=[7, 3],
        strides=[4, 2],
        mlp_ratios=[2, 2],
        decoder_hidden_size=16,
    ),
    suffix="ForSemanticSegmentation",
    quick=True,
)
add(
    "swiftformer",
    "SwiftFormer",
    dict(image_size=32, depths=[1, 1], embed_dims=[16, 32], mlp_ratio=2, downsamples=[True, True]),
)
add(
    "swin",
    "Swin",
    dict(embed_dim=16, depths=[1, 2], num_heads=[2, 4], window_size=4, image_size=32, patch_size=2),
)
add(
    "swin2sr",
    "Swin2SR",
    dict(embed_dim=16, depths=[1, 1], num_heads=[2, 2], window_size=4, image_size=16, upscale=2),
    inputs={"pixel_values": Input(("b", 3, 16, 16))},
    suffix="ForImageSuperResolution",
)
add(
    "swinv2",
    "Swinv2",
    dict(embed_dim=16, depths=[1, 2], num_heads=[2, 4], window_size=4, image_size=32, patch_size=2),
)
add("textnet", "TextNet", dict(stem_out_channels=8, hidden_sizes=[8, 8, 16, 16, 24]), inputs=LARGE)
add("vit", "ViT", VIT, quick=True)
add("vit_classifier", "ViT", VIT | dict(num_labels=10), suffix="ForImageClassification")
add("vit_msn", "ViTMSN", VIT)
add(
    "vitdet",
    "VitDet",
    dict(
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=4,
        image_size=32,
        patch_size=8,
        window_size=2,
        window_block_indices=[0],
        residual_block_indices=[1],
        use_relative_position_embeddings=True,
    ),
)
add(
    "yolos",
    "Yolos",
    VIT | dict(image_size=[32, 32], num_detection_tokens=5),
    suffix="ForObjectDetection",
)

RESNET = dict(embedding_size=8, hidden_sizes=[8, 16], depths=[1, 1], out_features=["stage2"])


def with_backbone(**config):
    """Returns options with a small ResNet as the backbone."""
    return lambda: config | dict(backbone_config=transformers.ResNetConfig(**RESNET))


DETR = dict(
    use_timm_backbone=False,
    use_pretrained_backbone=False,
    backbone=None,
    d_model=32,
    encoder_layers=1,
    decoder_layers=1,
    encoder_attention_heads=4,
    decoder_attention_heads=4,
    encoder_ffn_dim=64,
    decoder_ffn_dim=64,
    num_queries=5,
)
add(
    "detr", "Detr", with_backbone(**DETR), inputs=LARGE, suffix="ForObjectDetection", dynamic=("b",)
)
add(
    "conditional_detr",
    "ConditionalDetr",
    with_backbone(**DETR),
    inputs=LARGE,
    suffix="ForObjectDetection",
    dynamic=("b",),
)
add(
    "upernet",
    "UperNet",
    with_backbone(hidden_size=16, use_auxiliary_head=False, num_labels=5, pool_scales=[1, 2]),
    inputs=LARGE,
    suffix="ForSemanticSegmentation",
    dynamic=("b",),
)
