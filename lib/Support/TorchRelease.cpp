//===- TorchRelease.cpp - the torch that libFXTorch needs -----------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/Support/TorchRelease.h"
#include "fx/Support/LoadError.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <cstdlib>
#include <dlfcn.h>

/// Returns the release of the loaded LibTorch, such as "2.13", by a function of
/// its stable C interface; empty if none is loaded.
static std::string getLoadedRelease() {
  void *library = dlopen("libtorch_cpu.so", RTLD_LAZY | RTLD_NOLOAD);
  if (!library)
    return "";
  auto get = reinterpret_cast<uint64_t (*)()>(
      dlsym(library, "aoti_torch_abi_version"));
  dlclose(library);
  if (!get)
    return "";
  uint64_t version = get();
  return (llvm::Twine(version >> 56) + "." +
          llvm::Twine((version >> 48) & 0xff))
      .str();
}

/// Returns the release of the torch in the folder beside that of the library,
/// as both are packages of one Python; empty if there is none.
static std::string getInstalledRelease(llvm::StringRef path) {
  llvm::SmallString<256> file(llvm::sys::path::parent_path(path));
  llvm::sys::path::append(file, "..", "torch", "version.py");
  auto buffer = llvm::MemoryBuffer::getFile(file, /*IsText=*/true);
  if (!buffer)
    return "";
  auto after = (*buffer)->getBuffer().split("__version__ = '").second;
  auto [major, rest] = after.split('\'').first.split('.');
  return rest.empty() ? "" : (major + "." + rest.split('.').first).str();
}

llvm::Expected<std::string> fx::selectTorchLibrary(llvm::StringRef path) {
#ifdef FX_TORCH_RELEASE
  if (std::getenv("FX_TORCH_LIBRARY"))
    return path.str();
  std::string release = getLoadedRelease();
  if (release.empty())
    release = getInstalledRelease(path);
  if (release.empty() || release == FX_TORCH_RELEASE)
    return path.str();
  llvm::SmallString<256> other(path);
  llvm::sys::path::replace_extension(other, "");
  other += "-" + release + ".so";
  if (llvm::sys::fs::exists(other))
    return other.str().str();
  return llvm::createStringError(
      path + " is built for torch " FX_TORCH_RELEASE ", got " + release);
#else
  return path.str();
#endif
}

std::string fx::getTorchLoadError(llvm::StringRef path) {
  std::string reason = getLoadError(path);
#ifdef FX_TORCH_RELEASE
  llvm::StringRef release = llvm::sys::path::stem(path);
  if (!release.consume_front("libFXTorch-"))
    release = FX_TORCH_RELEASE;
  if (llvm::sys::fs::exists(path))
    reason += ("; it needs torch " + release).str();
#endif
  return reason;
}
