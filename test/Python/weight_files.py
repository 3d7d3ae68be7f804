"""Writes files of weights for tests: with the packages' own writers, and by hand where a file must
be wrong."""

import json
import struct

import gguf
import numpy as np

QUANTIZED = {
    "Q4_0": gguf.GGMLQuantizationType.Q4_0,
    "Q8_0": gguf.GGMLQuantizationType.Q8_0,
    "Q4_K": gguf.GGMLQuantizationType.Q4_K,
    "Q6_K": gguf.GGMLQuantizationType.Q6_K,
}


def safetensors(header, data=b"", length=None):
    """The bytes of a file with this header: an object, or the text itself."""
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<Q", len(text) if length is None else length) + text + data


def entry(dtype="F32", shape=(2, 3), begin=0, end=24):
    return {"dtype": dtype, "shape": list(shape), "data_offsets": [begin, end]}


def text(value):
    data = value if isinstance(value, bytes) else value.encode()
    return struct.pack("<Q", len(data)) + data


def gguf_header(tensors=0, values=0, version=3):
    return b"GGUF" + struct.pack("<IQQ", version, tensors, values)


def gguf_tensor(name="x", sizes=(3, 2), type=0, offset=0, rank=None):
    count = len(sizes) if rank is None else rank
    sizes = b"".join(struct.pack("<Q", size) for size in sizes)
    return text(name) + struct.pack("<I", count) + sizes + struct.pack("<IQ", type, offset)


def padded(data, alignment=32):
    return data + bytes(-len(data) % alignment)


def write_gguf(path, tensors, architecture="llama", **metadata):
    """Writes arrays of float32, or pairs of an array and a format, with the package's writer."""
    writer = gguf.GGUFWriter(path, architecture)
    for key, value in metadata.items():
        getattr(writer, f"add_{key}")(value)
    for name, tensor in tensors.items():
        array, kind = tensor if isinstance(tensor, tuple) else (tensor, None)
        if kind is None:
            writer.add_tensor(name, array)
        elif array.dtype == np.uint8:  # quantized already
            writer.add_tensor(name, array, raw_dtype=kind)
        else:
            writer.add_tensor(name, gguf.quants.quantize(array, kind), raw_dtype=kind)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def random_blocks(kind, rows, columns, seed=0):
    """Random bytes as rows of blocks."""
    elements, size = gguf.GGML_QUANT_SIZES[kind]
    rng = np.random.default_rng(seed)
    return rng.integers(0, 256, (rows, columns // elements * size), dtype=np.uint8)


#: Files that are wrong, with a part of the error.
MALFORMED = {
    # safetensors
    "empty": (b"", "expected a safetensors or GGUF file, got 0 bytes"),
    "short": (b"1234567", "expected a safetensors or GGUF file, got 7 bytes"),
    "header-behind-end": (safetensors({}, length=100), "expected a header of at most 2 bytes"),
    "header-huge": (safetensors({}, length=2**64 - 1), "expected a header of at most 2 bytes"),
    "not-json": (safetensors(b"[1]"), "expected an object"),
    "not-utf8": (safetensors(b'{"\xff": 1}'), "not UTF-8"),
    "nested": (safetensors(b'{"x":' + b"[" * 9999), "expected an object"),
    "behind-header": (safetensors(b'{} "x"'), "at byte 3"),
    "twice": (
        safetensors(b'{"x":' + json.dumps(entry()).encode() + b',"x":1}', bytes(24)),
        "x",
    ),
    "dtype": (safetensors({"x": entry("F31")}, bytes(24)), "expected a known dtype, got 'F31'"),
    "no-dtype": (
        safetensors({"x": {"shape": [], "data_offsets": [0, 0]}}),
        "expected dtype, shape and data_offsets",
    ),
    "other-member": (safetensors({"x": {**entry(), "y": 1}}, bytes(24)), "got 'y'"),
    "negative": (safetensors({"x": entry(shape=(-2, -3))}, bytes(24)), "got -2"),
    "fraction": (safetensors({"x": entry(shape=(2.5, 3))}, bytes(24)), "expected an integer"),
    "overflow": (
        safetensors({"x": entry(shape=(2**62, 2**62, 4))}, bytes(24)),
        "expected the bytes of float32[4611686018427387904",
    ),
    "rank": (safetensors({"x": entry(shape=[1] * 65, end=4)}, bytes(4)), "at most 64 dimensions"),
    "too-few-bytes": (safetensors({"x": entry()}, bytes(20)), "expected offsets up to 20"),
    "too-many-bytes": (safetensors({"x": entry()}, bytes(28)), "expected 24 bytes of tensors"),
    "reversed": (safetensors({"x": entry(begin=24, end=0)}, bytes(24)), "got 24 to 0"),
    "other-size": (safetensors({"x": entry(end=20)}, bytes(20)), "float32[2, 3], got 20"),
    "three-offsets": (
        safetensors({"x": {**entry(), "data_offsets": [0, 24, 24]}}, bytes(24)),
        "expected two offsets",
    ),
    "same-bytes": (safetensors({"x": entry(), "y": entry()}, bytes(24)), "belong to two tensors"),
    "overlap": (
        safetensors({"x": entry(), "y": entry(begin=12, end=36)}, bytes(36)),
        "expected tensors without gaps and overlaps",
    ),
    "gap": (
        safetensors({"x": entry(), "y": entry(begin=28, end=52)}, bytes(52)),
        "expected tensors without gaps and overlaps",
    ),
    "metadata": (safetensors({"__metadata__": {"a": 1}}), "expected a string"),
    # GGUF
    "gguf-magic-alone": (b"GGUF", "expected 4 bytes of the header"),
    "gguf-version": (gguf_header(version=1), "expected version 2 or 3"),
    "gguf-big-endian": (gguf_header(version=3 << 24), "expected version 2 or 3"),
    "gguf-tensors": (gguf_header(tensors=2**63), "expected 8 bytes of a tensor's name"),
    "gguf-values": (gguf_header(values=2**63), "expected 8 bytes of a key"),
    "gguf-key": (gguf_header(values=1) + struct.pack("<Q", 2**63), "bytes of a key"),
    "gguf-type": (
        gguf_header(values=1) + text("a") + struct.pack("<I", 13),
        "'a': expected a type of values, got 13",
    ),
    "gguf-truth": (
        gguf_header(values=1) + text("a") + struct.pack("<IB", 7, 2),
        "'a': expected a truth value, got 2",
    ),
    "gguf-text": (
        gguf_header(values=1) + text("a") + struct.pack("<IQ", 8, 2**63),
        "bytes of 'a'",
    ),
    "gguf-list": (
        gguf_header(values=1) + text("a") + struct.pack("<IIQ", 9, 4, 2**62),
        "'a': expected at most 0 elements",
    ),
    "gguf-list-of-texts": (
        gguf_header(values=1) + text("a") + struct.pack("<IIQ", 9, 8, 2**62),
        "expected 8 bytes of 'a'",
    ),
    "gguf-lists": (
        gguf_header(values=1) + text("a") + struct.pack("<I", 9) + struct.pack("<IQ", 9, 1) * 99,
        "'a': expected lists in at most 8 levels",
    ),
    "gguf-twice": (
        gguf_header(values=2) + (text("a") + struct.pack("<IB", 0, 1)) * 2,
        "'a': expected one value, got two",
    ),
    "gguf-alignment": (
        gguf_header(values=1) + text("general.alignment") + struct.pack("<II", 4, 24),
        "expected a power of two",
    ),
    "gguf-name": (gguf_header(1) + gguf_tensor(b"\xff"), "expected a name in UTF-8"),
    "gguf-rank": (gguf_header(1) + gguf_tensor(rank=5), "expected at most 4 dimensions, got 5"),
    "gguf-size": (
        gguf_header(1) + gguf_tensor(sizes=(2**63,)),
        "expected a size that fits memory",
    ),
    "gguf-overflow": (
        padded(gguf_header(1) + gguf_tensor(sizes=(2**32, 2**32))),
        "expected sizes that fit memory",
    ),
    "gguf-block-overflow": (
        padded(gguf_header(1) + gguf_tensor(sizes=(2**32, 2**31), type=2)),
        "expected sizes that fit memory",
    ),
    "gguf-format": (gguf_header(1) + gguf_tensor(type=3), "got type 3"),
    "gguf-row": (
        gguf_header(1) + gguf_tensor(sizes=(48, 2), type=2),
        "expected rows of a multiple of 32 elements, got Q4_0[2, 48]",
    ),
    "gguf-scalar-blocks": (gguf_header(1) + gguf_tensor(sizes=(), type=2), "expected rows"),
    "gguf-offset": (
        padded(gguf_header(1) + gguf_tensor(offset=8)) + bytes(64),
        "expected an offset that is a multiple of 32, got 8",
    ),
    "gguf-behind-end": (
        padded(gguf_header(1) + gguf_tensor(offset=32)) + bytes(32),
        "expected its 24 bytes at offset 32",
    ),
    "gguf-huge-offset": (
        padded(gguf_header(1) + gguf_tensor(offset=2**64 - 32)) + bytes(32),
        "expected its 24 bytes",
    ),
    "gguf-no-data": (gguf_header(1) + gguf_tensor(), "expected its 24 bytes at offset 0"),
    "gguf-overlap": (
        padded(gguf_header(2) + gguf_tensor("x") + gguf_tensor("y")) + bytes(32),
        "overlaps",
    ),
    "gguf-same-name": (
        padded(gguf_header(2) + gguf_tensor("x") + gguf_tensor("x", offset=32)) + bytes(64),
        "'x': expected one tensor, got two",
    ),
}


def mutations(data, count, seed):
    """Damaged variants of a file."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        changed = bytearray(data)
        head = min(len(data), 600)
        for _ in range(rng.integers(1, 4)):
            kind, at = rng.integers(0, 5), int(rng.integers(0, head))
            if kind == 0:
                changed[at : at + 1] = bytes([int(rng.integers(0, 256))])
            elif kind == 1:
                del changed[at : at + int(rng.integers(1, 9))]
            elif kind == 2:
                changed[at:at] = rng.bytes(int(rng.integers(1, 9)))
            elif kind == 3:
                value = [0, 1, 2**31, 2**63, 2**64 - 1][rng.integers(0, 5)]
                changed[at : at + 8] = struct.pack("<Q", value)
            else:
                del changed[at + int(rng.integers(0, len(data))) :]
        yield bytes(changed)
