//===- TileChoice.cpp - tiles that were asked for or measured -------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileChoice.h"

#include "fx/CodeGen/GPU/Passes.h"

#include "llvm/Support/Error.h"

using namespace mlir;
using namespace fx;
using namespace fx::gpu;
using codegen::Index;

namespace {
struct Measured {
  StringRef kind;
  int64_t m, n, k;
  SmallVector<int64_t> tiles;
};
struct Schedule {
  StringLiteral kind;
  unsigned numbers;
};
} // namespace

static constexpr Schedule kSchedules[] = {
    {"warpgroup", 2}, {"tensorcore", 6}, {"matmul", 5}};

static ArrayRef<Measured> getTable() {
  static const SmallVector<Measured> table = {
#include "TileTable.inc"
  };
  return table;
}

/// Finds KIND=A:B:C in a list with commas.
static llvm::Expected<SmallVector<int64_t>> findTiles(StringRef text,
                                                      StringRef kind) {
  SmallVector<StringRef> parts;
  text.split(parts, ',', -1, /*KeepEmpty=*/false);
  SmallVector<int64_t> result;
  for (StringRef part : parts) {
    auto [name, numbers] = part.split('=');
    auto known = llvm::find_if(
        kSchedules, [&](const Schedule &s) { return s.kind == name; });
    if (known == std::end(kSchedules))
      return llvm::createStringError(
          "expected warpgroup, tensorcore or matmul, got '" + name.str() + "'");
    SmallVector<StringRef> fields;
    numbers.split(fields, ':');
    SmallVector<int64_t> values(fields.size());
    bool isRight = fields.size() == known->numbers;
    for (auto [field, value] : llvm::zip(fields, values))
      isRight &= !field.getAsInteger(10, value) && value >= 0 && value <= 4096;
    if (!isRight)
      return llvm::createStringError(
          name.str() + ": expected " + std::to_string(known->numbers) +
          " numbers up to 4096 with colons, got '" + numbers.str() + "'");
    if (name == kind)
      result = values;
  }
  return result;
}

llvm::Error fx::gpu::checkTiles(StringRef text) {
  return findTiles(text, "").takeError();
}

/// Within a factor of the square root of 2.
static bool isNear(const Index &size, int64_t measured) {
  if (!size.isStatic())
    return false;
  int64_t x = size.constant * size.constant, y = measured * measured;
  return 2 * x > y && x < 2 * y;
}

void fx::gpu::noteProduct(const MatMulPlan &plan, ArrayRef<int64_t> tiles) {
  func::FuncOp kernel = plan.code.source;
  if (kernel->hasAttr(kProductAttr))
    return;
  Builder b(kernel.getContext());
  SmallVector<NamedAttribute> entries;
  for (auto [name, size] :
       {std::pair("m", plan.mSize), std::pair("n", plan.nSize),
        std::pair("k", plan.kSize)})
    if (size.isStatic())
      entries.push_back(
          b.getNamedAttr(name, b.getI64IntegerAttr(size.constant)));
  std::string text;
  for (int64_t number : tiles)
    text += (text.empty() ? "" : ":") + std::to_string(number);
  entries.push_back(b.getNamedAttr("tiles", b.getStringAttr(text)));
  kernel->setAttr(kProductAttr, b.getDictionaryAttr(entries));
}

SmallVector<int64_t> fx::gpu::getTiles(const MatMulPlan &plan, StringRef kind) {
  if (auto text = plan.code.source->getAttrOfType<StringAttr>(kTilesAttr)) {
    auto tiles = findTiles(text.getValue(), kind);
    if (!tiles)
      llvm::consumeError(tiles.takeError());
    else if (!tiles->empty())
      return *tiles;
  }
  for (const Measured &row : getTable())
    if (row.kind == kind && isNear(plan.mSize, row.m) &&
        isNear(plan.nSize, row.n) && isNear(plan.kSize, row.k))
      return row.tiles;
  return {};
}
