//===- Plugin.h - libraries that add operators ------------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A plug-in is a shared library, linked against libFX, that exports
//
//   extern "C" fx::PluginInfo fxGetPluginInfo() {
//     return {fx::kPluginVersion, "my plug-in", [] {
//               return fx::registerCustomOperator({...});
//             }};
//   }
//
// It is loaded by fx::loadPlugin, fxPluginLoad (C), fx_mlir.load_plugin
// (Python), or by every tool that compiles, where FX_PLUGINS lists paths with
// ':' between.
//
//===----------------------------------------------------------------------===//

#ifndef FX_OPERATORS_PLUGIN_H
#define FX_OPERATORS_PLUGIN_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>

namespace fx {

/// Raised when this structure or CustomOperator changes.
inline constexpr uint32_t kPluginVersion = 2;

struct PluginInfo {
  uint32_t version;
  const char *name;
  llvm::Error (*registerOperators)();
};

/// Loads a plug-in, once. Error texts are one line that begins with the path.
llvm::Error loadPlugin(llvm::StringRef path);

/// Loads those of FX_PLUGINS, once.
llvm::Error loadPluginsOfEnvironment();

} // namespace fx

#endif // FX_OPERATORS_PLUGIN_H
