//===- Ops.cpp - graph, state, placeholder, get_attr, output --------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Text.h"
#include "fx/IR/FXDialect.h"
#include "fx/IR/Metadata.h"

#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace fx;

//===----------------------------------------------------------------------===//
// StateOp
//===----------------------------------------------------------------------===//

void StateOp::build(OpBuilder &b, OperationState &state, StringRef name,
                    Type type, Attribute init) {
  state.addAttribute(getSymNameAttrName(state.name), b.getStringAttr(name));
  state.addAttribute(getTypeAttrName(state.name), TypeAttr::get(type));
  if (init)
    state.addAttribute(getInitAttrName(state.name), init);
}

LogicalResult StateOp::verify() {
  auto type = dyn_cast<FakeTensorType>(getType());
  if (!type) {
    if (isa<ObjectType>(getType()))
      return success();
    return emitOpError("state '")
           << getSymName() << "': expected a tensor or an object, got "
           << getType();
  }
  for (ExprAttr size : type.getSizes())
    if (!size.isInteger())
      return emitOpError("state '")
             << getSymName() << "': expected integer sizes, got " << type;
  if (auto dense = dyn_cast_if_present<DenseElementsAttr>(getInitAttr()))
    if (!dense.getElementType().isInteger(8))
      return emitOpError("state '")
             << getSymName() << "': expected the bytes of its storage, got "
             << dense.getType();
  return success();
}

//===----------------------------------------------------------------------===//
// GraphOp
//===----------------------------------------------------------------------===//

void GraphOp::build(OpBuilder &b, OperationState &state, StringRef name,
                    bool isPrivate) {
  state.addAttribute(getSymNameAttrName(state.name), b.getStringAttr(name));
  if (isPrivate)
    state.addAttribute(getSymVisibilityAttrName(state.name),
                       b.getStringAttr("private"));
  state.addRegion()->emplaceBlock();
}

SmallVector<PlaceholderOp, 8> GraphOp::getPlaceholders() {
  SmallVector<PlaceholderOp, 8> result;
  for (Operation &op : getBlock()) {
    auto placeholder = dyn_cast<PlaceholderOp>(op);
    if (!placeholder)
      break;
    result.push_back(placeholder);
  }
  return result;
}

OutputOp GraphOp::getOutput() {
  return cast<OutputOp>(getBlock().getTerminator());
}

ParseResult GraphOp::parse(OpAsmParser &parser, OperationState &result) {
  Builder &b = parser.getBuilder();
  StringRef visibility;
  if (succeeded(parser.parseOptionalKeyword(&visibility,
                                            {"private", "public", "nested"})))
    result.addAttribute(getSymVisibilityAttrName(result.name),
                        b.getStringAttr(visibility));
  StringAttr name;
  if (parser.parseSymbolName(name, getSymNameAttrName(result.name),
                             result.attributes))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("symbols"))) {
    SmallVector<Attribute> symbols;
    auto parseOne = [&]() -> ParseResult {
      Attribute range = RangeAttr::parseBody(parser);
      symbols.push_back(range);
      return success(!!range);
    };
    if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseOne))
      return failure();
    result.addAttribute(getSymbolsAttrName(result.name),
                        b.getArrayAttr(symbols));
  }
  if (parser.parseOptionalAttrDictWithKeyword(result.attributes))
    return failure();
  Region *body = result.addRegion();
  return parser.parseRegion(*body, {}, /*enableNameShadowing=*/true);
}

void GraphOp::print(OpAsmPrinter &printer) {
  printer << ' ';
  if (std::optional<StringRef> visibility = getSymVisibility())
    printer << *visibility << ' ';
  printer.printSymbolName(getSymName());
  if (!getSymbols().empty()) {
    printer << " symbols [";
    llvm::interleaveComma(
        getSymbols().getAsRange<RangeAttr>(), printer.getStream(),
        [&](RangeAttr range) { range.printBody(printer.getStream()); });
    printer << ']';
  }
  printer.printOptionalAttrDictWithKeyword(
      (*this)->getAttrs(),
      {getSymNameAttrName(), getSymVisibilityAttrName(), getSymbolsAttrName()});
  printer << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

/// Collects the symbols that the graph declares, and those in the types of its
/// placeholders.
static void collectSymbols(GraphOp graph, llvm::StringSet<> &declared) {
  for (Attribute attr : graph.getSymbols())
    if (auto range = dyn_cast<RangeAttr>(attr))
      range.getExpr().walkSymbols([&](StringRef s) { declared.insert(s); });
  for (PlaceholderOp placeholder : graph.getPlaceholders())
    placeholder.getType().walk([&](ExprAttr expr) {
      expr.walkSymbols([&](StringRef s) { declared.insert(s); });
    });
}

LogicalResult GraphOp::verifyRegions() {
  Block &block = getBlock();
  if (block.getNumArguments() != 0)
    return emitOpError("expected no block arguments");
  if (block.empty() || !isa<OutputOp>(block.back()))
    return emitOpError("expected an output as the last node");
  for (Attribute attr : getSymbols())
    if (!isa<RangeAttr>(attr))
      return emitOpError("expected #fx.range in 'symbols', got ") << attr;

  bool inPlaceholders = true;
  llvm::StringMap<Operation *> names;
  for (Operation &op : block) {
    if (isa<PlaceholderOp>(op)) {
      if (!inPlaceholders)
        return op.emitOpError("a placeholder after another node");
    } else {
      inPlaceholders = false;
    }
    if (isa<OutputOp>(op) && &op != &block.back())
      return op.emitOpError("an output before the last node");
    for (StringRef name : getResultNames(&op)) {
      if (name.empty())
        continue;
      auto [it, inserted] = names.try_emplace(name, &op);
      if (!inserted) {
        InFlightDiagnostic diag = op.emitOpError("a second node named '")
                                  << name << "'";
        diag.attachNote(it->second->getLoc()) << "the first";
        return diag;
      }
    }
  }

  llvm::StringSet<> declared;
  collectSymbols(*this, declared);
  for (Operation &op : block) {
    for (Type type : op.getResultTypes()) {
      std::string unknown;
      type.walk([&](ExprAttr expr) {
        expr.walkSymbols([&](StringRef s) {
          // Symbols u0, zuf0 etc. are data-dependent: a node defines them.
          if (!declared.contains(s) && !s.starts_with("u") &&
              !s.starts_with("zu"))
            unknown = s.str();
        });
      });
      if (!unknown.empty())
        return op.emitOpError("symbol '")
               << unknown << "' is neither declared nor in an input's type";
    }
  }
  return success();
}

//===----------------------------------------------------------------------===//
// PlaceholderOp
//===----------------------------------------------------------------------===//

void PlaceholderOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getResult(), getName());
}

ParseResult PlaceholderOp::parse(OpAsmParser &parser, OperationState &result) {
  Builder &b = parser.getBuilder();
  // parseAttribute would read `"x" : !type` as a typed string.
  std::string text;
  if (parser.parseString(&text))
    return failure();
  StringAttr name = b.getStringAttr(text);
  result.addAttribute(getNameAttrName(result.name), name);
  StringRef keyword;
  if (succeeded(parser.parseOptionalKeyword(
          &keyword, {"user_input", "parameter", "buffer", "tensor_constant",
                     "custom_obj", "token", "constant_input"})))
    result.addAttribute(
        getKindAttrName(result.name),
        InputKindAttr::get(b.getContext(), *symbolizeInputKind(keyword)));
  FlatSymbolRefAttr target;
  OptionalParseResult hasTarget = parser.parseOptionalAttribute(
      target, getTargetAttrName(result.name), result.attributes);
  if (hasTarget.has_value() && failed(*hasTarget))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("non_persistent")))
    result.addAttribute(getNonPersistentAttrName(result.name), b.getUnitAttr());
  auto parseValue = [&](StringRef keyword, StringAttr attrName) -> ParseResult {
    if (failed(parser.parseOptionalKeyword(keyword)))
      return success();
    ParsedArguments parsed;
    if (parseArguments(parser, parsed))
      return failure();
    if (parsed.args.size() != 1 || !parsed.operands.empty())
      return parser.emitError(parser.getNameLoc(), "expected one immediate");
    result.addAttribute(attrName, parsed.args.front());
    return success();
  };
  Type type;
  if (parseValue("value", getValueAttrName(result.name)) ||
      parseValue("default", getDefaultValueAttrName(result.name)) ||
      parser.parseOptionalAttrDict(result.attributes) ||
      parser.parseColonType(type))
    return failure();
  result.addTypes(type);
  result.location = NameLoc::get(name, result.location);
  return success();
}

void PlaceholderOp::print(OpAsmPrinter &printer) {
  printer << ' ';
  printer.printAttributeWithoutType(getNameAttr());
  if (getKind() != InputKind::UserInput)
    printer << ' ' << stringifyInputKind(getKind());
  if (getTargetAttr()) {
    printer << ' ';
    printer.printSymbolName(getTargetAttr().getValue());
  }
  if (getNonPersistent())
    printer << " non_persistent";
  auto printValue = [&](StringRef keyword, Attribute value) {
    if (!value)
      return;
    printer << ' ' << keyword;
    printArguments(printer, OperandRange((*this)->getOperands()),
                   ArrayAttr::get(getContext(), value),
                   ArrayAttr::get(getContext(), {}));
  };
  printValue("value", getValueAttr());
  printValue("default", getDefaultValueAttr());
  printer.printOptionalAttrDict(
      (*this)->getAttrs(),
      {"name", "kind", "target", "value", "default_value", "non_persistent"});
  printer << " : " << getResult().getType();
}

LogicalResult PlaceholderOp::verify() {
  bool needsTarget = getKind() == InputKind::Parameter ||
                     getKind() == InputKind::Buffer ||
                     getKind() == InputKind::TensorConstant ||
                     getKind() == InputKind::CustomObj;
  if (needsTarget && !getTargetAttr())
    return emitOpError("'") << getName() << "': expected the state of the "
                            << stringifyInputKind(getKind());
  if (!needsTarget && getTargetAttr())
    return emitOpError("'")
           << getName() << "': a " << stringifyInputKind(getKind())
           << " has no state, got " << getTargetAttr();
  if (!needsTarget || getKind() == InputKind::CustomObj)
    return success();
  auto state = SymbolTable::lookupNearestSymbolFrom<StateOp>(
      (*this)->getParentOp()->getParentOp(), getTargetAttr());
  if (!state)
    return emitOpError("'") << getName() << "': no state " << getTargetAttr();
  auto have = dyn_cast<FakeTensorType>(state.getType());
  auto want = dyn_cast<FakeTensorType>(getType());
  if (have && want &&
      (have.getSizes() != want.getSizes() ||
       have.getDtype() != want.getDtype())) {
    InFlightDiagnostic diag = emitOpError("'") << getName() << "': expected "
                                               << have << ", got " << want;
    diag.attachNote(state.getLoc()) << "the state is here";
    return diag;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// GetAttrOp
//===----------------------------------------------------------------------===//

void GetAttrOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  if (std::optional<StringRef> name = getNodeName(*this))
    setName(getResult(), *name);
}

ParseResult GetAttrOp::parse(OpAsmParser &parser, OperationState &result) {
  FlatSymbolRefAttr target;
  Type type;
  if (parser.parseAttribute(target, getTargetAttrName(result.name),
                            result.attributes) ||
      parseNodeName(parser, result) ||
      parser.parseOptionalAttrDict(result.attributes) ||
      parser.parseColonType(type))
    return failure();
  result.addTypes(type);
  return success();
}

void GetAttrOp::print(OpAsmPrinter &printer) {
  printer << ' ';
  printer.printSymbolName(getTarget());
  printRenamed(printer, *this);
  printer.printOptionalAttrDict((*this)->getAttrs(), {"target"});
  printer << " : " << getResult().getType();
}

LogicalResult GetAttrOp::verifySymbolUses(SymbolTableCollection &tables) {
  Operation *target = tables.lookupNearestSymbolFrom(
      (*this)->getParentOp()->getParentOp(), getTargetAttr());
  if (isa<GraphRefType>(getType()) && !isa_and_present<GraphOp>(target))
    return emitOpError("no graph ") << getTargetAttr();
  if (!target && !isa<AnyType>(getType()))
    return emitOpError("no graph or state ") << getTargetAttr();
  return success();
}

//===----------------------------------------------------------------------===//
// GuardOp
//===----------------------------------------------------------------------===//

static ParseResult parseInfix(OpAsmParser &parser, ExprAttr &expr) {
  FailureOr<ExprAttr> parsed = ExprAttr::parseInfix(parser);
  if (failed(parsed))
    return failure();
  expr = *parsed;
  return success();
}

static void printInfix(OpAsmPrinter &printer, Operation *, ExprAttr expr) {
  expr.printInfix(printer.getStream());
}

//===----------------------------------------------------------------------===//
// OutputOp
//===----------------------------------------------------------------------===//

bool OutputSpecAttr::isMutation() const {
  return getKind() == OutputKind::BufferMutation ||
         getKind() == OutputKind::ParameterMutation ||
         getKind() == OutputKind::UserInputMutation;
}

OutputSpecAttr OutputOp::getSpec(unsigned i) {
  if (ArrayAttr signature = getSignatureAttr();
      signature && i < signature.size())
    return cast<OutputSpecAttr>(signature[i]);
  return OutputSpecAttr::get(getContext(), OutputKind::UserOutput,
                             StringAttr());
}

ParseResult OutputOp::parse(OpAsmParser &parser, OperationState &result) {
  Builder &b = parser.getBuilder();
  ParsedArguments parsed;
  SmallVector<Type> types;
  if (parseArguments(parser, parsed))
    return failure();
  if (!parsed.kwnames.empty())
    return parser.emitError(parser.getNameLoc(),
                            "an output has no keyword arguments");
  if (succeeded(parser.parseOptionalKeyword("signature"))) {
    ArrayAttr signature;
    if (parser.parseAttribute(signature, getSignatureAttrName(result.name),
                              result.attributes))
      return failure();
  }
  result.addAttribute(getArgsAttrName(result.name),
                      b.getArrayAttr(parsed.args));
  llvm::SMLoc loc = parser.getCurrentLocation();
  if (parser.parseOptionalAttrDict(result.attributes))
    return failure();
  if (!parsed.operands.empty() &&
      (parser.parseColon() || parser.parseLParen() ||
       parser.parseTypeList(types) || parser.parseRParen()))
    return failure();
  return parser.resolveOperands(parsed.operands, types, loc, result.operands);
}

void OutputOp::print(OpAsmPrinter &printer) {
  printArguments(printer, getOperands(), getArgs(),
                 ArrayAttr::get(getContext(), {}));
  if (ArrayAttr signature = getSignatureAttr())
    printer << " signature " << signature;
  printer.printOptionalAttrDict((*this)->getAttrs(), {"args", "signature"});
  if (getNumOperands() > 0)
    printer << " : (" << getOperandTypes() << ')';
}

#define GET_OP_CLASSES
#include "fx/IR/FXOps.cpp.inc"
