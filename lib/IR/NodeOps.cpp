//===- NodeOps.cpp - the nodes that call something ------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Text.h"
#include "fx/IR/HigherOrder.h"
#include "fx/IR/Metadata.h"
#include "fx/IR/OperatorInterface.h"
#include "fx/IR/ProxyCall.h"

using namespace mlir;
using namespace fx;

//===----------------------------------------------------------------------===//
// Shared by all nodes
//===----------------------------------------------------------------------===//

namespace {
/// The names of the attributes that nodes share.
constexpr StringLiteral kTarget = "target", kArgs = "args",
                        kKwnames = "kwnames", kOuts = "outs";
} // namespace

/// Parses `@target(args) as "name" outs [..] {attrs} : (types) -> types`.
static ParseResult parseNode(OpAsmParser &parser, OperationState &result,
                             bool hasTarget) {
  Builder &b = parser.getBuilder();
  StringAttr target;
  if (hasTarget && parser.parseSymbolName(target, kTarget, result.attributes))
    return failure();
  ParsedArguments parsed;
  if (parseArguments(parser, parsed) || parseNodeName(parser, result))
    return failure();
  result.addAttribute(kArgs, b.getArrayAttr(parsed.args));
  if (!parsed.kwnames.empty())
    result.addAttribute(kKwnames, b.getArrayAttr(parsed.kwnames));
  if (succeeded(parser.parseOptionalKeyword("outs"))) {
    ArrayAttr outs;
    if (parser.parseAttribute(outs, kOuts, result.attributes))
      return failure();
  }
  FunctionType type;
  llvm::SMLoc loc = parser.getCurrentLocation();
  if (parser.parseOptionalAttrDict(result.attributes) ||
      parser.parseColonType(type))
    return failure();
  result.addTypes(type.getResults());
  return parser.resolveOperands(parsed.operands, type.getInputs(), loc,
                                result.operands);
}

static void printNode(OpAsmPrinter &printer, NodeOpInterface node,
                      bool hasTarget) {
  if (hasTarget) {
    printer << ' ';
    printer.printSymbolName(node.getTargetName());
  }
  printArguments(printer, OperandRange(node->getOperands()), node.getArgs(),
                 node.getKwnames());
  printRenamed(printer, node);
  if (ArrayAttr outs = node.getOutsAttr())
    printer << " outs " << outs;
  printer.printOptionalAttrDict(node->getAttrs(),
                                {kTarget, kArgs, kKwnames, kOuts});
  printer << " : ";
  printer.printFunctionalType(node->getOperandTypes(), node->getResultTypes());
}

static void nameResults(Operation *op, OpAsmSetValueNameFn setName) {
  for (auto [result, name] : llvm::zip(op->getResults(), getResultNames(op)))
    setName(result, name);
}

#define FX_NODE_METHODS(Op, hasTarget)                                         \
  ParseResult Op::parse(OpAsmParser &parser, OperationState &result) {         \
    return parseNode(parser, result, hasTarget);                               \
  }                                                                            \
  void Op::print(OpAsmPrinter &printer) {                                      \
    printNode(printer, *this, hasTarget);                                      \
  }                                                                            \
  void Op::getAsmResultNames(OpAsmSetValueNameFn setName) {                    \
    nameResults(*this, setName);                                               \
  }

FX_NODE_METHODS(CallFunctionOp, true)
FX_NODE_METHODS(CallMethodOp, true)
FX_NODE_METHODS(CallModuleOp, true)
FX_NODE_METHODS(HigherOrderOp, true)
FX_NODE_METHODS(EagerOp, true)
FX_NODE_METHODS(CondOp, false)

StringRef CallFunctionOp::getTargetName() { return getTarget(); }
StringRef CallMethodOp::getTargetName() { return getTarget(); }
StringRef CallModuleOp::getTargetName() { return getTarget(); }
StringRef HigherOrderOp::getTargetName() { return getTarget(); }
StringRef EagerOp::getTargetName() { return getTarget(); }
StringRef CondOp::getTargetName() { return "cond"; }

//===----------------------------------------------------------------------===//
// CondOp
//===----------------------------------------------------------------------===//

static GraphOp getGraph(Operation *user, unsigned operand) {
  return operand < user->getNumOperands()
             ? getReferencedGraph(user->getOperand(operand))
             : GraphOp();
}

/// Returns the index of the first graph among the operands. The predicate comes
/// before it, unless it is an immediate.
static unsigned getFirstGraphOperand(CondOp op) {
  return !op.getArgs().empty() && isa<OperandAttr>(op.getArgs()[0]) ? 1 : 0;
}

GraphOp CondOp::getTrueGraph() {
  return getGraph(*this, getFirstGraphOperand(*this));
}
GraphOp CondOp::getFalseGraph() {
  return getGraph(*this, getFirstGraphOperand(*this) + 1);
}
OperandRange CondOp::getBranchOperands() {
  return OperandRange(getOperands())
      .drop_front(getFirstGraphOperand(*this) + 2);
}

/// Verifies a call of a higher-order operator. Accepts operators whose form is
/// not known to HigherOrderView.
static LogicalResult verifyHigherOrder(Operation *op) {
  bool malformed = false;
  FailureOr<HigherOrderView> view = HigherOrderView::get(op, [&] {
    malformed = true;
    return op->emitOpError();
  });
  return failed(view) ? failure(malformed) : view->verify();
}

LogicalResult CondOp::verify() {
  if (failed(verifyNode(*this)))
    return failure();
  if (getArgs().size() != 4)
    return emitOpError("expected 4 arguments (predicate, two graphs, "
                       "operands), got ")
           << getArgs().size();
  if (!isa<OperandAttr, BoolAttr>(getArgs()[0]) ||
      !isa<OperandAttr>(getArgs()[1]) || !isa<OperandAttr>(getArgs()[2]) ||
      !isa<ArrayAttr>(getArgs()[3]))
    return emitOpError("expected (predicate, graph, graph, [operands])");
  if (!getTrueGraph())
    return emitOpError("the true argument is no graph");
  if (!getFalseGraph())
    return emitOpError("the false argument is no graph");
  return verifyHigherOrder(*this);
}

/// Returns null if no OperatorDialectInterface is attached to the dialect.
static const OperatorDialectInterface *getOperators(Operation *op) {
  return op->getDialect()->getRegisteredInterface<OperatorDialectInterface>();
}

LogicalResult CallFunctionOp::verify() {
  if (failed(verifyNode(*this)))
    return failure();
  const OperatorDialectInterface *operators = getOperators(*this);
  return operators ? operators->verify(*this) : success();
}
LogicalResult CallFunctionOp::canonicalize(CallFunctionOp op,
                                           PatternRewriter &rewriter) {
  const OperatorDialectInterface *operators = getOperators(op);
  return operators ? operators->canonicalize(op, rewriter) : failure();
}
LogicalResult CallMethodOp::verify() {
  if (getArgs().empty())
    return emitOpError("expected the object whose method is called");
  return verifyNode(*this);
}
LogicalResult CallModuleOp::verify() { return verifyNode(*this); }
LogicalResult HigherOrderOp::verify() {
  return success(succeeded(verifyNode(*this)) &&
                 succeeded(verifyHigherOrder(*this)));
}

LogicalResult EagerOp::verify() {
  return failed(verifyNode(*this)) ? failure() : ProxyCall::verify(*this);
}

LogicalResult OutputOp::verify() {
  if (failed(verifyTree(*this, getArgs())))
    return failure();
  ArrayAttr signature = getSignatureAttr();
  if (!signature)
    return success();
  if (signature.size() != getArgs().size())
    return emitOpError("expected ")
           << getArgs().size() << " entries in the signature, got "
           << signature.size();
  for (Attribute spec : signature)
    if (!isa<OutputSpecAttr>(spec))
      return emitOpError("expected #fx.output_spec in the signature, got ")
             << spec;
  return success();
}
