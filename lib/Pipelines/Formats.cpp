//===- Formats.cpp - what can be written for which target -----------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Formats.h"
#include "fx/Pipelines/CompileError.h"
#include "fx/Support/Text.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace fx;

namespace fx::gpu {
#define FX_GPU_PLATFORM(ID) const Platform &get##ID##Platform();
#include "fx/Pipelines/Formats.def"
} // namespace fx::gpu

namespace {
/// The platforms, as numbers.
enum : unsigned {
#define FX_GPU_PLATFORM(ID) k##ID##Index,
#include "fx/Pipelines/Formats.def"
};

/// Targets, as bits of a set.
enum : unsigned {
  kCPU = 1,
#define FX_GPU_PLATFORM(ID) k##ID = 2u << k##ID##Index,
#include "fx/Pipelines/Formats.def"
  kAll = ~0u,
  kGPUs = kAll & ~kCPU
};

struct Format {
  EmitKind kind;
  llvm::StringLiteral name;
  unsigned targets;
  llvm::StringLiteral extension;
};
} // namespace

static constexpr Format formats[] = {
#define FX_FORMAT(ID, KIND, NAME, TARGETS, EXTENSION, DESCRIPTION)             \
  {EmitKind::KIND, NAME, TARGETS, EXTENSION},
#include "fx/Pipelines/Formats.def"
};

llvm::ArrayRef<const fx::gpu::Platform *> fx::getPlatforms() {
  static const fx::gpu::Platform *const platforms[] = {
#define FX_GPU_PLATFORM(ID) &fx::gpu::get##ID##Platform(),
#include "fx/Pipelines/Formats.def"
  };
  return platforms;
}

/// Returns the flag of `platform` in a set of targets.
static unsigned getBit(const fx::gpu::Platform *platform) {
  return 2u << (llvm::find(getPlatforms(), platform) - getPlatforms().begin());
}

static const Format &getFormat(EmitKind emit) {
  return *llvm::find_if(
      formats, [&](const Format &format) { return format.kind == emit; });
}

llvm::StringRef fx::getName(EmitKind emit) { return getFormat(emit).name; }

llvm::StringRef fx::getExtension(EmitKind emit) {
  return getFormat(emit).extension;
}

std::optional<fx::Precision> fx::parsePrecision(llvm::StringRef text) {
  return llvm::StringSwitch<std::optional<Precision>>(text)
      .Case("f32", Precision{})
      .Case("tf32", Precision{/*bf16=*/false, /*int8=*/false, /*tf32=*/true})
      .Case("bf16", Precision{/*bf16=*/true})
      .Case("int8", Precision{/*bf16=*/false, /*int8=*/true})
      .Cases({"bf16,int8", "int8,bf16"},
             Precision{/*bf16=*/true, /*int8=*/true})
      .Default(std::nullopt);
}

/// Returns the formats that `platform` has and not all targets have.
static llvm::SmallVector<llvm::StringRef>
getOwnFormats(const fx::gpu::Platform *platform) {
  llvm::SmallVector<llvm::StringRef> names;
  for (const Format &format : formats)
    if ((format.targets & getBit(platform)) && format.targets != kAll)
      names.push_back(format.name);
  return names;
}

std::string fx::describeTargets() {
  std::string text;
  for (const fx::gpu::Platform *platform : getPlatforms())
    text += (text.empty() ? "" : "; ") + platform->form.str() + ", " +
            platform->gpus.str();
  return text;
}

llvm::Error fx::checkFormat(EmitKind emit, const fx::gpu::Target *gpu) {
  const Format &asked = getFormat(emit);
  unsigned bit = gpu ? getBit(gpu->platform) : unsigned(kCPU);
  if (asked.targets & bit)
    return llvm::Error::success();
  if (!gpu) {
    llvm::SmallVector<std::string> options;
    for (const fx::gpu::Platform *platform : getPlatforms())
      if (asked.targets & getBit(platform))
        options.push_back("--target=" + platform->name.str());
    return CompileError::make(
        CompileError::Kind::Input,
        "--emit: expected " +
            joinChoices(llvm::to_vector_of<llvm::StringRef>(options)) +
            " for " + asked.name + ", the code of a GPU, got no --target");
  }
  return CompileError::make(CompileError::Kind::Input,
                            "--emit: expected so, header, " +
                                joinChoices(getOwnFormats(gpu->platform)) +
                                " for " + gpu->getText() + ", got " +
                                asked.name.str());
}
