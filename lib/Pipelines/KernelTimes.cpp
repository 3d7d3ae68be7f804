//===- KernelTimes.cpp - expected times in the report ---------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelTimes.h"

#include <cmath>

using namespace fx;
using llvm::json::Array;
using llvm::json::Object;
using llvm::json::Value;

/// Rounds to three digits behind the point.
static double shorten(double x) { return std::round(x * 1000) / 1000; }

/// Returns a number that ptxas reported for the first chip, or 0.
static int64_t getNumber(const Object &kernel, llvm::StringRef key) {
  const Array *code = kernel.getArray("code");
  if (!code || code->empty())
    return 0;
  return code->front().getAsObject()->getInteger(key).value_or(0);
}

static Value toJSON(std::optional<int64_t> number) {
  return number ? Value(*number) : Value(nullptr);
}

void fx::addKernelTimes(Array &kernels, llvm::ArrayRef<gpu::KernelWork> work) {
  for (auto [value, mine] : llvm::zip(kernels, work)) {
    Object &kernel = *value.getAsObject();
    gpu::KernelWork known = mine;
    known.registers = getNumber(kernel, "registers");
    known.sharedBytes = getNumber(kernel, "shared_bytes");
    kernel["work"] = Object{{"bytes", toJSON(known.bytes)},
                            {"operations", toJSON(known.operations)},
                            {"unit", known.unit},
                            {"blocks", toJSON(known.blocks)},
                            {"threads", known.threads}};
    Object expected;
    for (const gpu::DeviceSpeed &device : gpu::getDeviceSpeeds())
      if (std::optional<gpu::KernelTime> time =
              gpu::estimateTime(known, device))
        expected[device.name] =
            Object{{"waves", shorten(time->waves)},
                   {"microseconds", shorten(time->seconds * 1e6)},
                   {"bound", time->bound}};
    kernel["expected"] = std::move(expected);
  }
}
