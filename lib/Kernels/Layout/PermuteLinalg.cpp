//===- PermuteLinalg.cpp - linalg ops on permuted tensors -----------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Permuter.h"

#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;
using namespace fx::kernel;

/// Rebuilds `op` as a generic that reads and writes `operands` (inputs, then
/// inits). Its loop i is loop `loops[i]` of `op`.
linalg::GenericOp Permuter::rebuild(linalg::LinalgOp op,
                                    ArrayRef<unsigned> loops,
                                    ArrayRef<Permuted> operands) {
  unsigned numLoops = op.getNumLoops();
  SmallVector<AffineExpr> newDims(numLoops);
  SmallVector<unsigned> newLoop(numLoops);
  SmallVector<utils::IteratorType> iterators, old = op.getIteratorTypesArray();
  for (auto [i, loop] : llvm::enumerate(loops)) {
    newDims[loop] = b.getAffineDimExpr(i);
    newLoop[loop] = i;
    iterators.push_back(old[loop]);
  }
  SmallVector<AffineMap> maps;
  SmallVector<Value> inputs, inits;
  SmallVector<Type> types;
  for (auto [i, map] : llvm::enumerate(op.getIndexingMapsArray())) {
    SmallVector<AffineExpr> results =
        permute<AffineExpr>(map.getResults(), operands[i].order);
    maps.push_back(AffineMap::get(numLoops, 0, results, b.getContext())
                       .replaceDimsAndSymbols(newDims, {}, numLoops, 0));
    if (static_cast<int64_t>(i) < op.getNumDpsInputs()) {
      inputs.push_back(operands[i].value);
    } else {
      inits.push_back(operands[i].value);
      types.push_back(operands[i].value.getType());
    }
  }
  auto generic = linalg::GenericOp::create(b, op.getLoc(), types, inputs, inits,
                                           maps, iterators);
  if (isa<linalg::GenericOp>(op.getOperation()))
    generic->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  Region &region = generic.getRegion();
  if (!region.empty())
    region.front().erase();
  b.cloneRegionBefore(op->getRegion(0), region, region.end());
  region.walk([&](linalg::IndexOp index) {
    if (index->getParentOp() == generic)
      index.setDim(newLoop[index.getDim()]);
  });
  return generic;
}

/// Returns true if the op can become a generic with the same maps and region.
static bool isPlain(linalg::LinalgOp op) {
  return op->getNumRegions() == 1 && op->getRegion(0).hasOneBlock() &&
         op->getRegion(0).getNumArguments() == op->getNumOperands() &&
         llvm::all_of(op->getResultTypes(),
                      [](Type t) { return isa<RankedTensorType>(t); });
}

/// Returns the number of inputs that the body reads.
static unsigned numUsedInputs(linalg::LinalgOp op) {
  unsigned used = 0;
  for (int64_t i = 0; i < op.getNumDpsInputs(); ++i)
    used += !op->getRegion(0).getArgument(i).use_empty();
  return used;
}

//===----------------------------------------------------------------------===//
// Convolutions
//===----------------------------------------------------------------------===//

namespace {
/// The orders of a convolution's operands and of its loops.
struct ConvolutionLayout {
  Order image, filter, result;
  SmallVector<unsigned> loops;
};
} // namespace

/// Returns the dimensions in the order of their keys; equal keys keep their
/// order.
static Order sortedBy(ArrayRef<int> keys) {
  Order order = identityOrder(keys.size());
  llvm::stable_sort(order,
                    [&](int64_t x, int64_t y) { return keys[x] < keys[y]; });
  return order;
}

/// Matches a convolution and chooses its channels-last layout.
static std::optional<ConvolutionLayout> analyse(linalg::LinalgOp op) {
  if (op.getNumDpsInputs() != 2 || op.getNumDpsInits() != 1 ||
      op->getNumResults() != 1 || !isPlain(op) || numUsedInputs(op) != 2)
    return std::nullopt;
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  AffineMap image = maps[0], filter = maps[1], result = maps[2];
  if (!filter.isProjectedPermutation() || !result.isProjectedPermutation() ||
      filter.getNumSymbols() || image.getNumSymbols())
    return std::nullopt;
  unsigned numLoops = op.getNumLoops();
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  // Loops that occur in a sum, such as `h * 2 + kh`, in an index of the image,
  // and those that are an index of the image on their own.
  llvm::SmallBitVector inSum(numLoops), alone(numLoops);
  for (AffineExpr expr : image.getResults())
    for (unsigned d = 0; d < numLoops; ++d)
      if (expr.isFunctionOfDim(d))
        (isa<AffineDimExpr>(expr) ? alone : inSum).set(d);
  if (inSum.none() || inSum.anyCommon(alone))
    return std::nullopt;
  enum Kind { Batch, Image, Group, OutChannel, Filter, InChannel };
  SmallVector<Kind> kinds(numLoops);
  bool smallIn = true, smallOut = true, hasGroup = false;
  for (unsigned d = 0; d < numLoops; ++d) {
    bool inFilter = filter.isFunctionOfDim(d),
         inResult = result.isFunctionOfDim(d);
    if (inSum[d]) {
      if (inFilter == inResult)
        return std::nullopt;
      kinds[d] = inResult ? Image : Filter;
    } else if (alone[d]) {
      if (!inFilter && !inResult)
        return std::nullopt;
      kinds[d] = !inFilter ? Batch : inResult ? Group : InChannel;
    } else if (inFilter && inResult) {
      kinds[d] = OutChannel;
    } else {
      return std::nullopt;
    }
    smallIn &= kinds[d] != InChannel || ranges[d] == 1;
    smallOut &= kinds[d] != OutChannel || ranges[d] == 1;
    hasGroup |= kinds[d] == Group;
  }
  // Operands of a depthwise convolution have the groups as last dimension.
  bool depthwise = hasGroup && smallIn && smallOut;
  auto kindOf = [&](AffineExpr expr) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    return dim ? kinds[dim.getPosition()] : Image;
  };
  auto rank = [&](Kind kind, std::initializer_list<Kind> order) {
    return llvm::find(order, kind) - order.begin();
  };
  SmallVector<int> imageKeys, filterKeys, resultKeys, loopKeys;
  for (AffineExpr expr : image.getResults())
    imageKeys.push_back(
        depthwise ? rank(kindOf(expr), {Batch, Image, InChannel, Group})
                  : rank(kindOf(expr), {Batch, Image, Group, InChannel}));
  for (AffineExpr expr : filter.getResults())
    filterKeys.push_back(
        depthwise ? rank(kindOf(expr), {OutChannel, InChannel, Filter, Group})
                  : rank(kindOf(expr), {Group, Filter, InChannel, OutChannel}));
  for (AffineExpr expr : result.getResults())
    resultKeys.push_back(
        depthwise ? rank(kindOf(expr), {Batch, Image, OutChannel, Group})
                  : rank(kindOf(expr), {Batch, Image, Group, OutChannel}));
  ConvolutionLayout layout;
  layout.image = sortedBy(imageKeys);
  layout.filter = sortedBy(filterKeys);
  layout.result = sortedBy(resultKeys);
  for (int64_t d : layout.result)
    layout.loops.push_back(result.getDimPosition(d));
  for (int64_t d : layout.filter)
    if (unsigned loop = filter.getDimPosition(d);
        kinds[loop] == Filter || kinds[loop] == InChannel)
      layout.loops.push_back(loop);
  if (layout.loops.size() != numLoops)
    return std::nullopt;
  return layout;
}

bool Permuter::visitConvolution(linalg::LinalgOp op) {
  std::optional<ConvolutionLayout> layout = analyse(op);
  if (!layout)
    return false;
  ++numConvolutions;
  bool isInOrder = isIdentity(layout->image) && isIdentity(layout->filter) &&
                   isIdentity(layout->result);
  if (isInOrder && isa<linalg::GenericOp>(op.getOperation()) &&
      !anyPermuted(op->getOperands()))
    return false;
  Permuted image{get(op->getOperand(0), layout->image), layout->image};
  Permuted filter{get(op->getOperand(1), layout->filter), layout->filter};
  Permuted init{get(op->getOperand(2), layout->result), layout->result};
  linalg::GenericOp generic = rebuild(op, layout->loops, {image, filter, init});
  hold(op->getResult(0), generic->getResult(0), layout->result);
  return true;
}

//===----------------------------------------------------------------------===//
// Other linalg ops
//===----------------------------------------------------------------------===//

bool Permuter::visitTranspose(linalg::TransposeOp op) {
  Permuted input = held(op.getInput());
  Order where = inverse(op.getPermutation()), order;
  for (int64_t d : input.order)
    order.push_back(where[d]);
  hold(op->getResult(0), input.value, order);
  return true;
}

/// Returns true if each map of an init is a projected permutation, and no map
/// has symbols.
static bool hasPlainMaps(linalg::LinalgOp op) {
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  return llvm::all_of(
             ArrayRef(maps).drop_front(op.getNumDpsInputs()),
             [](AffineMap map) { return map.isProjectedPermutation(); }) &&
         llvm::all_of(maps,
                      [](AffineMap map) { return map.getNumSymbols() == 0; });
}

/// The position of a loop that no dimension depends on.
static constexpr unsigned kNone = ~0u;

/// Returns, for each loop, the first position in `order` of a dimension of the
/// operand that depends on the loop.
static SmallVector<unsigned> placeLoops(AffineMap map,
                                        ArrayRef<int64_t> order) {
  unsigned numLoops = map.getNumDims();
  SmallVector<unsigned> where(numLoops, kNone);
  for (auto [k, d] : llvm::enumerate(order))
    for (unsigned loop = 0; loop < numLoops; ++loop)
      if (map.getResult(d).isFunctionOfDim(loop) && where[loop] == kNone)
        where[loop] = k;
  return where;
}

static int64_t countPlaced(ArrayRef<unsigned> where) {
  return llvm::count_if(where, [](unsigned k) { return k != kNone; });
}

SmallVector<unsigned>
Permuter::findLoopPlaces(linalg::LinalgOp op,
                         const std::optional<Order> &forced) {
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  if (forced)
    return placeLoops(maps[op.getNumDpsInputs()], *forced);
  SmallVector<unsigned> at(op.getNumLoops(), kNone);
  for (OpOperand &operand : op->getOpOperands())
    if (isPermuted(operand.get())) {
      SmallVector<unsigned> where = placeLoops(maps[operand.getOperandNumber()],
                                               held(operand.get()).order);
      if (countPlaced(where) > countPlaced(at))
        at = where;
    }
  return at;
}

/// Returns true if the loops keep their order. A contraction keeps the order of
/// its result. So does an op that broadcasts the permuted operand along further
/// loops. The indexing maps absorb the permutation.
static bool keepsLoops(linalg::LinalgOp op, ArrayRef<unsigned> at,
                       bool isForced) {
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
  bool isContraction = op.getNumReductionLoops() > 0 && numUsedInputs(op) > 1;
  bool keep = isContraction && !isForced;
  for (unsigned d = 0; d < op.getNumLoops(); ++d)
    if (iterators[d] == utils::IteratorType::parallel && at[d] == kNone)
      keep |= llvm::any_of(ArrayRef(maps).drop_front(op.getNumDpsInputs()),
                           [&](AffineMap m) { return m.isFunctionOfDim(d); }) &&
              op.getStaticLoopRanges()[d] != 1;
  return keep;
}

/// Returns the loops sorted by their positions `at`, parallel loops first.
static SmallVector<unsigned> sortLoops(linalg::LinalgOp op,
                                       ArrayRef<unsigned> at) {
  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
  SmallVector<unsigned> loops =
      llvm::to_vector(llvm::seq<unsigned>(0, op.getNumLoops()));
  llvm::stable_sort(loops, [&](unsigned x, unsigned y) {
    bool p = iterators[x] == utils::IteratorType::parallel,
         q = iterators[y] == utils::IteratorType::parallel;
    return p != q ? p : at[x] < at[y];
  });
  return loops;
}

/// Returns the dimensions of `map`, a projected permutation, in the order of
/// `loops`.
static Order followLoops(AffineMap map, ArrayRef<unsigned> loops) {
  SmallVector<unsigned> position(loops.size());
  for (auto [i, loop] : llvm::enumerate(loops))
    position[loop] = i;
  Order order = identityOrder(map.getNumResults());
  llvm::stable_sort(order, [&](int64_t x, int64_t y) {
    return position[map.getDimPosition(x)] < position[map.getDimPosition(y)];
  });
  return order;
}

SmallVector<Permuted> Permuter::permuteOperands(linalg::LinalgOp op,
                                                ArrayRef<unsigned> loops,
                                                bool keep) {
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  SmallVector<Permuted> operands;
  for (OpOperand &operand : op->getOpOperands()) {
    AffineMap map = maps[operand.getOperandNumber()];
    Value v = operand.get();
    bool isInit = operand.getOperandNumber() >= op.getNumDpsInputs();
    if (!isa<RankedTensorType>(v.getType())) {
      operands.push_back({v, {}});
      continue;
    }
    // An operand that all loops walk is transposed once to the order of the
    // loops. Otherwise every use would read it with strides.
    bool whole = !keep && map.isPermutation() && !isPermuted(v);
    Order order = keep && isInit    ? identityOrder(map.getNumResults())
                  : isInit || whole ? followLoops(map, loops)
                                    : held(v).order;
    operands.push_back({get(v, order), order});
  }
  return operands;
}

bool Permuter::visitLinalg(linalg::LinalgOp op, std::optional<Order> forced) {
  if (!isPlain(op) || isa<linalg::FillOp>(op.getOperation()) ||
      !hasPlainMaps(op))
    return false;
  SmallVector<unsigned> at = findLoopPlaces(op, forced);
  bool keep = keepsLoops(op, at, forced.has_value());
  SmallVector<unsigned> loops =
      keep ? llvm::to_vector(llvm::seq<unsigned>(0, op.getNumLoops()))
           : sortLoops(op, at);
  SmallVector<Permuted> operands = permuteOperands(op, loops, keep);
  linalg::GenericOp generic = rebuild(op, loops, operands);
  for (OpResult result : op->getResults())
    hold(result, generic->getResult(result.getResultNumber()),
         operands[op.getNumDpsInputs() + result.getResultNumber()].order);
  return true;
}
