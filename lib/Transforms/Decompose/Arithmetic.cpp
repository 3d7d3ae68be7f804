//===- Arithmetic.cpp - operators that are formulas of others -------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Decompose.h"

#include "fx/Operators/aten/_weight_norm.h"
#include "fx/Operators/aten/abs.h"
#include "fx/Operators/aten/cat.h"
#include "fx/Operators/aten/conj_physical.h"
#include "fx/Operators/aten/diff.h"
#include "fx/Operators/aten/div.h"
#include "fx/Operators/aten/eq.h"
#include "fx/Operators/aten/frobenius_norm.h"
#include "fx/Operators/aten/glu.h"
#include "fx/Operators/aten/isin.h"
#include "fx/Operators/aten/l1_loss.h"
#include "fx/Operators/aten/linalg_vector_norm.h"
#include "fx/Operators/aten/mH.h"
#include "fx/Operators/aten/matrix_H.h"
#include "fx/Operators/aten/mean.h"
#include "fx/Operators/aten/mse_loss.h"
#include "fx/Operators/aten/mul.h"
#include "fx/Operators/aten/ne.h"
#include "fx/Operators/aten/norm_except_dim.h"
#include "fx/Operators/aten/sigmoid.h"
#include "fx/Operators/aten/slice.h"
#include "fx/Operators/aten/sub.h"
#include "fx/Operators/aten/sum.h"
#include "fx/Operators/aten/transpose.h"

using namespace mlir;
using namespace fx;

namespace {

/// Computes the norm over all dimensions but `dim`, or over all dimensions if
/// `dim` is -1 (ATen/native/WeightNorm.cpp). Returns null if `dim` is invalid.
Value normExceptDim(Decomposer &d, Value v, double order,
                    std::optional<int64_t> dim, bool keepdim) {
  int64_t rank = d.rank(v);
  if (!dim || *dim < -1 || *dim >= rank)
    return {};
  SmallVector<int64_t> dims;
  for (int64_t i = 0; i < rank; ++i)
    if (i != *dim)
      dims.push_back(i);
  return d.call<aten::LinalgVectorNorm>(v, order, dims, keepdim);
}

LogicalResult decomposeNormExceptDim(aten::NormExceptDim op, Decomposer &d,
                                     SmallVectorImpl<Value> &results) {
  std::optional<int64_t> dim = op.dim().getInt(), order = op.pow().getInt();
  // A tensor of one dimension leaves no dimension to reduce.
  if (!order || d.rank(op.v()) < 2)
    return failure();
  results.push_back(normExceptDim(d, op.v(), *order, dim, dim != -1));
  return success();
}

/// Computes v * (g / ‖v‖), with the norm over all dimensions but `dim`.
LogicalResult decomposeWeightNorm(aten::UnderWeightNorm op, Decomposer &d,
                                  SmallVectorImpl<Value> &results) {
  Value norm =
      normExceptDim(d, op.v(), 2.0, op.dim().getInt(), /*keepdim=*/true);
  Value scale = d.call<aten::DivTensor>(op.g(), norm);
  results.push_back(d.call<aten::MulTensor>(op.v(), scale));
  return success();
}

/// Computes x[1:] - x[:-1], n times.
LogicalResult decomposeDiff(aten::Diff op, Decomposer &d,
                            SmallVectorImpl<Value> &results) {
  Value self = op.self();
  std::optional<int64_t> n = op.n().getInt();
  std::optional<int64_t> dim = op.dim().getInt();
  dim = dim ? d.wrap(*dim, d.rank(self)) : std::nullopt;
  // For booleans, diff is an exclusive or.
  if (!n || *n < 0 || !dim || d.rank(self) == 0 ||
      d.type(self).getDtype().isInteger(1))
    return failure();
  SmallVector<Value> parts;
  for (Value part : {op.prepend(), self, op.append()})
    if (part)
      parts.push_back(part);
  if (parts.size() > 1)
    self = d.call<aten::Cat>(parts, *dim);
  // PyTorch takes at most as many differences as there are elements. With
  // symbolic sizes, the recorded type of the result tells when it stopped.
  auto type =
      dyn_cast<FakeTensorType>(op.getOperation()->getResult(0).getType());
  auto isDone = [&] {
    return type && type.getRank() == d.rank(self) &&
           type.getSizes()[*dim] == d.type(self).getSizes()[*dim];
  };
  for (int64_t i = 0; i < *n && self && !isDone(); ++i) {
    Value next = d.call<aten::SliceTensor>(self, *dim, 1);
    Value previous = d.call<aten::SliceTensor>(self, *dim, 0, -1);
    self = d.call<aten::SubTensor>(next, previous);
  }
  results.push_back(self);
  return success();
}

/// Computes a * sigmoid(b), where a and b are the halves of x.
LogicalResult decomposeGlu(aten::Glu op, Decomposer &d,
                           SmallVectorImpl<Value> &results) {
  Value self = op.self();
  std::optional<int64_t> dim = op.dim().getInt();
  dim = dim ? d.wrap(*dim, d.rank(self)) : std::nullopt;
  std::optional<int64_t> size =
      dim && d.rank(self) > 0 ? d.staticSize(self, *dim) : std::nullopt;
  if (!size || *size % 2 != 0)
    return failure();
  Value a = d.call<aten::SliceTensor>(self, *dim, 0, *size / 2);
  Value b = d.call<aten::SliceTensor>(self, *dim, *size / 2);
  results.push_back(d.call<aten::MulTensor>(a, d.call<aten::Sigmoid>(b)));
  return success();
}

/// Reduces a loss. `reduction` is an at::Reduction: 0 none, 1 mean, 2 sum.
LogicalResult reduceLoss(const Argument &reduction, Value loss, Decomposer &d,
                         SmallVectorImpl<Value> &results) {
  std::optional<int64_t> kind = reduction.getInt();
  if (!kind || !loss || *kind < 0 || *kind > 2)
    return failure();
  results.push_back(*kind == 0   ? loss
                    : *kind == 1 ? d.call<aten::Mean>(loss)
                                 : d.call<aten::Sum>(loss));
  return success();
}

LogicalResult decomposeMseLoss(aten::MseLoss op, Decomposer &d,
                               SmallVectorImpl<Value> &results) {
  Value difference = d.call<aten::SubTensor>(op.self(), op.target_());
  if (!difference)
    return failure();
  return reduceLoss(op.reduction(),
                    d.call<aten::MulTensor>(difference, difference), d,
                    results);
}

/// Decomposes the conjugate transpose of a complex tensor. For other dtypes it
/// is a view, which is kept.
LogicalResult decomposeConjugateTranspose(const OperatorView &op, Decomposer &d,
                                          SmallVectorImpl<Value> &results) {
  Value self = op.getArg("self").getValue();
  if (!self || !isa<ComplexType>(d.type(self).getDtype()) || d.rank(self) < 2)
    return failure();
  Value turned = d.call<aten::TransposeInt>(self, -2, -1);
  results.push_back(d.call<aten::ConjPhysical>(turned));
  return success();
}

LogicalResult decomposeFrobeniusNorm(aten::FrobeniusNormDim op, Decomposer &d,
                                     SmallVectorImpl<Value> &results) {
  results.push_back(
      d.call<aten::LinalgVectorNorm>(op.self(), 2.0, op.dim(), op.keepdim()));
  return success();
}

/// Computes elements == test_element, or != if `invert` is set.
LogicalResult decomposeIsin(aten::IsinTensorScalar op, Decomposer &d,
                            SmallVectorImpl<Value> &results) {
  std::optional<bool> invert = op.invert().getBool();
  if (!invert)
    return failure();
  results.push_back(
      *invert ? d.call<aten::NeScalar>(op.elements(), op.test_element())
              : d.call<aten::EqScalar>(op.elements(), op.test_element()));
  return success();
}

LogicalResult decomposeL1Loss(aten::L1Loss op, Decomposer &d,
                              SmallVectorImpl<Value> &results) {
  Value difference = d.call<aten::SubTensor>(op.self(), op.target_());
  if (!difference)
    return failure();
  return reduceLoss(op.reduction(), d.call<aten::Abs>(difference), d, results);
}

} // namespace

void fx::registerArithmeticDecompositions(HookTable<Decomposition> &hooks) {
  hooks.add<aten::NormExceptDim, decomposeNormExceptDim>();
  hooks.add<aten::UnderWeightNorm, decomposeWeightNorm>();
  hooks.add<aten::Diff, decomposeDiff>();
  hooks.add<aten::Glu, decomposeGlu>();
  hooks.add<aten::MseLoss, decomposeMseLoss>();
  hooks.add<aten::L1Loss, decomposeL1Loss>();
  hooks.add(decomposeConjugateTranspose,
            {aten::MH::target, aten::MatrixH::target});
  hooks.add<aten::FrobeniusNormDim, decomposeFrobeniusNorm>();
  hooks.add<aten::IsinTensorScalar, decomposeIsin>();
}
