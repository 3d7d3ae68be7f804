//===- ModuleHash.cpp - what the code of a module depends on --------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ModuleHash.h"
#include "fx/IR/FXDialect.h"
#include "fx/IR/Metadata.h"
#include "fx/Support/BuildId.h"
#include "fx/Support/Version.h"

#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/Verifier.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/BLAKE3.h"
#include "llvm/Support/HashBuilder.h"
#include "llvm/TargetParser/Host.h"

using namespace mlir;
using namespace fx;

namespace {
using Hasher = llvm::TruncatedBLAKE3<20>;
using HashBuilder = llvm::HashBuilder<Hasher, llvm::endianness::little>;

class ModuleHash {
public:
  void addText(StringRef text) {
    hash.add(uint64_t(text.size()));
    hash.update(text);
  }
  void add(Operation *op);
  std::string finish() { return llvm::toHex(hash.final(), /*LowerCase=*/true); }

  bool isComplete = true;

private:
  void add(NamedAttribute attr);
  void add(Attribute attr);
  void add(Type type);
  void add(Value value) { hash.add(number(values, value)); }
  void add(Block &block);

  /// Returns the number of `key`: keys are numbered when they are seen first.
  template <typename Key>
  static uint32_t number(llvm::DenseMap<Key, uint32_t> &numbers, Key key) {
    return numbers.try_emplace(key, numbers.size()).first->second;
  }
  /// Hashes the text that `print` writes when `key` is seen first, and its
  /// number each time.
  template <typename Key>
  void addPrinted(llvm::DenseMap<Key, uint32_t> &numbers, Key key) {
    size_t known = numbers.size();
    hash.add(number(numbers, key));
    if (numbers.size() == known)
      return;
    std::string text;
    llvm::raw_string_ostream os(text);
    key.print(os);
    addText(text);
  }

  HashBuilder hash;
  llvm::DenseMap<Value, uint32_t> values;
  llvm::DenseMap<Block *, uint32_t> blocks;
  llvm::DenseMap<Attribute, uint32_t> attributes;
  llvm::DenseMap<Type, uint32_t> types;
};
} // namespace

void ModuleHash::add(Type type) { addPrinted(types, type); }

void ModuleHash::add(Attribute attr) {
  if (auto dictionary = dyn_cast<DictionaryAttr>(attr)) {
    hash.add(uint64_t(dictionary.size()));
    for (NamedAttribute entry : dictionary)
      add(entry);
    return;
  }
  size_t known = attributes.size();
  addPrinted(attributes, attr);
  if (attributes.size() == known)
    return;
  // The text of a resource is its name. The text of floats is exact, and that
  // of large elements would be if MLIR's options did not shorten it.
  attr.walk([&](ElementsAttr elements) {
    if (auto resource = dyn_cast<DenseResourceElementsAttr>(elements)) {
      AsmResourceBlob *blob = resource.getRawHandle().getBlob();
      isComplete &= blob != nullptr;
      if (blob)
        addText({blob->getData().data(), blob->getData().size()});
    } else if (auto dense = dyn_cast<DenseIntOrFPElementsAttr>(elements)) {
      hash.add(uint8_t(dense.isSplat()));
      addText({dense.getRawData().data(), dense.getRawData().size()});
    }
  });
}

void ModuleHash::add(NamedAttribute attr) {
  add(attr.getName());
  add(attr.getValue());
}

void ModuleHash::add(Block &block) {
  hash.add(number(blocks, &block));
  hash.add(uint64_t(block.getNumArguments()));
  for (BlockArgument arg : block.getArguments()) {
    add(Value(arg));
    add(arg.getType());
  }
  for (Operation &op : block)
    add(&op);
  hash.add(uint8_t(0)); // the end of the block
}

void ModuleHash::add(Operation *op) {
  hash.add(uint8_t(1));
  add(Attribute(op->getName().getIdentifier()));
  add(op->getDiscardableAttrDictionary());
  Attribute properties = op->getPropertiesAsAttribute();
  hash.add(uint8_t(properties != nullptr));
  if (properties)
    add(properties);
  hash.add(uint64_t(op->getNumOperands()));
  for (Value operand : op->getOperands())
    add(operand);
  hash.add(uint64_t(op->getNumResults()));
  for (Value result : op->getResults()) {
    add(result);
    add(result.getType());
  }
  hash.add(uint64_t(op->getNumSuccessors()));
  for (Block *successor : op->getSuccessors())
    hash.add(number(blocks, successor));
  // The call of ATen contains the name of the node.
  if (isa<EagerOp>(op))
    addText(getNodeName(op->getLoc()).value_or(""));
  hash.add(uint64_t(op->getNumRegions()));
  for (Region &region : op->getRegions()) {
    hash.add(uint64_t(region.getBlocks().size()));
    for (Block &block : region)
      add(block);
  }
}

std::optional<std::string> fx::hashModule(Operation *op, StringRef salt) {
  ModuleHash hash;
  hash.addText(getCompilerId());
  hash.addText(salt);
  hash.add(op);
  if (!hash.isComplete)
    return std::nullopt;
  return hash.finish();
}

StringRef fx::getCompilerId() {
  auto getId = [](auto *function) {
    return " " + getBuildId(reinterpret_cast<const void *>(function));
  };
  static const std::string id =
      fx::getVersion().str() + getId(&fx::getCompilerId) +
      getId(&mlir::verify) + getId(&llvm::sys::getDefaultTargetTriple);
  return id;
}

std::string fx::hashTexts(llvm::ArrayRef<StringRef> texts) {
  ModuleHash hash;
  hash.addText(getCompilerId());
  for (StringRef text : texts)
    hash.addText(text);
  return hash.finish();
}
