//===- StreamOutputs.cpp - store large outputs past the caches ------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A usual store of a line that is not in a cache first reads the line from
// memory, so writing a large tensor moves twice its bytes. A non-temporal store
// does not read. It must write aligned vectors.
//
//===----------------------------------------------------------------------===//

#include "fx/CodeGen/CPU/Backend.h"
#include "fx/Kernels/IR/KernelDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <numeric>

namespace fx::cpu {
#define GEN_PASS_DEF_FXCPUSTREAMOUTPUTS
#include "fx/CodeGen/CPU/BackendPasses.h.inc"
} // namespace fx::cpu

using namespace mlir;
using namespace fx::kernel;

/// The alignment of all memory from the run-time.
static constexpr int64_t kAlignment = 64;

/// Returns an integer that divides the index `value`; 0 if `value` is 0.
static int64_t getDivisor(Value value, unsigned depth = 0) {
  // Larger divisors are of no use, and products must not overflow.
  constexpr int64_t kMost = 1 << 20;
  constexpr unsigned kDeepest = 16;
  if (std::optional<int64_t> constant = getConstantIntValue(value))
    return *constant % kMost == 0 && *constant ? kMost : std::abs(*constant);
  if (depth == kDeepest)
    return 1;
  auto of = [&](Value v) { return getDivisor(v, depth + 1); };
  if (auto loop = scf::getForInductionVarOwner(value))
    return std::gcd(of(loop.getLowerBound()), of(loop.getStep()));
  Operation *op = value.getDefiningOp();
  if (auto mul = dyn_cast_or_null<arith::MulIOp>(op)) {
    int64_t product = of(mul.getLhs()) * of(mul.getRhs());
    return product % kMost == 0 && product ? kMost : std::gcd(product, kMost);
  }
  if (isa_and_nonnull<arith::AddIOp, arith::SubIOp, arith::MinSIOp,
                      arith::MaxSIOp>(op))
    return std::gcd(of(op->getOperand(0)), of(op->getOperand(1)));
  return 1;
}

/// Returns true if `value`, an argument of a call, begins at a multiple of
/// kAlignment in memory of the run-time.
static bool isAligned(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (auto castOp = dyn_cast<memref::CastOp>(op)) {
      value = castOp.getSource();
    } else if (auto subview = dyn_cast<memref::SubViewOp>(op)) {
      auto [strides, offset] = subview.getType().getStridesAndOffset();
      auto source = cast<MemRefType>(subview.getSource().getType());
      Type element = source.getElementType();
      if (!source.getLayout().isIdentity() || ShapedType::isDynamic(offset) ||
          !element.isIntOrFloat() ||
          offset *
              int64_t(llvm::divideCeil(element.getIntOrFloatBitWidth(), 8)) %
              kAlignment)
        return false;
      value = subview.getSource();
    } else if (auto view = dyn_cast<memref::ViewOp>(op)) {
      if (getDivisor(view.getByteShift()) % kAlignment)
        return false;
      value = view.getSource();
    } else {
      // A call of another function may return memory of the caller.
      auto call = dyn_cast<func::CallOp>(op);
      return isa<memref::AllocOp>(op) ||
             (call && call.getCallee().starts_with("fx_rt_"));
    }
  }
  return false;
}

/// Collects the stores of whole vectors to `argument` of a kernel, through its
/// flat view. Returns false if the kernel also reads it: then its lines are in
/// a cache.
static bool collectStores(Value memory,
                          SmallVectorImpl<vector::StoreOp> &stores) {
  for (OpOperand &use : memory.getUses()) {
    Operation *user = use.getOwner();
    if (auto store = dyn_cast<vector::StoreOp>(user)) {
      stores.push_back(store);
    } else if (auto flat = dyn_cast<memref::ReinterpretCastOp>(user)) {
      if (!collectStores(flat.getResult(), stores))
        return false;
    } else if (auto metadata =
                   dyn_cast<memref::ExtractStridedMetadataOp>(user)) {
      if (!metadata.getBaseBuffer().use_empty())
        return false;
    } else if (!isa<vector::MaskedStoreOp, memref::StoreOp>(user)) {
      return false;
    }
  }
  return true;
}

namespace {
struct StreamOutputs : fx::cpu::impl::FXCPUStreamOutputsBase<StreamOutputs> {
  using Base::Base;
  void runOnOperation() override;
  void stream(func::FuncOp kernel, ArrayRef<func::CallOp> calls);
};
} // namespace

/// Makes the store non-temporal if its vector is aligned.
static void setNontemporal(vector::StoreOp store) {
  VectorType type = store.getVectorType();
  if (store.getIndices().size() != 1 || !type.getElementType().isIntOrFloat())
    return;
  int64_t bits = type.getElementTypeBitWidth();
  int64_t bytes = bits * type.getNumElements() / 8;
  int64_t aligned =
      std::gcd(getDivisor(store.getIndices()[0]) * bits / 8, kAlignment);
  // Narrow vectors would fill lines in many steps.
  if (bits % 8 || bytes < 16 || aligned < std::min(bytes, kAlignment))
    return;
  store.setNontemporal(true);
  store.setAlignment(aligned);
}

void StreamOutputs::stream(func::FuncOp kernel, ArrayRef<func::CallOp> calls) {
  for (BlockArgument argument : kernel.getArguments()) {
    auto type = dyn_cast<MemRefType>(argument.getType());
    if (!type || !type.hasStaticShape() ||
        !type.getElementType().isIntOrFloat())
      continue;
    if (isa<ContractionAttr>(kernel->getAttr(kScheduleAttr)) &&
        type.getElementTypeBitWidth() < 32)
      continue;
    int64_t bytes = type.getNumElements() * type.getElementTypeBitWidth() / 8;
    SmallVector<vector::StoreOp> stores;
    if (bytes < leastBytes || !collectStores(argument, stores) ||
        !llvm::all_of(
            calls,
            [&](func::CallOp call) {
              return isAligned(call.getOperand(argument.getArgNumber()));
            }))
      continue;
    llvm::for_each(stores, setNontemporal);
  }
}

void StreamOutputs::runOnOperation() {
  DenseMap<StringAttr, SmallVector<func::CallOp>> calls;
  getOperation().walk([&](func::CallOp call) {
    calls[call.getCalleeAttr().getAttr()].push_back(call);
  });
  for (func::FuncOp kernel : getOperation().getOps<func::FuncOp>()) {
    // Other kernels keep their results in registers and write a line in parts,
    // as contractions do if their results are narrow.
    Attribute schedule = kernel->getAttr(kScheduleAttr);
    if (isa_and_nonnull<PointwiseAttr, RowsAttr, ContractionAttr>(schedule) &&
        !kernel.isExternal())
      stream(kernel, calls[kernel.getSymNameAttr()]);
  }
}
