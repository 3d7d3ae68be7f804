//===- Tiles.cpp - instructions for AMX tiles -----------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tiles.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace fx::codegen;
using namespace fx::cpu;

void fx::cpu::callTile(KernelCode &code, StringRef name,
                       ArrayRef<int64_t> tiles, ValueRange operands) {
  SmallVector<Value> args;
  for (int64_t tile : tiles)
    args.push_back(arith::ConstantOp::create(code.b, code.loc,
                                             code.b.getI8IntegerAttr(tile)));
  llvm::append_range(args, operands);
  LLVM::CallIntrinsicOp::create(code.b, code.loc, code.b.getStringAttr(name),
                                args);
}

Value fx::cpu::addressOf(KernelCode &code, Value flat, const Index &at) {
  OpBuilder &b = code.b;
  Location loc = code.loc;
  Type word = b.getI64Type(), ptr = LLVM::LLVMPointerType::get(b.getContext());
  auto type = cast<MemRefType>(flat.getType());
  auto meta = memref::ExtractStridedMetadataOp::create(b, loc, flat);
  Value base = memref::ExtractAlignedPointerAsIndexOp::create(b, loc, flat);
  base = arith::IndexCastOp::create(b, loc, word, base);
  base = LLVM::IntToPtrOp::create(b, loc, ptr, base);
  Index bytes = code.mul(code.add(Index(meta.getOffset()), at),
                         Index::of(type.getElementTypeBitWidth() / 8));
  Value offset =
      arith::IndexCastOp::create(b, loc, word, code.materialize(bytes));
  return LLVM::GEPOp::create(b, loc, ptr, b.getI8Type(), base,
                             ArrayRef<LLVM::GEPArg>{offset});
}

Value fx::cpu::tileStride(KernelCode &code, const Index &bytes) {
  return arith::IndexCastOp::create(code.b, code.loc, code.b.getI64Type(),
                                    code.materialize(bytes));
}

Value fx::cpu::allocateForTiles(KernelCode &code, int64_t size, Type element) {
  auto op = memref::AllocaOp::create(code.b, code.loc,
                                     MemRefType::get({size}, element));
  op.setAlignment(kTileRowBytes);
  return op;
}

TileShapes::TileShapes() : bytes(kTileRowBytes, 0) {
  bytes[0] = 1; // the palette
}

void TileShapes::set(int64_t tile, const Index &rows, int64_t rowBytes) {
  if (rows == Index::of(0))
    return;
  bytes[16 + 2 * tile] = rowBytes;
  if (rows.isStatic())
    bytes[48 + tile] = rows.constant;
  else
    heights.emplace_back(48 + tile, rows);
}

void TileShapes::load(KernelCode &code, Value memory) const {
  OpBuilder &b = code.b;
  Location loc = code.loc;
  auto type = VectorType::get({kTileRowBytes}, b.getI8Type());
  Value fixed = arith::ConstantOp::create(
      b, loc, DenseElementsAttr::get(type, ArrayRef<int8_t>(bytes)));
  vector::StoreOp::create(b, loc, fixed, memory, ValueRange{code.constant(0)});
  for (auto [at, height] : heights) {
    Value byte = arith::IndexCastOp::create(b, loc, b.getI8Type(),
                                            code.materialize(height));
    memref::StoreOp::create(b, loc, byte, memory, code.constant(at));
  }
  callTile(code, "llvm.x86.ldtilecfg", {},
           addressOf(code, memory, Index::of(0)));
}
