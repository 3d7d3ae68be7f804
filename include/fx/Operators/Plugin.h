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
// fx::loadPlugin, fxPluginLoad (C) and fx_mlir.load_plugin (Python) load
// plug-ins. In addition, every tool that compiles loads the plug-ins of the
// environment variable FX_PLUGINS, a list of paths separated by ':'.
//
//===----------------------------------------------------------------------===//

#ifndef FX_OPERATORS_PLUGIN_H
#define FX_OPERATORS_PLUGIN_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>

namespace fx {

/// Must be increased when PluginInfo or CustomOperator changes.
inline constexpr uint32_t kPluginVersion = 2;

struct PluginInfo {
  uint32_t version;
  const char *name;
  llvm::Error (*registerOperators)();
};

/// Loads a plug-in. Does nothing if it is loaded already. Error texts are one
/// line that begins with the path.
llvm::Error loadPlugin(llvm::StringRef path);

/// Loads the plug-ins of FX_PLUGINS that are not loaded yet.
llvm::Error loadPluginsOfEnvironment();

} // namespace fx

#endif // FX_OPERATORS_PLUGIN_H
