//===- TimeModel.cpp - the expected times of kernels ----------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/CodeGen/GPU/TimeModel.h"
#include "fx/CodeGen/GPU/Passes.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace mlir;
using namespace fx;
using namespace fx::gpu;

/// The limits of a multiprocessor of compute capability 9.0.
static constexpr int64_t kBlocks = 32, kThreads = 2048, kRegisters = 65536,
                         kSharedBytes = 228 * 1024;
/// The shared memory that the system takes of each block.
static constexpr int64_t kReservedBytes = 1024;

ArrayRef<DeviceSpeed> fx::gpu::getDeviceSpeeds() {
  static const DeviceSpeed devices[] = {
#include "DeviceSpeeds.inc"
  };
  return devices;
}

void fx::gpu::describeLaunch(Operation *launch, int64_t bytes,
                             int64_t operations) {
  Builder b(launch->getContext());
  launch->setAttr(
      kWorkAttr,
      b.getDictionaryAttr(
          {b.getNamedAttr("bytes", b.getI64IntegerAttr(bytes)),
           b.getNamedAttr("operations", b.getI64IntegerAttr(operations)),
           b.getNamedAttr("unit", b.getStringAttr("f32"))}));
}

KernelWork fx::gpu::getWork(mlir::gpu::GPUFuncOp func) {
  KernelWork work;
  auto number = [](DictionaryAttr dict,
                   StringRef name) -> std::optional<int64_t> {
    if (auto attr = dict.getAs<IntegerAttr>(name))
      return attr.getInt();
    return std::nullopt;
  };
  if (auto dict = func->getAttrOfType<DictionaryAttr>(kWorkAttr)) {
    work.bytes = number(dict, "bytes");
    work.operations = number(dict, "operations");
    work.blocks = number(dict, "blocks");
    if (auto unit = dict.getAs<StringAttr>("unit"))
      work.unit = unit.getValue();
  }
  work.threads = 1;
  if (std::optional<ArrayRef<int32_t>> sizes = func.getKnownBlockSize())
    for (int32_t size : *sizes)
      work.threads *= size;
  return work;
}

/// Returns the number of blocks that a multiprocessor runs at the same time.
static int64_t countResident(const KernelWork &work) {
  int64_t warps = llvm::divideCeil(std::max<int64_t>(work.threads, 1), 32);
  int64_t blocks = std::min(kBlocks, kThreads / (32 * warps));
  // A warp gets registers in units of 256.
  if (int64_t perWarp = llvm::alignTo(work.registers * 32, 256))
    blocks = std::min(blocks, kRegisters / (perWarp * warps));
  blocks = std::min(blocks, kSharedBytes / (work.sharedBytes + kReservedBytes));
  return std::max<int64_t>(blocks, 1);
}

std::optional<KernelTime> fx::gpu::estimateTime(const KernelWork &work,
                                                const DeviceSpeed &device) {
  if (!work.bytes || !work.operations || work.blocks == 0)
    return std::nullopt;
  KernelTime time;
  double devices = device.multiprocessors,
         resident = devices * countResident(work);
  // The grid of a persistent kernel is chosen at run time to fill the device.
  double blocks = work.blocks ? *work.blocks : resident;
  time.waves = blocks / resident;
  double active = std::min(blocks, devices);
  double few = active * device.multiprocessor;
  double memory = *work.bytes / std::min(device.memory, few);
  // Bytes have twice the rate of halves, and TF32 a half of it, by NVIDIA's
  // data sheets; not measured.
  double rate = llvm::StringSwitch<double>(work.unit)
                    .Case("tensor", device.tensor)
                    .Case("tensor8", 2 * device.tensor)
                    .Case("tensor32", device.tensor / 2)
                    .Case("mma", device.mma)
                    .Case("mma8", 2 * device.mma)
                    .Case("tf32x3", device.tf32x3)
                    .Case("tf32", 3 * device.tf32x3)
                    .Case("f64", device.f64)
                    .Default(device.f32);
  // The last wave takes as long as a full one.
  double busy =
      time.waves < 1 ? active / devices : time.waves / std::ceil(time.waves);
  double compute = *work.operations / (rate * busy);
  time.seconds = device.launch + std::max(memory, compute);
  time.bound = device.launch > std::max(memory, compute) ? "launch"
               : compute > memory                        ? "compute"
               : few < device.memory                     ? "blocks"
                                                         : "memory";
  return time;
}
