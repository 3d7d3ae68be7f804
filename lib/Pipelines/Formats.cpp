//===- Formats.cpp - what can be written for which target -----------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Formats.h"
#include "fx/Pipelines/CompileError.h"

#include "llvm/ADT/STLExtras.h"

using namespace fx;

namespace {
/// Targets, as bits of a set.
enum : unsigned {
  kCPU = 1,
  kCUDA = 2,
  kROCm = 4,
  kVulkan = 8,
  kGPUs = kCUDA | kROCm | kVulkan,
  kAll = kCPU | kGPUs
};

struct Format {
  EmitKind kind;
  llvm::StringLiteral name;
  unsigned targets;
  llvm::StringLiteral extension;
};
} // namespace

// Artefacts are for CPUs and NVIDIA GPUs: the others have no run-time yet.
static constexpr Format formats[] = {
#define FX_FORMAT(ID, KIND, NAME, TARGETS, EXTENSION, DESCRIPTION)             \
  {EmitKind::KIND, NAME, TARGETS, EXTENSION},
#include "fx/Pipelines/Formats.def"
};

static unsigned getBit(const fx::gpu::Target *gpu) {
  if (!gpu)
    return kCPU;
  switch (gpu->platform) {
  case fx::gpu::Platform::CUDA:
    return kCUDA;
  case fx::gpu::Platform::ROCm:
    return kROCm;
  case fx::gpu::Platform::Vulkan:
    return kVulkan;
  }
  llvm_unreachable("unknown platform");
}

/// Joins names as "a, b or c".
static std::string join(llvm::ArrayRef<llvm::StringRef> names) {
  std::string text;
  for (auto [i, name] : llvm::enumerate(names)) {
    if (i > 0)
      text += i + 1 < names.size() ? ", " : " or ";
    text += name;
  }
  return text;
}

static const Format &getFormat(EmitKind emit) {
  return *llvm::find_if(
      formats, [&](const Format &format) { return format.kind == emit; });
}

llvm::StringRef fx::getExtension(EmitKind emit) {
  return getFormat(emit).extension;
}

llvm::Error fx::checkFormat(EmitKind emit, const fx::gpu::Target *gpu) {
  const Format &asked = getFormat(emit);
  unsigned bit = getBit(gpu);
  if (asked.targets & bit)
    return llvm::Error::success();
  llvm::SmallVector<llvm::StringRef> names;
  if (!gpu) {
    if (asked.targets & kCUDA)
      names.push_back("--target=cuda");
    if (asked.targets & kROCm)
      names.push_back("--target=rocm");
    if (asked.targets & kVulkan)
      names.push_back("--target=vulkan");
    return CompileError::make(CompileError::Kind::Input,
                              "--emit: expected " + join(names) + " for " +
                                  asked.name +
                                  ", the code of a GPU, got no --target");
  }
  for (const Format &format : formats)
    if ((format.targets & bit) && format.targets != kAll)
      names.push_back(format.name);
  std::string text = "--emit: expected " + join(names) + " for " +
                     gpu->getText() + ", got " + asked.name.str();
  if (gpu->platform != fx::gpu::Platform::CUDA && (asked.targets & kCUDA) &&
      (asked.targets & kCPU))
    text += ": there is no run-time for it yet";
  return CompileError::make(CompileError::Kind::Input, text);
}
