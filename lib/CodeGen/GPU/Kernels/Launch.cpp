//===- Launch.cpp - grids of threads around kernels -----------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Launch.h"

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
