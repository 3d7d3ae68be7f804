"""Definitions of well-known models that transformers does not have, written from their papers."""

import torch
import torch.nn.functional as F
from torch import nn

from .entry import IMAGE, Input, define


def conv_bn(cin, cout, k=3, stride=1, groups=1, act=nn.ReLU6):
    layers = [
        nn.Conv2d(cin, cout, k, stride, k // 2, groups=groups, bias=False),
        nn.BatchNorm2d(cout),
    ]
    return nn.Sequential(*layers, *([act(inplace=True)] if act else []))


class UNet(nn.Module):
    """Ronneberger et al., 2015, with padding and two levels."""

    def __init__(self, width=8):
        super().__init__()

        def block(cin, cout):
            return nn.Sequential(conv_bn(cin, cout, act=nn.ReLU), conv_bn(cout, cout, act=nn.ReLU))

        self.down = nn.ModuleList([block(3, width), block(width, 2 * width)])
        self.middle = block(2 * width, 4 * width)
        self.up = nn.ModuleList(
            [
                nn.ConvTranspose2d(4 * width, 2 * width, 2, 2),
                nn.ConvTranspose2d(2 * width, width, 2, 2),
            ]
        )
        self.merge = nn.ModuleList([block(4 * width, 2 * width), block(2 * width, width)])
        self.head = nn.Conv2d(width, 2, 1)

    def forward(self, pixel_values):
        x, skips = pixel_values, []
        for block in self.down:
            x = block(x)
            skips.append(x)
            x = F.max_pool2d(x, 2)
        x = self.middle(x)
        for up, merge, skip in zip(self.up, self.merge, reversed(skips)):
            x = merge(torch.cat([skip, up(x)], 1))
        return self.head(x)


class InvertedResidual(nn.Module):
    """Sandler et al., 2018 (MobileNetV2)."""

    def __init__(self, cin, cout, stride, expand):
        super().__init__()
        mid = cin * expand
        self.residual = stride == 1 and cin == cout
        self.body = nn.Sequential(
            conv_bn(cin, mid, 1),
            conv_bn(mid, mid, 3, stride, groups=mid),
            conv_bn(mid, cout, 1, act=None),
        )

    def forward(self, x):
        return x + self.body(x) if self.residual else self.body(x)


def mobilenet_v2():
    return nn.Sequential(
        conv_bn(3, 8, 3, 2),
        InvertedResidual(8, 8, 1, 4),
        InvertedResidual(8, 16, 2, 4),
        InvertedResidual(16, 16, 1, 4),
        conv_bn(16, 32, 1),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Dropout(0.2),
        nn.Linear(32, 10),
    )


class ConvNeXtBlock(nn.Module):
    """Liu et al., 2022."""

    def __init__(self, dim):
        super().__init__()
        self.depthwise = nn.Conv2d(dim, dim, 7, padding=3, groups=dim)
        self.norm = nn.LayerNorm(dim, eps=1e-6)
        self.up, self.down = nn.Linear(dim, 4 * dim), nn.Linear(4 * dim, dim)
        self.gamma = nn.Parameter(torch.full((dim,), 0.5))

    def forward(self, x):
        y = self.norm(self.depthwise(x).permute(0, 2, 3, 1))
        return x + (self.gamma * self.down(F.gelu(self.up(y)))).permute(0, 3, 1, 2)


def convnext():
    return nn.Sequential(
        nn.Conv2d(3, 16, 4, 4),
        ConvNeXtBlock(16),
        ConvNeXtBlock(16),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
    )


class DLRM(nn.Module):
    """Naumov et al., 2019: embedding bags, a bottom and a top MLP, dot interaction."""

    def __init__(self, tables=4, rows=50, dim=8, dense=13):
        super().__init__()
        self.bags = nn.ModuleList([nn.EmbeddingBag(rows, dim, mode="sum") for _ in range(tables)])
        self.bottom = nn.Sequential(nn.Linear(dense, 16), nn.ReLU(), nn.Linear(16, dim), nn.ReLU())
        pairs = (tables + 1) * tables // 2
        self.top = nn.Sequential(
            nn.Linear(pairs + dim, 16), nn.ReLU(), nn.Linear(16, 1), nn.Sigmoid()
        )
        index = torch.tril_indices(tables + 1, tables + 1, -1)
        self.register_buffer("rows", index[0])
        self.register_buffer("columns", index[1])

    def forward(self, dense, sparse):
        x = self.bottom(dense)
        features = torch.stack([x] + [bag(sparse[:, k]) for k, bag in enumerate(self.bags)], 1)
        dots = features @ features.transpose(1, 2)
        return self.top(torch.cat([x, dots[:, self.rows, self.columns]], 1))


class Recurrent(nn.Module):
    """A tagger: embedding, bidirectional LSTM or GRU of two layers, linear."""

    def __init__(self, kind):
        super().__init__()
        self.embedding = nn.Embedding(99, 16)
        self.cell = kind(16, 12, num_layers=2, bidirectional=True, batch_first=True)
        self.head = nn.Linear(24, 5)

    def forward(self, input_ids):
        return self.head(self.cell(self.embedding(input_ids))[0])


class Generator(nn.Module):
    """DCGAN's generator: Radford et al., 2016."""

    def __init__(self, width=8):
        super().__init__()
        self.body = nn.Sequential(
            nn.ConvTranspose2d(16, 4 * width, 4, 1, 0, bias=False),
            nn.BatchNorm2d(4 * width),
            nn.ReLU(True),
            nn.ConvTranspose2d(4 * width, 2 * width, 4, 2, 1, bias=False),
            nn.BatchNorm2d(2 * width),
            nn.ReLU(True),
            nn.ConvTranspose2d(2 * width, 3, 4, 2, 1, bias=False),
            nn.Tanh(),
        )

    def forward(self, noise):
        return self.body(noise[:, :, None, None])


class SqueezeExcite(nn.Module):
    """Hu et al., 2018, with the activations of MobileNetV3."""

    def __init__(self):
        super().__init__()
        self.stem = conv_bn(3, 16, 3, 2, act=nn.Hardswish)
        self.squeeze, self.excite = nn.Conv2d(16, 4, 1), nn.Conv2d(4, 16, 1)

    def forward(self, pixel_values):
        x = self.stem(pixel_values)
        scale = F.hardsigmoid(self.excite(F.relu(self.squeeze(F.adaptive_avg_pool2d(x, 1)))))
        return x * scale


class TemporalConvolution(nn.Module):
    """Bai et al., 2018: dilated causal convolutions with weight norm."""

    def __init__(self):
        super().__init__()
        norm = nn.utils.parametrizations.weight_norm
        self.layers = nn.ModuleList(
            [norm(nn.Conv1d(c, 8, 3, dilation=d)) for c, d in ((4, 1), (8, 2), (8, 4))]
        )

    def forward(self, x):
        for layer in self.layers:
            d = layer.dilation[0]
            y = F.relu(layer(F.pad(x, (2 * d, 0))))
            x = x + y if x.shape[1] == y.shape[1] else y
        return x


class Video(nn.Module):
    """A network like C3D: Tran et al., 2015."""

    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv3d(3, 8, 3, padding=1),
            nn.BatchNorm3d(8),
            nn.ReLU(),
            nn.MaxPool3d((1, 2, 2)),
            nn.Conv3d(8, 8, 3, padding=1),
            nn.ReLU(),
            nn.AvgPool3d(2),
            nn.Flatten(),
            nn.Linear(8 * 2 * 4 * 4, 5),
        )

    def forward(self, video):
        return self.body(video)


class VariationalAutoencoder(nn.Module):
    """Kingma and Welling, 2014; the mean only, as in inference."""

    def __init__(self):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(24, 16), nn.ELU())
        self.mean, self.log_variance = nn.Linear(16, 4), nn.Linear(16, 4)
        self.decoder = nn.Sequential(nn.Linear(4, 16), nn.ELU(), nn.Linear(16, 24))

    def forward(self, x):
        h = self.encoder(x)
        mean, log_variance = self.mean(h), self.log_variance(h)
        loss = -0.5 * (1 + log_variance - mean**2 - log_variance.exp()).sum(1)
        return torch.sigmoid(self.decoder(mean)), loss


class GraphConvolution(nn.Module):
    """Kipf and Welling, 2017, over a list of edges: scatter_add of neighbours."""

    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(6, 8), nn.Linear(8, 3)])

    def forward(self, x, source, target):
        one = torch.ones_like(source, dtype=x.dtype)
        degree = torch.zeros(x.shape[0], dtype=x.dtype).index_add(0, target, one).clamp(min=1)
        for layer in self.layers:
            h = layer(x)
            x = torch.zeros_like(h).index_add(0, target, h[source]) / degree[:, None]
            x = torch.relu(x)
        return F.log_softmax(x, -1)


class SelfAttentionPooling(nn.Module):
    """nn.TransformerEncoder with a padding mask, and attentive pooling."""

    def __init__(self):
        super().__init__()
        layer = nn.TransformerEncoderLayer(16, 2, 32, batch_first=True, norm_first=True)
        self.encoder = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.score = nn.Linear(16, 1)

    def forward(self, x):
        x = self.encoder(x)
        return (torch.softmax(self.score(x), 1) * x).sum(1)


class Detector(nn.Module):
    """A single-shot head (Liu et al., 2016) with anchors decoded; no suppression."""

    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(conv_bn(3, 8, 3, 2), conv_bn(8, 16, 3, 2))
        self.boxes, self.scores = (
            nn.Conv2d(16, 2 * 4, 3, padding=1),
            nn.Conv2d(16, 2 * 3, 3, padding=1),
        )
        y, x = torch.meshgrid(torch.arange(8.0), torch.arange(8.0), indexing="ij")
        self.register_buffer("centres", torch.stack([x, y], -1).reshape(-1, 1, 2) * 4 + 2)

    def forward(self, pixel_values):
        x = self.body(pixel_values)
        n = x.shape[0]
        boxes = self.boxes(x).permute(0, 2, 3, 1).reshape(n, -1, 2, 4)
        centre, size = boxes[..., :2] * 4 + self.centres, boxes[..., 2:].exp() * 8
        corners = torch.cat([centre - size / 2, centre + size / 2], -1).clamp(0, 32).flatten(1, 2)
        scores = self.scores(x).permute(0, 2, 3, 1).reshape(n, -1, 3).softmax(-1)
        score, kind = scores.max(-1)
        return corners, score, kind


define("unet", UNet, IMAGE, quick=True)
define(
    "mobilenet_v2_handmade", lambda: mobilenet_v2(), {"input": IMAGE["pixel_values"]}, quick=True
)
define("convnext_handmade", lambda: convnext(), {"input": IMAGE["pixel_values"]}, quick=True)
define("dlrm", DLRM, {"dense": Input(("b", 13)), "sparse": Input(("b", 4, 3), 50)}, quick=True)
define("lstm", lambda: Recurrent(nn.LSTM), {"input_ids": Input(("b", 8), 99)}, quick=True)
define("gru", lambda: Recurrent(nn.GRU), {"input_ids": Input(("b", 8), 99)})
define("dcgan", Generator, {"noise": Input(("b", 16))}, quick=True)
define("squeeze_excite", SqueezeExcite, IMAGE)
define("tcn", TemporalConvolution, {"x": Input(("b", 4, "s"))}, dynamic=("b", "s"))
define("c3d", Video, {"video": Input(("b", 3, 4, 16, 16))})
define("vae", VariationalAutoencoder, {"x": Input(("b", 24))})
define(
    "gcn",
    GraphConvolution,
    {"x": Input((7, 6)), "source": Input(("s",), 7), "target": Input(("s",), 7)},
    dynamic=("s",),
)
define(
    "transformer_encoder", SelfAttentionPooling, {"x": Input(("b", "s", 16))}, dynamic=("b", "s")
)
define("ssd", Detector, IMAGE)
