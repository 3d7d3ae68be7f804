"""Layers whose weights are integers that `forward` dequantizes by plain arithmetic, in the manner
of libraries and file formats, and random and unusual forms of this arithmetic.

The bits of most weights are random, so nothing is packed here. STYLES and TRAPS are tables by name;
`draw` makes a random layer."""

import dataclasses
import inspect
import math
import random
from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import nn

U8, I8, I16, I32, I64 = torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64
F16, BF16, F32, F64 = torch.float16, torch.bfloat16, torch.float32, torch.float64


def integers(low: int, high: int, *shape: int, dtype=I8) -> torch.Tensor:
    """Returns random integers in [low, high]. The extremes occur."""
    values = torch.randint(low, high + 1, shape).to(dtype)
    if values.numel() > 1:
        values.view(-1)[0], values.view(-1)[-1] = low, high
    return values


def words(*shape: int) -> torch.Tensor:
    """Returns int32 with random bits."""
    return integers(-(2**31), 2**31 - 1, *shape, dtype=I32)


def octets(*shape: int) -> torch.Tensor:
    return integers(0, 255, *shape, dtype=U8)


def factors(*shape: int, dtype=F32) -> torch.Tensor:
    """Returns random scales."""
    return (torch.rand(shape) * 0.02 + 0.005).to(dtype)


class Buffers(nn.Module):
    """A module with buffers given by name."""

    def __init__(self, **buffers):
        super().__init__()
        for name, value in buffers.items():
            self.register_buffer(name, value)


class Linear(Buffers):
    """A linear layer whose weight [N, K] is computed by `weight`."""

    def __init__(self, bias: torch.Tensor | None = None, **buffers):
        super().__init__(bias=bias, **buffers)

    def weight(self, dtype: torch.dtype) -> torch.Tensor:
        raise NotImplementedError

    def forward(self, x):
        return F.linear(x, self.weight(x.dtype), self.bias)


class Product(Linear):
    """A layer whose weight is [K, N]."""

    def forward(self, x):
        y = torch.matmul(x, self.weight(x.dtype))
        return y if self.bias is None else y + self.bias


# GPTQ: int32 words along the terms of [K, N]. Zero points are in words along N.


class Gptq(Product):
    """GPTQ with 2, 4 or 8 bits. Words are shifted, narrowed to a small type, and masked. `order` is
    the group of each term: consecutive, or permuted ("act order"), or any."""

    def __init__(self, k, n, group=128, bits=4, dtype=F32, order="plain", plus_one=False):
        groups, per = math.ceil(k / group), 32 // bits
        index = torch.arange(k, dtype=I32) // group
        if order == "permuted":
            index = index[torch.randperm(k)]
        elif order == "unequal":
            index = torch.randint(0, groups, (k,), dtype=I32)
        super().__init__(
            qweight=words(k // per, n),
            qzeros=words(groups, n // per),
            g_idx=index,
            scales=factors(groups, n, dtype=dtype),
            bias=torch.randn(n).to(dtype),
            shifts=torch.arange(0, 32, bits, dtype=I32),
        )
        self.bits, self.most, self.plus_one = bits, 2**bits - 1, plus_one
        self.narrow = I16 if bits == 8 else I8
        self.terms, self.columns = k, n

    def weight(self, dtype):
        per = 32 // self.bits
        z = self.qzeros[:, :, None].expand(-1, -1, per)
        z = torch.bitwise_right_shift(z, self.shifts[None, None]).to(self.narrow)
        z = torch.bitwise_and(z, self.most).reshape(self.scales.shape)
        if self.plus_one:
            z = z + 1
        q = self.qweight[:, None].expand(-1, per, -1)
        q = torch.bitwise_right_shift(q, self.shifts[None, :, None]).to(self.narrow)
        q = torch.bitwise_and(q, self.most).reshape(self.terms, self.columns)
        g = self.g_idx.long()
        return self.scales[g] * (q - z[g])


class Gptq3(Product):
    """GPTQ with 3 bits: 32 values in three words. Two values lie in two words each."""

    TABLE = (
        (0, 3, 6, 9, 12, 15, 18, 21, 24, 27, 30, 0),
        (0, 1, 4, 7, 10, 13, 16, 19, 22, 25, 28, 31),
        (0, 2, 5, 8, 11, 14, 17, 20, 23, 26, 29, 0),
    )

    def __init__(self, k, n, group=128, dtype=F32):
        super().__init__(
            qweight=words(k // 32 * 3, n),
            qzeros=words(k // group, n // 32 * 3),
            g_idx=torch.arange(k, dtype=I32) // group,
            scales=factors(k // group, n, dtype=dtype),
            shifts=torch.tensor(self.TABLE, dtype=I32),
        )

    @staticmethod
    def _join(first, second, third):
        """Takes the shifted words [..., 12], and returns 32 values in the last dimension."""
        ten = (first[..., 10] & 3) | ((second[..., 0] << 2) & 4)
        eleven = (second[..., 11] & 1) | ((third[..., 0] << 1) & 6)
        values = [
            first[..., :10],
            ten[..., None],
            second[..., 1:11],
            eleven[..., None],
            third[..., 1:11],
        ]
        return torch.cat(values, -1) & 7

    def weight(self, dtype):
        groups, n = self.scales.shape
        z = self.qzeros.reshape(groups, n // 32, 3, 1) >> self.shifts
        z = self._join(*z.unbind(2)).reshape(groups, n)
        q = self.qweight.reshape(-1, 3, 1, n) >> self.shifts[None, :, :, None]
        q = self._join(*q.transpose(2, 3).unbind(1)).transpose(1, 2).reshape(-1, n)
        g = self.g_idx.long()
        return (self.scales[g] * (q - z[g])).to(dtype)


class Gptq3Written(Gptq3):
    """The same, where the two divided values are written in place."""

    @staticmethod
    def _join(first, second, third):
        first, second = first.clone(), second.clone()
        first[..., 10] = (first[..., 10] & 3) | ((second[..., 0] << 2) & 4)
        second[..., 11] = (second[..., 11] & 1) | ((third[..., 0] << 1) & 6)
        return torch.cat([first[..., :11] & 7, second[..., 1:12] & 7, third[..., 1:11] & 7], -1)


class Awq(Product):
    """AutoAWQ: words along N, whose nibbles are in the order 0, 4, 1, 5, 2, 6, 3, 7."""

    ORDER = (0, 4, 1, 5, 2, 6, 3, 7)

    def __init__(self, k, n, group=128, dtype=F32):
        super().__init__(
            qweight=words(k, n // 8),
            qzeros=words(k // group, n // 8),
            scales=factors(k // group, n, dtype=dtype),
        )
        self.group = group

    def _unpack(self, packed):
        shifts = torch.arange(0, 32, 4, device=packed.device)
        values = torch.bitwise_right_shift(packed[:, :, None], shifts[None, None]).to(I8)
        values = values.view(packed.shape[0], -1)
        order = torch.arange(values.shape[1]).view(-1, 8)[:, list(self.ORDER)].reshape(-1)
        return torch.bitwise_and(values[:, order], 15)

    def weight(self, dtype):
        z = self._unpack(self.qzeros).repeat_interleave(self.group, dim=0)
        s = self.scales.repeat_interleave(self.group, dim=0)
        return (self._unpack(self.qweight) - z) * s


class Hqq(Linear):
    """HQQ: parts of the rows are in the bits of bytes, the first part in the highest bits. Zero
    points are floats. With axis 1 a group is a row of the packed matrix, with axis 0 a column."""

    def __init__(self, k, n, group=64, bits=4, axis=1, dtype=F32):
        shape = (n * k // group, group) if axis == 1 else (group, n * k // group)
        one = (shape[0], 1) if axis == 1 else (1, shape[1])
        if bits == 3:
            packed = words(math.ceil(shape[0] / 10), shape[1])
        else:
            packed = octets(shape[0] * bits // 8, shape[1])
        super().__init__(
            packed=packed,
            scale=factors(*one, dtype=dtype),
            zero=(torch.rand(one) * (2**bits - 1)).to(dtype),
            bias=torch.randn(n).to(dtype),
        )
        self.bits, self.shape, self.rows = bits, (n, k), shape[0]

    def unpack(self):
        if self.bits == 8:
            return self.packed
        step, (per, first) = (
            len(self.packed),
            (10, 27) if self.bits == 3 else (8 // self.bits, 8 - self.bits),
        )
        out = torch.empty(per * step, self.packed.shape[1], dtype=self.packed.dtype)
        for i in range(per):
            shift = first - i * self.bits
            mask = (2**self.bits - 1) << shift
            out[i * step : (i + 1) * step] = (self.packed & mask) >> shift
        return out[: self.rows]

    def weight(self, dtype):
        q = self.unpack().to(self.scale.dtype)
        return ((q - self.zero) * self.scale).reshape(self.shape).to(dtype)


class Quanto(Linear):
    """optimum-quanto: halves of the rows in the nibbles of bytes, and a shift: an integer before
    the scale, or a float after it."""

    def __init__(self, k, n, group=128, bits=4, shift="float", dtype=F32):
        rows = n * k // group
        kind = factors(rows, 1) * 8 if shift == "float" else integers(0, 2**bits - 1, rows, 1)
        super().__init__(
            data=octets(rows * bits // 8, group),
            scale=factors(rows, 1, dtype=dtype),
            shift=kind.to(dtype) if shift == "float" else kind,
        )
        self.bits, self.shape = bits, (n, k)

    def weight(self, dtype):
        parts = [
            torch.bitwise_right_shift(self.data & ((2**self.bits - 1) << i), i)
            for i in range(0, 8, self.bits)
        ]
        q = torch.cat(parts).to(U8)
        if self.shift.dtype.is_floating_point:
            w = self.scale * q - self.shift
        else:
            w = (q.to(I8) - self.shift) * self.scale
        return w.reshape(self.shape)


class QuantoInt8(Linear):
    def __init__(self, k, n, dtype=F32):
        super().__init__(data=integers(-127, 127, n, k), scale=factors(n, 1, dtype=dtype))

    def weight(self, dtype):
        return self.scale * self.data.to(self.scale.dtype)


class FastInt8(Linear):
    """gpt-fast: the scales of rows multiply the result of the matmul."""

    def __init__(self, k, n, dtype=F32):
        super().__init__(q=integers(-128, 127, n, k), scales=factors(n, dtype=dtype))

    def forward(self, x):
        return F.linear(x, self.q.to(dtype=x.dtype)) * self.scales


class FastInt4(Linear):
    """gpt-fast: the middle of the range is subtracted from unpacked int32, and floats are added."""

    def __init__(self, k, n, group=128, dtype=F32, stored=I32):
        super().__init__(
            q=integers(0, 15, n, k, dtype=stored),
            zeros=(torch.randn(n, k // group) * 0.1).to(dtype),
            scales=factors(n, k // group, dtype=dtype),
        )
        self.group = group

    def weight(self, dtype):
        q = self.q.reshape(-1, self.group)
        s, z = self.scales.reshape(-1, 1), self.zeros.reshape(-1, 1)
        return q.sub(8).mul(s).add(z).reshape_as(self.q)


class Gguf(Linear):
    """Blocks of bytes, which contain scales of f16. A row is a whole number of blocks."""

    #: Elements and bytes of a block, and the offsets of its f16.
    FORMATS = {
        "Q8_0": (32, 34, (0,)),
        "Q4_0": (32, 18, (0,)),
        "Q4_1": (32, 20, (0, 2)),
        "Q5_0": (32, 22, (0,)),
        "Q5_1": (32, 24, (0, 2)),
        "Q4_K": (256, 144, (0, 2)),
        "Q6_K": (256, 210, (208,)),
    }

    def __init__(self, k, n, kind="Q4_0"):
        elements, size, halves = self.FORMATS[kind]
        data = octets(n * k // elements, size)
        for at in halves:
            values = (torch.rand(len(data), 1) * 0.02 + 0.005) * (
                torch.randint(0, 2, (len(data), 1)) * 2 - 1
            )
            data[:, at : at + 2] = values.half().view(U8)
        super().__init__(data=data.reshape(n, -1))
        self.kind, self.shape, self.size = kind, (n, k), size

    @staticmethod
    def _nibbles(bytes_, width):
        """Returns the low nibbles of each `width` bytes, and then the high ones."""
        shifts = torch.tensor([0, 4], dtype=U8).reshape(1, 1, 2, 1)
        return (bytes_.reshape(len(bytes_), -1, 1, width) >> shifts) & 15

    @staticmethod
    def _bits(bytes_):
        """Returns the 32 bits of four bytes."""
        b = bytes_.to(I32)
        word = (b[:, 0] | b[:, 1] << 8 | b[:, 2] << 16 | b[:, 3] << 24).unsqueeze(1)
        return ((word >> torch.arange(32, dtype=I32).reshape(1, 32)) & 1).to(U8)

    def _scales(self, packed):
        """Returns the scales and minima of 6 bits of Q4_K."""
        low, mid, high = packed.reshape(-1, 3, 4).unbind(1)
        scales = torch.cat([low & 63, (high & 15) | ((low >> 2) & 48)], -1)
        return scales, torch.cat([mid & 63, (high >> 4) | ((mid >> 2) & 48)], -1)

    def weight(self, dtype):
        blocks = self.data.reshape(-1, self.size)
        n = len(blocks)

        def parts(*sizes):
            return torch.split(blocks, [*sizes, self.size - sum(sizes)], dim=1)

        def half(bytes_):
            return bytes_.view(F16).to(dtype)

        if self.kind == "Q8_0":
            d, x = parts(2)
            w = half(d) * x.view(I8)
        elif self.kind == "Q4_0":
            d, q = parts(2)
            w = half(d) * (self._nibbles(q, 16).reshape(n, -1).to(I8) - 8)
        elif self.kind == "Q4_1":
            d, m, q = parts(2, 2)
            w = half(d) * self._nibbles(q, 16).reshape(n, -1) + half(m)
        elif self.kind in ("Q5_0", "Q5_1"):
            d, *m, h, q = parts(2, 4) if self.kind == "Q5_0" else parts(2, 2, 4)
            q = self._nibbles(q, 16).reshape(n, -1) | (self._bits(h) << 4)
            w = half(d) * q + half(m[0]) if m else half(d) * (q.to(I8) - 16)
        elif self.kind == "Q4_K":
            d, m, s, q = parts(2, 2, 12)
            scales, minima = self._scales(s)
            d, m = (half(d) * scales).reshape(n, 8, 1), (half(m) * minima).reshape(n, 8, 1)
            w = d * self._nibbles(q, 32).reshape(n, 8, 32) - m
        else:
            low, high, s, d = parts(128, 64, 16)
            d = (half(d) * s.view(I8).to(dtype)).reshape(n, 16, 1)
            low = self._nibbles(low, 64).reshape(n, 8, 32)
            shifts = torch.tensor([0, 2, 4, 6], dtype=U8).reshape(1, 1, 4, 1)
            high = ((high.reshape(n, 2, 1, 32) >> shifts) & 3).reshape(n, 8, 32)
            w = d * ((low | (high << 4)).to(I8) - 32).reshape(n, 16, 16)
        return w.reshape(self.shape)


class RowMaxima(Linear):
    """bitsandbytes: int8 times the greatest magnitude of a row, divided by 127."""

    def __init__(self, k, n, form="divide", dtype=F32):
        super().__init__(
            CB=integers(-127, 127, n, k), SCB=torch.rand(n) * 2 + 0.5, bias=torch.randn(n).to(dtype)
        )
        self.form = form

    def weight(self, dtype):
        if self.form == "divide":
            return (self.CB * self.SCB.unsqueeze(1) / 127).to(dtype)
        if self.form == "before":
            return self.CB.to(dtype) * (self.SCB / 127).to(dtype).view(-1, 1)
        return (self.CB * self.SCB.view(-1, 1) * 7.874015718698502e-3).to(dtype)


class Outliers(RowMaxima):
    """bitsandbytes' LLM.int8: some terms are multiplied separately."""

    def forward(self, x):
        index = torch.tensor([3, 77, 78, 200])
        w = self.weight(x.dtype)
        rest = x.clone()
        rest[..., index] = 0
        return F.linear(rest, w, self.bias) + torch.matmul(x[..., index], w[:, index].t())


class Table4(Linear):
    """Like bitsandbytes' NF4: nibbles are indices of a table, and the scales of blocks are
    themselves indices of a table with a scale and an offset."""

    def __init__(self, k, n, block=64, dtype=F32):
        super().__init__(
            packed=octets(n * k // 2, 1),
            table=torch.linspace(-1, 1, 16) ** 3 + 0.01,
            absmax=octets(n * k // block),
            code=torch.rand(256),
            offset=torch.tensor(0.4),
            outer=torch.rand(n * k // block // 256) + 0.5,
        )
        self.block, self.shape = block, (n, k)

    def weight(self, dtype):
        s = self.code[self.absmax.long()].view(-1, 256) * self.outer[:, None]
        s = (s + self.offset).view(-1, 1)
        q = torch.cat([self.packed >> 4, self.packed & 15], 1).flatten()
        w = self.table[q.long()].view(-1, self.block) * s
        return w.view(self.shape).to(dtype)


class Affine(Linear):
    """MLX: words along K, the first value in the lowest bits, q * scale + bias."""

    def __init__(self, k, n, group=64, bits=4, dtype=F32, out=None):
        super().__init__(
            words=words(n, k * bits // 32),
            scales=factors(n, k // group, dtype=dtype),
            biases=(torch.randn(n, k // group) * 0.1).to(dtype),
        )
        self.bits, self.group = bits, group

    def weight(self, dtype):
        shifts = torch.arange(0, 32, self.bits, dtype=I32)
        q = (self.words.unsqueeze(-1) >> shifts) & (2**self.bits - 1)
        q = q.view(len(self.words), -1, self.group).to(self.scales.dtype)
        return (q * self.scales[..., None] + self.biases[..., None]).flatten(1).to(dtype)


class Ternary(Linear):
    """BitNet: -1, 0 and 1 in two bits, a quarter of the rows in each two bits of bytes, with a
    scale of the whole weight after the matmul. The input may be rounded to 8 bits."""

    def __init__(self, k, n, rounded=False, dtype=F32):
        parts = [integers(0, 2, n // 4, k, dtype=U8) << (2 * i) for i in range(4)]
        super().__init__(
            packed=parts[0] | parts[1] | parts[2] | parts[3], scale=torch.tensor([1.7]).to(dtype)
        )
        self.rounded = rounded

    def weight(self, dtype):
        rows, k = self.packed.shape
        out = torch.zeros(rows * 4, k, dtype=U8)
        for i in range(4):
            out[i * rows : (i + 1) * rows] = (self.packed & (3 << (2 * i))) >> (2 * i)
        return out.to(dtype) - 1

    def forward(self, x):
        if not self.rounded:
            return F.linear(x, self.weight(x.dtype)) * self.scale
        s = 127 / x.abs().max(dim=-1, keepdim=True).values.clamp(min=1e-5)
        y = F.linear((x * s).round().clamp(-128, 127), self.weight(x.dtype))
        return y / s * self.scale


class Groups(Linear):
    """DeepSpeed: consecutive groups of the flat tensor, several in a row or of several rows."""

    def __init__(self, k, n, groups, bits=8, dtype=F32):
        low, high = -(2 ** (bits - 1)), 2 ** (bits - 1) - 1
        super().__init__(q=integers(low, high, n, k), scales=factors(groups, 1, dtype=dtype))

    def weight(self, dtype):
        w = self.q.reshape(len(self.scales), -1).to(dtype) * self.scales.to(dtype)
        return w.reshape(self.q.shape)


class DoubleQuantized(Linear):
    """Scales and zero points are integers with scales of their own."""

    def __init__(self, k, n, group=32, outer=8, dtype=F32):
        groups = k // group
        super().__init__(
            q=octets(n, k // 2),
            s=octets(n, groups),
            z=integers(0, 15, n, groups, dtype=U8),
            outer=factors(n, groups // outer, dtype=dtype) / 100,
            offset=torch.tensor(0.003).to(dtype),
        )
        self.group, self.span = group, outer

    def weight(self, dtype):
        n, groups = self.s.shape
        s = (self.s.to(dtype).view(n, -1, self.span) * self.outer[..., None]).view(
            n, groups
        ) + self.offset
        q = torch.stack([self.q & 15, self.q >> 4], -1).view(n, groups, self.group)
        return ((q.to(dtype) - self.z.to(dtype)[..., None]) * s[..., None]).view(n, -1)


class Nibbles(Linear):
    """Pairs of terms in bytes, groups along K. `signed` is how nibbles get their sign."""

    def __init__(self, k, n, group=64, signed="minus", dtype=F32):
        super().__init__(q=octets(n, k // 2), scales=factors(n, k // group, 1, dtype=dtype))
        self.group, self.signed = group, signed
        if signed in ("shift", "high"):
            self.q = self.q.view(I8)

    def weight(self, dtype):
        q = self.q
        if self.signed == "shift":
            both = [(q << 4) >> 4, q >> 4]
        elif self.signed == "divide":
            both = [(q % 16).to(I8) - 8, (q // 16).to(I8) - 8]
        elif self.signed == "xor":
            both = [((v ^ 8).to(I8) - 8) for v in (q & 15, q >> 4)]
        elif self.signed == "where":
            both = [torch.where(v > 7, v.to(I16) - 16, v.to(I16)) for v in (q & 15, q >> 4)]
        elif self.signed == "float":
            both = [v.to(dtype) - 8.0 for v in (q & 15, q >> 4)]
        elif self.signed == "high":
            both = [((q & 15).to(dtype) - 8), (((q >> 4) & 15).to(dtype) - 8)]
        else:
            both = [(q & 15).to(I8) - 8, (q >> 4).to(I8) - 8]
        q = torch.stack(both, -1).view(len(q), -1, self.group)
        return (q.to(dtype) * self.scales).view(len(q), -1).to(dtype)


class PerTensor(Linear):
    """One scale and zero point: tensors or numbers."""

    def __init__(self, k, n, form="numbers"):
        signed = form in ("symmetric", "scalar")
        super().__init__(
            q=integers(-128, 127, n, k) if signed else octets(n, k),
            s=torch.tensor(0.013),
            z=torch.tensor(128, dtype=I32),
        )
        self.form = form

    def weight(self, dtype):
        if self.form == "symmetric":
            return self.q.to(dtype) * 0.013
        if self.form == "scalar":
            return self.q.to(dtype) * self.s
        if self.form == "numbers":
            return (self.q.to(dtype) - 128) * 0.013
        return (self.q.to(I32) - self.z).to(dtype) * self.s


class Rows128(Linear):
    """Unsigned bytes with a scale for each row, and the zero point 128, or one for each row."""

    def __init__(self, k, n, form="number", dtype=F32):
        super().__init__(
            q=octets(n, k), s=factors(n, 1, dtype=dtype), z=integers(90, 160, n, 1, dtype=U8)
        )
        self.form = form

    def weight(self, dtype):
        z = 128 if self.form == "number" else self.z.to(I16)
        return (self.q.to(I16) - z).to(dtype) * self.s


@dataclasses.dataclass
class Style:
    make: Callable[..., Linear]
    #: Bits of an integer in the compiled model (4 or 8), or None where it may have floats.
    bits: int | None = 4
    group: int = 128  #: Elements that have a scale.
    zeros: bool = False  #: There is a value for each group besides the scale.
    k: int = 512
    n: int = 512

    def limit(self) -> float:
        """Returns the most bytes of weights in a compiled layer: integers, a float32 for each scale
        and zero point, and a tenth of a byte per element for all else."""
        each = self.bits / 8 + 4 * (1 + self.zeros) / self.group + 0.1
        return each * self.k * self.n



#: The bits of forms of Nibbles that are not stored in four: five bits, and floats that are stacked.
NIBBLES = {"where": 8, "float": None, "high": None}

#: Each makes a layer of K terms and N columns, whose scales have a dtype that may be given.
STYLES = {
    "gptq2": Style(lambda k, n, **o: Gptq(k, n, 128, 2, **o), 4, 128, True),
    "gptq3": Style(lambda k, n, **o: Gptq3(k, n, **o), 4, 128, True),
    "gptq3-written": Style(lambda k, n, **o: Gptq3Written(k, n, **o), 4, 128, True),
    "gptq4": Style(lambda k, n, **o: Gptq(k, n, 128, 4, **o), 4, 128, True),
    "gptq4-plus-one": Style(lambda k, n, **o: Gptq(k, n, 64, 4, plus_one=True, **o), 4, 64, True),
    "gptq8": Style(lambda k, n, **o: Gptq(k, n, 128, 8, **o), 8, 128, True),
    "gptq4-act-order": Style(lambda k, n, **o: Gptq(k, n, 128, 4, order="permuted", **o), 4, 128, True),
    "gptq4-unequal": Style(lambda k, n, **o: Gptq(k, n, 128, 4, order="unequal", **o), None),
    "awq": Style(lambda k, n, **o: Awq(k, n, 128, **o), 4, 128, True),
    "hqq8": Style(lambda k, n, **o: Hqq(k, n, 64, 8, **o), 8, 64, True),
    "hqq4": Style(lambda k, n, **o: Hqq(k, n, 64, 4, **o), 4, 64, True),
    "hqq3": Style(lambda k, n, **o: Hqq(k, n, 64, 3, **o), 4, 64, True),
    "hqq2": Style(lambda k, n, **o: Hqq(k, n, 64, 2, **o), 4, 64, True),
    "hqq1": Style(lambda k, n, **o: Hqq(k, n, 64, 1, **o), 4, 64, True),
    "hqq4-axis0": Style(lambda k, n, **o: Hqq(k, n, 64, 4, 0, **o), None),
    "quanto8": Style(QuantoInt8, 8, 512),
    "quanto4": Style(lambda k, n, **o: Quanto(k, n, 128, 4, **o), 4, 128, True),
    "quanto4-integer": Style(lambda k, n, **o: Quanto(k, n, 128, 4, "integer", **o), 4, 128, True),
    "quanto2": Style(lambda k, n, **o: Quanto(k, n, 128, 2, **o), 4, 128, True),
    "gpt-fast8": Style(FastInt8, 8, 512),
    "gpt-fast4": Style(lambda k, n, **o: FastInt4(k, n, 128, **o), 4, 128, True),
    "bitsandbytes8": Style(RowMaxima, 8, 512),
    "bitsandbytes8-before": Style(lambda k, n, **o: RowMaxima(k, n, "before", **o), 8, 512),
    "bitsandbytes8-times": Style(lambda k, n, **o: RowMaxima(k, n, "times", **o), 8, 512),
    "bitsandbytes8-outliers": Style(Outliers, None),
    "nf4": Style(Table4, None),
    "mlx4": Style(lambda k, n, **o: Affine(k, n, 64, 4, **o), 4, 64, True),
    "mlx8": Style(lambda k, n, **o: Affine(k, n, 64, 8, **o), 8, 64, True),
    "mlx2": Style(lambda k, n, **o: Affine(k, n, 32, 2, **o), 4, 32, True),
    "bitnet": Style(Ternary, 4, 512),
    "bitnet-rounded": Style(lambda k, n, **o: Ternary(k, n, True, **o), 4, 512),
    "groups8": Style(lambda k, n, **o: Groups(k, n, n * k // 128, **o), 8, 128),
    "groups4": Style(lambda k, n, **o: Groups(k, n, n * k // 128, 4, **o), 4, 128),
    "groups-of-rows": Style(lambda k, n, **o: Groups(k, n, n // 2, **o), 8, 512),
    "double": Style(DoubleQuantized, 4, 32, True),
    **{
        f"nibbles-{how}": Style(lambda k, n, how=how, **o: Nibbles(k, n, 64, how, **o), NIBBLES.get(how, 4), 64)
        for how in ("minus", "shift", "divide", "xor", "where", "float", "high")
    },
    **{
        f"per-tensor-{form}": Style(lambda k, n, form=form: PerTensor(k, n, form), 8, 512)
        for form in ("numbers", "tensors", "symmetric", "scalar")
    },
    "rows-128": Style(Rows128, 8, 512),
    "rows-zeros": Style(lambda k, n, **o: Rows128(k, n, "rows", **o), 8, 512, True),
    **{
        f"gguf-{kind}": Style(lambda k, n, kind=kind: Gguf(k, n, kind), bits, group, zeros)
        for kind, bits, group, zeros in (
            ("Q8_0", 8, 32, False),
            ("Q4_0", 4, 32, False),
            ("Q4_1", 4, 32, True),
            ("Q5_0", 8, 32, False),
            ("Q5_1", 8, 32, True),
            ("Q4_K", 4, 32, True),
            ("Q6_K", 8, 16, False),
        )
    },
}


# Models with several layers.


class Mlp(nn.Module):
    """A gated block: two layers in parallel, and one behind them, of different libraries."""

    def __init__(self, k=512, hidden=1024, dtype=F32):
        super().__init__()
        self.gate = Gptq(k, hidden, 128, dtype=dtype)
        self.up = Hqq(k, hidden, 64, dtype=dtype)
        self.down = Nibbles(hidden, k, 32, dtype=dtype)
        self.norm = nn.RMSNorm(k, dtype=dtype)

    def forward(self, x):
        y = self.norm(x)
        return x + self.down(F.silu(self.gate(y)) * self.up(y))


class Attention(nn.Module):
    """The weights of queries, keys and values are parts of one weight."""

    def __init__(self, k=512, heads=8, dtype=F32):
        super().__init__()
        self.qkv, self.out, self.heads = Awq(k, 3 * k, 64, dtype), Affine(k, k, 64, 8, dtype), heads

    def forward(self, x):
        batch, length, k = x.shape
        w = self.qkv.weight(x.dtype)
        q, k_, v = (
            (x @ part).view(batch, length, self.heads, -1).transpose(1, 2) for part in w.chunk(3, 1)
        )
        y = F.scaled_dot_product_attention(q, k_, v, is_causal=True)
        return self.out(y.transpose(1, 2).flatten(2))


class Tied(nn.Module):
    """The embedding and the output head have one quantized weight."""

    def __init__(self, vocabulary=1024, k=256, form="groups"):
        super().__init__()
        self.table = Nibbles(k, vocabulary, 64) if form == "groups" else Rows128(k, vocabulary)
        self.inner = QuantoInt8(k, k)

    def forward(self, tokens):
        x = F.embedding(tokens, self.table.weight(F32))
        x = x + F.gelu(self.inner(x))
        return F.linear(x, self.table.weight(F32))


class Experts(Buffers):
    """Stacks of experts. Constants choose two of them, and all are added with weights."""

    def __init__(self, experts=4, k=512, n=512, group=64):
        super().__init__(
            q=octets(experts, n, k // 2),
            s=factors(experts, n, k // group),
            z=integers(0, 15, experts, n, k // group, dtype=U8),
            router=torch.randn(experts, k) / 20,
        )
        self.group = group

    def weight(self, q, s, z):
        q = torch.stack([q & 15, q >> 4], -1).unflatten(-2, (-1, self.group // 2)).flatten(-2)
        return ((q.to(F32) - z.unsqueeze(-1).to(F32)) * s.unsqueeze(-1)).flatten(-2)

    def forward(self, x):
        one = F.linear(x, self.weight(self.q[1], self.s[1], self.z[1]))
        every = self.weight(self.q, self.s, self.z)
        other = x @ every[2].t()
        p = F.linear(x, self.router).softmax(-1)
        mixed = sum(p[:, i, None] * F.linear(x, every[i]) for i in range(len(every)))
        return one, other, mixed, torch.bmm(x.expand(len(every), *x.shape), every.transpose(1, 2))


class Users(nn.Module):
    """What else reads a dequantized weight, or changes it before the matmul."""

    def __init__(self, k=512, n=512):
        super().__init__()
        self.layer, self.other = Hqq(k, n), Nibbles(k, n)
        self.a, self.b = nn.Parameter(torch.randn(4, k) / 30), nn.Parameter(torch.randn(n, 4) / 30)
        self.magnitude = nn.Parameter(torch.rand(n, 1))

    def forward(self, x):
        w, v = self.layer.weight(x.dtype), self.other.weight(x.dtype)
        n = len(w)
        columns = w / w.norm(dim=1, keepdim=True) * self.magnitude
        return (
            F.linear(x, w),
            w[:2] * 1,
            F.linear(x, w + self.b @ self.a),
            F.linear(x, columns),
            F.linear(x, torch.cat([w, v])),
            F.linear(x, w + v),
            F.linear(x, w * v),
            F.linear(x, w[n // 4 :: 2]),
            F.linear(x[:, 100:], w[:, 100:]),
            F.linear(x, w.flip(0)),
            F.linear(x, w.flip(1)),
            F.linear(x, w.abs()),
            x @ w,
            F.linear(x, w.clamp(-0.1, 0.1)),
            (x @ w.t().contiguous()).relu(),
            torch.mm(x, w.T) * 2,
            torch.addmm(self.layer.bias, x, w.t(), beta=0.5, alpha=-2),
            torch.einsum("bk,nk->bn", x, w),
            F.linear(x, w.view(n, -1, 2).flip(2).flatten(1)),
            F.linear(w[:3], v),
            w.sum(),
            torch.mv(w, x[0]),
            F.conv1d(x[..., None], v[..., None])[..., 0],
            F.linear(x, w.roll(3, 1)),
            F.linear(x, w.triu()),
        )


class Mutated(Buffers):
    """The integers, or the scales, change after each call."""

    def __init__(self, which, k=512, n=512):
        super().__init__(q=integers(-8, 7, n, k), s=factors(n, 1))
        self.which = which

    def forward(self, x):
        if self.which == "before":
            self.q.add_(1)
        y = F.linear(x, self.q.to(x.dtype) * self.s)
        if self.which == "after":
            self.q.mul_(-3)
        if self.which == "scales":
            self.s.mul_(2)
        return y


# Arithmetic that differs from the usual in a way that is easily missed.


class Function(Buffers):
    """A function of the input and of buffers."""

    def __init__(self, function, **buffers):
        super().__init__(**buffers)
        self.function = function
        self.names = [name for name in inspect.signature(function).parameters if name in buffers]

    def forward(self, x):
        return self.function(x, *(getattr(self, name) for name in self.names))


@dataclasses.dataclass
class Trap:
    function: Callable
    buffers: Callable[[], dict]
    x: Callable[[], torch.Tensor]

    def make(self):
        return Function(self.function, **self.buffers()), self.x()


TRAPS: dict[str, dict[str, Trap]] = {}


def trap(family: str, name: str, function, *, x=lambda: torch.randn(3, 512), **buffers):
    """Adds a layer to the table. Buffers are functions that return their values."""
    made = lambda: {name: value() for name, value in buffers.items()}  # noqa: E731
    TRAPS.setdefault(family, {})[name] = Trap(function, made, x)


def _u8():
    return octets(512, 512)


def _i8():
    return integers(-128, 127, 512, 512)


def _i4():
    return integers(-8, 7, 512, 512)


def _rows():
    return factors(512, 1)


def _by_groups(w, *parameters, size=64):
    """Multiplies groups of a row by the first parameter and adds the second."""
    w = w.unflatten(1, (-1, size)) * parameters[0][..., None]
    return (w + parameters[1][..., None] if parameters[1:] else w).flatten(1)


# fmt: off
A = "wrapping integers"
trap(A, "uint8 - uint8", lambda x, q, z, s: F.linear(x, (q - z).float() * s), q=_u8,
     z=lambda: octets(512, 1), s=_rows)
trap(A, "uint8 - 128", lambda x, q, s: F.linear(x, (q - 128).float() * s), q=_u8, s=_rows)
trap(A, "nibble of uint8 - 8", lambda x, q, s: F.linear(x, ((q & 15) - 8).float() * s), q=_u8,
     s=_rows)
trap(A, "128 - uint8", lambda x, q, s: F.linear(x, (128 - q).float() * s), q=_u8, s=_rows)
trap(A, "int8 - int8", lambda x, q, z, s: F.linear(x, (q - z).float() * s), q=_i8,
     z=lambda: integers(-128, 127, 512, 1), s=_rows)
trap(A, "int8 - 1", lambda x, q, s: F.linear(x, (q - 1).float() * s), q=_i8, s=_rows)
trap(A, "-int8", lambda x, q, s: F.linear(x, (-q).float() * s), q=_i8, s=_rows)
trap(A, "abs(int8)", lambda x, q, s: F.linear(x, q.abs().float() * s), q=_i8, s=_rows)
trap(A, "int8 * int8", lambda x, q, m, s: F.linear(x, (q * m).float() * s), q=_i8,
     m=lambda: integers(-5, 5, 512, 1), s=_rows)
trap(A, "int8 * 2", lambda x, q, s: F.linear(x, (q * 2).float() * s), q=_i8, s=_rows)
trap(A, "int8 << 4", lambda x, q, s: F.linear(x, (q << 4).float() * s), q=_i8, s=_rows)
trap(A, "uint8 << 4 >> 4", lambda x, q, s: F.linear(x, ((q << 4) >> 4).float() * s), q=_u8, s=_rows)
trap(A, "uint8 as int8", lambda x, q, s: F.linear(x, q.to(I8).float() * s), q=_u8, s=_rows)
trap(A, "int8 as uint8", lambda x, q, s: F.linear(x, q.to(U8).float() * s), q=_i8, s=_rows)
trap(A, "int8 viewed", lambda x, q, s: F.linear(x, q.view(U8).float() * s), q=_i8, s=_rows)
trap(A, "int32 as int8", lambda x, q, s: F.linear(x, q.to(I8).float() * s),
     q=lambda: words(512, 512), s=_rows)
trap(A, "int32 * int32", lambda x, q, s: F.linear(x, (q * 0x01010101 >> 24).float() * s),
     q=lambda: integers(-200, 200, 512, 512, dtype=I32), s=_rows)
trap(A, "uint8 + uint8 >> 1", lambda x, q, s: F.linear(x, ((q + q) >> 1).float() * s), q=_u8,
     s=_rows)
trap(A, "~int8", lambda x, q, s: F.linear(x, (~q).float() * s), q=_i8, s=_rows)
trap(A, "bool", lambda x, q, s: F.linear(x, q.to(F32) * s), q=lambda: _u8() > 99, s=_rows)
trap(A, "uint8 - int8 promotes", lambda x, q, z, s: F.linear(x, (q - z).float() * s), q=_u8,
     z=lambda: integers(-128, 127, 512, 1), s=_rows)
trap(A, "int8 // 3", lambda x, q, s: F.linear(x, (q // 3).float() * s), q=_i8, s=_rows)
trap(A, "int8 % 5", lambda x, q, s: F.linear(x, (q % 5).float() * s), q=_i8, s=_rows)
trap(A, "fmod", lambda x, q, s: F.linear(x, torch.fmod(q, 5).float() * s), q=_i8, s=_rows)
trap(A, "truncated", lambda x, q, s: F.linear(x, torch.div(q, 3,
     rounding_mode="trunc").float() * s),
     q=_i8, s=_rows)
trap(A, "int64", lambda x, q, s: F.linear(x, ((q >> 40) & 255).float() * s),
     q=lambda: integers(-(2**60), 2**60, 512, 512, dtype=I64), s=_rows)

A = "ranges"
trap(A, "mask 0x1f", lambda x, q, s: F.linear(x, ((q & 0x1F).float() - 16) * s), q=_u8, s=_rows)
trap(A, "mask 0xf0", lambda x, q, s: F.linear(x, ((q & 0xF0).float() - 128) * s), q=_u8, s=_rows)
trap(A, "mask 0x0a", lambda x, q, s: F.linear(x, (q & 10).float() * s), q=_u8, s=_rows)
trap(A, "no mask of the low part", lambda x, q, s: F.linear(x, torch.stack([q, q >> 4],
     -1).flatten(1).float() * s),
     q=lambda: octets(512, 256), s=_rows)
trap(A, "signed high part", lambda x, q, s: F.linear(x, torch.stack([q & 15, q >> 4],
     -1).flatten(1).float() * s),
     q=lambda: integers(-128, 127, 512, 256), s=_rows)
trap(A, "values of nine bits", lambda x, q, s: F.linear(x, q.float() * s),
     q=lambda: integers(-256, 255, 512, 512, dtype=I16), s=_rows)
trap(A, "one value of nine bits", lambda x, q, s: F.linear(x, q.float() * s),
     q=lambda: torch.cat([integers(-8, 7, 511, 512, dtype=I32), torch.full((1, 512), 128,
     dtype=I32)]),
     s=_rows)
trap(A, "one value of five bits", lambda x, q, s: F.linear(x, q.float() * s),
     q=lambda: torch.cat([integers(-8, 7, 511, 512), torch.full((1, 512), 8, dtype=I8)]), s=_rows)
trap(A, "differences of nibbles", lambda x, q, z, s: F.linear(x,
     ((q & 15).to(I8) - z).float() * s), q=_u8,
     z=lambda: integers(0, 15, 512, 1), s=_rows)
trap(A, "differences of bytes", lambda x, q, z, s: F.linear(x, (q.to(I16) - z).float() * s), q=_u8,
     z=lambda: integers(0, 255, 512, 1, dtype=I16), s=_rows)
trap(A, "int8 through bf16", lambda x, q, s: F.linear(x, q.to(BF16).float() * s), q=_i8, s=_rows)
trap(A, "int16 through bf16", lambda x, q, s: F.linear(x, q.to(BF16).float() * s),
     q=lambda: integers(-2000, 2000, 512, 512, dtype=I16), s=_rows)
trap(A, "int32 through f16", lambda x, q, s: F.linear(x, q.to(F16).float() * s),
     q=lambda: integers(-5000, 5000, 512, 512, dtype=I32), s=_rows)
trap(A, "uint8 - zero in bf16", lambda x, q, z, s: F.linear(x, (q.to(BF16) - z).float() * s), q=_u8,
     z=lambda: (torch.rand(512, 1) * 500).to(BF16), s=_rows)
trap(A, "all equal", lambda x, q, s: F.linear(x, q.float() * s),
     q=lambda: torch.full((512, 512), 7, dtype=I8), s=_rows)
trap(A, "all zero", lambda x, q, s: F.linear(x, q.float() * s),
     q=lambda: torch.zeros(512, 512, dtype=I8), s=_rows)
trap(A, "2 q - 15", lambda x, q, s: F.linear(x, (2 * (q & 15).to(I8) - 15).float() * s), q=_u8,
     s=_rows)
trap(A, "q / 2 - 3.7", lambda x, q, s: F.linear(x, ((q & 15) / 2 - 3.7) * s), q=_u8, s=_rows)
trap(A, "squares", lambda x, q, s: F.linear(x, q.float() * q.float() * s), q=_i4, s=_rows)
trap(A, "relu", lambda x, q, s: F.linear(x, F.relu(q.float()) * s), q=_i4, s=_rows)
trap(A, "pow(2, q)", lambda x, q, s: F.linear(x, torch.pow(2.0, q) * s), q=_i4, s=_rows)
trap(A, "sign and magnitude", lambda x, q, s: F.linear(x,
     ((q & 7) * (1 - 2 * ((q >> 3) & 1).to(I8))).float() * s),
     q=_u8, s=_rows)

A = "scales"
trap(A, "of each element", lambda x, q, s: F.linear(x, q.float() * s), q=_i4,
     s=lambda: factors(512, 512))
trap(A, "of terms", lambda x, q, s: F.linear(x, q.float() * s), q=_i4, s=lambda: factors(512))
trap(A, "of terms and rows", lambda x, q, s, t: F.linear(x, q.float() * s * t), q=_i4,
     s=lambda: factors(512), t=_rows)
trap(A, "that alternate", lambda x, q, s: F.linear(x, (q.float().view(512, -1, 2) * s).flatten(1)),
     q=_i4,
     s=lambda: factors(512, 1, 2))
trap(A, "strided groups", lambda x, q, s: F.linear(x, q.float() * s.repeat(1, 64)), q=_i4,
     s=lambda: factors(512, 8))
trap(A, "of nibbles", lambda x, q, s: F.linear(
    x, torch.stack([(q & 15).float() * s[0], (q >> 4).float() * s[1]], -1).flatten(1)),
    q=lambda: octets(512, 256), s=lambda: factors(2, 512, 1))
trap(A, "groups of rows", lambda x, q, s: F.linear(x, (q.float().view(-1, 64, 512) * s).view(512,
     512)), q=_i4,
     s=lambda: factors(8, 1, 512))
trap(A, "blocks of rows and terms", lambda x, q, s: F.linear(
    x, q.float() * s.repeat_interleave(128, 0).repeat_interleave(64, 1)), q=_i4,
    s=lambda: factors(4, 8))
trap(A, "of two levels", lambda x, q, s, t: F.linear(
    x, _by_groups(_by_groups(q.float(), s, size=32), t, size=128)), q=_i4, s=lambda: factors(512,
    16),
    t=lambda: factors(512, 4))
trap(A, "of crossing groups", lambda x, q, s, t: F.linear(
    x, _by_groups(_by_groups(q.float(), s, size=48), t, size=32)), q=lambda: integers(-8, 7, 700,
    384),
    s=lambda: factors(700, 8), t=lambda: factors(700, 12), x=lambda: torch.randn(3, 384))
trap(A, "negative", lambda x, q, s: F.linear(x, q.float() * s), q=_i4,
     s=lambda: torch.randn(512, 1) / 50)
trap(A, "zero", lambda x, q, s: F.linear(x, _by_groups(q.float(), s)), q=_i4,
     s=lambda: factors(512, 8) * torch.randint(0, 2, (512, 8)))
trap(A, "divide", lambda x, q, s: F.linear(x, q.float() / s), q=_i4, s=_rows)
trap(A, "divide by groups", lambda x, q, s: F.linear(x, _by_groups(q.float(), 1 / s)), q=_i4,
     s=lambda: factors(512, 8))
trap(A, "subnormal", lambda x, q, s: F.linear(x, q.float() * s) * 1e38, q=_i4,
     s=lambda: factors(512, 1) * 1e-35)
trap(A, "tiny with a tiny input", lambda x, q, s: F.linear(x * 1e-20,
     q.float() * (s * 1e-15)) * 1e36, q=_i4,
     s=_rows)
trap(A, "scale of the result", lambda x, q, s: F.linear(x, q.float()) * s, q=_i4,
     s=lambda: factors(512))
trap(A, "scale of the input", lambda x, q, s: F.linear(x * s, q.float()), q=_i4,
     s=lambda: factors(512))
trap(A, "integer scale", lambda x, q, s: F.linear(x, (q.to(I32) * s).float()), q=_i4,
     s=lambda: integers(1, 900, 512, 1, dtype=I32))
trap(A, "of the input", lambda x, q, s: F.linear(x, q.float() * (s * x.mean())), q=_i4, s=_rows)
trap(A, "f16", lambda x, q, s: F.linear(x, q.float() * s), q=_i4, s=lambda: factors(512, 1,
     dtype=F16))
trap(A, "bf16", lambda x, q, s: F.linear(x, q.float() * s), q=_i4, s=lambda: factors(512, 1,
     dtype=BF16))
trap(A, "f64", lambda x, q, s: F.linear(x, (q * s).float()), q=_i4, s=lambda: factors(512, 1,
     dtype=F64))

A = "rounding"
trap(A, "product in f16", lambda x, q, s: F.linear(x, (q.half() * s).float()), q=_i8,
     s=lambda: factors(512, 1, dtype=F16))
trap(A, "product in bf16", lambda x, q, s: F.linear(x, (q.bfloat16() * s).float()), q=_i4,
     s=lambda: factors(512, 1, dtype=BF16))
trap(A, "product by groups in f16", lambda x, q, s: F.linear(x, _by_groups(q.half(), s).float()),
     q=_i8,
     s=lambda: factors(512, 8, dtype=F16))
trap(A, "zero point in bf16", lambda x, q, z, s: F.linear(x, (q.bfloat16() - z).float() * s), q=_i8,
     z=lambda: (torch.rand(512, 1) * 30).bfloat16(), s=_rows)
trap(A, "zero point in f16", lambda x, q, z, s: F.linear(x, (q.half() - z).float() * s), q=_i8,
     z=lambda: (torch.rand(512, 1) * 30).half(), s=_rows)
trap(A, "zero points of groups in bf16", lambda x, q, z, s: F.linear(
    x, ((q.bfloat16().view(512, 8, 64) - z).float() * s).flatten(1)), q=_i4,
    z=lambda: (torch.rand(512, 8, 1) * 30).bfloat16(), s=lambda: factors(512, 8, 1))
trap(A, "zero points and product of groups in f16", lambda x, q, z, s: F.linear(
    x, ((q.half().view(512, 8, 64) - z) * s).flatten(1).float()), q=_i4,
    z=lambda: (torch.rand(512, 8, 1) * 8).half(), s=lambda: factors(512, 8, 1).half())
trap(A, "q s - z in f16", lambda x, q, z, s: F.linear(x, (q.half() * s - z).float()), q=_i8,
     z=lambda: (torch.rand(512, 1)).half(), s=lambda: factors(512, 1, dtype=F16))
trap(A, "scale rounded to f16", lambda x, q, s: F.linear(x, q.float() * s.half()), q=_i4, s=_rows)
trap(A, "scale rounded to bf16", lambda x, q, s: F.linear(x, q.float() * s.bfloat16().float()),
     q=_i4, s=_rows)
trap(A, "overflow of f16", lambda x, q, s: F.linear(x, (q.half() * s).clamp(-60000,
     60000).float()), q=_i8,
     s=lambda: torch.full((512, 1), 1000.0).half())
trap(A, "subnormal of f16", lambda x, q, s: F.linear(x, (q.half() * s).float()) * 1e6, q=_i4,
     s=lambda: (torch.rand(512, 1) * 3e-4).half() / 100)
trap(A, "rounded product", lambda x, q, s: F.linear(x, (q.float() * s).round()), q=_i8,
     s=lambda: factors(512, 1) * 3)
trap(A, "product as an integer", lambda x, q, s: F.linear(x, (q.float() * s).to(I32).float()),
     q=_i8,
     s=lambda: factors(512, 1) * 3)
trap(A, "matmul in f64", lambda x, q, s: F.linear(x.double(), q.double() * s), q=_i4,
     s=lambda: factors(512, 1, dtype=F64))
trap(A, "matmul in f64 of groups", lambda x, q, s: F.linear(x.double(), _by_groups(q.double(), s,
     -3 * s)), q=_i4,
     s=lambda: factors(512, 8, dtype=F64))
trap(A, "weight of f32 as f64", lambda x, q, s: F.linear(x.double(), (q.float() * s).double()),
     q=_i4, s=_rows)

A = "zero points"
trap(A, "of rows, scales of groups", lambda x, q, z, s: F.linear(x, _by_groups(q.float() - z, s)),
     q=_u8,
     z=lambda: torch.rand(512, 1) * 255, s=lambda: factors(512, 8))
trap(A, "of groups, scales of rows", lambda x, q, z, s: F.linear(
    x, (q.float().view(512, 8, 64) - z).view(512, 512) * s), q=_u8,
    z=lambda: torch.rand(512, 8, 1) * 255, s=_rows)
trap(A, "of terms, scales of rows", lambda x, q, z, s: F.linear(x, (q.float() - z) * s), q=_u8,
     z=lambda: torch.rand(512) * 255, s=_rows)
trap(A, "of terms and of rows", lambda x, q, z, y, s: F.linear(x, ((q & 15).float() - z - y) * s),
     q=_u8,
     z=lambda: torch.rand(512), y=lambda: torch.rand(512, 1), s=_rows)
trap(A, "of each element", lambda x, q, z, s: F.linear(x, (q.float() - z) * s), q=_i4,
     z=lambda: torch.rand(512, 512), s=_rows)
trap(A, "of finer groups", lambda x, q, z, s: F.linear(
    x, _by_groups((q.float().view(512, 32, 16) - z).flatten(1), s)), q=_i4,
    z=lambda: torch.rand(512, 32, 1) * 9, s=lambda: factors(512, 8))
trap(A, "of coarser groups", lambda x, q, z, s: F.linear(
    x, _by_groups((q.float().view(512, 2, 256) - z).flatten(1), s)), q=_i4,
    z=lambda: torch.rand(512, 2, 1) * 9, s=lambda: factors(512, 8))
trap(A, "twice", lambda x, q, z, s: F.linear(x, (q.float() - z) * s - z * 3), q=_i4,
     z=lambda: torch.rand(512, 1), s=_rows)
trap(A, "subtracted from", lambda x, q, z, s: F.linear(x, (z - q.float()) * s), q=_i4,
     z=lambda: torch.rand(512, 1), s=_rows)
trap(A, "alpha", lambda x, q, z, s: F.linear(x, torch.sub(q.float(), z, alpha=2) * s), q=_i4,
     z=lambda: torch.rand(512, 1), s=_rows)
trap(A, "rsub", lambda x, q, s: F.linear(x, torch.rsub(q.float(), 3, alpha=2) * s), q=_i4, s=_rows)
trap(A, "addcmul", lambda x, q, z, s: F.linear(x, torch.addcmul(z, q.float(), s, value=0.5)), q=_i4,
     z=lambda: torch.rand(512, 1), s=_rows)
trap(A, "large", lambda x, q, z, s: F.linear(x, (q.float() - z) * s), q=_i4,
     z=lambda: torch.rand(512, 1) * 1e4, s=_rows)
trap(A, "near all values", lambda x, q, z, s: F.linear(x, (q.float() - z) * s),
     q=lambda: integers(253, 255, 512, 512, dtype=U8), z=lambda: torch.full((512, 1), 254.0),
     s=_rows)
trap(A, "near all values of groups", lambda x, q, z, s: F.linear(
    x, _by_groups(q.float(), s, -z * s)), q=lambda: integers(125, 127, 512, 512),
    z=lambda: torch.full((512, 8), 126.0), s=lambda: factors(512, 8))
trap(A, "added after the scale", lambda x, q, z, s: F.linear(x, q.float() * s + z), q=_i4,
     z=lambda: torch.rand(512), s=_rows)
trap(A, "added to a part", lambda x, q, z, s: F.linear(x, torch.cat([q[:, :256].float() + z, q[:,
     256:].float()], 1) * s),
     q=_i4, z=lambda: torch.rand(512, 1), s=_rows)
trap(A, "scalar of integers", lambda x, q, z, s: F.linear(x, (q - z).float() * s), q=_u8,
     z=lambda: torch.tensor(200, dtype=I64), s=_rows)
trap(A, "scale times zero point first", lambda x, q, z, s: F.linear(x, _by_groups(q.float(), s,
     -(z * s))), q=_u8,
     z=lambda: integers(0, 255, 512, 8, dtype=I16), s=lambda: factors(512, 8))
trap(A, "of packed nibbles", lambda x, q, z, s: F.linear(
    x, _by_groups(((q & 15).float().view(512, 8, 64)
                   - torch.stack([z & 15, z >> 4], -1).view(512, 8, 1).float()).flatten(1), s)),
                   q=_u8,
    z=lambda: octets(512, 4), s=lambda: factors(512, 8))

for _name, _value in (("nan", math.nan), ("inf", math.inf), ("-inf", -math.inf)):

    def _special(*shape, value=_value):
        s = factors(*shape)
        s[3, 0] = s[500, -1] = value
        return s

    A = "scales that are not finite"
    trap(A, f"scale of a row {_name}", lambda x, q, s: F.linear(x, q.float() * s), q=_i4,
         s=lambda f=_special: f(512, 1))
    trap(A, f"scale of a group {_name}", lambda x, q, s: F.linear(x, _by_groups(q.float(), s)),
         q=_i4,
         s=lambda f=_special: f(512, 8))
    trap(A, f"zero point of a group {_name}", lambda x, q, z, s: F.linear(x, _by_groups(q.float(),
         s, z)), q=_i4,
         z=lambda f=_special: f(512, 8), s=lambda: factors(512, 8))

    def _input(value=_value):
        x = torch.rand(3, 512)
        x[1, 100] = value
        return x

    A = "inputs that are not finite"
    trap(A, f"input {_name}", lambda x, q, s: F.linear(x, _by_groups(q.float(), s)),
         s=lambda: factors(512, 8),
         q=lambda: integers(1, 15, 512, 512), x=_input)
    trap(A, f"input {_name}, signed", lambda x, q, s: F.linear(x, _by_groups(q.float(), s)),
         s=lambda: factors(512, 8), q=lambda: integers(1, 7, 512, 512), x=_input)
    trap(A, f"input {_name}, bytes", lambda x, q, s: F.linear(x, q.float() * s),
         s=_rows, q=lambda: integers(1, 255, 512, 512, dtype=U8), x=_input)
    trap(A, f"input {_name} with zero points", lambda x, q, z, s: F.linear(
        x, (((q & 15) - z).float().view(512, 8, 64) * s).flatten(1)), s=lambda: factors(512, 8, 1),
        q=_u8,
        z=lambda: torch.full((1,), 16, dtype=I8), x=_input)
A = "scales that are not finite"
trap(A, "positive weights, scale inf", lambda x, q, s: F.linear(x, q.float() * s),
     q=lambda: integers(1, 15, 512, 512), s=lambda: _special(512, 1, value=math.inf),
     x=lambda: torch.rand(3, 512) + 0.1)
trap(A, "infinity times zero", lambda x, q, s: F.linear(x, q.float() * s),
     q=lambda: integers(0, 15, 512, 512), s=lambda: _special(512, 1, value=math.inf),
     x=lambda: torch.rand(3, 512) + 0.1)
A = "inputs that are not finite"
trap(A, "input inf times zero weights", lambda x, q, s: F.linear(x, q.float() * s),
     q=lambda: torch.zeros(512, 512, dtype=I8), s=_rows, x=_input)

A = "shapes"
for _n, _k, _size in ((800, 336, 7), (800, 336, 12), (800, 336, 24), (800, 336, 48), (800, 336, 3),
                      (700, 385, 77), (520, 520, 8), (512, 512, 1), (512, 520, 260), (600, 456, 6)):
    trap(A, f"{_n} x {_k} in groups of {_size}",
         lambda x, q, s, z, size=_size: F.linear(x, _by_groups(q.float(), s, z, size=size)),
         q=lambda n=_n, k=_k: integers(-8, 7, n, k), s=lambda n=_n, g=_k // _size: factors(n, g),
         z=lambda n=_n, g=_k // _size: torch.rand(n, g) / 10, x=lambda k=_k: torch.randn(2, k))
for _n, _k in ((1, 262144), (262144, 1), (2, 150000), (512, 517), (513, 521), (600, 451), (33,
8200), (8200, 33),
               (3, 5), (1, 1)):
    trap(A, f"{_n} x {_k}", lambda x, q, s: F.linear(x, (q.float() - 3) * s / q.shape[1] ** 0.5),
         q=lambda n=_n, k=_k: integers(-128, 127, n, k), s=lambda n=_n: factors(n, 1),
         x=lambda k=_k: torch.randn(2, k))
    trap(A, f"{_n} x {_k} of nibbles", lambda x, q, s: F.linear(
        x, torch.stack([q & 15, q >> 4], -1).flatten(1)[:,
        : x.shape[1]].float() * s / q.shape[1] ** 0.5),
        q=lambda n=_n, k=_k: octets(n, (k + 1) // 2), s=lambda n=_n: factors(n, 1),
        x=lambda k=_k: torch.randn(1, k))
trap(A, "vector by matrix", lambda x, q, s: x @ (q.float() * s), q=_i8, s=_rows,
     x=lambda: torch.randn(512))
trap(A, "matrix by vector", lambda x, q, s: (q.float() * s) @ x, q=_i8, s=_rows,
     x=lambda: torch.randn(512))
trap(A, "matrix by matrix", lambda x, q, s: (q.float() * s) @ x, q=_i8, s=_rows,
     x=lambda: torch.randn(512, 3))
trap(A, "no rows", lambda x, q, s: F.linear(x, q.float() * s), q=_i8, s=_rows,
     x=lambda: torch.randn(0, 512))
trap(A, "batch of weights", lambda x, q, s: torch.bmm(x, q.float() * s), q=lambda: integers(-8, 7,
     4, 256, 512),
     s=lambda: factors(4, 1, 512), x=lambda: torch.randn(4, 2, 256))
trap(A, "batch of weights in groups", lambda x, q, s: torch.bmm(
    x, (q.float().view(4, 8, 32, 512) * s).view(4, 256, 512)), q=lambda: integers(-8, 7, 4, 256,
    512),
    s=lambda: factors(4, 8, 1, 512), x=lambda: torch.randn(4, 2, 256))
trap(A, "two dimensions of terms", lambda x, q, s: torch.einsum(
    "bhd,nhd->bn", x, q.float().view(512, 8, 64) * s), q=_i4, s=lambda: factors(512, 8, 1),
    x=lambda: torch.randn(3, 8, 64))
trap(A, "two dimensions of columns", lambda x, q, s: torch.einsum(
    "bk,hdk->bhd", x, (q.float() * s).view(8, 64, 512)), q=_i4, s=_rows)

# fmt: on


# Random layers.


class Random(Buffers):
    """A layer that unpacks, converts, subtracts and scales as a random generator chose."""

    def __init__(self, rng: random.Random):
        choose = rng.choice
        o = {}  # the options
        o["dtype"] = choose([F32, F32, F32, BF16, F16])
        o["bits"] = bits = choose([1, 2, 4, 4, 4, 8, 8])
        o["word"] = choose([U8, I8, I16, I32, I32, I64]) if bits < 8 else choose([I16, I32, I64])
        o["packed"] = rng.random() < 0.7
        o["way"] = choose(["broadcast", "stack", "cat", "written", "divide"])
        o["axis"] = choose([0, 1])
        o["by_terms"] = by_terms = rng.random() < 0.4  # [K, N]
        width = {U8: 8, I8: 8, I16: 16, I32: 32, I64: 64}[o["word"]]
        per = width // bits
        size = choose([0, 0, 16, 24, 32, 32, 48, 64, 128, 12, 28])
        if rng.random() < 0.6:
            k, n = choose([(512, 512), (1024, 256), (256, 1024), (768, 384)])
        else:
            k, n = 64 * rng.randrange(1, 5), 64 * rng.randrange(1, 5)
        if size:
            unit = math.lcm(size, per)
            k = max(1, round(k / unit)) * unit
        o["group_axis"] = axis = choose([1, 1, 1, 0])  # 1: the terms
        if axis == 0 and size:
            unit = math.lcm(size, per)
            n = max(1, round(n / unit)) * unit
            k = math.ceil(k / 64) * 64
        o["k"], o["n"] = k, n
        shape = [k, n] if by_terms else [n, k]
        o["shape"] = tuple(shape)
        o["sign"] = choose(["none", "minus", "xor", "float"]) if bits > 1 else "none"
        o["through"] = choose([None, None, I8, I16, I32, F32])
        o["size"] = size
        # The dimension of the groups in the layout of the weight.
        o["dim"] = dim = int((axis == 1) != by_terms)
        groups = [shape[0], 1] if dim == 1 else [1, shape[1]]
        if size:
            groups[dim] = shape[dim] // size
        if not size and rng.random() < 0.2:
            groups = [1, 1]
        o["stored"] = stored = o["dtype"] if o["dtype"] != F32 else choose([F32, F32, F16, BF16])
        o["how"] = choose(["view", "repeat", "index"])
        o["zero"] = choose([None, "same", "float", "float", "number", "rows", "after"])
        if axis == 0 and o["zero"] == "rows":
            o["zero"] = "float"
        o["difference"] = choose([None] * 7 + [F16, BF16])  # the type of q - z
        o["operation"] = choose(["qs", "sq", "divide", "two"])
        o["matmul"] = choose(["linear", "matmul", "addmm", "einsum"])
        o["bias"] = rng.random() < 0.4
        rank, rows = choose([1, 2, 2, 2, 3, 4]), choose([1, 2, 3, 4, 7, 20])
        lead = {1: (), 2: (rows,), 3: (2, rows), 4: (1, 2, rows)}[rank]
        self.sample = None
        if o["packed"]:
            shape[o["axis"]] //= per
            low, high = (0, 255) if o["word"] == U8 else (-(2 ** (width - 1)), 2 ** (width - 1) - 1)
            q = (
                torch.randint(0, 256, (*shape, width // 8), dtype=U8)
                .view(o["word"])[..., 0]
                .clone()
            )
        else:
            wide = o["word"] if bits < 8 else choose([U8, I8, I16, I32])
            o["word"] = wide
            extra = rng.random() < 0.15 and wide not in (U8, I8)
            low, high = (
                (0, 2**bits - 1)
                if wide == U8 or rng.random() < 0.5
                else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
            )
            if wide == I8 and bits == 8:
                low, high = -128, 127
            q = integers(low * (1 + extra), high * (1 + extra), *shape, dtype=wide)
        s = factors(*groups)
        if rng.random() < 0.3:
            s *= torch.randint(0, 2, s.shape) * 2 - 1
        s = s.to(stored)
        z = (torch.rand(groups) * 2**bits).to(stored)
        whole = torch.int8 if o["through"] is None else o["through"]
        if o["zero"] == "same" and not whole.is_floating_point:
            z = integers(0, 2**bits - 1, *groups, dtype=I16).to(whole)
        if o["zero"] == "rows":
            z = (torch.rand(shape_of_rows(o["shape"], by_terms)) * 2**bits).to(stored)
        if o["zero"] == "after":
            z = (torch.randn(groups) / 10).to(stored)
        super().__init__(
            q=q, s=s, z=z, t=(torch.rand(1) + 0.5).to(stored), b=torch.randn(n).to(o["dtype"])
        )
        self.o, self.per = o, per
        self.sample = torch.randn(*lead, k).to(o["dtype"])

    def __repr__(self):
        return f"Random({ {**self.o, 'x': tuple(self.sample.shape)} })"

    def unpack(self):
        o, q = self.o, self.q
        if not o["packed"]:
            return q
        mask, bits, axis = 2 ** o["bits"] - 1, o["bits"], o["axis"]
        if o["way"] == "broadcast":
            shifts = torch.arange(0, bits * self.per, bits, dtype=q.dtype)
            shifts = shifts if axis == 1 else shifts[:, None]
            return ((q.unsqueeze(axis + 1) >> shifts) & mask).flatten(axis, axis + 1)
        if o["way"] == "divide" and q.dtype == U8:
            parts = [(q // 2 ** (bits * i)) % (mask + 1) for i in range(self.per)]
        else:
            parts = [(q >> (bits * i)) & mask for i in range(self.per)]
        if o["way"] == "cat":
            return torch.cat(parts, axis)
        if o["way"] == "written":
            out = torch.empty(o["shape"], dtype=q.dtype)
            for i, part in enumerate(parts):
                if axis == 0:
                    out[i :: self.per] = part
                else:
                    out[:, i :: self.per] = part
            return out
        return torch.stack(parts, axis + 1).flatten(axis, axis + 1)

    def spread(self, values):
        """Returns scales or zero points, repeated along groups if groups are not viewed."""
        o = self.o
        if not o["size"] or o["how"] == "view" or values.shape[o["dim"]] == 1:
            return values
        if o["how"] == "repeat":
            return values.repeat_interleave(o["size"], o["dim"])
        index = torch.arange(o["shape"][o["dim"]]) // o["size"]
        return values[index] if o["dim"] == 0 else values[:, index]

    def combine(self, q, z, s):
        o = self.o
        if o["difference"]:
            q, z = q.to(o["difference"]), z.to(o["difference"])
        if o["zero"] in ("same", "float", "rows"):
            q = q - z
        elif o["zero"] == "number":
            q = q - 2.5
        q = q.to(self.s.dtype)
        if o["operation"] == "qs":
            w = q * s
        elif o["operation"] == "sq":
            w = s * q
        elif o["operation"] == "divide":
            w = q / (1 / s)
        else:
            w = q * s * self.t
        return w + z if o["zero"] == "after" else w

    def weight(self):
        o = self.o
        q, half = self.unpack(), 2 ** (o["bits"] - 1)
        if o["sign"] == "minus":
            q = q.to(I16) - half
        elif o["sign"] == "xor":
            q = (q.to(I16) ^ half) - half
        q = q.to(o["through"] or self.s.dtype)
        if o["sign"] == "float":
            q = q.to(self.s.dtype) - half
        z, s = self.spread(self.z), self.spread(self.s)
        grouped = o["size"] and o["how"] == "view"
        if not grouped:
            return self.combine(q, z, s).to(o["dtype"])
        dim = o["dim"]
        q = q.unflatten(dim, (-1, o["size"]))
        return (
            self.combine(q, z.unsqueeze(dim + 1), s.unsqueeze(dim + 1))
            .flatten(dim, dim + 1)
            .to(o["dtype"])
        )

    def forward(self, x):
        o, w = self.o, self.weight()
        if o["by_terms"]:
            w = w.t() if o["matmul"] in ("linear", "einsum") else w
        elif o["matmul"] not in ("linear", "einsum"):
            w = w.t()
        b = self.b if o["bias"] else None
        if o["matmul"] == "linear":
            return F.linear(x, w, b)
        if o["matmul"] == "addmm" and x.dim() == 2:
            return torch.addmm(self.b, x, w)
        y = torch.einsum("...k,nk->...n", x, w) if o["matmul"] == "einsum" else x @ w
        return y if b is None else y + b


def shape_of_rows(shape, by_terms):
    """Returns the shape of one value for each column of the result."""
    return (1, shape[1]) if by_terms else (shape[0], 1)


def draw(seed: int) -> Random:
    """Returns a random layer, whose `sample` is an input. The seed also decides its values."""
    torch.manual_seed(seed)
    return Random(random.Random(seed))
