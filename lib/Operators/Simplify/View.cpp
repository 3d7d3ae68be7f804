//===- Views.cpp - identities of views ------------------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/Operators/aten/view.h"
#include "Operands.h"
#include "fx/Operators/aten/expand.h"
#include "fx/Operators/aten/permute.h"
#include "fx/Operators/aten/reshape.h"

using namespace mlir;
using namespace fx;

//===----------------------------------------------------------------------===//
// Identity views
//===----------------------------------------------------------------------===//

/// Drops a view that keeps the order of the elements, if the sizes are equal
/// too. (A slice of all n elements starts at 0 with step 1.)
static LogicalResult dropNoOp(const OperatorView &call, Simplifier &s) {
  return s.replaceByAlias(getSelf(call));
}

/// Drops `detach` of a tensor that requires no gradient.
static LogicalResult simplifyDetach(const OperatorView &call, Simplifier &s) {
  FakeTensorType type = getTensor(getSelf(call));
  if (!type || (type.getMeta() && type.getMeta().getRequiresGrad()))
    return failure();
  return s.replaceByAlias(getSelf(call));
}

//===----------------------------------------------------------------------===//
// Reshapes
//===----------------------------------------------------------------------===//

static constexpr StringLiteral kReshapes[] = {
    "aten.view.default",         "aten.reshape.default",
    "aten._unsafe_view.default", "aten.flatten.using_ints",
    "aten.unflatten.int",        "aten.unsqueeze.default",
    "aten.squeeze.default",      "aten.squeeze.dim",
    "aten.squeeze.dims"};

/// Replaces a chain of two reshapes by one with the sizes of the last. The
/// replacement is a `view` only if both are views: other reshapes may copy, and
/// a view of the original tensor may be impossible.
static LogicalResult simplifyReshape(const OperatorView &call, Simplifier &s) {
  if (succeeded(s.replaceByAlias(getSelf(call))))
    return success();
  OperatorView inner = getProducer(getSelf(call), kReshapes);
  if (!inner || !getSelf(inner))
    return failure();
  static constexpr StringLiteral copies[] = {"aten.reshape.default",
                                             "aten._unsafe_view.default",
                                             "aten.flatten.using_ints"};
  bool isView = call.getSchema().getName() == "aten.view.default" &&
                !llvm::is_contained(copies, inner.getSchema().getName());
  if (isView)
    return s.replaceByCall<aten::View>(getSelf(inner), call.getArg(1));
  return s.replaceByCall<aten::Reshape>(getSelf(inner), call.getArg(1));
}

static std::optional<int64_t> getDim(const OperatorView &call, int64_t rank) {
  std::optional<int64_t> dim = call.getArg(1).getInt();
  if (dim && *dim < 0)
    *dim += rank;
  return dim;
}

/// Simplifies squeeze(unsqueeze(x, d), d) to x.
static LogicalResult simplifySqueeze(const OperatorView &call, Simplifier &s) {
  if (succeeded(s.replaceByAlias(getSelf(call))))
    return success();
  OperatorView inner = getProducer(getSelf(call), {"aten.unsqueeze.default"});
  FakeTensorType type = getTensor(getSelf(call));
  if (!inner || !type || !getDim(call, type.getRank()) ||
      getDim(call, type.getRank()) != getDim(inner, type.getRank()))
    return failure();
  return s.replaceByAlias(getSelf(inner));
}

/// Simplifies unsqueeze(squeeze(x, d), d) to x.
static LogicalResult simplifyUnsqueeze(const OperatorView &call,
                                       Simplifier &s) {
  OperatorView inner = getProducer(getSelf(call), {"aten.squeeze.dim"});
  FakeTensorType type = getTensor(call->getResult(0));
  if (!inner || !type || !getDim(call, type.getRank()) ||
      getDim(call, type.getRank()) != getDim(inner, type.getRank()))
    return failure();
  return s.replaceByAlias(getSelf(inner));
}

/// Merges expand(expand(x)) into one expand. Fails if the outer call has the
/// size -1, which keeps the size that the inner call gives.
static LogicalResult simplifyExpand(const OperatorView &call, Simplifier &s) {
  if (succeeded(s.replaceByAlias(getSelf(call))))
    return success();
  OperatorView inner = getProducer(getSelf(call), {"aten.expand.default"});
  if (!inner || !getSelf(inner))
    return failure();
  for (const Argument &size : call.getArg(1).getElements())
    if (size.getInt() == -1)
      return failure();
  return s.replaceByCall<aten::Expand>(getSelf(inner), call.getArg(1),
                                       call.getArg(2));
}

//===----------------------------------------------------------------------===//
// Permutations
//===----------------------------------------------------------------------===//

static constexpr StringLiteral kPermutations[] = {
    "aten.permute.default", "aten.transpose.int", "aten.swapaxes.default",
    "aten.t.default", "aten.numpy_T.default"};

/// Returns the permutation p of a call: dimension i of the result is dimension
/// p[i] of the operand.
static std::optional<SmallVector<int64_t>>
getPermutation(const OperatorView &call) {
  FakeTensorType type = getTensor(getSelf(call));
  if (!type)
    return std::nullopt;
  int64_t rank = type.getRank();
  auto wrap = [&](int64_t &dim) {
    dim += dim < 0 ? rank : 0;
    return dim >= 0 && dim < rank;
  };
  StringRef target = call.getSchema().getName();
  if (target == "aten.permute.default") {
    auto dims = call.getArg("dims").getInts();
    if (!dims || int64_t(dims->size()) != rank || !llvm::all_of(*dims, wrap))
      return std::nullopt;
    return *dims;
  }
  SmallVector<int64_t> dims = llvm::to_vector(llvm::seq<int64_t>(rank));
  if (target == "aten.t.default" || target == "aten.numpy_T.default") {
    std::reverse(dims.begin(), dims.end());
    return dims;
  }
  std::optional<int64_t> a = call.getArg(1).getInt(),
                         b = call.getArg(2).getInt();
  if (!a || !b)
    return std::nullopt;
  if (rank == 0)
    return dims;
  if (!wrap(*a) || !wrap(*b))
    return std::nullopt;
  std::swap(dims[*a], dims[*b]);
  return dims;
}

static bool isIdentity(ArrayRef<int64_t> dims) {
  for (auto [i, dim] : llvm::enumerate(dims))
    if (dim != int64_t(i))
      return false;
  return true;
}

/// Merges two permutations into one and drops identities.
static LogicalResult simplifyPermutation(const OperatorView &call,
                                         Simplifier &s) {
  auto outer = getPermutation(call);
  if (!outer)
    return failure();
  if (isIdentity(*outer))
    return s.replaceByAlias(getSelf(call));
  OperatorView inner = getProducer(getSelf(call), kPermutations);
  auto first = inner ? getPermutation(inner) : std::nullopt;
  if (!first)
    return failure();
  for (int64_t &dim : *outer)
    dim = (*first)[dim];
  if (isIdentity(*outer) && succeeded(s.replaceByAlias(getSelf(inner))))
    return success();
  return s.replaceByCall<aten::Permute>(getSelf(inner), *outer);
}

void fx::registerViewSimplifications(HookTable<Simplification> &hooks) {
  hooks.add(dropNoOp,
            {"aten.view_as.default", "aten.reshape_as.default",
             "aten.expand_as.default", "aten.broadcast_to.default",
             "aten.flatten.using_ints", "aten.unflatten.int",
             "aten.slice.Tensor", "aten.narrow.default", "aten.alias.default",
             "aten.lift_fresh.default", "aten.view.dtype"});
  hooks.add(simplifyDetach, {"aten.detach.default"});
  hooks.add(simplifyReshape, {"aten.view.default", "aten.reshape.default",
                              "aten._unsafe_view.default"});
  hooks.add(simplifySqueeze, {"aten.squeeze.dim"});
  hooks.add(dropNoOp, {"aten.squeeze.default", "aten.squeeze.dims"});
  hooks.add(simplifyUnsqueeze, {"aten.unsqueeze.default"});
  hooks.add(simplifyExpand, {"aten.expand.default"});
  hooks.add(simplifyPermutation, {"aten.permute.default", "aten.transpose.int",
                                  "aten.swapaxes.default", "aten.t.default",
                                  "aten.numpy_T.default"});
}
