//===- Convolution.cpp - shape rules of sliding windows -------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Support.h"

#include <cmath>

using namespace mlir;
using namespace fx;
using namespace fx::shape;

namespace {
/// The parameters of a window over `n` spatial dimensions.
struct Window {
  Sizes kernel, stride, padding, dilation;
};
} // namespace

/// Returns the number of elements that a dilated window spans.
static Size getReach(const Window &w, size_t i) {
  return Size(w.dilation[i]) * (Size(w.kernel[i]) - 1) + 1;
}

/// Returns the number of windows in dimension `i`,
/// (in + 2 p - d (k - 1) - 1) // s + 1 (torch.nn.Conv2d).
static Size getWindowCount(Size in, const Window &w, size_t i) {
  Size reach = getReach(w, i);
  Size rest = in + Size(w.padding[i]) * 2 - reach;
  if (rest.getInt().value_or(0) < 0) {
    noteRefusal([&] {
      return "expected a window within the padded size " +
             toText((in + Size(w.padding[i]) * 2).get()) + ", got one of " +
             toText(reach.get());
    });
    return {};
  }
  return rest.floorDiv(Size(w.stride[i])) + 1;
}

/// Returns the sizes of argument `name`, or `fallback` if the argument is
/// absent, None or [].
static std::optional<Sizes> getWindowSizes(const OperatorView &call,
                                           StringRef name, size_t n,
                                           const Sizes &fallback) {
  Argument argument = call.findArg(name);
  if (argument.isNone() ||
      (argument.isList() && argument.getElements().empty()))
    return fallback;
  std::optional<Sizes> sizes = getSizes(argument, n);
  return sizes;
}

/// Returns false if a number is provably below `least`.
static bool areAtLeast(ArrayRef<ExprAttr> numbers, int64_t least,
                       StringRef name) {
  for (Size number : numbers)
    if (number.getInt().value_or(least) < least) {
      noteRefusal([&] {
        return ("expected a " + name + " of " + Twine(least) +
                " or more, got " + toText(numbers))
            .str();
      });
      return false;
    }
  return true;
}

/// Returns the window of a convolution or pooling with kernel sizes `kernel`.
/// `defaultStride` replaces an absent stride.
static std::optional<Window> getWindow(const OperatorView &call,
                                       const Sizes &kernel,
                                       const Sizes &defaultStride) {
  size_t n = kernel.size();
  MLIRContext *context = call.getContext();
  Sizes zeros(n, makeSize(context, 0)), ones(n, makeSize(context, 1));
  std::optional<Sizes> padding = zeros;
  if (!call.getArg("padding").getString())
    padding = getWindowSizes(call, "padding", n, zeros);
  std::optional<Sizes> stride =
      getWindowSizes(call, "stride", n, defaultStride);
  std::optional<Sizes> dilation = getWindowSizes(call, "dilation", n, ones);
  if (!padding || !stride || !dilation)
    return std::nullopt;
  if (!areAtLeast(*stride, 1, "stride") ||
      !areAtLeast(*dilation, 1, "dilation") ||
      !areAtLeast(*padding, 0, "padding") || !areAtLeast(kernel, 1, "kernel"))
    return std::nullopt;
  return Window{kernel, *stride, *padding, *dilation};
}

//===----------------------------------------------------------------------===//
// Convolution
//===----------------------------------------------------------------------===//

static Size getTransposedSize(Size in, const Window &w, ExprAttr outputPadding,
                              size_t i) {
  return (in - 1) * Size(w.stride[i]) - Size(w.padding[i]) * 2 +
         Size(w.dilation[i]) * (Size(w.kernel[i]) - 1) + Size(outputPadding) +
         1;
}

static InferredTypes convolve(const OperatorView &call, bool transposed) {
  FakeTensorType input = getTensor(call.getArg("input"));
  FakeTensorType weight = getTensor(call.getArg("weight"));
  if (!input || !weight || weight.getRank() < 3 ||
      input.getDtype() != weight.getDtype())
    return failure();
  size_t n = weight.getRank() - 2;
  // The batch dimension is optional.
  if (input.getRank() != int64_t(n) + 2 && input.getRank() != int64_t(n) + 1)
    return failure();
  size_t channel = input.getRank() - n - 1;
  Sizes kernel(weight.getSizes().drop_front(2));
  Sizes ones(n, makeSize(call.getContext(), 1)),
      zeros(n, makeSize(call.getContext(), 0));
  std::optional<Window> window = getWindow(call, kernel, ones);
  std::optional<Sizes> outputPadding =
      getWindowSizes(call, "output_padding", n, zeros);
  Size groups = call.getArg("groups").getExpr();
  if (!window || !outputPadding || !groups)
    return failure();
  Size inChannels = transposed ? Size(weight.getSizes()[0])
                               : Size(weight.getSizes()[1]) * groups;
  if (groups.getInt().value_or(1) <= 0)
    return refuse("expected groups above 0, got " + Twine(*groups.getInt()));
  if (!inChannels)
    return failure();
  if (inChannels.get().isProvablyDifferent(input.getSizes()[channel]))
    return refuse("expected " + toText(inChannels.get()) +
                  " input channels, got " + toText(input.getSizes()[channel]));
  std::optional<int64_t> outChannels = Size(weight.getSizes()[0]).getInt();
  if (!transposed && outChannels && groups.getInt() &&
      *outChannels % *groups.getInt() != 0)
    return refuse("expected output channels that the groups divide, got " +
                  Twine(*outChannels) + " and " + Twine(*groups.getInt()));

  Sizes sizes(input.getSizes());
  sizes[channel] = transposed ? (Size(weight.getSizes()[1]) * groups).get()
                              : weight.getSizes()[0];
  // `same` keeps the sizes; torch allows it with a stride of 1 only.
  bool isSame = call.getArg("padding").getString() == "same";
  if (isSame && llvm::any_of(window->stride, [](Size stride) {
        return stride.getInt().value_or(1) != 1;
      }))
    return refuse("expected a stride of 1 beside padding 'same', got " +
                  toText(window->stride));
  for (size_t i = 0; i < n && !isSame; ++i) {
    ExprAttr &size = sizes[channel + 1 + i];
    size = transposed ? getTransposedSize(size, *window, (*outputPadding)[i], i)
                      : getWindowCount(size, *window, i);
  }
  return result(makeTensor(input, sizes));
}

static InferredTypes inferConvolution(const OperatorView &call) {
  std::optional<bool> transposed = call.getArg("transposed").getBool();
  if (!transposed)
    return failure();
  return convolve(call, *transposed);
}
static InferredTypes inferConv(const OperatorView &call) {
  return convolve(call, false);
}
static InferredTypes inferConvTranspose(const OperatorView &call) {
  return convolve(call, true);
}

//===----------------------------------------------------------------------===//
// Pooling
//===----------------------------------------------------------------------===//

/// Returns the number of pooling windows in dimension `i`. With `ceilMode`, the
/// last window must start inside the input or its left padding.
static Size getPooledSize(Size in, const Window &w, size_t i, bool ceilMode) {
  if (!ceilMode)
    return getWindowCount(in, w, i);
  Size stride = w.stride[i], padding = w.padding[i];
  Size count = (in + padding * 2 - getReach(w, i)).ceilDiv(stride) + 1;
  std::optional<int64_t> last = ((count - 1) * stride).getInt(),
                         end = (in + padding).getInt();
  if (!last || !end)
    return {};
  return *last >= *end ? count - 1 : count;
}

static FailureOr<FakeTensorType> pool(const OperatorView &call, size_t n) {
  FakeTensorType self = getTensor(call.getArg(0u));
  std::optional<Sizes> kernel = getSizes(call.getArg("kernel_size"), n);
  std::optional<bool> ceilMode = call.getArg("ceil_mode").getBool();
  if (!self || !kernel || !ceilMode || self.getRank() < int64_t(n) + 1 ||
      self.getRank() > int64_t(n) + 2)
    return failure();
  std::optional<Window> window = getWindow(call, *kernel, *kernel);
  if (!window)
    return failure();
  Sizes sizes(self.getSizes());
  for (size_t i = 0; i < n; ++i) {
    std::optional<int64_t> padding = Size(window->padding[i]).getInt(),
                           reach = getReach(*window, i).getInt();
    if (padding && reach && *padding > *reach / 2) {
      (void)refuse("expected a padding of half the window " + Twine(*reach) +
                   " at most, got " + Twine(*padding));
      return failure();
    }
    ExprAttr &size = sizes[sizes.size() - n + i];
    size = getPooledSize(size, *window, i, *ceilMode);
  }
  auto type = dyn_cast_if_present<FakeTensorType>(makeTensor(self, sizes));
  if (!type)
    return failure();
  return type;
}

template <size_t n>
static InferredTypes inferPool(const OperatorView &call) {
  FailureOr<FakeTensorType> type = pool(call, n);
  if (failed(type))
    return failure();
  return result(*type);
}
template <size_t n>
static InferredTypes inferPoolWithIndices(const OperatorView &call) {
  FailureOr<FakeTensorType> type = pool(call, n);
  if (failed(type))
    return failure();
  return results(
      {*type, type->withDtype(IntegerType::get(call.getContext(), 64))});
}

/// Returns the type of `self` with its last `n` sizes replaced by the argument
/// `output_size`, or null.
static Type withOutputSize(const OperatorView &call, size_t n) {
  FakeTensorType self = getTensor(call.getArg(0u));
  std::optional<Sizes> last = getSizes(call.getArg("output_size"), n);
  if (!self || !last || self.getRank() < int64_t(n) + 1 ||
      !hasLength(call, "output_size", n))
    return {};
  bool isUpsampling = call.getSchema().getName().contains("upsample");
  if (isUpsampling && !areAtLeast(*last, 1, "size"))
    return {};
  Sizes sizes(self.getSizes().drop_back(n));
  llvm::append_range(sizes, *last);
  return makeTensor(self, sizes);
}
template <size_t n>
static InferredTypes inferAdaptive(const OperatorView &call) {
  return result(withOutputSize(call, n));
}
template <size_t n>
static InferredTypes inferAdaptiveMax(const OperatorView &call) {
  auto type = dyn_cast_if_present<FakeTensorType>(withOutputSize(call, n));
  if (!type)
    return failure();
  return results(
      {type, type.withDtype(IntegerType::get(call.getContext(), 64))});
}

//===----------------------------------------------------------------------===//
// Resampling
//===----------------------------------------------------------------------===//

/// Returns floor(size * scale). The result for a symbolic size is known only if
/// the scale is an integer.
static Size scaleSize(Size size, double scale) {
  if (!(scale > 0) || scale > 1e6)
    return {};
  if (std::optional<int64_t> value = size.getInt()) {
    double scaled = std::floor(double(*value) * scale);
    return scaled < 1e15 ? size.constant(static_cast<int64_t>(scaled)) : Size();
  }
  if (scale != std::floor(scale))
    return {};
  return size * static_cast<int64_t>(scale);
}

/// Either `output_size` or `scale_factors` is given.
template <size_t n>
static InferredTypes inferUpsample(const OperatorView &call) {
  if (!call.getArg("output_size").isNone())
    return result(withOutputSize(call, n));
  FakeTensorType self = getTensor(call.getArg(0u));
  SmallVector<Argument, 4> scales = call.getArg("scale_factors").getElements();
  if (!self || scales.size() != n || self.getRank() < int64_t(n) + 1)
    return failure();
  Sizes sizes(self.getSizes());
  for (size_t i = 0; i < n; ++i) {
    ExprAttr &size = sizes[sizes.size() - n + i];
    size = scaleSize(size, scales[i].getFloat().value_or(0));
  }
  return result(makeTensor(self, sizes));
}

/// An input [N, C, in…] and a grid [N, out…, n] give [N, C, out…].
static InferredTypes inferGridSampler(const OperatorView &call) {
  FakeTensorType input = getTensor(call.getArg(0u)),
                 grid = getTensor(call.getArg("grid"));
  if (!input || !grid || input.getRank() < 3 ||
      input.getRank() != grid.getRank())
    return failure();
  Sizes sizes(input.getSizes().take_front(2));
  llvm::append_range(sizes, grid.getSizes().drop_front().drop_back());
  return result(makeTensor(input, sizes));
}

/// Maps [N, C, H, W] to [N, C kh kw, windows]. N is optional.
static InferredTypes inferIm2Col(const OperatorView &call) {
  FakeTensorType self = getTensor(call.getArg(0u));
  std::optional<Sizes> kernel = getSizes(call.getArg("kernel_size"), 2);
  if (!self || !kernel || self.getRank() < 3 || self.getRank() > 4)
    return failure();
  for (StringRef name : {"kernel_size", "dilation", "padding", "stride"})
    if (!hasLength(call, name, 2))
      return failure();
  Sizes ones(2, makeSize(call.getContext(), 1));
  std::optional<Window> window = getWindow(call, *kernel, ones);
  if (!window)
    return failure();
  size_t channel = self.getRank() - 3;
  Sizes sizes(self.getSizes().take_front(channel));
  sizes.push_back(Size(self.getSizes()[channel]) * Size((*kernel)[0]) *
                  Size((*kernel)[1]));
  sizes.push_back(getWindowCount(self.getSizes()[channel + 1], *window, 0) *
                  getWindowCount(self.getSizes()[channel + 2], *window, 1));
  return result(makeTensor(self, sizes));
}

/// Maps [N, C kh kw, windows] to [N, C, *output_size]. N is optional.
static InferredTypes inferCol2Im(const OperatorView &call) {
  FakeTensorType self = getTensor(call.getArg(0u));
  std::optional<Sizes> output = getSizes(call.getArg("output_size"), 2);
  std::optional<Sizes> kernel = getSizes(call.getArg("kernel_size"), 2);
  if (!self || !output || !kernel || self.getRank() < 2 || self.getRank() > 3)
    return failure();
  for (StringRef name :
       {"output_size", "kernel_size", "dilation", "padding", "stride"})
    if (!hasLength(call, name, 2))
      return failure();
  Sizes ones(2, makeSize(call.getContext(), 1));
  std::optional<Window> window = getWindow(call, *kernel, ones);
  if (!window || !areAtLeast(*output, 1, "size"))
    return failure();
  Size windows = getWindowCount((*output)[0], *window, 0) *
                 getWindowCount((*output)[1], *window, 1);
  if (windows && windows.get().isProvablyDifferent(self.getSizes().back()))
    return refuse("expected " + toText(windows.get()) + " windows, got " +
                  toText(self.getSizes().back()));
  Sizes sizes(self.getSizes().drop_back());
  Size taps = Size((*kernel)[0]) * Size((*kernel)[1]);
  if (taps.getInt() && Size(sizes.back()).getInt() &&
      *Size(sizes.back()).getInt() % *taps.getInt() != 0)
    return refuse("expected a size that the kernel's " + toText(taps.get()) +
                  " elements divide, got " + toText(sizes.back()));
  sizes.back() = Size(sizes.back()).exactDiv(taps);
  llvm::append_range(sizes, *output);
  return result(makeTensor(self, sizes));
}

void fx::registerConvolutionShapes(HookTable<ShapeRule> &hooks) {
  hooks.add(inferConvolution,
            {"aten.convolution.default", "aten._convolution.default"});
  hooks.add(inferConv, {"aten.conv1d.default", "aten.conv2d.default",
                        "aten.conv3d.default", "aten.conv1d.padding",
                        "aten.conv2d.padding", "aten.conv3d.padding"});
  hooks.add(inferConvTranspose,
            {"aten.conv_transpose1d.default", "aten.conv_transpose2d.input",
             "aten.conv_transpose3d.input"});
  hooks.add(inferPool<1>,
            {"aten.max_pool1d.default", "aten.avg_pool1d.default"});
  hooks.add(inferPool<2>,
            {"aten.max_pool2d.default", "aten.avg_pool2d.default"});
  hooks.add(inferPool<3>,
            {"aten.max_pool3d.default", "aten.avg_pool3d.default"});
  hooks.add(inferPoolWithIndices<1>, {"aten.max_pool1d_with_indices.default"});
  hooks.add(inferPoolWithIndices<2>, {"aten.max_pool2d_with_indices.default"});
  hooks.add(inferPoolWithIndices<3>, {"aten.max_pool3d_with_indices.default"});
  hooks.add(inferAdaptive<1>, {"aten.adaptive_avg_pool1d.default",
                               "aten.upsample_nearest1d.default",
                               "aten.upsample_linear1d.default"});
  hooks.add(inferAdaptive<2>, {"aten.adaptive_avg_pool2d.default",
                               "aten._adaptive_avg_pool2d.default",
                               "aten.upsample_nearest2d.default",
                               "aten.upsample_bilinear2d.default",
                               "aten.upsample_bicubic2d.default",
                               "aten._upsample_bilinear2d_aa.default",
                               "aten._upsample_bicubic2d_aa.default",
                               "aten._upsample_nearest_exact2d.default"});
  hooks.add(inferAdaptive<3>, {"aten.adaptive_avg_pool3d.default",
                               "aten._adaptive_avg_pool3d.default",
                               "aten.upsample_nearest3d.default",
                               "aten.upsample_trilinear3d.default"});
  hooks.add(inferAdaptiveMax<1>, {"aten.adaptive_max_pool1d.default"});
  hooks.add(inferAdaptiveMax<2>, {"aten.adaptive_max_pool2d.default",
                                  "aten.fractional_max_pool2d.default"});
  hooks.add(inferAdaptiveMax<3>, {"aten.adaptive_max_pool3d.default",
                                  "aten.fractional_max_pool3d.default"});
  hooks.add(inferUpsample<1>,
            {"aten.upsample_linear1d.vec", "aten.upsample_nearest1d.vec"});
  hooks.add(inferUpsample<2>,
            {"aten.upsample_bilinear2d.vec", "aten.upsample_nearest2d.vec",
             "aten.upsample_bicubic2d.vec", "aten._upsample_bilinear2d_aa.vec",
             "aten._upsample_bicubic2d_aa.vec",
             "aten._upsample_nearest_exact2d.vec"});
  hooks.add(inferUpsample<3>,
            {"aten.upsample_trilinear3d.vec", "aten.upsample_nearest3d.vec"});
  hooks.add(inferGridSampler,
            {"aten.grid_sampler.default", "aten.grid_sampler_2d.default",
             "aten.grid_sampler_3d.default"});
  hooks.add(inferIm2Col, {"aten.im2col.default"});
  hooks.add(inferCol2Im, {"aten.col2im.default"});
}
