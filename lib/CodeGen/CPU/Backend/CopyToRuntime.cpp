//===- CopyToRuntime.cpp - copies of known layout as run-time calls -------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Addresses.h"
#include "fx/CodeGen/CPU/Backend.h"
#include "fx/CodeGen/Common/Buffers.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace fx::cpu {
#define GEN_PASS_DEF_FXCPUCOPYTORUNTIME
#include "fx/CodeGen/CPU/BackendPasses.h.inc"
} // namespace fx::cpu

using namespace mlir;
using namespace fx::codegen;
using namespace fx::cpu;

namespace {
/// A copy of contiguous runs of `bytes` bytes. Each entry of `dims` holds the
/// size, the target's stride and the source's stride of a dimension, strides in
/// bytes. The innermost dimension is last.
struct Runs {
  int64_t bytes;
  SmallVector<std::array<int64_t, 3>> dims;
};

struct CopyToRuntime : fx::cpu::impl::FXCPUCopyToRuntimeBase<CopyToRuntime> {
  void runOnOperation() override;
  void lower(memref::CopyOp op, const LLVMTypeConverter &types);
  Value getTable(OpBuilder &b, Location loc, const Runs &runs);

  llvm::DenseMap<Attribute, LLVM::GlobalOp> tables;
};
} // namespace

static bool isStatic(Type type) {
  if (!hasAddress(type))
    return false;
  auto memref = cast<MemRefType>(type);
  return memref.hasStaticShape() &&
         llvm::none_of(memref.getStridesAndOffset().first,
                       ShapedType::isDynamic);
}

/// Decomposes a copy into runs, as `memrefCopy` of the run-time does. Inner
/// dimensions that are contiguous on both sides become one run; outer
/// dimensions that are contiguous to each other on both sides become one.
static Runs getRuns(MemRefType from, MemRefType to) {
  int64_t element = getElementBytes(from.getElementType());
  Runs runs{element, {}};
  auto &dims = runs.dims;
  SmallVector<int64_t> fromStrides = from.getStridesAndOffset().first,
                       toStrides = to.getStridesAndOffset().first;
  for (int64_t i = from.getRank(); i-- > 0;) {
    int64_t size = from.getDimSize(i), out = toStrides[i] * element,
            in = fromStrides[i] * element;
    if (size == 1)
      continue;
    if (dims.empty() && out == runs.bytes && in == runs.bytes)
      runs.bytes *= size;
    else if (!dims.empty() && out == dims.back()[1] * dims.back()[0] &&
             in == dims.back()[2] * dims.back()[0])
      dims.back()[0] *= size;
    else
      dims.push_back({size, out, in});
  }
  std::reverse(dims.begin(), dims.end());
  return runs;
}

/// Returns the address of a global constant that holds `runs.dims`.
Value CopyToRuntime::getTable(OpBuilder &b, Location loc, const Runs &runs) {
  SmallVector<int64_t> numbers;
  for (const std::array<int64_t, 3> &dim : runs.dims)
    llvm::append_range(numbers, dim);
  auto value = b.getI64TensorAttr(numbers);
  LLVM::GlobalOp &global = tables[value];
  if (!global) {
    OpBuilder top = OpBuilder::atBlockBegin(getOperation().getBody());
    global = LLVM::GlobalOp::create(
        top, getOperation().getLoc(),
        LLVM::LLVMArrayType::get(b.getI64Type(), numbers.size()),
        /*isConstant=*/true, LLVM::Linkage::Internal,
        "fx_copy_" + std::to_string(tables.size() - 1), value);
  }
  return LLVM::AddressOfOp::create(b, loc, global);
}

void CopyToRuntime::lower(memref::CopyOp op, const LLVMTypeConverter &types) {
  OpBuilder b(op);
  Location loc = op.getLoc();
  auto from = cast<MemRefType>(op.getSource().getType()),
       to = cast<MemRefType>(op.getTarget().getType());
  if (from.getNumElements() == 0) {
    op.erase();
    return;
  }
  auto number = [&](int64_t n) -> Value {
    return LLVM::ConstantOp::create(b, loc, b.getI64IntegerAttr(n));
  };
  Runs runs = getRuns(from, to);
  Value target = getAddress(b, loc, types, op.getTarget()),
        source = getAddress(b, loc, types, op.getSource()),
        bytes = number(runs.bytes);
  if (runs.dims.empty()) {
    LLVM::MemmoveOp::create(b, loc, target, source, bytes,
                            /*isVolatile=*/false);
  } else {
    Type ptr = target.getType(), i64 = b.getI64Type();
    auto copy = cast<func::FuncOp>(
        getOrDeclare(b, "fx_rt_copy_runs",
                     b.getFunctionType({ptr, ptr, i64, i64, ptr}, {}), false));
    func::CallOp::create(b, loc, copy,
                         ValueRange{target, source, bytes,
                                    number(runs.dims.size()),
                                    getTable(b, loc, runs)});
  }
  op.erase();
}

void CopyToRuntime::runOnOperation() {
  tables.clear();
  LLVMTypeConverter types(&getContext());
  SmallVector<memref::CopyOp> ops;
  getOperation().walk([&](memref::CopyOp op) {
    if (isStatic(op.getSource().getType()) &&
        isStatic(op.getTarget().getType()))
      ops.push_back(op);
  });
  for (memref::CopyOp op : ops)
    lower(op, types);
}
