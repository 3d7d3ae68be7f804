//===- Target.cpp - the GPUs that --target names --------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceModule.h"

#include "fx/Support/Text.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"

using namespace fx;
using namespace fx::gpu;

std::string Target::getText() const {
  std::string text = platform->name.str();
  return chips.empty() ? text : text + ":" + llvm::join(chips, ",");
}

llvm::StringRef Target::getChip() const {
  return chips.empty() ? llvm::StringRef() : llvm::StringRef(chips.front());
}

kernel::MatrixUnit Target::getMatrixUnit() const {
  return platform->getMatrixUnit ? platform->getMatrixUnit(chips)
                                 : kernel::MatrixUnit::None;
}

/// Returns an error if LLVM's code generator does not know one of the chips.
static llvm::Error checkChips(const Target &target) {
  const CodeGenerator &generator = *target.platform->generator;
  llvm::Expected<const llvm::Target *> found = generator.find();
  if (!found)
    return llvm::createStringError("--target: " +
                                   llvm::toString(found.takeError()));
  std::unique_ptr<llvm::MCSubtargetInfo> info(
      (*found)->createMCSubtargetInfo(llvm::Triple(generator.triple), "", ""));
  for (llvm::StringRef chip : target.chips)
    if (!info->isCPUStringValid(chip))
      return llvm::createStringError("--target: unknown chip '" + chip.str() +
                                     "'");
  return llvm::Error::success();
}

llvm::Expected<Target>
fx::gpu::parseTarget(llvm::StringRef text,
                     llvm::ArrayRef<const Platform *> platforms) {
  auto [name, chips] = text.split(':');
  bool namesChips = text.contains(':');
  llvm::SmallVector<llvm::StringRef> forms;
  const Platform *platform = nullptr;
  for (const Platform *known : platforms) {
    forms.push_back(known->form);
    if (known->name == name && (!namesChips || known->isChipName))
      platform = known;
  }
  if (!platform)
    return llvm::createStringError("--target: expected " + joinChoices(forms) +
                                   ", got '" + text.str() + "'");
  Target target{platform, {}};
  bool isKnown = true;
  if (namesChips) {
    for (llvm::StringRef chip : llvm::split(chips, ',')) {
      isKnown &= platform->isChipName(chip);
      target.chips.push_back(chip.str());
    }
    isKnown &= platform->allowsSeveralChips || target.chips.size() == 1;
  } else if (!platform->defaultChip.empty()) {
    target.chips.push_back(platform->defaultChip.str());
  }
  if (!isKnown)
    return llvm::createStringError("--target: expected " +
                                   platform->expected.str() + ", got '" +
                                   text.str() + "'");
  if (platform->generator)
    if (llvm::Error e = checkChips(target))
      return std::move(e);
  return target;
}
