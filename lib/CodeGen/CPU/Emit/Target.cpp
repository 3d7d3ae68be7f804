//===- Target.cpp - the machine that code is made for ---------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Target.h"

#include "fx/Runtime/Desc.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/SubtargetFeature.h"

using namespace fx::cpu;

/// Returns the target of the code generators that the project supports.
static const llvm::Target *getTarget(const llvm::Triple &triple,
                                     std::string &error) {
  static bool initialized = [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    llvm::InitializeNativeTargetAsmParser();
    return true;
  }();
  (void)initialized;
  return llvm::TargetRegistry::lookupTarget(triple, error);
}

/// Returns the features of a CPU as LLVM writes them: "+a,+b".
static std::string getFeaturesOf(const llvm::MCSubtargetInfo &info) {
  llvm::SubtargetFeatures features;
  const llvm::FeatureBitset &bits = info.getFeatureBits();
  for (const llvm::SubtargetFeatureKV &kv : info.getAllProcessorFeatures())
    if (bits.test(kv.Value))
      features.AddFeature(kv.Key, true);
  return features.getString();
}

mlir::FailureOr<CPUOptions> fx::cpu::getCPUOptions(llvm::StringRef mcpu,
                                                   std::string &error) {
  CPUOptions options;
  llvm::Triple triple(llvm::sys::getDefaultTargetTriple());
  const llvm::Target *target = getTarget(triple, error);
  if (!target)
    return mlir::failure();
  options.triple = triple.str();
  bool isHost = mcpu.empty() || mcpu == "native" || mcpu == "host";
  options.cpu = isHost ? llvm::sys::getHostCPUName().str() : mcpu.str();
  std::unique_ptr<llvm::MCSubtargetInfo> info(
      target->createMCSubtargetInfo(triple, "generic", ""));
  // Check the name first: LLVM prints its own messages for an unknown CPU.
  if (!isHost && (!info || !info->isCPUStringValid(options.cpu))) {
    error = "unknown CPU '" + options.cpu + "'";
    return mlir::failure();
  }
  if (isHost) {
    llvm::SubtargetFeatures features;
    for (const auto &feature : llvm::sys::getHostCPUFeatures())
      features.AddFeature(feature.getKey(), feature.getValue());
    options.features = features.getString();
  } else {
    info.reset(target->createMCSubtargetInfo(triple, options.cpu, ""));
    options.features = getFeaturesOf(*info);
  }
  llvm::StringRef features = options.features;
  options.vectorWidth = features.contains("+avx512f") ? 512
                        : features.contains("+avx")   ? 256
                                                      : 128;
  return options;
}

int64_t fx::cpu::getFeatureBits(llvm::StringRef features) {
  llvm::SmallVector<llvm::StringRef> list;
  features.split(list, ',');
  llvm::StringSet<> names;
  for (llvm::StringRef feature : list)
    if (feature.consume_front("+"))
      names.insert(feature);
  int64_t bits = 0;
#define FX_X86_FEATURE(ID, NAME, WORD, BIT, STATE)                             \
  if (names.contains(NAME))                                                    \
    bits |= int64_t(1) << FX_X86_##ID;
#include "fx/Runtime/CpuFeatures.def"
  return bits;
}

mlir::FailureOr<llvm::SmallVector<CPUOptions>>
fx::cpu::getVersions(llvm::StringRef mcpu, std::string &error) {
  llvm::SmallVector<llvm::StringRef> names;
  mcpu.split(names, ',');
  llvm::SmallVector<CPUOptions> versions;
  for (llvm::StringRef name : names) {
    if (name.empty() && names.size() > 1) {
      error = "expected names of CPUs with commas between them, got '" +
              mcpu.str() + "'";
      return mlir::failure();
    }
    mlir::FailureOr<CPUOptions> options = getCPUOptions(name, error);
    if (mlir::failed(options))
      return mlir::failure();
    for (const CPUOptions &other : versions) {
      if (other.cpu == options->cpu) {
        error = "expected each CPU once, got '" + options->cpu + "' twice";
        return mlir::failure();
      }
      if (other.triple != options->triple) {
        error = "expected CPUs of one architecture, got '" + other.cpu +
                "' and '" + options->cpu + "'";
        return mlir::failure();
      }
    }
    versions.push_back(std::move(*options));
  }
  // A version whose features include those of another one has more of them.
  llvm::stable_sort(versions, [](const CPUOptions &a, const CPUOptions &b) {
    auto count = [](const CPUOptions &v) {
      return std::pair(v.vectorWidth,
                       llvm::popcount(uint64_t(getFeatureBits(v.features))));
    };
    return count(a) > count(b);
  });
  for (auto [i, version] : llvm::enumerate(versions))
    if (versions.size() > 1)
      version.suffix = "_" + std::to_string(i);
  return versions;
}

llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
fx::cpu::createTargetMachine(const CPUOptions &options) {
  std::string error;
  llvm::Triple triple(options.triple);
  const llvm::Target *target = getTarget(triple, error);
  if (!target)
    return llvm::createStringError(error);
  llvm::TargetOptions targetOptions;
  // Fuse multiplications and additions: one rounding instead of two. No other
  // fast-math assumption is made.
  targetOptions.AllowFPOpFusion = llvm::FPOpFusion::Fast;
  std::unique_ptr<llvm::TargetMachine> machine(target->createTargetMachine(
      triple, options.cpu, options.features, targetOptions, llvm::Reloc::PIC_,
      std::nullopt,
      options.optLevel >= 3   ? llvm::CodeGenOptLevel::Aggressive
      : options.optLevel == 2 ? llvm::CodeGenOptLevel::Default
                              : llvm::CodeGenOptLevel::Less));
  if (!machine)
    return llvm::createStringError("no code generator for '" + options.cpu +
                                   "'");
  return machine;
}
