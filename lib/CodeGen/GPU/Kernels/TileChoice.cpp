//===- TileChoice.cpp - tiles that were asked for or measured -------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileChoice.h"

#include "fx/CodeGen/GPU/Passes.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Error.h"

using namespace mlir;
using namespace fx;
using namespace fx::gpu;
using codegen::Index;

namespace {
/// The fastest tiles of a class of kernels that were measured for a size.
struct Measured {
  StringRef kernelClass;
  int64_t m, n, k;
  SmallVector<int64_t> tiles;
};
} // namespace

static ArrayRef<Measured> getTable() {
  static const SmallVector<Measured> table = {
#include "TileTable.inc"
  };
  return table;
}

/// Returns the least and the largest count of numbers of a class's schedules,
/// or zeros if they have no tiles.
static std::pair<size_t, size_t> getNumTiles(StringRef kernelClass) {
  using Range = std::pair<size_t, size_t>;
  return llvm::StringSwitch<Range>(kernelClass)
      .Case(kernel::WarpgroupAttr::getMnemonic(), Range(2, 5))
      .Case(kernel::TensorCoreAttr::getMnemonic(), Range(6, 7))
      .Case(kernel::MatrixCoreAttr::getMnemonic(), Range(5, 6))
      .Case(kernel::MatMulAttr::getMnemonic(), Range(5, 5))
      .Case(kernel::AttentionAttr::getMnemonic(), Range(1, 4))
      .Default(Range(0, 0));
}

static kernel::ScheduleAttrInterface
getSchedule(MLIRContext *ctx, StringRef kernelClass, ArrayRef<int64_t> t) {
  if (kernelClass == kernel::WarpgroupAttr::getMnemonic())
    return kernel::WarpgroupAttr::get(ctx, t[0], t[1], t.size() > 2 ? t[2] : 1,
                                      t.size() > 3 ? t[3] : 2,
                                      t.size() > 4 ? t[4] : 1);
  if (kernelClass == kernel::TensorCoreAttr::getMnemonic())
    return kernel::TensorCoreAttr::get(ctx, t[0], t[1], t[2], t[3], t[4], t[5],
                                       t.size() > 6 ? t[6] : 1);
  if (kernelClass == kernel::MatrixCoreAttr::getMnemonic())
    return kernel::MatrixCoreAttr::get(ctx, t[0], t[1], t[2], t[3], t[4],
                                       t.size() > 5 ? t[5] : 1);
  if (kernelClass == kernel::AttentionAttr::getMnemonic())
    return kernel::AttentionAttr::get(ctx, t[0], t.size() > 1 ? t[1] : 0,
                                      t.size() > 2 ? t[2] : 0,
                                      t.size() > 3 && t[3]);
  return kernel::MatMulAttr::get(ctx, t[0], t[1], t[2], t[3], t[4]);
}

/// Parses KIND=A:B:C.
static llvm::Expected<kernel::ScheduleAttrInterface>
parseSchedule(MLIRContext *ctx, StringRef text) {
  auto [name, numbers] = text.split('=');
  auto [least, most] = getNumTiles(name);
  if (!most)
    return llvm::createStringError(
        "expected warpgroup, tensorcore, matrixcore, matmul or attention, "
        "got '" +
        name.str() + "'");
  SmallVector<StringRef> fields;
  numbers.split(fields, ':');
  SmallVector<int64_t> values(fields.size());
  bool isRight = fields.size() >= least && fields.size() <= most;
  for (auto [field, value] : llvm::zip(fields, values))
    isRight &= !field.getAsInteger(10, value) && value >= 0 && value <= 4096;
  if (!isRight)
    return llvm::createStringError(
        name.str() + ": expected " + std::to_string(least) +
        (least < most ? " to " + std::to_string(most) : "") +
        " numbers up to 4096 with colons, got '" + numbers.str() + "'");
  return getSchedule(ctx, name, values);
}

llvm::Expected<ArrayAttr> fx::gpu::parseTiles(MLIRContext *ctx,
                                              StringRef text) {
  SmallVector<StringRef> parts;
  text.split(parts, ',', -1, /*KeepEmpty=*/false);
  SmallVector<Attribute> schedules;
  for (StringRef part : parts) {
    auto schedule = parseSchedule(ctx, part);
    if (!schedule)
      return schedule.takeError();
    schedules.push_back(*schedule);
  }
  return ArrayAttr::get(ctx, schedules);
}

/// Returns true if the size is static and within a factor of the square root of
/// 2 of the measured one.
static bool isNear(const Index &size, int64_t measured) {
  if (!size.isStatic())
    return false;
  int64_t x = size.constant * size.constant, y = measured * measured;
  return 2 * x > y && x < 2 * y;
}

void fx::gpu::noteSchedule(const MatMulPlan &plan,
                           kernel::ScheduleAttrInterface schedule) {
  func::FuncOp func = plan.code.source;
  if (func->hasAttr(kernel::kScheduleAttr))
    return;
  auto getSize = [](const Index &size) -> int64_t {
    return size.isStatic() ? size.constant : -1;
  };
  func->setAttr(kernel::kScheduleAttr, schedule);
  func->setAttr(kernel::kProblemAttr,
                kernel::ProblemAttr::get(func.getContext(), getSize(plan.mSize),
                                         getSize(plan.nSize),
                                         getSize(plan.kSize)));
}

/// Returns true for a schedule without tiles that asks for clusters.
static bool asksForClusters(kernel::ScheduleAttrInterface schedule) {
  auto asked = dyn_cast<kernel::WarpgroupAttr>(schedule);
  return asked && asked.getColumns() == 0 && asked.getCluster() > 1;
}

bool fx::gpu::considersClusters(const MatMulPlan &plan) {
  auto tiles = plan.code.source->getAttrOfType<ArrayAttr>(kernel::kTilesAttr);
  return tiles &&
         llvm::any_of(tiles.getAsRange<kernel::ScheduleAttrInterface>(),
                      asksForClusters);
}

kernel::ScheduleAttrInterface fx::gpu::getTiles(const MatMulPlan &plan,
                                                StringRef kernelClass) {
  func::FuncOp func = plan.code.source;
  if (auto tiles = func->getAttrOfType<ArrayAttr>(kernel::kTilesAttr))
    // The last one counts.
    for (auto schedule :
         llvm::reverse(tiles.getAsRange<kernel::ScheduleAttrInterface>()))
      if (schedule.getKernelClass() == kernelClass &&
          !asksForClusters(schedule))
        return schedule;
  for (const Measured &row : getTable())
    if (row.kernelClass == kernelClass && isNear(plan.mSize, row.m) &&
        isNear(plan.nSize, row.n) && isNear(plan.kSize, row.k))
      return getSchedule(func.getContext(), kernelClass, row.tiles);
  return {};
}
