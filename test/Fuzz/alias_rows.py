"""The operators that alias their arguments, from PyTorch's schemas.

A row is an overload of `torch.ops.aten` with an argument that has an alias set. A row with an
argument `out=` is an `out` row. Any other row that writes is in place. All others are views.
"""

import dataclasses
import re

import torch

#: The reasons why rows are not drawn, with patterns of their names.
EXCLUDED = [
    ("random numbers", r"(bernoulli|cauchy|exponential|geometric|log_normal|normal|random|uniform)_|"
     r"rand|normal$|bernoulli|multinomial|poisson|binomial|dropout|rrelu|philox|sobol|cauchy|dirichlet|"
     r"gamma(_grad)?$|geometric|exponential|log_normal|uniform|fractional"),
    ("does not say what the result holds", r"^(new_)?empty|resize|_efficientzero|from_file"),
    ("changes what a tensor's storage is", r"^(resize|set|_set|set_data|retain_grad|requires_grad|record_stream)"),
    ("sparse, nested or quantized tensors", r"sparse|nested|coalesce|^_?indices|^_?values|(crow|ccol|col|row)_indices|"
     r"quantize|fake_quant|moving_avg|^q_|int_repr|spdiags|sspaddmm|hspmm|to_dense|padded|mkldnn|sdpa|jagged|coo|csr"),
    ("devices", r"cudnn|miopen|mps|cuda|^cpu$|nnpack|triton|fbgemm|^pin_memory|_pin_memory|mkl|flash|_amp_|_scaled_mm|_int_mm|hash_tensor"),
    ("forward-mode derivatives and tests of PyTorch's own", r"dual|fw_primal|^_test|_foobar|_jvp"),
    ("derivatives and training", r"backward|_fused_|batch_norm|ctc_loss|segment_reduce|_grad_sum|embedding_renorm|slice_inverse"),
    ("rounding decides between results", r"linalg|svd|eig|lstsq|^qr|(^|_)lu(_|$)|ormqr|orgqr|geqrf|cholesky|inverse|triangular|"
     r"fft|pdist|cdist|matrix_(exp|power)|nuclear|frobenius|_linear_combination|bessel|polynomial|zeta|erfinv|ndtri|"
     r"igamma|gammainc|digamma|polygamma|psi|lgamma|mvlgamma|multigamma|airy|nextafter|renorm|erfcx|log_ndtr|float_power"),
    ("TorchScript's own", r"^(Delete|append|clear|copy$|extend|insert|pop|popitem|remove|reverse|sort$|update|setdefault|"
     r"sorted|dict|as_tensor|__getitem__|_unwrap_optional|_autocast)"),
    ("of the runtime of neural networks", r"_thnn|lstm|rnn|transformer|multi_head|_flatten|embedding_bag|_embedding|conv_tbc|"
     r"adaptive|pool|upsample|grid_sampl|affine_grid|reflection|replication|col2im|im2col|conv_?|convolution|_masked_s|masked_softmax|"
     r"fused_moving|rms|layer_norm|group_norm|norm_interface|histogram|bins|^_cum(max|min)_helper|loss|_trilinear"),
    ("PyTorch writes in another order than the tensor's", r"^narrow_copy$"),
    ("moves or fills what another row does", r"_no_grad_|fill_mem|_resize_output|detach_$|_copy_from|_coalesced|lift_fresh$|_reshape_alias$|"
     r"_ncf_|_foreach.*(?<!_)$|hacked_twin|manual_seed|seed|_nested|_neg_view_copy|_jvp|convert_indices"),
]
_EXCLUDED = [(reason, re.compile(pattern)) for reason, pattern in EXCLUDED]


@dataclasses.dataclass(frozen=True, eq=False)
class Row:
    """An overload that aliases its arguments. It writes to the arguments `written`."""

    name: str
    overload: str
    kind: str  # view, inplace or out
    schema: object
    op: object
    written: tuple[str, ...]

    @property
    def key(self) -> str:
        return f"{self.name}.{self.overload}"

    @property
    def text(self) -> str:
        return f"torch.ops.aten.{self.key}"

    @property
    def base(self) -> str:
        """The name without the final `_` of in-place operators."""
        return self.name.rstrip("_")

    @property
    def is_pointwise(self) -> bool:
        return torch.Tag.pointwise in self.op.tags

    @property
    def changes_shape(self) -> bool:
        """True for an in-place view, which changes sizes and strides but no elements."""
        return torch.Tag.inplace_view in self.op.tags


def _kind(schema) -> str | None:
    aliases = [a for a in schema.arguments if a.alias_info is not None]
    if not aliases:
        return None
    if any(a.is_out for a in aliases):
        return "out"
    return "inplace" if any(a.alias_info.is_write for a in aliases) else "view"


def _why_not(schema, name: str, overload: str) -> str | None:
    for reason, pattern in _EXCLUDED:
        if pattern.search(name):
            return reason
    if overload.startswith("prim_"):  # PyTorch itself crashes on some of their arguments
        return "TorchScript's own"
    packet = getattr(torch.ops.aten, name, None)
    if packet is None or overload not in packet.overloads():
        return "TorchScript's own"
    if torch.Tag.nondeterministic_seeded in getattr(packet, overload).tags:
        return "random numbers"
    if any("Dimname" in str(a.type) or "Storage" in str(a.type) for a in schema.arguments):
        return "named dimensions and storages"
    if f"{name}.{overload}" in ("min.unary_out", "max.unary_out"):
        return "PyTorch does not refuse empty tensors in it"
    if f"{name}.{overload}" == "pixel_unshuffle.out":
        return "PyTorch resizes an empty `out` when it exports, and not when it runs"
    return None


def collect() -> tuple[dict[str, list[Row]], dict[str, str]]:
    """Returns the rows by kind, and the reasons why other overloads are not drawn, by name."""
    rows: dict[str, list[Row]] = {"view": [], "inplace": [], "out": []}
    left_out: dict[str, str] = {}
    for schema in torch._C._jit_get_all_schemas():
        kind = _kind(schema)
        if kind is None or not schema.name.startswith("aten::"):
            continue
        name, overload = schema.name[6:], schema.overload_name or "default"
        key = f"{name}.{overload}"
        if reason := _why_not(schema, name, overload):
            left_out[key] = reason
            continue
        if not any("Tensor" in str(a.type) for a in schema.arguments[:1]) and kind != "out":
            left_out[key] = "takes no tensor"
            continue
        written = tuple(
            a.name for a in schema.arguments if a.alias_info is not None and a.alias_info.is_write
        )
        op = getattr(getattr(torch.ops.aten, name), overload)
        rows[kind].append(Row(name, overload, kind, schema, op, written))
    for found in rows.values():
        found.sort(key=lambda row: row.key)
    return rows, left_out


ROWS, LEFT_OUT = collect()
