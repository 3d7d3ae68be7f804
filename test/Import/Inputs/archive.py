"""Makes .pt2 archives by hand, right and wrong ones, without torch."""

import copy
import json
import struct
import zlib


class Record:
    """A stored record. Every field can be set to something false."""

    def __init__(self, name, data=b"", **fields):
        self.name = name.encode() if isinstance(name, str) else name
        self.data = data.encode() if isinstance(data, str) else data
        self.flags = 0
        self.method = 0
        self.crc = zlib.crc32(self.data)
        self.size = len(self.data)
        self.compressed = None  # the compressed size; else the size
        self.central_extra = b""
        self.local_name = None
        self.local_crc = None
        self.local_size = None
        self.offset = None  # of the header, as the directory has it
        self.__dict__.update(fields)

    def header(self):
        name = self.name if self.local_name is None else self.local_name
        crc = self.crc if self.local_crc is None else self.local_crc
        size = self.size if self.local_size is None else self.local_size
        return struct.pack("<IHHHHHIIIHH", 0x04034B50, 0, self.flags, self.method, 0, 0, crc,
                           size, size, len(name), 0) + name

    def entry(self, offset):
        compressed = self.size if self.compressed is None else self.compressed
        offset = offset if self.offset is None else self.offset
        return struct.pack("<IHHHHHHIIIHHHHHII", 0x02014B50, 0, 0, self.flags, self.method, 0, 0,
                           self.crc, compressed, self.size, len(self.name),
                           len(self.central_extra), 0, 0, 0, 0, offset) \
            + self.name + self.central_extra


def pack(records, count=None, directory=None, comment=b"", zip64=False):
    """The archive's bytes; the keyword arguments falsify the end record."""
    body, entries = b"", b""
    for record in records:
        entries += record.entry(len(body))
        body += record.header() + record.data
    count = len(records) if count is None else count
    start = len(body) if directory is None else directory
    size = len(entries)
    body += entries
    if zip64:
        at = len(body)
        body += struct.pack("<IQHHIIQQQQ", 0x06064B50, 44, 0, 0, 0, 0, count, count, size, start)
        body += struct.pack("<IIQI", 0x07064B50, 0, at, 1)
        count, size, start = 0xFFFF, 0xFFFFFFFF, 0xFFFFFFFF
    return body + struct.pack("<IHHHHIIH", 0x06054B50, 0, 0, count & 0xFFFF, count & 0xFFFF,
                              size, start & 0xFFFFFFFF, len(comment)) + comment


def tensor_meta(sizes, dtype=7, strides=None, offset=0, **fields):
    """A TensorMeta; sizes are integers or srepr texts."""

    def symint(value):
        return {"as_int": value} if isinstance(value, int) else {"as_expr": {"expr_str": value}}

    if strides is None:
        strides, step = [], 1
        for size in reversed(sizes):
            strides.insert(0, step)
            step = step * size if isinstance(size, int) and isinstance(step, int) else step
    meta = {"dtype": dtype, "sizes": [symint(s) for s in sizes], "requires_grad": False,
            "device": {"type": "cpu", "index": None}, "strides": [symint(s) for s in strides],
            "storage_offset": symint(offset), "layout": 7}
    meta.update(fields)
    return meta


def named(name, arg, kind=1):
    return {"name": name, "arg": arg, "kind": kind}


def node(target, inputs, outputs, name=None, metadata=None):
    return {"target": target, "inputs": inputs, "outputs": outputs, "metadata": metadata or {},
            "is_hop_single_tensor_return": None, "name": name}


def tensor(name):
    return {"as_tensor": {"name": name}}


def graph(inputs, outputs, nodes, **values):
    result = {"inputs": inputs, "outputs": outputs, "nodes": nodes, "tensor_values": {},
              "sym_int_values": {}, "sym_bool_values": {}, "is_single_tensor_return": False,
              "custom_obj_values": {}, "sym_float_values": {}}
    result.update(values)
    return result


def program(body, inputs, outputs, **fields):
    result = {
        "graph_module": {
            "graph": body,
            "signature": {"input_specs": inputs, "output_specs": outputs},
            "module_call_graph": [],
            "metadata": {},
            "treespec_namedtuple_fields": {},
        },
        "opset_version": {"aten": 10},
        "range_constraints": {},
        "schema_version": {"major": 8, "minor": 20},
        "verifiers": ["TRAINING"],
        "torch_version": "2.13.0",
        "guards_code": [],
    }
    result.update(fields)
    return result


def sample():
    """relu(x + w): one parameter, one user input."""
    body = graph(
        [tensor("p_w"), tensor("x")], [tensor("relu")],
        [node("torch.ops.aten.add.Tensor", [named("self", tensor("x")), named("other", tensor("p_w"))],
              [tensor("add")], "add"),
         node("torch.ops.aten.relu.default", [named("self", tensor("add"))], [tensor("relu")], "relu")],
        tensor_values={n: tensor_meta([2, 3]) for n in ("p_w", "x", "add", "relu")})
    return program(
        body,
        [{"parameter": {"arg": {"name": "p_w"}, "parameter_name": "w"}},
         {"user_input": {"arg": tensor("x")}}],
        [{"user_output": {"arg": tensor("relu")}}])


def weights(meta=None, **fields):
    payload = {"path_name": "weight_0", "is_param": True, "use_pickle": False,
               "tensor_meta": meta or tensor_meta([2, 3])}
    payload.update(fields)
    return {"config": {"w": payload}}


def records(model=None, config=None, root="m", extra=(), omit=(), **replace):
    """The records of an archive. `replace` and `omit` take the keys of `names` below."""
    model = sample() if model is None else model
    config = weights() if config is None else config
    names = {
        "format": Record(f"{root}/archive_format", b"pt2"),
        "version": Record(f"{root}/archive_version", b"0"),
        "byteorder": Record(f"{root}/byteorder", b"little"),
        "model": Record(f"{root}/models/model.json",
                        model if isinstance(model, (str, bytes)) else json.dumps(model)),
        "config": Record(f"{root}/data/weights/model_weights_config.json",
                         config if isinstance(config, (str, bytes)) else json.dumps(config)),
        "weight": Record(f"{root}/data/weights/weight_0", bytes(24)),
        "constants": Record(f"{root}/data/constants/model_constants_config.json", '{"config": {}}'),
    }
    names.update(replace)
    return [r for key, r in names.items() if key not in omit] + list(extra)


def edit(value, path, new):
    """A copy of a JSON value with one place replaced; `...` deletes it."""
    value = copy.deepcopy(value)
    at = value
    for step in path[:-1]:
        at = at[step]
    if new is ...:
        del at[path[-1]]
    else:
        at[path[-1]] = new
    return value
