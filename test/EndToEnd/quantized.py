"""Quantized modules in PyTorch's pt2e form: quantized_decomposed operators
around plain ones, weights as int8 buffers."""

import torch
import torch.ao.quantization.fx._decomposed  # noqa: F401  registers the operators
from torch import nn

Q = torch.ops.quantized_decomposed
BOUNDS = {torch.uint8: (0, 255), torch.int8: (-128, 127)}


def per_channel(weight: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Returns the symmetric int8 form of a weight and a scale for each output channel."""
    scales = weight.abs().flatten(1).amax(1).clamp_min(1e-8) / 127
    shape = [-1] + [1] * (weight.dim() - 1)
    return (weight / scales.reshape(shape)).round().clamp(-127, 127).to(torch.int8), scales


def parameters(x: torch.Tensor, dtype: torch.dtype = torch.uint8) -> tuple[float, int]:
    """Returns the scale and zero point for the extremes of a sample."""
    low, high = BOUNDS[dtype]
    least, most = min(x.min().item(), 0.0), max(x.max().item(), 0.0)
    scale = max((most - least) / 255, 1e-8)
    return scale, max(low, min(high, low - round(least / scale)))


class Weight(nn.Module):
    """An int8 weight, dequantized per output channel. `zeros` is None, or a vector of zero points
    that becomes a buffer."""

    def __init__(self, weight: torch.Tensor, zeros: torch.Tensor | None = None):
        super().__init__()
        q, scales = per_channel(weight.detach())
        self.register_buffer("q", q)
        self.register_buffer("scales", scales)
        self.register_buffer("zeros", zeros)

    def forward(self) -> torch.Tensor:
        return Q.dequantize_per_channel.default(
            self.q, self.scales, self.zeros, 0, -128, 127, torch.int8
        )


class GroupedWeight(nn.Module):
    """Integers in [low, high] with a scale for each `size` elements of a row."""

    def __init__(self, q: torch.Tensor, scales: torch.Tensor, size: int, zeros=None):
        super().__init__()
        self.register_buffer("q", q)
        self.register_buffer("scales", scales)
        self.register_buffer("zeros", zeros)
        self.size = size

    def forward(self) -> torch.Tensor:
        return Q.dequantize_per_channel_group.default(
            self.q, self.scales, self.zeros, -8, 7, torch.int8, self.size, torch.float32
        )


class Grouped(nn.Module):
    """A linear layer with such weights: random values over the whole range of `bits`."""

    def __init__(self, k: int, n: int, size: int, observer: nn.Module, bits=4, zeros=None):
        super().__init__()
        high = 2 ** (bits - 1)
        q = torch.randint(-high, high, (n, k), dtype=torch.int8)
        q[0, 0], q[-1, -1] = -high, high - 1
        scales = torch.rand(n, k // size) * 0.1 + 0.01
        self.observer, self.weight = observer, GroupedWeight(q, scales, size, zeros)
        self.bias = nn.Parameter(torch.randn(n))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return nn.functional.linear(self.observer(x), self.weight(), self.bias)


class Static(nn.Module):
    """Quantizes with parameters from a sample, and dequantizes."""

    def __init__(self, sample: torch.Tensor, dtype: torch.dtype = torch.uint8):
        super().__init__()
        self.parameters_ = (*parameters(sample, dtype), *BOUNDS[dtype], dtype)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        q = Q.quantize_per_tensor.default(x, *self.parameters_)
        return Q.dequantize_per_tensor.default(q, *self.parameters_)


class Dynamic(nn.Module):
    """Quantizes with parameters chosen on each call, and dequantizes."""

    def __init__(self, dtype: torch.dtype = torch.int8):
        super().__init__()
        self.dtype = dtype

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        bounds = BOUNDS[self.dtype]
        scale, zero = Q.choose_qparams.tensor(x, *bounds, 1e-7, self.dtype)
        q = Q.quantize_per_tensor.tensor(x, scale, zero, *bounds, self.dtype)
        return Q.dequantize_per_tensor.tensor(q, scale, zero, *bounds, self.dtype)


class Linear(nn.Module):
    """A linear layer on quantized operands."""

    def __init__(self, linear: nn.Linear, observer: nn.Module, zeros=None):
        super().__init__()
        self.observer, self.weight = observer, Weight(linear.weight, zeros)
        self.bias = linear.bias

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return nn.functional.linear(self.observer(x), self.weight(), self.bias)


class Conv2d(nn.Module):
    """A convolution on quantized operands."""

    def __init__(self, conv: nn.Conv2d, observer: nn.Module):
        super().__init__()
        self.observer, self.weight = observer, Weight(conv.weight)
        self.bias, self.options = conv.bias, (conv.stride, conv.padding, conv.dilation)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return nn.functional.conv2d(
            self.observer(x), self.weight(), self.bias, *self.options
        )


def autoencoder(widths: list[int]) -> nn.Sequential:
    """Linear layers with relu between them."""
    layers: list[nn.Module] = []
    for n, m in zip(widths, widths[1:]):
        layers += [nn.Linear(n, m), nn.ReLU()]
    return nn.Sequential(*layers[:-1])


def quantize(model: nn.Sequential, sample: torch.Tensor, dynamic: bool) -> nn.Sequential:
    """Returns `model` with its linear layers on int8 operands. The parameters come from running
    `sample`, or are chosen on each call."""
    layers: list[nn.Module] = []
    x = sample
    for layer in model:
        if isinstance(layer, nn.Linear):
            observer = Dynamic() if dynamic else Static(x)
            layers.append(Linear(layer, observer))
        else:
            layers.append(layer)
        with torch.no_grad():
            x = layer(x)
    return nn.Sequential(*layers)


def quantize_graph(model: nn.Module, sample: torch.Tensor) -> torch.fx.GraphModule:
    """Returns a network of convolutions, relu, pooling, additions and linear layers on int8
    operands, with folded batch norms and parameters from running `sample`. The results of relu and
    pooling, and the second operand of an addition, are quantized. The first operand is added before
    it is rounded."""
    from torch.fx.experimental import optimization

    for module in model.modules():
        if isinstance(module, nn.ReLU):
            module.inplace = False
    graph = optimization.fuse(model.eval()).requires_grad_(False)
    seen: dict[torch.fx.Node, Static] = {}

    class Observer(torch.fx.Interpreter):
        def run_node(self, node):
            value = super().run_node(node)
            module = graph.get_submodule(node.target) if node.op == "call_module" else None
            if node.op == "placeholder" or isinstance(
                module, (nn.ReLU, nn.AdaptiveAvgPool2d)
            ):
                seen[node] = Static(value)
            elif isinstance(module, nn.MaxPool2d):
                seen[node] = seen[node.args[0]]
            for user in node.users if isinstance(module, nn.Conv2d) else ():
                if user.op == "call_function" and user.args[1] is node:
                    seen[node] = Static(value)
            return value

    with torch.no_grad():
        Observer(graph).run(sample)
    for k, (node, observer) in enumerate(seen.items()):
        graph.add_submodule(f"observer_{k}", observer)
        with graph.graph.inserting_after(node):
            call = graph.graph.call_module(f"observer_{k}")
        node.replace_all_uses_with(call)
        call.args = (node,)
    for name, module in list(graph.named_modules()):
        kind = {nn.Conv2d: Conv2d, nn.Linear: Linear}.get(type(module))
        if kind:
            graph.set_submodule(name, kind(module, nn.Identity()))
    graph.recompile()
    return graph
