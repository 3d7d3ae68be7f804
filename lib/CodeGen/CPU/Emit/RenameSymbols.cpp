//===- RenameSymbols.cpp - other names in object code ---------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/CodeGen/CPU/Backend.h"

#include "llvm/ObjCopy/ConfigManager.h"
#include "llvm/ObjCopy/ObjCopy.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/raw_ostream.h"

#include <deque>

llvm::Expected<std::string> fx::cpu::renameSymbols(
    llvm::StringRef object,
    llvm::function_ref<std::optional<std::string>(llvm::StringRef)> rename) {
  auto file = llvm::object::ObjectFile::createObjectFile(
      llvm::MemoryBufferRef(object, "object"));
  if (!file)
    return file.takeError();
  llvm::objcopy::ConfigManager config;
  std::deque<std::string> names; // the configuration refers to them
  for (const llvm::object::SymbolRef &symbol : (*file)->symbols()) {
    llvm::Expected<llvm::StringRef> name = symbol.getName();
    if (!name)
      return name.takeError();
    std::optional<std::string> renamed = rename(*name);
    if (renamed && *renamed != *name)
      config.Common.SymbolsToRename[*name] =
          names.emplace_back(std::move(*renamed));
  }
  if (names.empty())
    return object.str();
  llvm::SmallString<0> bytes;
  llvm::raw_svector_ostream os(bytes);
  if (llvm::Error error =
          llvm::objcopy::executeObjcopyOnBinary(config, **file, os))
    return std::move(error);
  return bytes.str().str();
}
