//===- Accesses.cpp - the memory that a launch accesses -------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Accesses.h"
#include "StridedCopy.h"

#include "fx/CodeGen/Common/Buffers.h"
#include "fx/CodeGen/GPU/Passes.h"
#include "fx/Kernels/Analysis.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace fx;

namespace {
/// A buffer, and whether a launch writes it.
struct Access {
  Value buffer;
  bool writes;
};
} // namespace

/// Returns the buffer of which `v` is a view.
static Value getRoot(Value v) {
  while (Operation *op = v.getDefiningOp()) {
    auto view = dyn_cast<ViewLikeOpInterface>(op);
    if (view)
      v = view.getViewSource();
    else if (auto meta = dyn_cast<memref::ExtractStridedMetadataOp>(op))
      v = meta.getSource();
    else
      break;
  }
  return v;
}

/// Returns the accesses of a launch of the kernel `func`. None are returned if
/// the launch uses other buffers than the arguments of `func`.
static SmallVector<Access> getAccesses(func::FuncOp func,
                                       ArrayRef<Value> used) {
  auto outputs = func->getAttrOfType<IntegerAttr>(fx::gpu::kNumOutputsAttr);
  if (!outputs)
    return {};
  for (Value v : used) {
    auto arg = dyn_cast<BlockArgument>(getRoot(v));
    if (isa<MemRefType>(v.getType()) &&
        (!arg || arg.getOwner() != &func.front()))
      return {};
  }
  SmallVector<Access> accesses;
  for (BlockArgument arg : func.getArguments())
    if (isa<MemRefType>(arg.getType()))
      accesses.push_back({arg, /*writes=*/false});
  for (Access &access : MutableArrayRef(accesses).take_back(outputs.getInt()))
    access.writes = true;
  return accesses;
}

/// Returns true if ops of `region` may write `buffer`, or may access it in a
/// way that is not known.
static bool mayWrite(Value buffer, Region &region) {
  for (OpOperand &use : buffer.getUses()) {
    Operation *user = use.getOwner();
    if (!region.isAncestor(user->getParentRegion()) || isa<memref::DimOp>(user))
      continue;
    if (isa<ViewLikeOpInterface>(user)) {
      if (llvm::any_of(user->getResults(),
                       [&](Value view) { return mayWrite(view, region); }))
        return true;
      continue;
    }
    auto effects = dyn_cast<MemoryEffectOpInterface>(user);
    if (!effects)
      return true;
    SmallVector<MemoryEffects::EffectInstance> all;
    effects.getEffectsOnValue(buffer, all);
    if (all.empty() || llvm::any_of(all, [](auto &effect) {
          return !isa<MemoryEffects::Read>(effect.getEffect());
        }))
      return true;
  }
  return false;
}

/// Emits code that computes the number of bytes from the first element of
/// `buffer` to the end of its last one, an i64. Strides are not negative.
static Value getExtent(OpBuilder &b, Location loc, Value buffer) {
  auto type = cast<MemRefType>(buffer.getType());
  SmallVector<int64_t> strides;
  int64_t offset, bytes = codegen::getElementBytes(type.getElementType());
  Type i64 = b.getI64Type();
  bool isStatic = type.hasStaticShape() &&
                  succeeded(type.getStridesAndOffset(strides, offset)) &&
                  !llvm::is_contained(strides, ShapedType::kDynamic);
  if (isStatic) {
    int64_t last = 0;
    for (auto [size, stride] : llvm::zip(type.getShape(), strides))
      last += (size - 1) * stride;
    int64_t extent = type.getNumElements() ? (last + 1) * bytes : 0;
    return arith::ConstantIntOp::create(b, loc, i64, extent);
  }
  auto meta = memref::ExtractStridedMetadataOp::create(b, loc, buffer);
  auto constant = [&](int64_t c) -> Value {
    return arith::ConstantIndexOp::create(b, loc, c);
  };
  Value zero = constant(0), one = constant(1), last = zero, isEmpty;
  for (auto [size, stride] : llvm::zip(meta.getSizes(), meta.getStrides())) {
    Value steps = arith::SubIOp::create(b, loc, size, one);
    last = arith::AddIOp::create(b, loc, last,
                                 arith::MulIOp::create(b, loc, steps, stride));
    Value none =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, size, zero);
    isEmpty =
        isEmpty ? Value(arith::OrIOp::create(b, loc, isEmpty, none)) : none;
  }
  Value extent = arith::MulIOp::create(
      b, loc, arith::AddIOp::create(b, loc, last, one), constant(bytes));
  if (isEmpty)
    extent = arith::SelectOp::create(b, loc, isEmpty, zero, extent);
  return arith::IndexCastOp::create(b, loc, i64, extent);
}

void fx::gpu::describeAccesses(OpBuilder &b, mlir::gpu::LaunchOp launch,
                               ArrayRef<Value> used) {
  Location loc = launch.getLoc();
  auto func = launch->getParentOfType<func::FuncOp>();
  SmallVector<Access> accesses;
  if (func->hasAttr(kernel::kKernelAttr)) {
    accesses = getAccesses(func, used);
  } else {
    for (Value v : used)
      if (isa<MemRefType>(v.getType()))
        accesses.push_back({v, mayWrite(v, launch.getBody())});
  }
  Type i64 = b.getI64Type();
  for (const Access &access : accesses) {
    auto callee = cast<func::FuncOp>(codegen::getOrDeclare(
        b, "fx_rt_gpu_access", b.getFunctionType({i64, i64, i64}, {}),
        /*cInterface=*/false));
    Value args[] = {getAddress(b, loc, access.buffer, {}),
                    getExtent(b, loc, access.buffer),
                    arith::ConstantIntOp::create(b, loc, i64, access.writes)};
    func::CallOp::create(b, loc, callee, args);
  }
}
