//===- ExternalPaths.cpp - where the files of weights are -----------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/IR/ExternalPaths.h"
#include "fx/IR/FXDialect.h"

#include "mlir/IR/AttrTypeSubElements.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace fx;

namespace {
/// An attribute as it was before its paths changed.
struct OldAttribute {
  Operation *op;
  NamedAttribute attribute;
};
} // namespace

/// Replaces the relative paths in the attributes of the module and of its
/// top-level operations. The nodes of a graph hold no paths. Returns the
/// attributes that changed, with their old values.
static SmallVector<OldAttribute>
replacePaths(ModuleOp module,
             llvm::function_ref<std::string(StringRef)> getPath) {
  AttrTypeReplacer replacer;
  replacer.addReplacement([&](ExternalAttr external) -> Attribute {
    if (!llvm::sys::path::is_relative(external.getPath()) ||
        external.getPath().empty())
      return external;
    return ExternalAttr::get(external.getContext(), getPath(external.getPath()),
                             external.getOffset(), external.getSize(),
                             external.getCrc32());
  });
  SmallVector<OldAttribute> changed;
  auto visit = [&](Operation *op) {
    for (NamedAttribute named : op->getAttrDictionary()) {
      Attribute replaced = replacer.replace(named.getValue());
      if (replaced == named.getValue())
        continue;
      changed.push_back({op, named});
      op->setAttr(named.getName(), replaced);
    }
  };
  visit(module);
  for (Operation &op : *module.getBody())
    visit(&op);
  return changed;
}

static std::string join(StringRef folder, StringRef path) {
  SmallString<256> full(folder);
  llvm::sys::path::append(full, path);
  return full.str().str();
}

static std::string getAbsolutePath(StringRef path, StringRef folder) {
  SmallString<256> full(join(folder, path));
  // If there is no current folder, the path stays relative.
  (void)llvm::sys::fs::make_absolute(full);
  llvm::sys::path::remove_dots(full);
  return full.str().str();
}

std::string fx::getRelativePath(StringRef path, StringRef folder) {
  SmallString<256> from(folder), to(path);
  if (llvm::sys::fs::make_absolute(from) || llvm::sys::fs::make_absolute(to))
    return path.str();
  llvm::sys::path::remove_dots(from, /*remove_dot_dot=*/true);
  llvm::sys::path::remove_dots(to, /*remove_dot_dot=*/true);
  auto a = llvm::sys::path::begin(from), aEnd = llvm::sys::path::end(from);
  auto z = llvm::sys::path::begin(to), zEnd = llvm::sys::path::end(to);
  while (a != aEnd && z != zEnd && *a == *z)
    ++a, ++z;
  SmallString<256> result;
  for (; a != aEnd; ++a)
    llvm::sys::path::append(result, "..");
  for (; z != zEnd; ++z)
    llvm::sys::path::append(result, *z);
  return result.str().str();
}

/// Returns the folder of a file; empty for the current folder.
static StringRef getFolder(StringRef file) {
  return file == "-" ? "" : llvm::sys::path::parent_path(file);
}

void fx::resolveExternalPaths(ModuleOp module, StringRef path) {
  StringRef folder = getFolder(path);
  if (!folder.empty())
    replacePaths(module, [&](StringRef path) { return join(folder, path); });
}

void fx::makeExternalPathsAbsolute(ModuleOp module, StringRef folder) {
  replacePaths(module,
               [&](StringRef path) { return getAbsolutePath(path, folder); });
}

static SmallVector<OldAttribute> relocate(ModuleOp module, StringRef file) {
  return replacePaths(module, [&](StringRef path) {
    return file == "-" ? getAbsolutePath(path, "")
                       : getRelativePath(path, getFolder(file));
  });
}

void fx::relocateExternalPaths(ModuleOp module, StringRef path) {
  relocate(module, path);
}

void fx::printModuleFile(ModuleOp module, StringRef path, llvm::raw_ostream &os,
                         OpPrintingFlags flags) {
  SmallVector<OldAttribute> changed = relocate(module, path);
  module.print(os, flags);
  for (const OldAttribute &old : changed)
    old.op->setAttr(old.attribute.getName(), old.attribute.getValue());
}
