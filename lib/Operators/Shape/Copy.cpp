//===- Copy.cpp - shape rules of copies and joins -------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Support.h"

using namespace mlir;
using namespace fx;
using namespace fx::shape;

//===----------------------------------------------------------------------===//
// Conversion
//===----------------------------------------------------------------------===//

static InferredTypes inferTo(const OperatorView &call) {
  FakeTensorType self = getSelf(call);
  if (!self)
    return failure();
  Type dtype = call.getArg("dtype").getDtype();
  StringAttr device = getDevice(call.getArg("device"), self.getDevice());
  if (FakeTensorType other = getTensor(call.getArg("other"))) {
    dtype = other.getDtype();
    device = other.getDevice();
  }
  return result(FakeTensorType::get(call.getContext(), self.getSizes(),
                                    dtype ? dtype : self.getDtype(), device,
                                    MetaAttr()));
}

static InferredTypes inferFlip(const OperatorView &call) {
  FakeTensorType self = getSelf(call);
  if (!self || !wrapDims(call.getArg("dims"), self.getRank()))
    return failure();
  return sameAsFirst(call);
}

static InferredTypes inferRoll(const OperatorView &call) {
  FakeTensorType self = getSelf(call);
  if (!self)
    return failure();
  size_t shifts = call.getArg("shifts").getElements().size(),
         dims = call.getArg("dims").getElements().size();
  bool isWhole = dims == 0 && shifts == 1;
  if (call.getArg("shifts").isList() && call.getArg("dims").isList() &&
      !isWhole && (shifts != dims || dims == 0))
    return refuse("expected as many shifts as dims, got " + Twine(shifts) +
                  " and " + Twine(dims));
  for (const Argument &dim : call.getArg("dims").getElements())
    if (dim.getInt() && !wrapDim(dim, self.getRank()))
      return failure();
  return sameAsFirst(call);
}

/// Infers a scatter of `src` into a part of `self`. Fails if the sizes of `src`
/// provably differ from the sizes of the part.
static InferredTypes inferScatterPart(const OperatorView &call, Sizes part) {
  FakeTensorType source = getTensor(call.getArg("src"));
  if (!source)
    return failure();
  bool fits = source.getRank() == int64_t(part.size());
  for (size_t i = 0; fits && i < part.size(); ++i)
    fits = !part[i] || !part[i].isProvablyDifferent(source.getSizes()[i]);
  if (!fits)
    return refuse("expected a source of sizes " + toText(part) + ", got " +
                  toText(source.getSizes()));
  return sameAsFirst(call);
}

static InferredTypes inferSelectScatter(const OperatorView &call) {
  FakeTensorType self = getSelf(call);
  if (!self)
    return failure();
  if (self.getRank() == 0)
    return refuse("expected a tensor of rank 1 or more, got 0");
  std::optional<int64_t> dim = wrapDim(call.getArg("dim"), self.getRank());
  if (!dim)
    return failure();
  std::optional<int64_t> size = Size(self.getSizes()[*dim]).getInt();
  std::optional<int64_t> index = call.getArg("index").getInt();
  if (size && index && (*index < -*size || *index >= *size))
    return refuse("expected an index within the size " + Twine(*size) +
                  ", got " + Twine(*index));
  Sizes part(self.getSizes());
  part.erase(part.begin() + *dim);
  return inferScatterPart(call, part);
}

static InferredTypes inferSliceScatter(const OperatorView &call) {
  FakeTensorType self = getSelf(call);
  if (!self || !wrapDim(call.getArg("dim"), self.getRank()))
    return failure();
  std::optional<int64_t> step = call.getArg("step").getInt();
  if (step && *step <= 0)
    return refuse("expected a step above 0, got " + Twine(*step));
  return sameAsFirst(call);
}

static InferredTypes inferDiagonalScatter(const OperatorView &call) {
  FakeTensorType self = getSelf(call);
  if (!self)
    return failure();
  std::optional<int64_t> a = wrapDim(call.getArg("dim1"), self.getRank()),
                         b = wrapDim(call.getArg("dim2"), self.getRank());
  if (!a || !b)
    return failure();
  if (*a == *b)
    return refuse("expected two dimensions, got " + Twine(*a) + " twice");
  return sameAsFirst(call);
}

static InferredTypes inferAsStridedScatter(const OperatorView &call) {
  std::optional<Sizes> part = call.getArg("size").getExprs(),
                       strides = call.getArg("stride").getExprs();
  if (!getSelf(call) || !part)
    return failure();
  if (strides && strides->size() != part->size())
    return refuse("expected " + Twine(part->size()) + " strides, got " +
                  Twine(strides->size()));
  for (Size stride : strides.value_or(Sizes()))
    if (stride.getInt().value_or(0) < 0)
      return refuse("expected strides of 0 or more, got " +
                    Twine(*stride.getInt()));
  return inferScatterPart(call, *part);
}

static InferredTypes inferViewAsReal(const OperatorView &call) {
  FakeTensorType self = getSelf(call);
  if (!self || !isComplexDtype(self.getDtype()))
    return failure();
  Sizes sizes(self.getSizes());
  sizes.push_back(makeSize(call.getContext(), 2));
  return result(makeTensor(self, sizes, toRealDtype(self.getDtype())));
}

static InferredTypes inferViewAsComplex(const OperatorView &call) {
  FakeTensorType self = getSelf(call);
  if (!self || self.getRank() == 0 || !isFloatDtype(self.getDtype()) ||
      self.getSizes().back().isProvablyDifferent(
          makeSize(call.getContext(), 2)))
    return failure();
  return result(makeTensor(self, self.getSizes().drop_back(),
                           ComplexType::get(self.getDtype())));
}

//===----------------------------------------------------------------------===//
// Joining
//===----------------------------------------------------------------------===//

static Type promoteTensors(ArrayRef<FakeTensorType> tensors,
                           MLIRContext *context) {
  TypePromotion promotion(context);
  for (FakeTensorType tensor : tensors)
    promotion.addTensor(tensor.getDtype(), tensor.getRank());
  return promotion.getResult();
}

static InferredTypes inferCat(const OperatorView &call) {
  std::optional<SmallVector<FakeTensorType>> tensors =
      getTensors(call.getArg("tensors"));
  if (!tensors || tensors->empty())
    return failure();
  Type dtype = promoteTensors(*tensors, call.getContext());
  // PyTorch ignores tensors of sizes [0], whatever the rank of the others is.
  FakeTensorType first = tensors->front();
  llvm::erase_if(*tensors, [](FakeTensorType tensor) {
    return tensor.getRank() == 1 && Size(tensor.getSizes()[0]).is(0);
  });
  if (tensors->empty())
    return result(makeTensor(first, first.getSizes(), dtype));
  first = tensors->front();
  std::optional<int64_t> dim = wrapDim(call.getArg("dim"), first.getRank());
  if (first.getRank() == 0)
    return refuse("expected tensors of rank 1 or more, got 0");
  if (!dim)
    return failure();
  Sizes sizes(first.getSizes());
  for (FakeTensorType tensor : ArrayRef(*tensors).drop_front()) {
    if (tensor.getRank() != first.getRank())
      return refuse("expected tensors of one rank, got " +
                    toText(first.getSizes()) + " and " +
                    toText(tensor.getSizes()));
    for (auto [i, size] : llvm::enumerate(tensor.getSizes())) {
      if (int64_t(i) == *dim)
        sizes[i] = Size(sizes[i]) + Size(size);
      else if (size.isProvablyDifferent(sizes[i]))
        return refuse("expected equal sizes but in dimension " + Twine(*dim) +
                      ", got " + toText(first.getSizes()) + " and " +
                      toText(tensor.getSizes()));
    }
    if (!sizes[*dim])
      return failure();
  }
  return result(makeTensor(first, sizes, dtype));
}

static InferredTypes inferStack(const OperatorView &call) {
  std::optional<SmallVector<FakeTensorType>> tensors =
      getTensors(call.getArg("tensors"));
  if (!tensors || tensors->empty())
    return failure();
  FakeTensorType first = tensors->front();
  std::optional<int64_t> dim = wrapDim(call.getArg("dim"), first.getRank() + 1);
  if (!dim)
    return failure();
  for (FakeTensorType tensor : *tensors) {
    bool fits = tensor.getRank() == first.getRank();
    for (size_t i = 0; fits && i < first.getSizes().size(); ++i)
      fits = !tensor.getSizes()[i].isProvablyDifferent(first.getSizes()[i]);
    if (!fits)
      return refuse("expected tensors of equal sizes, got " +
                    toText(first.getSizes()) + " and " +
                    toText(tensor.getSizes()));
  }
  Sizes sizes(first.getSizes());
  sizes.insert(sizes.begin() + *dim,
               makeSize(call.getContext(), tensors->size()));
  return result(
      makeTensor(first, sizes, promoteTensors(*tensors, call.getContext())));
}

static InferredTypes inferMeshgrid(const OperatorView &call) {
  std::optional<SmallVector<FakeTensorType>> tensors =
      getTensors(call.getArg("tensors"));
  if (!tensors || tensors->empty())
    return failure();
  Sizes sizes;
  for (FakeTensorType tensor : *tensors)
    sizes.push_back(getNumElements(call.getContext(), tensor.getSizes()));
  if (call.getArg("indexing").getString() == "xy" && sizes.size() >= 2)
    std::swap(sizes[0], sizes[1]);
  SmallVector<Type> types;
  for (FakeTensorType tensor : *tensors)
    types.push_back(makeTensor(tensor, sizes));
  return results(types);
}

//===----------------------------------------------------------------------===//
// Repeating and padding
//===----------------------------------------------------------------------===//

static InferredTypes inferRepeat(const OperatorView &call) {
  FakeTensorType self = getSelf(call);
  std::optional<Sizes> repeats = call.getArg(1).getExprs();
  if (!self || !repeats)
    return failure();
  Sizes sizes(self.getSizes());
  // tile takes fewer numbers than dimensions, repeat does not.
  bool isTile = call.getSchema().getName().starts_with("aten.tile");
  if (repeats->size() < sizes.size() && !isTile)
    return refuse("expected " + Twine(sizes.size()) + " repeats or more, got " +
                  toText(*repeats));
  for (Size repeat : *repeats)
    if (repeat.getInt().value_or(0) < 0)
      return refuse("expected repeats of 0 or more, got " + toText(*repeats));
  Size one = makeSize(call.getContext(), 1);
  while (sizes.size() < repeats->size())
    sizes.insert(sizes.begin(), one);
  while (repeats->size() < sizes.size())
    repeats->insert(repeats->begin(), one);
  for (auto [size, repeat] : llvm::zip_equal(sizes, *repeats))
    size = Size(size) * Size(repeat);
  return result(makeTensor(self, sizes));
}

static InferredTypes inferRepeatInterleave(const OperatorView &call) {
  FakeTensorType self = getSelf(call);
  Size repeats = call.getArg("repeats").getExpr();
  if (!self || !repeats)
    return failure();
  if (repeats.getInt().value_or(0) < 0)
    return refuse("expected repeats of 0 or more, got " +
                  Twine(*repeats.getInt()));
  if (call.getArg("dim").isNone()) {
    Size numel = getNumElements(call.getContext(), self.getSizes());
    return result(makeTensor(self, (numel * repeats).get()));
  }
  std::optional<int64_t> dim = wrapDim(call.getArg("dim"), self.getRank());
  if (!dim || self.getRank() == 0)
    return failure();
  Sizes sizes(self.getSizes());
  sizes[*dim] = Size(sizes[*dim]) * repeats;
  return result(makeTensor(self, sizes));
}

/// `pad` is a list of pairs (before, after), the last dimension first.
static InferredTypes inferPad(const OperatorView &call) {
  FakeTensorType self = getSelf(call);
  std::optional<Sizes> pad = call.getArg(1).getExprs();
  if (!self || !pad)
    return failure();
  if (pad->size() % 2 || int64_t(pad->size()) > 2 * self.getRank())
    return refuse("expected pairs of numbers, " + Twine(self.getRank()) +
                  " at most, got " + toText(*pad));
  Sizes sizes(self.getSizes());
  for (size_t i = 0; i < pad->size() / 2; ++i) {
    ExprAttr &size = sizes[sizes.size() - 1 - i];
    size = Size(size) + Size((*pad)[2 * i]) + Size((*pad)[2 * i + 1]);
  }
  return result(makeTensor(self, sizes));
}

static InferredTypes inferPixelShuffle(const OperatorView &call) {
  FakeTensorType self = getSelf(call);
  std::optional<int64_t> factor = call.getArg(1).getInt();
  if (!self || !factor)
    return failure();
  if (self.getRank() < 3)
    return refuse("expected a tensor of rank 3 or more, got " +
                  Twine(self.getRank()));
  if (*factor <= 0)
    return refuse("expected a factor above 0, got " + Twine(*factor));
  Sizes sizes(self.getSizes());
  size_t channel = sizes.size() - 3;
  int64_t squared;
  // Only a size of 0 is a multiple of a square that exceeds int64.
  if (llvm::MulOverflow(*factor, *factor, squared))
    return refuse("expected a factor whose square has 63 bits, got " +
                  Twine(*factor));
  Size square = makeSize(call.getContext(), squared);
  bool isShuffle = call.getSchema().getName() == "aten.pixel_shuffle.default";
  auto divides = [&](Size size, int64_t by) {
    return !size.getInt() || *size.getInt() % by == 0;
  };
  bool fits = isShuffle ? divides(sizes[channel], squared)
                        : divides(sizes[channel + 1], *factor) &&
                              divides(sizes[channel + 2], *factor);
  if (!fits)
    return refuse("expected sizes that the factor " + Twine(*factor) +
                  " divides, got " + toText(sizes));
  sizes[channel] = isShuffle ? Size(sizes[channel]).exactDiv(square)
                             : Size(sizes[channel]) * square;
  for (size_t i = channel + 1; i < sizes.size(); ++i)
    sizes[i] =
        isShuffle ? Size(sizes[i]) * *factor : Size(sizes[i]).floorDiv(*factor);
  return result(makeTensor(self, sizes));
}

static InferredTypes inferDiff(const OperatorView &call) {
  FakeTensorType self = getSelf(call);
  std::optional<int64_t> n = call.getArg("n").getInt();
  if (!self || !n)
    return failure();
  if (self.getRank() == 0 || *n < 0)
    return refuse("expected a tensor of rank 1 or more and n of 0 or more, got "
                  "rank " +
                  Twine(self.getRank()) + " and " + Twine(*n));
  std::optional<int64_t> dim = wrapDim(call.getArg("dim"), self.getRank());
  if (!dim)
    return failure();
  Sizes sizes(self.getSizes());
  for (StringRef name : {"prepend", "append"})
    if (FakeTensorType tensor = getTensor(call.findArg(name))) {
      if (tensor.getRank() != self.getRank())
        return failure();
      sizes[*dim] = Size(sizes[*dim]) + Size(tensor.getSizes()[*dim]);
    }
  // `n` is clamped to the size. A symbolic size is assumed to be at least 2.
  Size size = sizes[*dim];
  if (!size.getInt() && *n > 2)
    return failure();
  sizes[*dim] = size.getInt() ? size.constant(0).max(size - *n) : size - *n;
  return result(makeTensor(self, sizes));
}

void fx::registerCopyShapes(HookTable<ShapeRule> &hooks) {
  hooks.add(inferTo,
            {"aten.to.dtype", "aten.to.dtype_layout", "aten.to.device",
             "aten.to.other", "aten._to_copy.default", "aten.type_as.default",
             "prims.convert_element_type.default"});
  hooks.add(sameAsFirst, {"aten.clone.default", "aten.lift_fresh_copy.default",
                          "aten.lift_fresh.default", "aten.copy.default"});
  hooks.add(inferFlip, {"aten.flip.default"});
  hooks.add(inferRoll, {"aten.roll.default"});
  hooks.add(inferSelectScatter, {"aten.select_scatter.default"});
  hooks.add(inferSliceScatter, {"aten.slice_scatter.default"});
  hooks.add(inferDiagonalScatter, {"aten.diagonal_scatter.default"});
  hooks.add(inferAsStridedScatter, {"aten.as_strided_scatter.default"});
  hooks.add(inferViewAsReal, {"aten.view_as_real.default"});
  hooks.add(inferViewAsComplex, {"aten.view_as_complex.default"});
  hooks.add(inferCat, {"aten.cat.default", "aten.concat.default",
                       "aten.concatenate.default"});
  hooks.add(inferStack, {"aten.stack.default"});
  hooks.add(inferMeshgrid, {"aten.meshgrid.default", "aten.meshgrid.indexing"});
  hooks.add(inferRepeat, {"aten.repeat.default", "aten.tile.default"});
  hooks.add(inferRepeatInterleave, {"aten.repeat_interleave.self_int"});
  hooks.add(inferPad,
            {"aten.pad.default", "aten.constant_pad_nd.default",
             "aten.reflection_pad1d.default", "aten.reflection_pad2d.default",
             "aten.reflection_pad3d.default", "aten.replication_pad1d.default",
             "aten.replication_pad2d.default",
             "aten.replication_pad3d.default"});
  hooks.add(inferPixelShuffle,
            {"aten.pixel_shuffle.default", "aten.pixel_unshuffle.default"});
  hooks.add(inferDiff, {"aten.diff.default"});
}
