//===- Verify.cpp - checks a call against its schema ----------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/Operators/Verify.h"
#include "Calls.h"
#include "fx/IR/Enumerations.h"
#include "fx/IR/Metadata.h"
#include "fx/Operators/Purity.h"
#include "fx/Operators/TorchVersions.h"

using namespace mlir;
using namespace fx;

//===----------------------------------------------------------------------===//
// Matching an argument with its schema
//===----------------------------------------------------------------------===//

// PyTorch converts between numbers: an int is accepted for a float or a bool. A
// float is not accepted for an int, nor is a string.

static bool isSymbolicNumber(Type type) {
  return isa<SymIntType, SymFloatType, SymBoolType>(type);
}

static bool fitsValue(Type type, SchemaKind kind) {
  // symbolic_trace gives values the type `!fx.any`. A None value may be passed
  // for an optional argument.
  if (isa<AnyType, PyNoneType>(type))
    return true;
  switch (kind) {
  case SchemaKind::Tensor:
  case SchemaKind::Number:
    return isa<FakeTensorType, TokenType>(type) || isSymbolicNumber(type);
  case SchemaKind::Int:
  case SchemaKind::SymInt:
    return isa<SymIntType, SymBoolType>(type);
  case SchemaKind::Float:
  case SchemaKind::SymFloat:
    return isSymbolicNumber(type);
  case SchemaKind::Bool:
  case SchemaKind::SymBool:
    return isa<SymBoolType, SymIntType>(type);
  case SchemaKind::String:
    return isa<StringType>(type);
  case SchemaKind::ScalarType:
  case SchemaKind::Layout:
  case SchemaKind::Device:
  case SchemaKind::MemoryFormat:
    return isa<ObjectType>(type);
  default:
    return true;
  }
}

static bool isDeviceType(StringRef device) {
  return llvm::is_contained(getDeviceTypes(), device.split(':').first);
}

/// Returns true if `leaf` is an index into `names`: some exporters write
/// enumerators as PyTorch's numbers.
static bool isPlace(Attribute leaf, ArrayRef<StringLiteral> names) {
  auto number = dyn_cast<IntegerAttr>(leaf);
  return number && number.getValue().ult(names.size());
}

static bool fitsImmediate(Attribute leaf, SchemaKind kind) {
  bool isInt = isa<IntegerAttr>(leaf);
  bool isNumber = isInt || isa<FloatAttr>(leaf);
  switch (kind) {
  // A Python number stands for a 0-d tensor.
  case SchemaKind::Tensor:
  case SchemaKind::Number:
    return isNumber || isa<ComplexAttr>(leaf);
  case SchemaKind::Int:
  case SchemaKind::SymInt:
  case SchemaKind::Bool:
  case SchemaKind::SymBool:
    return isInt;
  case SchemaKind::Float:
  case SchemaKind::SymFloat:
    return isNumber;
  case SchemaKind::String:
    return isa<StringAttr>(leaf);
  case SchemaKind::ScalarType:
    return isa<TypeAttr>(leaf) ||
           (isInt && isScalarTypeNumber(
                         cast<IntegerAttr>(leaf).getValue().getSExtValue()));
  case SchemaKind::Layout:
    if (auto layout = dyn_cast<LayoutAttr>(leaf))
      return llvm::is_contained(getLayoutNames(), layout.getValue());
    return isPlace(leaf, getLayoutNames());
  case SchemaKind::MemoryFormat:
    if (auto format = dyn_cast<MemoryFormatAttr>(leaf))
      return llvm::is_contained(getMemoryFormatNames(), format.getValue());
    return isPlace(leaf, getMemoryFormatNames());
  case SchemaKind::Device:
    if (auto device = dyn_cast<DeviceAttr>(leaf))
      return isDeviceType(device.getType());
    return isa<StringAttr>(leaf) &&
           isDeviceType(cast<StringAttr>(leaf).getValue());
  default:
    return true;
  }
}

/// Returns true if `argument` fits `schema`. `depth` is the number of list
/// levels of the schema that remain; a leaf has depth 0.
static bool fits(const Argument &argument, const ArgumentSchema &schema,
                 unsigned depth) {
  // A None below the top level is a list element.
  bool isTop = depth == schema.listDepth;
  if (isa<NoneAttr>(argument.tree))
    return isTop ? schema.isOptional() : schema.hasOptionalElements();
  if (argument.isList()) {
    if (depth == 0)
      return schema.kind == SchemaKind::Any || schema.kind == SchemaKind::Dict;
    return llvm::all_of(argument.getElements(), [&](const Argument &element) {
      return fits(element, schema, depth - 1);
    });
  }
  if (argument.isValue()) {
    Type type = argument.getValue().getType();
    if (depth != 0 && isa<ListType, AnyType>(type))
      return true;
    if (depth != 0 && !schema.listSize)
      return false;
    return fitsValue(type, schema.kind);
  }
  // `int[2]` takes a single int.
  if (depth != 0 && !schema.listSize)
    return false;
  return fitsImmediate(argument.tree, schema.kind);
}

//===----------------------------------------------------------------------===//
// Verifying a node
//===----------------------------------------------------------------------===//

InFlightDiagnostic fx::emitNodeError(NodeOpInterface node) {
  InFlightDiagnostic error = node->emitOpError();
  if (std::optional<StringRef> name = getNodeName(node))
    error << "'" << *name << "' ";
  error << "@" << node.getTargetName() << ": ";
  return error;
}

static void describe(InFlightDiagnostic &error, const Argument &argument) {
  if (argument.isValue())
    error << "a value of type " << argument.getValue().getType();
  else
    error << argument.tree;
}

static void listNames(InFlightDiagnostic &error,
                      ArrayRef<StringLiteral> names) {
  error << "; torch has ";
  llvm::interleaveComma(names, error);
}

static LogicalResult verifyArgument(NodeOpInterface node,
                                    const Argument &argument,
                                    const ArgumentSchema &schema) {
  if (fits(argument, schema, schema.listDepth))
    return success();
  InFlightDiagnostic error =
      emitNodeError(node) << "argument '" << schema.getName() << "': expected "
                          << schema.getTypeText() << ", got ";
  describe(error, argument);
  // Enumerations have few values: list them.
  if (isa<LayoutAttr>(argument.tree))
    listNames(error, getLayoutNames());
  else if (isa<MemoryFormatAttr>(argument.tree))
    listNames(error, getMemoryFormatNames());
  else if (isa<DeviceAttr>(argument.tree))
    listNames(error, getDeviceTypes());
  return error;
}

static bool isWellTyped(Type type, const ArgumentSchema &schema) {
  if (isa<AnyType, PyNoneType>(type))
    return true;
  switch (schema.kind) {
  case SchemaKind::Tensor:
    return isa<FakeTensorType, ListType, TokenType>(type);
  case SchemaKind::Int:
  case SchemaKind::SymInt:
  case SchemaKind::Float:
  case SchemaKind::SymFloat:
  case SchemaKind::Bool:
  case SchemaKind::SymBool:
  case SchemaKind::Number:
    return isSymbolicNumber(type) || isa<ListType>(type);
  default:
    return true;
  }
}

static LogicalResult verifyResults(NodeOpInterface node,
                                   const OperatorSchema &schema) {
  ArrayRef<ArgumentSchema> expected = schema.getResults();
  TypeRange types = node->getResultTypes();
  // The only result is a tuple or list that is not unpacked.
  if (types.size() == 1 && isa<AnyType, ListType, PyNoneType>(types.front()))
    return success();
  bool hasList = llvm::any_of(
      expected, [](const ArgumentSchema &r) { return r.isList(); });
  ArrayAttr outs = node.getOutsAttr();
  size_t got = outs ? outs.size() : types.size();
  if (!hasList && got != expected.size())
    return emitNodeError(node)
           << "expected " << expected.size() << " results, got " << got;
  if (hasList || outs)
    return success();
  LogicalResult result = success();
  for (auto [i, type] : llvm::enumerate(types))
    if (!isWellTyped(type, expected[i]))
      result = emitNodeError(node)
               << "result " << i << ": expected " << expected[i].getTypeText()
               << ", got " << type;
  return result;
}

LogicalResult fx::verifyArguments(NodeOpInterface node,
                                  const OperatorSchema &schema) {
  SmallVector<Argument> arguments = getArguments(node);
  ArrayAttr names = node.getKwnames();
  size_t numPositional = arguments.size() - names.size();
  ArrayRef<ArgumentSchema> expected = schema.getArguments();
  LogicalResult result = success();

  if (numPositional > schema.getNumPositional()) {
    result = emitNodeError(node)
             << "expected at most " << schema.getNumPositional()
             << " positional arguments, got " << numPositional;
    numPositional = schema.getNumPositional();
  }
  llvm::BitVector given(expected.size());
  for (size_t i = 0; i < numPositional; ++i) {
    given.set(i);
    if (failed(verifyArgument(node, arguments[i], expected[i])))
      result = failure();
  }
  for (auto [name, argument] :
       llvm::zip_equal(names.getAsRange<StringAttr>(),
                       ArrayRef(arguments).take_back(names.size()))) {
    int position = schema.findArgument(name);
    if (position < 0) {
      InFlightDiagnostic error = emitNodeError(node)
                                 << "unknown keyword argument '"
                                 << name.getValue() << "', expected one of ";
      llvm::interleaveComma(expected, error,
                            [&](auto &a) { error << a.getName(); });
      result = error;
      continue;
    }
    if (given.test(position)) {
      result = emitNodeError(node)
               << "argument '" << name.getValue() << "' is given twice";
      continue;
    }
    given.set(position);
    if (failed(verifyArgument(node, argument, expected[position])))
      result = failure();
  }
  for (auto [i, argument] : llvm::enumerate(expected))
    if (!given.test(i) && !argument.hasDefault())
      result = emitNodeError(node)
               << "argument '" << argument.getName() << "': expected "
               << argument.getTypeText() << ", got nothing";
  if (failed(verifyResults(node, schema)))
    result = failure();
  return result;
}

/// Returns true if a call has an argument that `schema` does not have.
static bool hasMoreArguments(CallFunctionOp call,
                             const OperatorSchema &schema) {
  ArrayAttr names = call.getKwnames();
  return call.getArgs().size() - names.size() > schema.getNumPositional() ||
         llvm::any_of(names.getAsRange<StringAttr>(), [&](StringAttr name) {
           return schema.findArgument(name) < 0;
         });
}

LogicalResult fx::verifyCall(CallFunctionOp call) {
  // A pass may add calls of the built-in version to a program of another one.
  const OperatorSchema *builtIn = lookupOperator(call.getTarget());
  const OperatorSchema *schema = lookupOperatorOf(call, call.getTarget());
  if (builtIn && schema != builtIn && hasMoreArguments(call, *schema))
    schema = builtIn;
  if (!schema) {
    if (!isKnownNamespace(call.getTarget()))
      return success();
    return emitNodeError(call) << "unknown operator; known are those of torch "
                               << getSchemaVersion();
  }
  if (failed(verifyArguments(call, *schema)))
    return failure();
  if (!builtIn)
    return success();
  auto graph = dyn_cast_if_present<GraphOp>(call->getParentOp());
  if (!graph || !graph.getFunctional())
    return success();
  SmallVector<OpOperand *> written =
      getWrittenOperands(OperatorView(call, *builtIn));
  if (!written.empty())
    return emitNodeError(call)
           << "writes operand " << written.front()->getOperandNumber()
           << ", but graph @" << graph.getSymName() << " is functional";
  return success();
}
