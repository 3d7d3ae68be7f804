//===- Launch.cpp - grids of threads around kernels -----------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Launch.h"

#include "fx/CodeGen/Common/Buffers.h"
#include "fx/CodeGen/GPU/Passes.h"
#include "fx/CodeGen/GPU/TimeModel.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace fx;
using namespace fx::gpu;
using codegen::Index;
using codegen::KernelCode;
using codegen::Scope;

Launch::Launch(KernelCode &code, const Index &blocks, int64_t threads,
               int64_t dynamicBytes)
    : code(code) {
  Value one = code.constant(1), bytes;
  if (dynamicBytes)
    bytes = arith::ConstantIntOp::create(code.b, code.loc, code.b.getI32Type(),
                                         dynamicBytes);
  op = mlir::gpu::LaunchOp::create(code.b, code.loc, code.materialize(blocks),
                                   one, one, code.constant(threads), one, one,
                                   bytes);
  // The scope has no parent, so all values that it needs are computed within
  // the launch.
  scope.loop = op;
  code.b.setInsertionPointToStart(&op.getBody().front());
  block = Index(op.getBlockIds().x);
  thread = Index(op.getThreadIds().x);
}

void Launch::close() {
  mlir::gpu::TerminatorOp::create(code.b, code.loc);
  code.b.setInsertionPointAfter(op);
}

Value Launch::shared(ArrayRef<int64_t> shape, Type element) {
  auto space = mlir::gpu::AddressSpaceAttr::get(
      code.b.getContext(), mlir::gpu::AddressSpace::Workgroup);
  return op.addWorkgroupAttribution(
      MemRefType::get(shape, element, MemRefLayoutAttrInterface(), space),
      code.loc);
}

void Launch::describe(int64_t bytes, int64_t operations) {
  describeLaunch(op, bytes, operations);
}

Value Launch::dynamicShared() {
  OpBuilder &b = code.b;
  auto space = mlir::gpu::AddressSpaceAttr::get(
      b.getContext(), mlir::gpu::AddressSpace::Workgroup);
  Value memory = mlir::gpu::DynamicSharedMemoryOp::create(
      b, code.loc,
      MemRefType::get({ShapedType::kDynamic}, b.getI8Type(),
                      MemRefLayoutAttrInterface(), space));
  Value start =
      memref::ExtractAlignedPointerAsIndexOp::create(b, code.loc, memory);
  return arith::IndexCastOp::create(b, code.loc, b.getI64Type(), start);
}

Index fx::gpu::product(KernelCode &code, ArrayRef<Index> sizes) {
  Index all = Index::of(1);
  for (const Index &size : sizes)
    all = code.mul(all, size);
  return all;
}

bool fx::gpu::isMultiple(const Index &size, int64_t of) {
  return size.isStatic() && size.constant % of == 0;
}

SmallVector<Index> fx::gpu::delinearize(KernelCode &code, Index linear,
                                        ArrayRef<Index> sizes) {
  SmallVector<Index> at(sizes.size(), Index::of(0));
  // The first dimension whose size is not 1 needs no remainder.
  unsigned first = 0;
  while (first < sizes.size() && sizes[first] == Index::of(1))
    ++first;
  for (unsigned d = sizes.size(); d-- > first;) {
    if (d == first) {
      at[d] = linear;
      break;
    }
    if (sizes[d] == Index::of(1))
      continue;
    Value size = code.materialize(sizes[d]), value = code.materialize(linear);
    at[d] = Index(arith::RemUIOp::create(code.b, code.loc, value, size));
    linear = Index(arith::DivUIOp::create(code.b, code.loc, value, size));
  }
  return at;
}

void fx::gpu::guarded(KernelCode &code, Scope &outer,
                      ArrayRef<std::pair<Index, Index>> atBelow,
                      llvm::function_ref<void(Scope &)> body) {
  Value all;
  for (auto &[at, below] : atBelow) {
    if (below == Index::of(-1))
      continue;
    Value in =
        arith::CmpIOp::create(code.b, code.loc, arith::CmpIPredicate::slt,
                              code.materialize(at), code.materialize(below));
    all = all ? Value(arith::AndIOp::create(code.b, code.loc, all, in)) : in;
  }
  Scope inner;
  inner.parent = &outer;
  if (!all)
    return body(inner);
  auto branch =
      scf::IfOp::create(code.b, code.loc, all, /*withElseRegion=*/false);
  inner.loop = branch;
  inner.isGuarded = true;
  code.b.setInsertionPointToStart(branch.thenBlock());
  body(inner);
  code.b.setInsertionPointAfter(branch);
}

Value fx::gpu::shuffleXor(KernelCode &code, Value v, int64_t distance) {
  OpBuilder &b = code.b;
  Location loc = code.loc;
  Type type = v.getType();
  unsigned bits = type.getIntOrFloatBitWidth();
  auto move = [&](Value word) -> Value {
    return mlir::gpu::ShuffleOp::create(b, loc, word, distance, kWarp,
                                        mlir::gpu::ShuffleMode::XOR)
        .getShuffleResult();
  };
  if (bits == 32)
    return move(v);
  Type integer = b.getIntegerType(bits), i32 = b.getI32Type();
  Value x = isa<FloatType>(type)
                ? Value(arith::BitcastOp::create(b, loc, integer, v))
                : v;
  if (bits < 32) {
    x = arith::TruncIOp::create(b, loc, integer,
                                move(arith::ExtUIOp::create(b, loc, i32, x)));
  } else {
    Value half = arith::ConstantIntOp::create(b, loc, integer, 32);
    Value low = move(arith::TruncIOp::create(b, loc, i32, x));
    Value high = move(arith::TruncIOp::create(
        b, loc, i32, arith::ShRUIOp::create(b, loc, x, half)));
    high = arith::ShLIOp::create(
        b, loc, arith::ExtUIOp::create(b, loc, integer, high), half);
    x = arith::OrIOp::create(
        b, loc, arith::ExtUIOp::create(b, loc, integer, low), high);
  }
  return isa<FloatType>(type) ? Value(arith::BitcastOp::create(b, loc, type, x))
                              : x;
}

Value fx::gpu::getAddress(KernelCode &code, Value tensor) {
  OpBuilder &b = code.b;
  Location loc = code.loc;
  Value flat = code.buffer(tensor)->flat;
  Value address = memref::ExtractAlignedPointerAsIndexOp::create(b, loc, flat);
  auto meta = memref::ExtractStridedMetadataOp::create(b, loc, flat);
  int64_t bytes = codegen::getElementBytes(
      cast<MemRefType>(flat.getType()).getElementType());
  Value offset =
      arith::MulIOp::create(b, loc, meta.getOffset(), code.constant(bytes));
  address = arith::AddIOp::create(b, loc, address, offset);
  return arith::IndexCastOp::create(b, loc, b.getI64Type(), address);
}

Value fx::gpu::areAligned(KernelCode &code) {
  OpBuilder &b = code.b;
  Location loc = code.loc;
  auto number = [&](int64_t c) -> Value {
    return arith::ConstantIntOp::create(b, loc, b.getI64Type(), c);
  };
  Value all = number(0);
  // Operands that are fetched by elements are included: `kAlignmentAttr` makes
  // LLVM assume the alignment of all buffers of the kernel.
  for (Value arg : code.source.getArguments())
    if (isa<RankedTensorType>(arg.getType()))
      all = arith::OrIOp::create(b, loc, all, getAddress(code, arg));
  Value rest = arith::RemUIOp::create(b, loc, all, number(kAlignment));
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, rest,
                               number(0));
}
