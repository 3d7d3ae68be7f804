//===- GroupedContractions.cpp - weights with scales by group -------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// With x = (q - z) s and w = p t[g], g being the group of a term,
//
//   sum x w = s (sum over g of t[g] (sum q p) - z sum over g of t[g] (sum p)).
//
// The sums within a group are exact. The second sum depends on the weights
// only. With floats x and w = (p - z[g]) t[g],
//
//   sum x w = sum over g of t[g] (sum x p) - sum over g of z[g] t[g] (sum x),
//
// where z[g] t[g] depends on the weights only.
//
//===----------------------------------------------------------------------===//

#include "Dequantized.h"
#include "fx/Kernels/ConvertElements.h"
#include "fx/Kernels/Nibbles.h"
#include "fx/Kernels/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/STLExtras.h"

namespace fx::kernel {
#define GEN_PASS_DEF_FLATTENGROUPSPASS
#include "fx/Kernels/Passes.h.inc"
} // namespace fx::kernel

using namespace mlir;
using namespace fx::kernel;

using Kind = utils::IteratorType;

/// Reassociation between [columns, terms] and [columns, groups, terms of a
/// group].
static SmallVector<ReassociationIndices> groupIndices() {
  return {{0}, {1, 2}};
}

/// Returns true if `op` computes p * t or (p - z) * t from bytes `p`, f32 `t`
/// and integers `z`, its inputs in this order.
static bool isScaling(linalg::GenericOp op) {
  if (!op || op.getNumDpsInputs() < 2 || op.getNumDpsInputs() > 3 ||
      op->getNumResults() != 1 || op.getNumReductionLoops())
    return false;
  auto element = [&](unsigned i) {
    return getElementTypeOrSelf(op.getInputs()[i].getType());
  };
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  bool hasZeros = op.getNumDpsInputs() == 3;
  if (!element(0).isInteger(8) || !element(1).isF32() ||
      !maps[0].isIdentity() || !maps.back().isIdentity() ||
      (hasZeros && maps[1] != maps[2]))
    return false;
  Block *body = op.getBody();
  auto converts = [&](Value v, unsigned i) {
    auto convert = v.getDefiningOp<arith::SIToFPOp>();
    return convert && convert.getIn() == body->getArgument(i);
  };
  auto mul =
      body->getTerminator()->getOperand(0).getDefiningOp<arith::MulFOp>();
  if (!mul || mul.getRhs() != body->getArgument(1))
    return false;
  if (!hasZeros)
    return converts(mul.getLhs(), 0);
  auto sub = mul.getLhs().getDefiningOp<arith::SubFOp>();
  return sub && converts(sub.getLhs(), 0) && converts(sub.getRhs(), 2);
}

/// Returns the type of `v` if it is a static tensor of rank `rank`.
static RankedTensorType staticType(Value v, int64_t rank) {
  auto type = dyn_cast<RankedTensorType>(v.getType());
  return type && type.hasStaticShape() && type.getRank() == rank ? type
                                                                 : nullptr;
}

/// Creates a copy of the scaling `like`, with bytes `p` and other `parameters`
/// (scales and zero points), whose indexing map is `map`.
static Value makeScaling(OpBuilder &b, linalg::GenericOp like, Value p,
                         ArrayRef<Value> parameters, AffineMap map) {
  auto type = cast<RankedTensorType>(p.getType());
  SmallVector<Value> inputs{p};
  llvm::append_range(inputs, parameters);
  AffineMap whole = b.getMultiDimIdentityMap(type.getRank());
  SmallVector<AffineMap> maps(inputs.size() + 1, map);
  maps.front() = maps.back() = whole;
  Value empty = tensor::EmptyOp::create(b, like.getLoc(), type.getShape(),
                                        b.getF32Type());
  auto op = linalg::GenericOp::create(
      b, like.getLoc(), TypeRange(empty.getType()), inputs, empty, maps,
      SmallVector<Kind>(type.getRank(), Kind::parallel));
  IRMapping mapping;
  like.getRegion().cloneInto(&op.getRegion(), mapping);
  return op.getResult(0);
}

/// Replaces a collapsed scaling of [columns, groups, terms of a group] by one
/// of [columns, terms], whose scales are at k floordiv size.
static void flatten(tensor::CollapseShapeOp collapse) {
  auto op = collapse.getSrc().getDefiningOp<linalg::GenericOp>();
  if (!isScaling(op) || collapse.getReassociationIndices() != groupIndices())
    return;
  MLIRContext *context = op.getContext();
  RankedTensorType type = staticType(op.getInputs()[0], 3);
  if (!type || type.getDimSize(1) < 2)
    return;
  OpBuilder b(collapse);
  AffineMap map = op.getIndexingMapsArray()[1],
            byColumn = b.getMultiDimIdentityMap(3).dropResult(2),
            byGroup =
                AffineMap::getPermutationMap(ArrayRef<int64_t>{1, 0}, context)
                    .compose(byColumn);
  if (map != byColumn && map != byGroup)
    return;
  SmallVector<Value> parameters(op.getInputs().drop_front());
  for (Value &parameter : parameters) {
    if (!staticType(parameter, 2))
      return;
    if (map == byGroup)
      parameter = transpose(b, op.getLoc(), parameter, {1, 0});
  }
  auto expand = op.getInputs()[0].getDefiningOp<tensor::ExpandShapeOp>();
  Value values = expand && expand.getReassociationIndices() == groupIndices()
                     ? expand.getSrc()
                     : tensor::CollapseShapeOp::create(
                           b, op.getLoc(), op.getInputs()[0], groupIndices());
  AffineExpr group = b.getAffineDimExpr(1).floorDiv(type.getDimSize(2));
  AffineMap scales =
      AffineMap::get(2, 0, {b.getAffineDimExpr(0), group}, context);
  collapse.replaceAllUsesWith(makeScaling(b, op, values, parameters, scales));
  collapse.erase();
  if (op->use_empty())
    op.erase();
}

/// Matches a grouped weight without views.
static std::optional<GroupedWeight> matchFlat(linalg::GenericOp op) {
  if (!isScaling(op) || !staticType(op.getInputs()[0], 2) ||
      !staticType(op.getInputs()[1], 2))
    return std::nullopt;
  AffineMap map = op.getIndexingMapsArray()[1];
  auto group = dyn_cast<AffineBinaryOpExpr>(map.getResults().back());
  auto size = group && group.getKind() == AffineExprKind::FloorDiv
                  ? dyn_cast<AffineConstantExpr>(group.getRHS())
                  : nullptr;
  OpBuilder b(op);
  if (!size || map.getResult(0) != b.getAffineDimExpr(0) ||
      group.getLHS() != b.getAffineDimExpr(1))
    return std::nullopt;
  GroupedWeight w;
  w.op = op;
  w.quantized = op.getInputs()[0];
  w.scales = op.getInputs()[1];
  if (op.getNumDpsInputs() == 3)
    w.zeros = op.getInputs()[2];
  w.size = size.getValue();
  return w;
}

std::optional<GroupedWeight> fx::kernel::matchGrouped(Value tensor) {
  SmallVector<tensor::ExpandShapeOp> views;
  while (auto expand = tensor.getDefiningOp<tensor::ExpandShapeOp>()) {
    views.insert(views.begin(), expand);
    tensor = expand.getSrc();
  }
  auto op = tensor.getDefiningOp<linalg::GenericOp>();
  std::optional<GroupedWeight> w = op ? matchFlat(op) : std::nullopt;
  if (w)
    w->views = views;
  return w;
}

void fx::kernel::splitGroups(func::FuncOp func) {
  SmallVector<GroupedWeight> found;
  func.walk([&](linalg::GenericOp op) {
    if (std::optional<GroupedWeight> w = matchFlat(op))
      found.push_back(*w);
  });
  for (GroupedWeight &w : found) {
    OpBuilder b(w.op);
    Location loc = w.op.getLoc();
    auto type = cast<RankedTensorType>(w.quantized.getType());
    int64_t groups = type.getDimSize(1) / w.size;
    Value p = tensor::ExpandShapeOp::create(
        b, loc,
        RankedTensorType::get({type.getDimSize(0), groups, w.size},
                              type.getElementType()),
        w.quantized, groupIndices());
    Value scaled = makeScaling(
        b, w.op, p, SmallVector<Value>(w.op.getInputs().drop_front()),
        b.getMultiDimIdentityMap(3).dropResult(2));
    Value flat =
        tensor::CollapseShapeOp::create(b, loc, scaled, groupIndices());
    w.op->getResult(0).replaceAllUsesWith(flat);
    w.op.erase();
  }
}

namespace {
/// A grouped weight as the contraction views it: dimensions of the columns,
/// then dimensions of the terms. The scales have one dimension for the groups.
struct Viewed {
  Value values, scales;
  /// The products of zero points and scales; null: there are none.
  Value offsets;
  unsigned numColumns = 1;
};
} // namespace

/// Returns the products of the zero points and scales, [columns, groups].
static Value multiplyZeros(OpBuilder &b, Location loc, GroupedWeight &w) {
  AffineMap map = b.getMultiDimIdentityMap(2);
  Value empty = tensor::EmptyOp::create(
      b, loc, cast<RankedTensorType>(w.scales.getType()).getShape(),
      b.getF32Type());
  return linalg::GenericOp::create(
             b, loc, TypeRange(empty.getType()), ValueRange{w.zeros, w.scales},
             empty, ArrayRef<AffineMap>{map, map, map},
             ArrayRef<Kind>{Kind::parallel, Kind::parallel},
             [&](OpBuilder &nested, Location at, ValueRange x) {
               Value z =
                   arith::SIToFPOp::create(nested, at, b.getF32Type(), x[0]);
               linalg::YieldOp::create(
                   nested, at,
                   arith::MulFOp::create(nested, at, z, x[1]).getResult());
             })
      .getResult(0);
}

static Viewed view(OpBuilder &b, Location loc, GroupedWeight &w) {
  SmallVector<ReassociationIndices> dims = {{0}, {1}};
  ArrayRef<int64_t> shape =
      cast<RankedTensorType>(w.quantized.getType()).getShape();
  for (tensor::ExpandShapeOp expand : w.views) {
    SmallVector<ReassociationIndices> split = expand.getReassociationIndices();
    for (ReassociationIndices &of : dims) {
      ReassociationIndices all;
      for (int64_t d : of)
        llvm::append_range(all, split[d]);
      of = all;
    }
    shape = expand.getResultType().getShape();
  }
  Viewed v;
  v.numColumns = dims[0].size();
  // Extract nibbles behind the views, where fx-cpu-pack-weights expects it.
  linalg::GenericOp nibbles = getNibbles(w.quantized);
  v.values = nibbles ? nibbles.getInputs()[0] : w.quantized;
  // Extend scales behind the views, for the same reason.
  linalg::GenericOp extension = getExtension(w.scales);
  v.scales = extension ? extension.getInputs()[0] : w.scales;
  if (w.zeros)
    v.offsets = multiplyZeros(b, loc, w);
  Type i8 = b.getI8Type();
  if (shape.size() > 2) {
    v.values = tensor::ExpandShapeOp::create(
        b, loc, RankedTensorType::get(shape, i8), v.values, dims);
    SmallVector<int64_t> of(shape.take_front(v.numColumns));
    of.push_back(cast<RankedTensorType>(w.scales.getType()).getDimSize(1));
    dims[1] = {int64_t(v.numColumns)};
    for (Value *each : {&v.scales, &v.offsets})
      if (*each && v.numColumns > 1)
        *each = tensor::ExpandShapeOp::create(
            b, loc,
            RankedTensorType::get(of, getElementTypeOrSelf(each->getType())),
            *each, dims);
  }
  if (extension)
    v.scales = ElementConverter(b.getF32Type()).get(v.scales);
  if (nibbles)
    v.values = extractNibbles(b, loc, v.values);
  return v;
}

/// Returns the sum of p * t for each column, with the columns' dimensions of
/// `v`.
static Value sumColumns(OpBuilder &b, Location loc, GroupedWeight &w,
                        Viewed &v) {
  // Read the state itself, whose bytes equal their low nibbles. Otherwise
  // @prepare would store the extracted bytes, too.
  linalg::GenericOp nibbles = getNibbles(w.quantized);
  Value bytes = nibbles ? nibbles.getInputs()[0] : w.quantized;
  auto type = cast<RankedTensorType>(bytes.getType());
  int64_t columns = type.getDimSize(0), groups = type.getDimSize(1) / w.size;
  Type i32 = b.getI32Type(), f32 = b.getF32Type();
  Value p = tensor::ExpandShapeOp::create(
      b, loc,
      RankedTensorType::get({columns, groups, w.size}, type.getElementType()),
      bytes, groupIndices());
  auto size = [&](int64_t n) { return OpFoldResult(b.getIndexAttr(n)); };
  AffineMap cube = b.getMultiDimIdentityMap(3), flat = cube.dropResult(2);
  Value sums = makeZeros(b, loc, {size(columns), size(groups)}, i32);
  sums = linalg::GenericOp::create(
             b, loc, TypeRange(sums.getType()), p, sums,
             ArrayRef<AffineMap>{cube, flat},
             ArrayRef<Kind>{Kind::parallel, Kind::parallel, Kind::reduction},
             [&](OpBuilder &nested, Location at, ValueRange x) {
               Value term = arith::ExtSIOp::create(nested, at, i32, x[0]);
               // Only the low half of a byte counts.
               if (nibbles) {
                 Value up = arith::ConstantOp::create(
                     nested, at, nested.getI32IntegerAttr(28));
                 term = arith::ShLIOp::create(nested, at, term, up);
                 term = arith::ShRSIOp::create(nested, at, term, up);
               }
               linalg::YieldOp::create(
                   nested, at,
                   arith::AddIOp::create(nested, at, x[1], term).getResult());
             })
             .getResult(0);
  AffineMap square = b.getMultiDimIdentityMap(2), row = square.dropResult(1);
  Value total = makeZeros(b, loc, {size(columns)}, f32);
  total = linalg::GenericOp::create(
              b, loc, TypeRange(total.getType()), ValueRange{sums, w.scales},
              total, ArrayRef<AffineMap>{square, square, row},
              ArrayRef<Kind>{Kind::parallel, Kind::reduction},
              [&](OpBuilder &nested, Location at, ValueRange x) {
                Value sum = arith::SIToFPOp::create(nested, at, f32, x[0]);
                Value term = arith::MulFOp::create(nested, at, sum, x[1]);
                linalg::YieldOp::create(
                    nested, at,
                    arith::AddFOp::create(nested, at, x[2], term).getResult());
              })
              .getResult(0);
  if (v.numColumns == 1)
    return total;
  ReassociationIndices all =
      llvm::to_vector<2>(llvm::seq<int64_t>(0, v.numColumns));
  ArrayRef<int64_t> shape =
      cast<RankedTensorType>(v.scales.getType()).getShape().drop_back();
  return tensor::ExpandShapeOp::create(b, loc,
                                       RankedTensorType::get(shape, f32), total,
                                       ArrayRef<ReassociationIndices>{all});
}

/// Returns the indexing map of the scales in the loops of `c`: the columns,
/// then the group of a term. Terms are numbered in the order of the left
/// operand's last dimensions. Returns null if the right operand has other
/// dimensions or another order.
static AffineMap scalesMap(Contraction &c, unsigned numColumns, int64_t size) {
  AffineMap lhs = c.lhsMap(), rhs = c.rhsMap();
  unsigned numTerms = rhs.getNumResults() - numColumns;
  if (lhs.getNumResults() < numTerms)
    return {};
  SmallVector<int64_t> ranges = c.op.getStaticLoopRanges();
  MLIRContext *context = c.op.getContext();
  AffineExpr term = getAffineConstantExpr(0, context);
  for (unsigned i = 0; i < numTerms; ++i) {
    AffineExpr loop = rhs.getResult(numColumns + i);
    if (loop != lhs.getResult(lhs.getNumResults() - numTerms + i))
      return {};
    term = term * ranges[cast<AffineDimExpr>(loop).getPosition()] + loop;
  }
  SmallVector<AffineExpr> exprs(rhs.getResults().take_front(numColumns));
  exprs.push_back(term.floorDiv(size));
  return AffineMap::get(rhs.getNumDims(), 0, exprs, context);
}

/// Returns true if the integer sums of groups are exact, or, for a left operand
/// that is not quantized, if the weights are large enough to be kept as bytes.
/// `x` is the left operand if it is quantized.
static bool canSumGroups(Contraction &c, GroupedWeight &w,
                         const std::optional<Dequantized> &x) {
  auto type = cast<RankedTensorType>(w.quantized.getType());
  if (!startsAtZero(c) || c.hasByteWeights() || (x && x->scales))
    return false;
  return x ? !w.zeros && w.size % 4 == 0 && w.size <= kMaxTerms
           : type.getNumElements() >= kMinMixed &&
                 (!w.zeros || c.k.size() == 1);
}

/// Creates the contraction of `left` and the weights `v`, whose products are
/// scaled by group. If `isInteger`, `left` holds unsigned bytes, and they are
/// multiplied as integers.
static linalg::GenericOp makeGrouped(OpBuilder &b, Contraction &c, Value left,
                                     const Viewed &v, AffineMap scales,
                                     bool isInteger) {
  Location loc = c.op.getLoc();
  Type i32 = b.getI32Type(), f32 = b.getF32Type();
  SmallVector<AffineMap> maps(4);
  maps[c.a] = c.lhsMap();
  maps[c.b] = c.rhsMap();
  maps[2] = scales;
  maps[3] = c.resultMap();
  SmallVector<Value> operands(3);
  operands[c.a] = left;
  operands[c.b] = v.values;
  operands[2] = v.scales;
  Value init = c.op.getDpsInits()[0];
  return linalg::GenericOp::create(
      b, loc, TypeRange(init.getType()), operands, init, maps,
      c.op.getIteratorTypesArray(),
      [&](OpBuilder &nested, Location at, ValueRange in) {
        Value product;
        if (isInteger) {
          Value q = arith::ExtUIOp::create(nested, at, i32, in[c.a]);
          Value p = arith::ExtSIOp::create(nested, at, i32, in[c.b]);
          product = arith::SIToFPOp::create(
              nested, at, f32, arith::MulIOp::create(nested, at, q, p));
        } else {
          Value p = arith::SIToFPOp::create(nested, at, f32, in[c.b]);
          auto mul = arith::MulFOp::create(nested, at, in[c.a], p);
          copyRounding(c, mul);
          product = mul;
        }
        product = arith::MulFOp::create(nested, at, product, in[2]);
        linalg::YieldOp::create(
            nested, at,
            arith::AddFOp::create(nested, at, in[3], product).getResult());
      });
}

/// Returns s (y - z sum p t), where `y` is the sum of q p t, and z is
/// `zeroPoint` (i32; null: 0).
static Value dequantizeSums(OpBuilder &b, Contraction &c, GroupedWeight &w,
                            Viewed &v, const Dequantized &x, Value zeroPoint,
                            Value y) {
  Location loc = c.op.getLoc();
  Type f32 = b.getF32Type();
  unsigned rank = c.resultMap().getNumResults();
  AffineMap identity = b.getMultiDimIdentityMap(rank);
  SmallVector<Value> inputs{y};
  SmallVector<AffineMap> maps{identity};
  Value zero;
  if (zeroPoint) {
    zero = arith::SIToFPOp::create(b, loc, f32, zeroPoint);
    inputs.push_back(sumColumns(b, loc, w, v));
    SmallVector<AffineExpr> columns;
    for (unsigned d = 0; d < v.numColumns; ++d)
      columns.push_back(b.getAffineDimExpr(
          *c.resultMap().getResultPosition(c.rhsMap().getResult(d))));
    maps.push_back(AffineMap::get(rank, 0, columns, b.getContext()));
  }
  maps.push_back(identity);
  Value init = c.op.getDpsInits()[0];
  Value empty =
      tensor::EmptyOp::create(b, loc, tensor::getMixedSizes(b, loc, init), f32);
  return linalg::GenericOp::create(
             b, loc, TypeRange(empty.getType()), inputs, empty, maps,
             SmallVector<Kind>(rank, Kind::parallel),
             [&](OpBuilder &nested, Location at, ValueRange in) {
               Value r = in[0];
               if (zero)
                 r = arith::SubFOp::create(
                     nested, at, r,
                     arith::MulFOp::create(nested, at, in[1], zero));
               if (x.scale)
                 r = arith::MulFOp::create(nested, at, r, x.scale);
               linalg::YieldOp::create(nested, at, r);
             })
      .getResult(0);
}

/// Returns y - sum over g of o[g] (sum x), where `y` is the sum of x p t of the
/// left operand x, whose terms are its last dimension, and o are the offsets.
static Value subtractOffsets(OpBuilder &b, Contraction &c, GroupedWeight &w,
                             Viewed &v, Value y) {
  Location loc = c.op.getLoc();
  Type f32 = b.getF32Type();
  auto type = cast<RankedTensorType>(c.lhs().getType());
  int64_t rank = type.getRank();
  SmallVector<int64_t> shape(type.getShape().drop_back());
  shape.append({type.getShape().back() / w.size, w.size});
  SmallVector<ReassociationIndices> split;
  for (int64_t d = 0; d < rank; ++d)
    split.push_back({d});
  split.back().push_back(rank);
  Value x = tensor::ExpandShapeOp::create(
      b, loc, RankedTensorType::get(shape, f32), c.lhs(), split);
  AffineMap whole = b.getMultiDimIdentityMap(rank + 1);
  SmallVector<Kind> kinds(rank, Kind::parallel);
  kinds.push_back(Kind::reduction);
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, loc, c.lhs());
  sizes.back() = b.getIndexAttr(shape[rank - 1]);
  Value sums = makeZeros(b, loc, sizes, f32);
  sums = linalg::GenericOp::create(
             b, loc, TypeRange(sums.getType()), x, sums,
             ArrayRef<AffineMap>{whole, whole.dropResult(rank)}, kinds,
             [&](OpBuilder &nested, Location at, ValueRange in) {
               linalg::YieldOp::create(
                   nested, at,
                   arith::AddFOp::create(nested, at, in[1], in[0]).getResult());
             })
             .getResult(0);
  // The contraction of the sums and the offsets has the loops of `c`, with the
  // groups as the terms.
  SmallVector<AffineMap> maps(3);
  maps[c.a] = c.lhsMap();
  maps[c.b] = c.rhsMap();
  maps[2] = c.resultMap();
  SmallVector<Value> operands(2);
  operands[c.a] = sums;
  operands[c.b] = v.offsets;
  Value init = makeZeros(
      b, loc, tensor::getMixedSizes(b, loc, c.op.getDpsInits()[0]), f32);
  Value offset =
      linalg::GenericOp::create(
          b, loc, TypeRange(init.getType()), operands, init, maps,
          c.op.getIteratorTypesArray(),
          [&](OpBuilder &nested, Location at, ValueRange in) {
            Value product = arith::MulFOp::create(nested, at, in[0], in[1]);
            linalg::YieldOp::create(
                nested, at,
                arith::AddFOp::create(nested, at, in[2], product).getResult());
          })
          .getResult(0);
  AffineMap identity = b.getMultiDimIdentityMap(c.resultMap().getNumResults());
  Value empty =
      tensor::EmptyOp::create(b, loc, tensor::getMixedSizes(b, loc, y), f32);
  return linalg::GenericOp::create(
             b, loc, TypeRange(empty.getType()), ValueRange{y, offset}, empty,
             ArrayRef<AffineMap>(SmallVector<AffineMap>(3, identity)),
             SmallVector<Kind>(identity.getNumDims(), Kind::parallel),
             [&](OpBuilder &nested, Location at, ValueRange in) {
               linalg::YieldOp::create(
                   nested, at,
                   arith::SubFOp::create(nested, at, in[0], in[1]).getResult());
             })
      .getResult(0);
}

/// Erases the ops of `w` without uses.
static void eraseUnread(GroupedWeight &w) {
  for (tensor::ExpandShapeOp expand : llvm::reverse(w.views))
    if (expand->use_empty())
      expand->erase();
  if (w.op->use_empty())
    w.op->erase();
}

bool fx::kernel::rewriteGrouped(Contraction &c, GroupedWeight &w) {
  std::optional<Dequantized> x = matchDequantize(c.lhs());
  if (!canSumGroups(c, w, x))
    return false;
  OpBuilder b(c.op);
  Location loc = c.op.getLoc();
  unsigned numColumns = c.n.size();
  AffineMap scales = scalesMap(c, numColumns, w.size);
  if (!scales)
    return false;
  // Integers are read four at a time along the last dimension of the terms.
  SmallVector<int64_t> ranges = c.op.getStaticLoopRanges();
  unsigned last = c.rhsMap().getDimPosition(c.rhsMap().getNumResults() - 1);
  if (x && ranges[last] % 4 != 0)
    return false;
  Viewed v = view(b, loc, w);
  if (v.numColumns != numColumns)
    return false;
  ByteTensor u;
  if (x)
    u = makeBytes(b, loc, *x, /*isUnsigned=*/true);
  linalg::GenericOp made = makeGrouped(b, c, x ? u.values : c.lhs(), v, scales,
                                       /*isInteger=*/x.has_value());
  if (!matchContraction(made)) {
    made.erase();
    return false;
  }
  Value y = made.getResult(0);
  if (x && (u.zero || x->scale))
    y = dequantizeSums(b, c, w, v, *x, u.zero, y);
  if (v.offsets)
    y = subtractOffsets(b, c, w, v, y);
  c.op->getResult(0).replaceAllUsesWith(y);
  c.op->erase();
  if (x)
    eraseDead(*x);
  eraseUnread(w);
  return true;
}

namespace {
struct FlattenGroups : fx::kernel::impl::FlattenGroupsPassBase<FlattenGroups> {
  using Base::Base;
  void runOnOperation() override {
    SmallVector<tensor::CollapseShapeOp> found;
    getOperation().walk(
        [&](tensor::CollapseShapeOp op) { found.push_back(op); });
    for (tensor::CollapseShapeOp op : found)
      flatten(op);
  }
};
} // namespace
