//===- Target.cpp - the GPUs that --target names --------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceModule.h"

#include "mlir/Dialect/AMDGPU/Utils/Chipset.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"

using namespace fx;
using namespace fx::gpu;

std::string Target::getText() const {
  if (platform == Platform::Vulkan)
    return "vulkan";
  return (platform == Platform::ROCm ? "rocm:" : "cuda:") +
         llvm::join(chips, ",");
}

bool Target::hasTensorCores() const {
  return platform == Platform::CUDA &&
         getChipName(getCommonChip(*this)).number >= 80;
}

bool Target::hasWarpgroups() const {
  return platform == Platform::CUDA && llvm::is_contained(chips, "sm_90a");
}

ChipName fx::gpu::getChipName(llvm::StringRef chip) {
  ChipName name;
  if (!chip.consume_front("sm_") || chip.consumeInteger(10, name.number) ||
      chip.size() > 1)
    return {};
  name.suffix = chip.empty() ? 0 : chip[0];
  return name;
}

std::string fx::gpu::getCommonChip(const Target &target) {
  int number = 80;
  for (llvm::StringRef chip : target.chips)
    number = std::min(number, getChipName(chip).number);
  return "sm_" + std::to_string(number);
}

/// Returns true if `chip` has the form of a chip name of the platform.
static bool isChipName(Platform platform, llvm::StringRef chip) {
  if (platform == Platform::ROCm) {
    // Upstream's conversion parses the name with this function. Shuffles need
    // gfx8.
    auto parts = mlir::amdgpu::Chipset::parse(chip);
    return succeeded(parts) && parts->majorVersion >= 8;
  }
  ChipName parts = getChipName(chip);
  return parts.number >= 70 &&
         llvm::is_contained({0, int('a'), int('f')}, parts.suffix);
}

llvm::Expected<Target> fx::gpu::parseTarget(llvm::StringRef text) {
  Target target;
  auto [name, chips] = text.split(':');
  llvm::StringRef expected;
  if (name == "cuda") {
    expected = "cuda or cuda:sm_NN[,sm_NN...] with NN of at least 70";
  } else if (name == "rocm") {
    target.platform = Platform::ROCm;
    target.chips = {"gfx942"};
    expected = "rocm or rocm:gfxNNN with one chip of gfx800 or newer";
  } else if (text == "vulkan") {
    target.platform = Platform::Vulkan;
    target.chips.clear();
    return target;
  } else {
    return llvm::createStringError(
        "--target: expected cuda[:sm_NN,...], rocm[:gfxNNN] or vulkan, got '" +
        text.str() + "'");
  }
  bool isKnown = true;
  if (text.contains(':')) {
    target.chips.clear();
    for (llvm::StringRef chip : llvm::split(chips, ',')) {
      isKnown &= isChipName(target.platform, chip);
      target.chips.push_back(chip.str());
    }
    // A code object of ROCm holds code for one chip.
    isKnown &= target.platform == Platform::CUDA || target.chips.size() == 1;
  }
  if (!isKnown)
    return llvm::createStringError("--target: expected " + expected.str() +
                                   ", got '" + text.str() + "'");
  const CodeGenerator &generator = getCodeGenerator(target.platform);
  llvm::Expected<const llvm::Target *> found = generator.find();
  if (!found)
    return llvm::createStringError("--target: " +
                                   llvm::toString(found.takeError()));
  std::unique_ptr<llvm::MCSubtargetInfo> info(
      (*found)->createMCSubtargetInfo(generator.triple, "", ""));
  for (llvm::StringRef chip : target.chips)
    if (!info->isCPUStringValid(chip))
      return llvm::createStringError("--target: unknown chip '" + chip.str() +
                                     "'");
  return target;
}
