//===- Plugin.cpp - libraries that add operators --------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/Operators/Plugin.h"
#include "fx/Support/LoadError.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"

#include <dlfcn.h>
#include <mutex>

using namespace fx;

llvm::Error fx::loadPlugin(llvm::StringRef path) {
  static std::mutex lock;
  static llvm::StringSet<> loaded;
  std::lock_guard<std::mutex> guard(lock);
  auto fail = [&](const llvm::Twine &why) {
    return llvm::createStringError(path + ": " + why);
  };
  // dlopen would search the system folders for a name without a slash.
  llvm::SmallString<256> full(path);
  llvm::sys::fs::make_absolute(full);
  if (loaded.contains(full))
    return llvm::Error::success();
  void *library = dlopen(full.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return fail("cannot be loaded: " + getLoadError(full));
  auto getInfo =
      reinterpret_cast<PluginInfo (*)()>(dlsym(library, "fxGetPluginInfo"));
  if (!getInfo) {
    dlclose(library);
    return fail("expected a plug-in, got a library without 'fxGetPluginInfo'");
  }
  PluginInfo info = getInfo();
  if (info.version != kPluginVersion || !info.registerOperators) {
    dlclose(library);
    return fail("expected version " + llvm::Twine(kPluginVersion) +
                " of the plug-in interface, got " + llvm::Twine(info.version));
  }
  // The library stays loaded from here on, even after an error: the operators
  // that it has registered use its code.
  if (llvm::Error e = info.registerOperators())
    return fail(llvm::toString(std::move(e)));
  loaded.insert(full);
  return llvm::Error::success();
}

llvm::Error fx::loadPluginsOfEnvironment() {
  const char *list = getenv("FX_PLUGINS");
  if (!list)
    return llvm::Error::success();
  for (llvm::StringRef path : llvm::split(list, ':'))
    if (!path.empty())
      if (llvm::Error e = loadPlugin(path))
        return llvm::createStringError("FX_PLUGINS: " +
                                       llvm::toString(std::move(e)));
  return llvm::Error::success();
}
