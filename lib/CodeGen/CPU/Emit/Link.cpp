//===- Link.cpp - objects into a shared object, in process ----------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/CodeGen/CPU/Backend.h"
#include "fx/CodeGen/Common/Linker.h"
#include "fx/Support/OutputFile.h"

#include "llvm/TargetParser/Host.h"

// Defined in Embedded.c: the objects of the runtime and of AOTInductor's
// interface, and import libraries.
#define DECLARE(name)                                                          \
  extern "C" const char fx_embedded_##name[], fx_embedded_##name##_end[];
DECLARE(runtime)
DECLARE(aoti)
DECLARE(libc)
DECLARE(libm)
DECLARE(libdl)
DECLARE(libstdcxx)
DECLARE(libtorch)
// For cross-compilation; empty if the headers of AArch64's libc were missing.
DECLARE(aarch64_runtime)
DECLARE(aarch64_libc)
DECLARE(aarch64_libm)
DECLARE(aarch64_libdl)
#undef DECLARE
/// The bytes of an embedded file.
#define EMBEDDED(name)                                                         \
  llvm::StringRef(fx_embedded_##name,                                          \
                  fx_embedded_##name##_end - fx_embedded_##name)

using namespace fx;
using namespace fx::codegen;
using namespace fx::cpu;

namespace {
/// The run-time for a machine, and import libraries of its system.
struct RuntimeFiles {
  llvm::StringRef runtime, libc, libm, libdl;
};
} // namespace

static RuntimeFiles getRuntime(const llvm::Triple &triple) {
  if (triple.getArch() ==
      llvm::Triple(llvm::sys::getDefaultTargetTriple()).getArch())
    return {EMBEDDED(runtime), EMBEDDED(libc), EMBEDDED(libm), EMBEDDED(libdl)};
  return {EMBEDDED(aarch64_runtime), EMBEDDED(aarch64_libc),
          EMBEDDED(aarch64_libm), EMBEDDED(aarch64_libdl)};
}

llvm::Error fx::cpu::checkRuntime(const llvm::Triple &triple) {
  if (!getRuntime(triple).runtime.empty())
    return llvm::Error::success();
  return llvm::createStringError(
      "this build of fx-mlir has no runtime for " + triple.getArchName() +
      "; it needs the headers of its libc (Debian: libc6-dev-arm64-cross)");
}

static llvm::Expected<std::string>
linkObjects(llvm::ArrayRef<std::string> objects, const llvm::Triple &triple,
            bool forTorch) {
  RuntimeFiles runtime = getRuntime(triple);
  Linker linker(
      {"-shared",
       // The objects, libc, libm and libdl must define every symbol. An
       // undefined symbol is an error here and not when the artefact is loaded.
       "-z", "defs", "--hash-style=gnu", "--gc-sections", "--build-id=none",
       // The PT_GNU_RELRO program header becomes that of the weights
       // (addSegment in Weights.cpp).
       "-z", "relro", "--eh-frame-hdr"});
  for (llvm::StringRef object : objects)
    if (llvm::Error e = linker.add(object))
      return e;
  llvm::SmallVector<llvm::StringRef> files = {runtime.runtime};
  if (forTorch)
    files.append({EMBEDDED(aoti), EMBEDDED(libtorch), EMBEDDED(libstdcxx)});
  files.push_back(runtime.libc);
  for (llvm::StringRef file : files)
    if (llvm::Error e = linker.add(file))
      return e;
  linker.addOption("--as-needed");
  for (llvm::StringRef file : {runtime.libm, runtime.libdl})
    if (llvm::Error e = linker.add(file))
      return e;
  return linker.run();
}

llvm::Error fx::cpu::linkSharedObject(llvm::ArrayRef<std::string> objects,
                                      const llvm::Triple &triple,
                                      llvm::StringRef path, bool forTorch) {
  llvm::Expected<std::string> bytes = linkObjects(objects, triple, forTorch);
  if (!bytes)
    return bytes.takeError();
  return writeInPlace(path, [&](llvm::raw_ostream &os) {
    os << *bytes;
    return llvm::Error::success();
  });
}
