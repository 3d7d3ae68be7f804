//===- FXToLinalg.cpp - graphs to functions on tensors --------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../GraphConversion.h"
#include "GraphLowering.h"
#include "NodeLowering.h"

#include "fx/Conversion/Passes.h"
#include "fx/IR/HigherOrder.h"
#include "fx/Kernels/IR/KernelDialect.h"

#include "llvm/ADT/StringSet.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace fx {
#define GEN_PASS_DEF_CONVERTFXTOLINALG
#include "fx/Conversion/Passes.h.inc"
} // namespace fx

using namespace mlir;
using namespace fx;
using namespace fx::lin;

namespace {

/// Converts a graph to a function on builtin tensors and numbers.
class GraphToLinalg : public GraphConversion {
public:
  GraphToLinalg(GraphOp graph, SymbolTable &table,
                const lin::TargetKernels &kernels)
      : GraphConversion(graph, "linalg"), table(table), kernels(kernels) {}

private:
  Type convertType(Value value) override {
    return builtinType(value.getType());
  }
  LogicalResult selectInputs() override;
  LogicalResult convertBody() override;
  LogicalResult convertResults() override;

  void describeInputs();
  void bindSymbols();

  /// Returns true if another method of the model writes the state.
  bool isWrittenElsewhere(StringAttr state) {
    auto op = table.lookup<StateOp>(state);
    return op && op->hasAttr("fx.mutable");
  }

  SymbolTable &table;
  lin::TargetKernels kernels;
  std::optional<lin::GraphLowering> body;
  SmallVector<Attribute> inputs; ///< entries of `fx.inputs`
  llvm::StringMap<unsigned> byState, byName;
  int64_t nextGroup = 0;
};

} // namespace

/// Selects the arguments of the function: the caller's tensors and numbers,
/// then the states that are used or written. Other inputs of the caller appear
/// in `fx.inputs` only.
LogicalResult GraphToLinalg::selectInputs() {
  MLIRContext *ctx = graph.getContext();
  SmallVector<Input> states;
  for (PlaceholderOp placeholder : graph.getPlaceholders()) {
    Type type = convertType(placeholder.getResult());
    if (isState(placeholder)) {
      if (!type || !placeholder.getTarget())
        return placeholder.emitOpError("expected a state of known dtype, got ")
               << placeholder.getType();
      if (!placeholder->use_empty() || isWritten(placeholder))
        states.push_back({placeholder, type});
      continue;
    }
    // Tokens and custom objects are not passed by the caller. ATen runs the
    // nodes that use a custom object.
    if (placeholder.getKind() == InputKind::Token ||
        placeholder.getKind() == InputKind::CustomObj)
      continue;
    NamedAttrList entry;
    entry.set("name", placeholder.getNameAttr());
    if (placeholder.getKind() == InputKind::UserInput && type) {
      entry.set("argument", b.getI64IntegerAttr(arguments.size()));
      entry.set("type", TypeAttr::get(placeholder.getType()));
      arguments.push_back({placeholder, type});
    } else {
      Attribute value = placeholder.getValueAttr();
      if (!value && isa<PyNoneType>(placeholder.getType()))
        value = NoneAttr::get(ctx);
      // The value of an input of unknown type is not known.
      if (value)
        entry.set("value", value);
    }
    inputs.push_back(entry.getDictionary(ctx));
  }
  llvm::append_range(arguments, states);
  return success();
}

void GraphToLinalg::describeInputs() {
  function->setAttr("fx.inputs", b.getArrayAttr(inputs));
  function->setAttr("fx.symbols", graph.getSymbols());
  SmallVector<Attribute> guards;
  for (GuardOp guard : graph.getBlock().getOps<GuardOp>()) {
    Attribute condition = guard.getConditionAttr();
    guards.push_back(b.getArrayAttr(
        {condition ? condition : b.getUnitAttr(), guard.getCodeAttr()}));
  }
  function->setAttr("fx.guards", b.getArrayAttr(guards));
  for (auto [i, argument] : llvm::enumerate(arguments)) {
    PlaceholderOp placeholder = argument.placeholder;
    function.setArgAttr(i, "fx.name", placeholder.getNameAttr());
    function.setArgAttr(i, "fx.type", TypeAttr::get(placeholder.getType()));
    function.setArgAttr(
        i, "fx.kind",
        b.getStringAttr(stringifyInputKind(placeholder.getKind())));
    byName[placeholder.getName()] = i;
    if (!isState(placeholder))
      continue;
    FlatSymbolRefAttr target = placeholder.getTargetAttr();
    byState[target.getValue()] = i;
    function.setArgAttr(i, "fx.state", target);
    if (placeholder.getNonPersistent())
      function.setArgAttr(i, "fx.non_persistent", b.getUnitAttr());
    if (isWritten(placeholder) || isWrittenElsewhere(target.getAttr()))
      function.setArgAttr(i, "fx.mutable", b.getUnitAttr());
  }
}

/// Returns true if `expr` is `a*s + c` with a positive `a`; sets `symbol` to s.
static bool solveLinear(ExprAttr expr, StringRef &symbol, int64_t &a,
                        int64_t &c) {
  a = 1;
  c = 0;
  if (expr.getKind() == ExprKind::Add && expr.getOperands().size() == 2) {
    ArrayRef<ExprAttr> terms = expr.getOperands();
    unsigned constant = terms[0].isInteger() ? 0 : 1;
    if (!terms[constant].isInteger())
      return false;
    c = terms[constant].getValue();
    expr = terms[1 - constant];
  }
  if (expr.getKind() == ExprKind::Mul && expr.getOperands().size() == 2) {
    ArrayRef<ExprAttr> factors = expr.getOperands();
    unsigned constant = factors[0].isInteger() ? 0 : 1;
    if (!factors[constant].isInteger())
      return false;
    a = factors[constant].getValue();
    expr = factors[1 - constant];
  }
  if (!expr.isSymbol() || a <= 0)
    return false;
  symbol = expr.getName().getValue();
  return true;
}

/// Binds symbols to values computed from the inputs' sizes: first symbols that
/// are sizes themselves, then those that occur only in sizes `a*s + c`. The
/// caller of the function checks that the sizes have this form.
void GraphToLinalg::bindSymbols() {
  Location loc = function.getLoc();
  for (bool plain : {true, false}) {
    for (auto [i, argument] : llvm::enumerate(arguments)) {
      Value value = function.getArgument(i);
      Type fxType = argument.placeholder.getType();
      if (auto tensor = dyn_cast<FakeTensorType>(fxType)) {
        for (auto [dim, size] : llvm::enumerate(tensor.getSizes())) {
          StringRef name;
          int64_t factor, offset;
          if (size.isInteger() || size.isSymbol() != plain ||
              !solveLinear(size, name, factor, offset) ||
              body->symbols.isBound(name))
            continue;
          Value at = arith::ConstantIndexOp::create(b, loc, dim);
          Value v = tensor::DimOp::create(b, loc, value, at);
          if (offset)
            v = arith::SubIOp::create(
                b, loc, v, arith::ConstantIndexOp::create(b, loc, offset));
          if (factor != 1)
            v = arith::FloorDivSIOp::create(
                b, loc, v, arith::ConstantIndexOp::create(b, loc, factor));
          body->symbols.bind(name, v, true);
        }
      } else if (plain) {
        body->set(argument.placeholder.getResult(),
                  Lowered(body->named(loc, fxType, value, true)));
      }
    }
  }
  for (auto [i, argument] : llvm::enumerate(arguments))
    if (auto tensor = dyn_cast<FakeTensorType>(argument.placeholder.getType()))
      body->set(argument.placeholder.getResult(),
                Lowered(Tensor(function.getArgument(i), tensor.getSizes(),
                               tensor.getDtype())));
  Block &entry = function.front();
  if (!entry.empty())
    body->symbols.startAfter(&entry.back());
}

/// Returns the value of a placeholder without an argument: None, a constant of
/// the signature, an object, or an unused state.
static Lowered constantInput(PlaceholderOp op) {
  if (op.getKind() == InputKind::CustomObj && op.getTargetAttr())
    return Lowered(op.getTargetAttr());
  Attribute value = op.getValueAttr();
  Number n;
  if (auto boolean = dyn_cast_or_null<BoolAttr>(value)) {
    n.kind = Number::Kind::Bool;
    n.expr = ExprAttr::integer(op.getContext(), boolean.getValue());
  } else if (auto integer = dyn_cast_or_null<IntegerAttr>(value)) {
    n.expr =
        ExprAttr::integer(op.getContext(), integer.getValue().getSExtValue());
  } else if (auto real = dyn_cast_or_null<FloatAttr>(value)) {
    n.kind = Number::Kind::Float;
    n.expr = ExprAttr::real(op.getContext(), real.getValueAsDouble());
  }
  return n ? Lowered(n) : Lowered();
}

LogicalResult GraphToLinalg::convertResults() {
  OutputOp output = graph.getOutput();
  SmallVector<Value> results;
  SmallVector<Attribute> attributes, outputs;
  // The top-level entry that each leaf belongs to.
  SmallVector<unsigned> entryOf;
  for (auto [i, tree] : llvm::enumerate(output.getArgs())) {
    unsigned leaves = 0;
    walkLeaves(tree, [&](Attribute) { ++leaves; });
    entryOf.append(leaves, i);
  }
  unsigned nextOperand = 0;
  for (auto [i, leaf] : llvm::enumerate(body->outputLeaves(output))) {
    auto &[tree, lowered] = leaf;
    OutputSpecAttr spec = output.getSpec(entryOf[i]);
    bool isValue = isa<OperandAttr>(tree);
    Type fxType =
        isValue ? output->getOperand(nextOperand++).getType() : Type();
    if (spec.getKind() == OutputKind::Token)
      continue;
    bool isMutation = spec.isMutation();
    Value value =
        isValue ? body->builtinValue(output.getLoc(), lowered) : Value();
    if (!value) {
      if (isMutation)
        return output.emitOpError("expected a tensor for the mutated '")
               << (spec.getTarget() ? spec.getTarget().getValue() : "") << "'";
      outputs.push_back(isValue ? Attribute(NoneAttr::get(b.getContext()))
                                : tree);
      continue;
    }
    NamedAttrList attrs;
    attrs.set("fx.type", TypeAttr::get(fxType));
    if (isMutation) {
      StringRef target =
          spec.getTarget() ? spec.getTarget().getValue() : StringRef();
      bool isInput = spec.getKind() == OutputKind::UserInputMutation;
      auto &where = isInput ? byName : byState;
      auto it = where.find(target);
      if (it == where.end())
        return output.emitOpError("mutates '")
               << target << "', which is no input of the graph";
      if (isInput)
        attrs.set("fx.mutates_input", b.getI64IntegerAttr(it->second));
      else
        attrs.set("fx.mutates", FlatSymbolRefAttr::get(b.getContext(), target));
      value = lin::Builder(b, output.getLoc(), body->symbols)
                  .withType(value,
                            cast<FakeTensorType>(
                                arguments[it->second].placeholder.getType())
                                .getSizes(),
                            cast<FakeTensorType>(fxType).getDtype());
    } else {
      outputs.push_back(b.getDictionaryAttr(
          b.getNamedAttr("result", b.getI64IntegerAttr(results.size()))));
    }
    results.push_back(value);
    attributes.push_back(attrs.getDictionary(b.getContext()));
  }
  func::ReturnOp::create(b, output.getLoc(), results);
  function.setType(b.getFunctionType(function.getArgumentTypes(),
                                     ValueRange(results).getTypes()));
  function.setAllResultAttrs(attributes);
  function->setAttr("fx.outputs", b.getArrayAttr(outputs));
  return success();
}

LogicalResult GraphToLinalg::convertBody() {
  describeInputs();
  b.setInsertionPointToStart(&function.front());
  body.emplace(b, Symbols(&function.front()), table);
  body->nextGroup = &nextGroup;
  body->kernels = kernels;
  for (PlaceholderOp placeholder : graph.getPlaceholders())
    body->set(placeholder.getResult(), constantInput(placeholder));
  bindSymbols();
  b.setInsertionPointToEnd(&function.front());
  return body->lowerBody(graph);
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {
struct ConvertFXToLinalg
    : public fx::impl::ConvertFXToLinalgBase<ConvertFXToLinalg> {
  using Base::Base;
  void runOnOperation() override {
    ModuleOp module = getOperation();
    SymbolTable table(module);
    SmallVector<GraphOp> graphs(module.getOps<GraphOp>());
    for (GraphOp graph : graphs)
      if (callsItself(graph)) {
        graph.emitError("expected sub-graphs without recursion, got @")
            << graph.getSymName() << ", which calls itself";
        return signalPassFailure();
      }
    auto convert = [&](GraphOp graph) {
      lin::TargetKernels kernels{wholeHeads, wholeFloatHeads, rowKernels,
                                 roundsFloats, rotatesHalves};
      return GraphToLinalg(graph, table, kernels).convert();
    };
    if (failed(convertGraphs(module, convert)))
      return signalPassFailure();
    // Keep the graphs that fallbacks refer to.
    llvm::StringSet<> kept;
    module.walk([&](EagerOp op) {
      walkLeaves(op.getArgs(), [&](Attribute leaf) {
        if (auto ref = dyn_cast<FlatSymbolRefAttr>(leaf))
          kept.insert(ref.getValue());
      });
      ++numFallbacks;
    });
    // A kept sub-graph may refer to others.
    for (bool changed = true; changed;) {
      changed = false;
      for (GraphOp graph : graphs)
        if (graph.isPrivate() && kept.contains(graph.getSymName()))
          graph.walk([&](GetAttrOp op) {
            changed |= kept.insert(op.getTarget()).second;
          });
    }
    for (GraphOp graph : graphs)
      if (!graph.isPrivate() || !kept.contains(graph.getSymName()))
        graph.erase();
  }
};
} // namespace
