"""Audio models: speech encoders, recognition, codecs."""

from .entry import Input, transformer

WAVE = {"input_values": Input(("b", 800))}
WAV2VEC = dict(
    hidden_size=32,
    num_hidden_layers=2,
    num_attention_heads=4,
    intermediate_size=64,
    conv_dim=[16, 16, 16],
    conv_stride=[5, 2, 2],
    conv_kernel=[10, 3, 2],
    num_conv_pos_embeddings=16,
    num_conv_pos_embedding_groups=2,
    num_feat_extract_layers=3,
    vocab_size=32,
    layerdrop=0.0,
    apply_spec_augment=False,
)


def add(name, prefix, config, inputs, **options):
    transformer(name, prefix, config, inputs, **options)


WHISPER = dict(
    d_model=32,
    encoder_layers=2,
    decoder_layers=1,
    encoder_attention_heads=4,
    decoder_attention_heads=4,
    encoder_ffn_dim=64,
    decoder_ffn_dim=64,
    num_mel_bins=8,
    max_source_positions=16,
    max_target_positions=16,
    vocab_size=99,
    pad_token_id=0,
    bos_token_id=1,
    eos_token_id=2,
    decoder_start_token_id=1,
)
FEATURES = {"input_features": Input(("b", 8, 32))}
add(
    "whisper_encoder",
    "Whisper",
    WHISPER,
    FEATURES,
    part=lambda model: model.get_encoder(),
    quick=True,
)
add("whisper", "Whisper", WHISPER, FEATURES | {"decoder_input_ids": Input(("b", 6), 99)})
add("wav2vec2", "Wav2Vec2", WAV2VEC, WAVE, quick=True)
add("wav2vec2_ctc", "Wav2Vec2", WAV2VEC, WAVE, suffix="ForCTC")
add("wav2vec2_conformer", "Wav2Vec2Conformer", WAV2VEC | dict(conv_depthwise_kernel_size=5), WAVE)
add("hubert", "Hubert", WAV2VEC, WAVE)
add("unispeech", "UniSpeech", WAV2VEC, WAVE)
add("unispeech_sat", "UniSpeechSat", WAV2VEC, WAVE)
add("wavlm", "WavLM", WAV2VEC | dict(num_buckets=16, max_bucket_distance=32), WAVE)
add(
    "data2vec_audio",
    "Data2VecAudio",
    WAV2VEC | dict(conv_pos_kernel_size=3, num_conv_pos_embeddings=2),
    WAVE,
)
add("sew", "SEW", WAV2VEC | dict(squeeze_factor=2), WAVE)
add(
    "ast",
    "AST",
    dict(
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=64,
        patch_size=8,
        max_length=32,
        num_mel_bins=16,
        frequency_stride=8,
        time_stride=8,
    ),
    {"input_values": Input(("b", 32, 16))},
)
add(
    "speech_to_text",
    "Speech2Text",
    dict(
        d_model=32,
        encoder_layers=1,
        decoder_layers=1,
        encoder_attention_heads=4,
        decoder_attention_heads=4,
        encoder_ffn_dim=64,
        decoder_ffn_dim=64,
        vocab_size=99,
        input_feat_per_channel=8,
        conv_channels=16,
        max_source_positions=64,
        max_target_positions=32,
    ),
    {"input_features": Input(("b", 16, 8)), "decoder_input_ids": Input(("b", 6), 99)},
)
