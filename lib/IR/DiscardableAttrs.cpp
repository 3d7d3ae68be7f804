//===- DiscardableAttrs.cpp - the dialect's attributes on other ops -------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Passes leave information for later passes in discardable attributes. This
// file declares every such attribute with the kinds and the places that it may
// have. The verifier rejects all other `fx.` attributes.
//
//===----------------------------------------------------------------------===//

#include "fx/IR/FXDialect.h"

#include "mlir/IR/BuiltinAttributes.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace fx;

namespace {
enum Place : unsigned { OnOperation = 1, OnArgument = 2, OnResult = 4 };
enum Kind : unsigned {
  kArray = 1,
  kDenseArray = 2,
  kDictionary = 4,
  kExternal = 8,
  kInteger = 16,
  kString = 32,
  kSymbol = 64,
  kType = 128,
  kUnit = 256
};

struct Declaration {
  StringRef name;
  unsigned places, kinds;
};
} // namespace

static ArrayRef<Declaration> getDeclarations() {
  static const Declaration declarations[] = {
      {"fx.alignment", OnOperation, kInteger},
      {"fx.arena_bytes", OnOperation, kInteger},
      {"fx.arg_names", OnOperation, kArray},
      {"fx.async", OnOperation, kUnit},
      {"fx.attention", OnOperation, kInteger},
      {"fx.bits", OnOperation, kInteger},
      {"fx.body", OnOperation, kSymbol},
      {"fx.chip", OnOperation, kString},
      {"fx.cluster", OnOperation, kInteger},
      {"fx.collective", OnOperation, kUnit},
      {"fx.export", OnOperation, kUnit},
      {"fx.expressions", OnOperation, kDictionary},
      {"fx.extra_files", OnOperation, kDictionary},
      {"fx.float", OnOperation, kString},
      {"fx.flops", OnOperation, kInteger},
      {"fx.folder", OnOperation, kString},
      {"fx.fqn", OnOperation, kString},
      {"fx.function", OnOperation, kUnit},
      {"fx.grain", OnOperation, kInteger},
      {"fx.guards", OnOperation, kArray},
      {"fx.in_spec", OnOperation, kString},
      {"fx.inner_name", OnOperation, kString},
      {"fx.inner_of", OnOperation, kSymbol},
      {"fx.inputs", OnOperation, kArray},
      {"fx.keep_f32", OnOperation, kUnit},
      {"fx.kernel", OnOperation, kUnit},
      {"fx.kind", OnArgument, kString},
      {"fx.kinds", OnOperation, kDictionary},
      {"fx.layer", OnOperation, kInteger | kString},
      {"fx.list_return", OnOperation, kUnit},
      {"fx.metadata", OnOperation, kDictionary},
      {"fx.model", OnOperation, kString},
      {"fx.module_call_graph", OnOperation, kArray},
      {"fx.mutable", OnArgument | OnOperation, kUnit},
      {"fx.mutates", OnResult, kSymbol},
      {"fx.mutates_input", OnResult, kInteger},
      {"fx.name", OnArgument | OnResult, kString},
      {"fx.namedtuples", OnOperation, kDictionary},
      {"fx.no_native", OnOperation, kString},
      {"fx.non_persistent", OnArgument, kUnit},
      {"fx.nodes", OnOperation, kString},
      {"fx.num_outputs", OnOperation, kInteger},
      {"fx.objects", OnOperation, kDictionary},
      {"fx.observers", OnOperation, kDenseArray | kString},
      {"fx.operand_types", OnOperation, kArray},
      {"fx.opset_version", OnOperation, kDictionary},
      {"fx.out_spec", OnOperation, kString},
      {"fx.outputs", OnOperation, kArray},
      {"fx.parameter", OnOperation, kUnit},
      {"fx.partition", OnOperation, kInteger | kString},
      {"fx.payload", OnOperation, kString},
      {"fx.pickled", OnOperation, kExternal},
      {"fx.prepared", OnArgument, kInteger},
      {"fx.proxy", OnOperation, kDictionary},
      {"fx.pure", OnOperation, kUnit},
      {"fx.quantization", OnOperation, kDictionary},
      {"fx.quantize", OnOperation, kDenseArray},
      {"fx.ranges", OnOperation, kDenseArray},
      {"fx.reason", OnOperation, kString},
      {"fx.report_index", OnOperation, kInteger},
      {"fx.result_types", OnOperation, kArray},
      {"fx.sample_inputs", OnOperation, kExternal},
      {"fx.schema_version", OnOperation, kDenseArray},
      {"fx.shadow", OnOperation, kInteger | kString},
      {"fx.single_return", OnOperation, kUnit},
      {"fx.slot", OnOperation, kInteger},
      {"fx.state", OnArgument, kSymbol},
      {"fx.symbols", OnOperation, kArray},
      {"fx.times", OnOperation, kDenseArray},
      {"fx.torch_version", OnOperation, kString},
      {"fx.tuples", OnOperation, kDenseArray},
      {"fx.type", OnArgument | OnResult, kType},
      {"fx.unbounded", OnOperation, kArray},
      {"fx.verifiers", OnOperation, kArray},
      {"fx.work", OnOperation, kDictionary},
      {"fx.written", OnArgument, kUnit},
  };
  return declarations;
}

static unsigned getKind(Attribute attribute) {
  return llvm::TypeSwitch<Attribute, unsigned>(attribute)
      .Case<UnitAttr>([](auto) { return kUnit; })
      .Case<ArrayAttr>([](auto) { return kArray; })
      .Case<DenseArrayAttr>([](auto) { return kDenseArray; })
      .Case<DictionaryAttr>([](auto) { return kDictionary; })
      .Case<ExternalAttr>([](auto) { return kExternal; })
      .Case<IntegerAttr>([](auto) { return kInteger; })
      .Case<StringAttr>([](auto) { return kString; })
      .Case<FlatSymbolRefAttr>([](auto) { return kSymbol; })
      .Case<TypeAttr>([](auto) { return kType; })
      .Default(0u);
}

static std::string getText(unsigned kinds) {
  static const std::pair<Kind, StringRef> names[] = {
      {kArray, "an array"},          {kDenseArray, "a dense array"},
      {kDictionary, "a dictionary"}, {kExternal, "an '#fx.external'"},
      {kInteger, "an integer"},      {kString, "a string"},
      {kSymbol, "a symbol"},         {kType, "a type"},
      {kUnit, "a unit attribute"}};
  std::string text;
  for (auto [kind, name] : names)
    if (kinds & kind)
      text += (text.empty() ? "" : " or ") + name.str();
  return text;
}

static LogicalResult verifyAttribute(Operation *op, NamedAttribute attr,
                                     Place place) {
  StringRef name = attr.getName().getValue();
  ArrayRef<Declaration> all = getDeclarations();
  auto it = llvm::find_if(all, [&](auto &d) { return d.name == name; });
  if (it == all.end())
    return op->emitError("'") << name << "' is no attribute of the fx dialect";
  if (!(it->places & place))
    return op->emitError("'") << name << "' does not belong on "
                              << (place == OnOperation  ? "an operation"
                                  : place == OnArgument ? "an argument"
                                                        : "a result");
  if (!(it->kinds & getKind(attr.getValue())))
    return op->emitError("'") << name << "': expected " << getText(it->kinds)
                              << ", got " << attr.getValue();
  return success();
}

LogicalResult FXDialect::verifyOperationAttribute(Operation *op,
                                                  NamedAttribute attr) {
  return verifyAttribute(op, attr, OnOperation);
}

LogicalResult FXDialect::verifyRegionArgAttribute(Operation *op, unsigned,
                                                  unsigned,
                                                  NamedAttribute attr) {
  return verifyAttribute(op, attr, OnArgument);
}

LogicalResult FXDialect::verifyRegionResultAttribute(Operation *op, unsigned,
                                                     unsigned,
                                                     NamedAttribute attr) {
  return verifyAttribute(op, attr, OnResult);
}
