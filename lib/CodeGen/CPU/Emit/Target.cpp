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

static llvm::Triple getHostTriple() {
  return llvm::Triple(llvm::sys::getDefaultTargetTriple());
}

llvm::Triple fx::cpu::getTriple(const CPUOptions &options) {
  return options.triple.empty() ? getHostTriple()
                                : llvm::Triple(options.triple);
}

mlir::FailureOr<std::string> fx::cpu::parseTriple(llvm::StringRef text,
                                                  std::string &error) {
  llvm::Triple triple(llvm::Triple::normalize(text)), host = getHostTriple();
  bool isKnown = triple.isAArch64(64) ? triple.isLittleEndian()
                                      : triple.getArch() == host.getArch();
  if (!isKnown || !triple.isOSLinux() ||
      !(triple.isGNUEnvironment() ||
        triple.getEnvironment() == llvm::Triple::UnknownEnvironment)) {
    error = "expected aarch64-linux-gnu or " + host.getArchName().str() +
            "-linux-gnu, got '" + text.str() + "'";
    return mlir::failure();
  }
  if (triple.getArch() == host.getArch())
    return std::string();
  return triple.str();
}

static const llvm::Target *getTarget(const llvm::Triple &triple,
                                     std::string &error) {
  static bool initialized = [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    llvm::InitializeNativeTargetAsmParser();
    LLVMInitializeAArch64TargetInfo();
    LLVMInitializeAArch64Target();
    LLVMInitializeAArch64TargetMC();
    LLVMInitializeAArch64AsmPrinter();
    LLVMInitializeAArch64AsmParser();
    return true;
  }();
  (void)initialized;
  return llvm::TargetRegistry::lookupTarget(triple, error);
}

/// Returns the features of a CPU as LLVM writes them: "+a,+b".
static std::string getFeaturesOf(const llvm::MCSubtargetInfo &info) {
  llvm::SubtargetFeatures features;
  const llvm::FeatureBitset &bits = info.getFeatureBits();
  // LLVM reads names in lower case only. A name of AArch64, of a system
  // register that kernels do not use, is in upper case.
  for (const llvm::SubtargetFeatureKV &kv : info.getAllProcessorFeatures())
    if (bits.test(kv.Value) && llvm::StringRef(kv.Key).lower() == kv.Key)
      features.AddFeature(kv.Key, true);
  return features.getString();
}

/// Adds the features `added`, "a+b", to those of `options`. Returns false and
/// sets `error` if LLVM does not know one of them.
static bool addFeatures(CPUOptions &options, llvm::StringRef added,
                        const llvm::Target &target, std::string &error) {
  llvm::Triple triple = getTriple(options);
  std::unique_ptr<llvm::MCSubtargetInfo> info(
      target.createMCSubtargetInfo(triple, "generic", ""));
  llvm::SmallVector<llvm::StringRef> names;
  added.split(names, '+');
  for (llvm::StringRef name : names) {
    if (llvm::none_of(info->getAllProcessorFeatures(),
                      [&](const auto &kv) { return name == kv.Key; })) {
      error = "unknown feature '" + name.str() + "' of a CPU";
      return false;
    }
    options.features += (options.features.empty() ? "+" : ",+") + name.str();
  }
  // Add the features that these imply.
  info.reset(
      target.createMCSubtargetInfo(triple, options.cpu, options.features));
  options.features += "," + getFeaturesOf(*info);
  return true;
}

/// Disables arithmetic on f16, which AVX512-FP16 provides. LLVM would fuse
/// multiplications and additions, as it may for f32, but PyTorch rounds each of
/// them to f16. Without the instructions, each operation is computed in f32 and
/// rounded once, which gives the same result as one in f16. On AArch64 this
/// also disables SVE, which implies the instructions: kernels use NEON.
static void disableF16Arithmetic(CPUOptions &options) {
  if (getTriple(options).isAArch64()) {
    options.features += ",-fullfp16";
    return;
  }
  llvm::SmallVector<llvm::StringRef> list;
  llvm::StringRef(options.features).split(list, ',');
  if (!llvm::is_contained(list, "+avx512fp16"))
    return;
  llvm::erase_if(list, [](llvm::StringRef feature) {
    // AVX10 implies AVX512-FP16.
    return feature == "+avx512fp16" || feature.starts_with("+avx10");
  });
  list.push_back("-avx512fp16");
  options.features = llvm::join(list, ",");
}

mlir::FailureOr<CPUOptions> fx::cpu::getCPUOptions(llvm::StringRef name,
                                                   std::string &error,
                                                   llvm::StringRef ofTriple) {
  auto [mcpu, added] = name.split('+');
  CPUOptions options;
  options.triple = ofTriple.str();
  llvm::Triple triple = getTriple(options);
  const llvm::Target *target = getTarget(triple, error);
  if (!target)
    return mlir::failure();
  bool isHost = mcpu.empty() || mcpu == "native" || mcpu == "host";
  if (isHost && !ofTriple.empty()) {
    if (!mcpu.empty()) {
      error = "expected a CPU of " + triple.getArchName().str() + ", got '" +
              mcpu.str() + "'";
      return mlir::failure();
    }
    mcpu = "generic";
    isHost = false;
  }
  options.cpu = isHost ? llvm::sys::getHostCPUName().str() : mcpu.str();
  options.name = options.cpu + (added.empty() ? "" : "+" + added.str());
  std::unique_ptr<llvm::MCSubtargetInfo> info(
      target->createMCSubtargetInfo(triple, "generic", ""));
  // Check the name first: LLVM prints its own messages for an unknown CPU.
  if (!isHost && (!info || !info->isCPUStringValid(options.cpu))) {
    error = "unknown CPU '" + options.cpu + "'";
    if (!ofTriple.empty())
      error += " of " + triple.getArchName().str();
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
  if (name.contains('+') && !addFeatures(options, added, *target, error))
    return mlir::failure();
  disableF16Arithmetic(options);
  llvm::StringRef features = options.features;
  options.vectorWidth = features.contains("+avx512f") ? 512
                        : features.contains("+avx")   ? 256
                                                      : 128;
  return options;
}

int64_t fx::cpu::getFeatureBits(llvm::StringRef features,
                                const llvm::Triple &triple) {
  llvm::SmallVector<llvm::StringRef> list;
  features.split(list, ',');
  llvm::StringSet<> names;
  for (llvm::StringRef feature : list)
    if (feature.consume_front("+"))
      names.insert(feature);
  int64_t bits = 0;
#define FX_X86_FEATURE(ID, NAME, WORD, BIT, STATE)                             \
  if (triple.isX86() && names.contains(NAME))                                  \
    bits |= int64_t(1) << FX_X86_##ID;
#define FX_AARCH64_FEATURE(ID, NAME, WORD, BIT)                                \
  if (triple.isAArch64() && names.contains(NAME))                              \
    bits |= int64_t(1) << FX_AARCH64_##ID;
#include "fx/Runtime/CpuFeatures.def"
  return bits;
}

mlir::FailureOr<llvm::SmallVector<CPUOptions>>
fx::cpu::getVersions(llvm::StringRef mcpu, std::string &error,
                     llvm::StringRef triple) {
  llvm::SmallVector<llvm::StringRef> names;
  mcpu.split(names, ',');
  llvm::SmallVector<CPUOptions> versions;
  for (llvm::StringRef name : names) {
    if (name.empty() && names.size() > 1) {
      error = "expected names of CPUs with commas between them, got '" +
              mcpu.str() + "'";
      return mlir::failure();
    }
    mlir::FailureOr<CPUOptions> options = getCPUOptions(name, error, triple);
    if (mlir::failed(options))
      return mlir::failure();
    for (const CPUOptions &other : versions) {
      if (other.name == options->name) {
        error = "expected each CPU once, got '" + options->name + "' twice";
        return mlir::failure();
      }
    }
    versions.push_back(std::move(*options));
  }
  // A version whose features include those of another one has more of them.
  llvm::stable_sort(versions, [](const CPUOptions &a, const CPUOptions &b) {
    auto count = [](const CPUOptions &v) {
      int64_t bits = getFeatureBits(v.features, getTriple(v));
      return std::pair(v.vectorWidth, llvm::popcount(uint64_t(bits)));
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
  llvm::Triple triple = getTriple(options);
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
