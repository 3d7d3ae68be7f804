"""Mutation of intermediate values and through views, in orders that a pass which ignores writes
would get wrong."""

import torch
import torch.nn.functional as F

from operators.table import b, case, f, i


def row(name, function, *inputs, **options):
    case("inplace", name, function, *inputs, **options)


def on_copy(function):
    return lambda x, *rest: function(x.clone(), *rest)


row("add_", on_copy(lambda x, y: x.add_(y)), f("n", 4), f("n", 4))
row("add_.alpha", on_copy(lambda x, y: x.add_(y, alpha=2)), f("n", 4), f(4))
row("mul_", on_copy(lambda x: x.mul_(2)), f("n", 4))
row("div_", on_copy(lambda x, y: x.div_(y.abs() + 1)), f("n", 4), f("n", 4))
row("sub_", on_copy(lambda x: x.sub_(1)), f("n", 4))
row("relu_", on_copy(lambda x: F.relu(x, inplace=True)), f("n", 4))
row("leaky_relu_", on_copy(lambda x: F.leaky_relu(x, inplace=True)), f("n", 4))
row("hardswish_", on_copy(lambda x: F.hardswish(x, inplace=True)), f("n", 4))
row("silu_", on_copy(lambda x: F.silu(x, inplace=True)), f("n", 4))
row("clamp_", on_copy(lambda x: x.clamp_(-0.5, 0.5)), f("n", 4))
row("exp_", on_copy(lambda x: x.exp_()), f("n", 4))
row("zero_", on_copy(lambda x: x.zero_()), f("n", 4))
row("fill_", on_copy(lambda x: x.fill_(1.5)), f("n", 4))
row("copy_", on_copy(lambda x, y: x.copy_(y)), f("n", 4), i(4))
row("masked_fill_", on_copy(lambda x, m: x.masked_fill_(m, 3)), f("n", 4), b("n", 4))
row("scatter_", on_copy(lambda x, k: x.scatter_(1, k, 1.0)), f("n", 4), i("n", 1, low=0, high=4))
row("index_copy_", on_copy(lambda x, k, y: x.index_copy_(1, k, y)), f("n", 4), i(1, low=0, high=4), f("n", 1))
row("index_put_", on_copy(lambda x, k, y: x.index_put_((k,), y)), f(6, 4), i(1, low=0, high=6), f(1, 4))


def slice_write(x, y):
    x[:, 1:3] = y
    return x


def select_write(x):
    x[0] = 7
    return x


def index_write(x, k, y):
    x[:, k] = y
    return x


def view_write(x):
    v = x[0]
    a = v.sin()
    x.add_(1)
    return a, v.sin(), x


def through_views(x):
    v = x.view(-1, 2).t()
    v.mul_(2)
    w = x[:, ::2]
    w.add_(1)
    return x, v, w


def chain(x):
    a = x.t()[1:]
    b = a[:, 1]
    b.zero_()
    return x + 1, a, b


def read_before_write(x):
    a = x * 2
    x.relu_()
    c = x * 2
    return a, c


def write_twice(x, y):
    x[0] = y[0]
    x[0] = y[1]
    return x


def chunks(x):
    a, c = x.chunk(2, 1)
    a.add_(c)
    c.mul_(3)
    return x


def residual(x, y):
    out = y * 2
    out += x
    return out.relu_()


row("slice_write", on_copy(slice_write), f("n", 4), f("n", 2))
row("select_write", on_copy(select_write), f("n", 4))
row("view_write", on_copy(view_write), f("n", 4))
row("through_views", on_copy(through_views), f("n", 4))
row("chain", on_copy(chain), f("n", 4))
row("read_before_write", on_copy(read_before_write), f("n", 4))
row("write_twice", on_copy(write_twice), f("n", 4), f(2, 4))
row("chunks", on_copy(chunks), f("n", 4))
row("residual", residual, f("n", 4), f("n", 4))
row("index_write", on_copy(index_write), f("n", 4), i(1, low=0, high=4), f("n", 1))
row("setitem_mask", on_copy(lambda x: torch.where(x > 0, x, 0).add_(1)), f("n", 4))
