//===- Bytecode.cpp - the version of the dialect in bytecode --------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bytecode records the version of the dialect that wrote it. A change to
// operations, attributes or discardable attributes that have a meaning requires
// a new version, an upgrade from the previous version, and a frozen file of the
// previous version (test/IR/Inputs/bytecode).
//
//===----------------------------------------------------------------------===//

#include "Bytecode.h"

#include "mlir/Bytecode/BytecodeImplementation.h"

using namespace mlir;
using namespace fx;

namespace {
/// The version of the dialect. A program reads its own version and all older
/// ones.
///   1  the first version that bytecode records
///   2  a graph that returns no tuple is marked fx.single_return, whether it is
///      an exported sub-graph or a live GraphModule (was fx.single_output)
struct Version : DialectVersion {
  static constexpr uint64_t current = 2;
  explicit Version(uint64_t number) : number(number) {}
  uint64_t number;
};

void upgradeFromOne(Operation *root) {
  root->walk([](GraphOp graph) {
    if (Attribute mark = graph->removeAttr("fx.single_output"))
      graph->setAttr("fx.single_return", mark);
  });
}

struct BytecodeInterface : BytecodeDialectInterface {
  explicit BytecodeInterface(Dialect *dialect)
      : BytecodeDialectInterface(dialect) {}

  void writeVersion(DialectBytecodeWriter &writer) const override {
    writer.writeVarInt(Version::current);
  }

  std::unique_ptr<DialectVersion>
  readVersion(DialectBytecodeReader &reader) const override {
    uint64_t number = 0;
    if (failed(reader.readVarInt(number)))
      return nullptr;
    if (number == 0 || number > Version::current) {
      reader.emitError() << "expected version 1 to " << Version::current
                         << " of the fx dialect, got " << number;
      return nullptr;
    }
    return std::make_unique<Version>(number);
  }

  LogicalResult
  upgradeFromVersion(Operation *root,
                     const DialectVersion &version) const override {
    if (static_cast<const Version &>(version).number < 2)
      upgradeFromOne(root);
    return success();
  }
};
} // namespace

void fx::addBytecodeInterface(FXDialect &dialect) {
  dialect.addInterfaces<BytecodeInterface>();
}
