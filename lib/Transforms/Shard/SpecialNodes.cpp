//===- SpecialNodes.cpp - nodes whose division is no factor ---------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Sharder.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace fx;
using namespace fx::shard;

/// Nodes that are linear in partial operands, and have no divided ones: their
/// result is partial, and is reduced later, maybe once for several.
bool Sharder::visitLinear(const OperatorView &call) {
  SmallVector<unsigned> summands;
  for (auto [i, operand] : llvm::enumerate(call->getOperands())) {
    if (getPlacement(operand).isShard())
      return false;
    if (getPlacement(operand).isPartial())
      summands.push_back(i);
  }
  if (summands.empty() || !isLinearIn(call, summands))
    return false;
  bool adds = call.getSchema().getName() == "aten.index_add.default";
  IRMapping mapping;
  for (auto [i, operand] : llvm::enumerate(call->getOperands())) {
    Placement placement;
    if (llvm::is_contained(summands, i) || (adds && i == 0))
      placement = Placement::partial();
    mapping.map(operand, isa<FakeTensorType>(operand.getType())
                             ? get(operand, placement)
                             : lookup(operand).value);
  }
  Operation *copy = b.clone(*call.getOperation(), mapping);
  for (auto [from, to] :
       llvm::zip_equal(call->getResults(), copy->getResults())) {
    to.setType(cast<FakeTensorType>(to.getType()).withoutMeta());
    setResult(from, to, Placement::partial());
  }
  return true;
}

bool Sharder::visitSpecial(const OperatorView &call) {
  StringRef name = call.getSchema().getName();
  if (name == "aten.embedding.default")
    return visitEmbedding(call);
  if (name == "aten.cat.default")
    return visitCat(call);
  if (name == "aten._assert_tensor_metadata.default" ||
      name.starts_with("aten.sym_size"))
    return visitCheck(call);
  return visitParts(call) || visitStackedView(call) || visitMerge(call);
}

/// The weight has a part of the vocabulary. The rows of indices outside of it
/// are zeros, and the sum of all ranks is the result.
bool Sharder::visitEmbedding(const OperatorView &call) {
  Value weight = call->getOperand(0), indices = call->getOperand(1);
  const Placement placement = getPlacement(weight);
  if (!placement.isShard() || placement.dim != 0 ||
      !placement.sections.empty() || getPlacement(indices).isShard())
    return false;
  Location loc = call.getLoc();
  Value local = get(weight, placement);
  Value index = get(indices, Placement::replicate());
  auto type = cast<FakeTensorType>(index.getType()).withoutMeta();
  auto mask = type.withDtype(b.getI1Type());
  auto result =
      cast<FakeTensorType>(call->getResult(0).getType()).withoutMeta();
  int64_t rows = cast<FakeTensorType>(local.getType()).getDimSize(0);
  auto make = [&](StringRef target, Type to, ArrayRef<ArgumentTree> args) {
    return this->call(loc, target, to, args);
  };
  Value place =
      make("aten.sub.Tensor", type, {index, integer(rows * options.rank)});
  Value below = make("aten.lt.Scalar", mask, {place, integer(0)});
  Value above = make("aten.ge.Scalar", mask, {place, integer(rows)});
  Value outside = make("aten.bitwise_or.Tensor", mask, {below, above});
  Value valid =
      make("aten.masked_fill.Scalar", type, {place, outside, integer(0)});
  Value found = make("aten.embedding.default", result, {local, valid});
  SmallVector<ExprAttr> sizes(mask.getSizes());
  sizes.push_back(ExprAttr::integer(b.getContext(), 1));
  Value wide = make("aten.unsqueeze.default", mask.withSizes(sizes),
                    {outside, integer(-1)});
  Value rest =
      make("aten.masked_fill.Scalar", result, {found, wide, number(0)});
  setResult(call->getResult(0), rest, Placement::partial());
  return true;
}

/// Slices and splits along a dimension of several sections: each result has
/// whole sections.
bool Sharder::visitParts(const OperatorView &call) {
  StringRef name = call.getSchema().getName();
  if (name != "aten.slice.Tensor" && name != "aten.narrow.default" &&
      name != "aten.split.Tensor" && name != "aten.split.sizes" &&
      name != "aten.split_with_sizes.default" && name != "aten.chunk.default")
    return false;
  Value self = call->getOperand(0);
  const Placement placement = getPlacement(self);
  FakeTensorType type = getOperandType(call, 0);
  if (!placement.isShard() || placement.sections.empty() ||
      getDim(call, "dim", type.getRank()) != Dim(placement.dim))
    return false;
  unsigned dim = placement.dim;
  int64_t size = type.getDimSize(dim), from = 0;
  if (name == "aten.narrow.default" || name == "aten.slice.Tensor") {
    std::optional<int64_t> start = call.getArg("start").getInt();
    bool skips = call.declares("step") && call.getArg("step").getInt() != 1;
    if (skips || (!start && !call.getArg("start").isNone()))
      return false;
    from = start.value_or(0) < 0 ? *start + size : start.value_or(0);
  }
  // The sections of each result, in elements of the whole and of the part.
  struct Piece {
    SmallVector<int64_t> sections;
    int64_t localFrom = 0, localTo = 0;
  };
  SmallVector<Piece> pieces;
  for (unsigned i = 0; i < call->getNumResults(); ++i) {
    FakeTensorType result = getResultType(call, i);
    if (!result || ShapedType::isDynamic(result.getDimSize(dim)))
      return false;
    int64_t to = from + result.getDimSize(dim), begin = 0;
    Piece piece;
    piece.localFrom = from / options.ranks;
    piece.localTo = to / options.ranks;
    int64_t covered = from;
    for (int64_t section : placement.sections) {
      if (begin == covered && begin + section <= to) {
        piece.sections.push_back(section);
        covered += section;
      }
      begin += section;
    }
    if (covered != to || piece.sections.empty())
      return false;
    pieces.push_back(piece);
    from = to;
  }
  Value local = get(self, placement);
  for (auto [result, piece] : llvm::zip_equal(call->getResults(), pieces))
    setResult(result,
              slice(local, dim, piece.localFrom, piece.localTo, call.getLoc()),
              Placement::shard(dim, piece.sections));
  return true;
}

/// A concatenation of divided tensors along their divided dimension has one
/// section for each.
bool Sharder::visitCat(const OperatorView &call) {
  FakeTensorType type = getResultType(call);
  Dim dim = type ? getDim(call, "dim", type.getRank()) : std::nullopt;
  if (!dim)
    return false;
  SmallVector<int64_t> sections;
  for (auto [i, operand] : llvm::enumerate(call->getOperands())) {
    const Placement &placement = getPlacement(operand);
    if (placement != Placement::shard(*dim))
      return false;
    sections.push_back(getOperandType(call, i).getDimSize(*dim));
  }
  Placement placement = Placement::shard(*dim, sections);
  if (!isDivisible(placement, type, options.ranks))
    return false;
  SmallVector<Value> parts;
  for (Value operand : call->getOperands())
    parts.push_back(get(operand, Placement::shard(*dim)));
  setResult(call->getResult(0), concatenate(parts, *dim, call.getLoc()),
            placement);
  return true;
}

/// A view of a dimension of k equal sections as [k, n, ...]: dimension n is
/// divided.
bool Sharder::visitStackedView(const OperatorView &call) {
  StringRef name = call.getSchema().getName();
  if (name != "aten.view.default" && name != "aten.reshape.default" &&
      name != "aten._unsafe_view.default" && name != "aten.unflatten.int")
    return false;
  Value self = call->getOperand(0);
  const Placement placement = getPlacement(self);
  FakeTensorType from = getOperandType(call, 0), to = getResultType(call);
  if (!from || !to || !placement.isShard() || placement.sections.empty() ||
      !llvm::all_equal(placement.sections))
    return false;
  unsigned dim = placement.dim, first = 0;
  // The dimensions in front must be the same.
  while (first < dim && first < to.getRank() &&
         from.getSizes()[first] == to.getSizes()[first])
    ++first;
  int64_t count = placement.sections.size();
  if (first != dim || dim + 1 >= to.getRank() || to.getDimSize(dim) != count)
    return false;
  // So must be the dimensions behind.
  unsigned behind = from.getRank() - dim - 1;
  unsigned end = to.getRank() - behind;
  if (to.getRank() < behind || end < dim + 2 ||
      from.getSizes().take_back(behind) != to.getSizes().take_back(behind))
    return false;
  Placement result = Placement::shard(dim + 1);
  if (!isDivisible(result, to, options.ranks))
    return false;
  SmallVector<ArgumentTree> sizes;
  FakeTensorType local = getLocalType(to, result, options.ranks);
  for (unsigned i = dim; i < end; ++i) {
    int64_t size = local.getDimSize(i);
    if (ShapedType::isDynamic(size))
      return false;
    sizes.push_back(integer(size));
  }
  Value value = this->call(call.getLoc(), "aten.unflatten.int", local,
                           {get(self, placement), integer(dim),
                            ArgumentTree::list(b.getContext(), sizes)});
  setResult(call->getResult(0), value, result);
  return true;
}

/// A view of [k, n] as [k * n] where n is divided: the result has k sections.
bool Sharder::visitMerge(const OperatorView &call) {
  StringRef name = call.getSchema().getName();
  if (name != "aten.view.default" && name != "aten.reshape.default" &&
      name != "aten._unsafe_view.default" && name != "aten.flatten.using_ints")
    return false;
  Value self = call->getOperand(0);
  const Placement placement = getPlacement(self);
  FakeTensorType from = getOperandType(call, 0), to = getResultType(call);
  if (!from || !to || !placement.isShard() || !placement.sections.empty())
    return false;
  // A limit, because the sections are slices where the whole is needed.
  constexpr size_t kMaxSections = 64;
  std::optional<MergedDim> merged = findMergedDim(from, to, placement.dim);
  if (!merged || merged->sections.size() < 2 ||
      merged->sections.size() > kMaxSections)
    return false;
  Placement result = Placement::shard(merged->dim, merged->sections);
  if (!isDivisible(result, to, options.ranks))
    return false;
  FakeTensorType local = getLocalType(to, result, options.ranks);
  SmallVector<int64_t> sizes;
  for (int64_t dim = 0; dim < local.getRank(); ++dim)
    sizes.push_back(local.getDimSize(dim));
  // At most one size may be left to infer.
  if (llvm::count_if(sizes, ShapedType::isDynamic) > 1)
    return false;
  for (int64_t &size : sizes)
    if (ShapedType::isDynamic(size))
      size = -1;
  setResult(call->getResult(0),
            this->call(call.getLoc(), "aten.reshape.default", local,
                       {get(self, placement), integers(sizes)}),
            result);
  return true;
}

/// A check of a dtype holds for a part. Its sizes and strides were those of the
/// whole.
bool Sharder::visitCheck(const OperatorView &call) {
  IRMapping mapping;
  for (Value operand : call->getOperands()) {
    // Redistribution keeps dtypes.
    mapping.map(operand, lookup(operand).value);
  }
  if (call.getSchema().getName().starts_with("aten.sym_size")) {
    FakeTensorType type = getOperandType(call, 0);
    const Placement &placement = getPlacement(call->getOperand(0));
    Dim dim = getDim(call, "dim", type.getRank());
    if (!dim || (placement.isShard() && placement.dim == *dim))
      return false;
  } else if (!call.getArg("size").isNone() || !call.getArg("stride").isNone()) {
    // Keep the dtype, device and layout alone.
    SmallVector<ArgumentTree> args = {mapping.lookup(call->getOperand(0))};
    SmallVector<StringRef> names;
    for (const ArgumentSchema &argument : call.getSchema().getArguments()) {
      StringRef name = argument.getName();
      Argument given = call.findArg(name);
      if ((name != "dtype" && name != "device" && name != "layout") ||
          given.isNone())
        continue;
      names.push_back(name);
      args.push_back(given);
    }
    createCall(b, call.getLoc(), call.getSchema().getName(), {}, args, names);
    return true;
  }
  Operation *copy = b.clone(*call.getOperation(), mapping);
  for (auto [from, to] :
       llvm::zip_equal(call->getResults(), copy->getResults()))
    setResult(from, to, Placement::replicate());
  return true;
}

/// A contraction with a bias whose summed dimension is divided: the bias is
/// added to the sum of all ranks.
bool Sharder::visitBiasedSum(const OperatorView &call, const Factor &factor,
                             ArrayRef<int64_t> sections) {
  StringRef name = call.getSchema().getName();
  bool isAdded = name == "aten.addmm.default" || name == "aten.baddbmm.default";
  if (!isAdded && (!call.declares("bias") || call.getArg("bias").isNone()))
    return false;
  unsigned first = isAdded ? 1 : 0;
  for (ArgName scale : {ArgName("alpha"), ArgName("beta")})
    if (isAdded && call.getArg(scale).getFloat() != 1.0)
      return false;
  SmallVector<Placement> placements;
  for (unsigned i = first; i < first + 2; ++i) {
    if (!factor.operands[i])
      return false;
    placements.push_back(Placement::shard(*factor.operands[i], sections));
    if (!isDivisible(placements.back(), getOperandType(call, i), options.ranks))
      return false;
  }
  Location loc = call.getLoc();
  auto type = cast<FakeTensorType>(call->getResult(0).getType()).withoutMeta();
  Value x = get(call->getOperand(first), placements[0]);
  Value weight = get(call->getOperand(first + 1), placements[1]);
  Value bias = isAdded ? call->getOperand(0) : call.getArg("bias").getValue();
  Value product;
  if (name == "aten.addmm.default")
    product = this->call(loc, "aten.mm.default", type, {x, weight});
  else if (name == "aten.baddbmm.default")
    product = this->call(loc, "aten.bmm.default", type, {x, weight});
  else if (name == "aten.linear.default")
    product = this->call(loc, name, type, {x, weight});
  else {
    // A convolution keeps its other arguments.
    IRMapping mapping;
    mapping.map(call->getOperand(0), x);
    mapping.map(call->getOperand(1), weight);
    SmallVector<ArgumentTree> args = {x, weight,
                                      Attribute(NoneAttr::get(b.getContext()))};
    SmallVector<StringRef> names;
    for (const ArgumentSchema &argument :
         call.getSchema().getArguments().drop_front(3)) {
      Argument given = call.findArg(argument.getName());
      if (!given)
        continue;
      if (!given.operands.empty())
        return false;
      names.push_back(argument.getName());
      args.push_back(given);
    }
    product = createCall(b, namer.rename(loc, "conv"), name, type, args, names)
                  ->getResult(0);
  }
  Value sum = reduce(product, loc);
  Value added = get(bias, Placement::replicate());
  auto biasType = cast<FakeTensorType>(added.getType());
  if (!isAdded && name != "aten.linear.default" && type.getRank() > 2) {
    // The bias of a convolution is one of channels.
    SmallVector<ExprAttr> sizes(biasType.getSizes());
    SmallVector<int64_t> ints = {biasType.getDimSize(0)};
    for (int64_t dim = 2; dim < type.getRank(); ++dim) {
      sizes.push_back(ExprAttr::integer(b.getContext(), 1));
      ints.push_back(1);
    }
    added = this->call(loc, "aten.view.default", biasType.withSizes(sizes),
                       {added, integers(ints)});
  }
  Operation *result = createCall(b, loc, "aten.add.Tensor", type, {sum, added});
  setResult(call->getResult(0), result->getResult(0), Placement::replicate());
  return true;
}
