"""ResNet-50 (He et al., 2015, "v1.5": the stride is on the 3x3 convolution), in
evaluation mode: the network that torchvision calls resnet50."""

import torch
from torch import nn

from models.registry import Spec, rand, register, seeded


class Bottleneck(nn.Module):
    expansion = 4

    def __init__(self, inplanes: int, planes: int, stride: int):
        super().__init__()
        outplanes = planes * self.expansion
        self.conv1 = nn.Conv2d(inplanes, planes, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(planes)
        self.conv2 = nn.Conv2d(planes, planes, 3, stride, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(planes)
        self.conv3 = nn.Conv2d(planes, outplanes, 1, bias=False)
        self.bn3 = nn.BatchNorm2d(outplanes)
        self.relu = nn.ReLU(inplace=True)
        self.downsample = None
        if stride != 1 or inplanes != outplanes:
            self.downsample = nn.Sequential(
                nn.Conv2d(inplanes, outplanes, 1, stride, bias=False),
                nn.BatchNorm2d(outplanes),
            )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        identity = x if self.downsample is None else self.downsample(x)
        out = self.relu(self.bn1(self.conv1(x)))
        out = self.relu(self.bn2(self.conv2(out)))
        out = self.bn3(self.conv3(out))
        out += identity
        return self.relu(out)


class ResNet(nn.Module):
    def __init__(self, blocks: list[int], width: int = 64, classes: int = 1000):
        super().__init__()
        self.conv1 = nn.Conv2d(3, width, 7, 2, 3, bias=False)
        self.bn1 = nn.BatchNorm2d(width)
        self.relu = nn.ReLU(inplace=True)
        self.maxpool = nn.MaxPool2d(3, 2, 1)
        inplanes = width
        for i, count in enumerate(blocks):
            planes = width << i
            layer = []
            for j in range(count):
                layer.append(Bottleneck(inplanes, planes, 2 if i and not j else 1))
                inplanes = planes * Bottleneck.expansion
            setattr(self, f"layer{i + 1}", nn.Sequential(*layer))
        self.layers = len(blocks)
        self.avgpool = nn.AdaptiveAvgPool2d((1, 1))
        self.fc = nn.Linear(inplanes, classes)
        self._randomise()

    def _randomise(self) -> None:
        """Initializes statistics like those of a trained network: not the identity, and without
        overflow."""
        for m in self.modules():
            if isinstance(m, nn.Conv2d):
                nn.init.kaiming_normal_(m.weight, mode="fan_out", nonlinearity="relu")
            elif isinstance(m, nn.BatchNorm2d):
                nn.init.uniform_(m.weight, 0.5, 1.0)
                nn.init.normal_(m.bias, std=0.1)
                m.running_mean.normal_(std=0.1)
                m.running_var.uniform_(0.5, 1.5)
        for m in self.modules():
            if isinstance(m, Bottleneck):
                nn.init.uniform_(m.bn3.weight, 0.1, 0.3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.maxpool(self.relu(self.bn1(self.conv1(x))))
        for i in range(self.layers):
            x = getattr(self, f"layer{i + 1}")(x)
        return self.fc(torch.flatten(self.avgpool(x), 1))


def resnet50() -> nn.Module:
    return ResNet([3, 4, 6, 3])


register(
    Spec(
        name="resnet50",
        build=lambda: seeded(resnet50),
        inputs=lambda: ((rand(1, 3, 224, 224),), {}),
        dynamic=lambda: {"x": {0: torch.export.Dim("batch", min=1, max=64)}},
        others=lambda: [((rand(2, 3, 224, 224, seed=2),), {})],
        wide=lambda: ((rand(2, 3, 224, 224),), {}),
    )
)
register(
    Spec(
        name="resnet_small",
        build=lambda: seeded(lambda: ResNet([1, 2], width=16, classes=10)),
        inputs=lambda: ((rand(2, 3, 33, 47),), {}),
        dynamic=lambda: {"x": {0: torch.export.Dim("batch", min=1, max=64)}},
        others=lambda: [((rand(n, 3, 33, 47, seed=n),), {}) for n in (1, 3)],
    )
)
