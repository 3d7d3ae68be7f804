//===- GraphLowering.cpp - a graph in the course of lowering --------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GraphLowering.h"
#include "../GraphConversion.h"
#include "Complex.h"
#include "NodeLowering.h"

#include "fx/IR/Arguments.h"
#include "fx/Operators/Collectives.h"
#include "fx/Operators/Schema.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace fx::lin {

Type builtinType(Type type) {
  MLIRContext *ctx = type.getContext();
  if (auto tensor = dyn_cast<FakeTensorType>(type))
    return tensor.toBuiltin();
  if (isa<SymIntType>(type))
    return IntegerType::get(ctx, 64);
  if (isa<SymFloatType>(type))
    return Float64Type::get(ctx);
  if (isa<SymBoolType>(type))
    return IntegerType::get(ctx, 1);
  return {};
}

static ExprAttr symbolicExpr(Type type) {
  if (auto t = dyn_cast<SymIntType>(type))
    return t.getExpr();
  if (auto t = dyn_cast<SymFloatType>(type))
    return t.getExpr();
  if (auto t = dyn_cast<SymBoolType>(type))
    return t.getExpr();
  return {};
}

static Number::Kind numberKind(Type type) {
  return isa<SymFloatType, FloatType>(type)            ? Number::Kind::Float
         : isa<SymBoolType>(type) || type.isInteger(1) ? Number::Kind::Bool
                                                       : Number::Kind::Int;
}

void GraphLowering::set(Value fx, Lowered lowered) {
  values[fx] = std::move(lowered);
}

const Lowered *GraphLowering::lookup(Value fx) const {
  auto it = values.find(fx);
  return it == values.end() ? nullptr : &it->second;
}

Number GraphLowering::named(Location loc, Number n) {
  if (n.expr || n.kind != Number::Kind::Int)
    return n;
  std::string name = "." + std::to_string(numNames++);
  Value index = arith::IndexCastOp::create(b, loc, b.getIndexType(), n.value);
  symbols.bind(name, index, false);
  n.expr = ExprAttr::symbol(b.getContext(), name);
  return n;
}

Number GraphLowering::named(Location loc, Type type, Value value,
                            bool atEntry) {
  Number n;
  n.kind = numberKind(type);
  ExprAttr expr = symbolicExpr(type);
  if (expr && symbols.canEvaluate(expr)) {
    n.expr = expr;
    return n;
  }
  n.value = value;
  if (expr && expr.isSymbol()) {
    Value bound = value;
    if (n.kind == Number::Kind::Int)
      bound = arith::IndexCastOp::create(b, loc, b.getIndexType(), value);
    symbols.bind(expr.getName(), bound, atEntry);
    n.expr = expr;
    return n;
  }
  return named(loc, n);
}

void GraphLowering::bindSizes(Location loc, FakeTensorType type,
                              const Tensor &t) {
  if (!type)
    return;
  for (auto [size, dim] : llvm::zip(type.getSizes(), t.dims)) {
    if (!size.isSymbol() || dim < 0 || symbols.isBound(size.getName()))
      continue;
    Value index = arith::ConstantIndexOp::create(b, loc, dim);
    symbols.bind(size.getName(), tensor::DimOp::create(b, loc, t.value, index),
                 false);
  }
}

Value GraphLowering::builtinValue(Location loc, const Lowered &lowered) {
  lin::Builder builder(b, loc, symbols);
  switch (lowered.kind) {
  case Lowered::Kind::Tensor:
    return builder.materialize(lowered.tensor);
  case Lowered::Kind::Complex:
    return builder.materialize(join(loc, lowered).tensor);
  case Lowered::Kind::Number: {
    Type type =
        lowered.number.kind == Number::Kind::Float  ? Type(b.getF64Type())
        : lowered.number.kind == Number::Kind::Bool ? Type(b.getI1Type())
                                                    : Type(b.getI64Type());
    return builder.number(lowered.number, type);
  }
  default:
    return {};
  }
}

Lowered GraphLowering::fromBuiltin(Location loc, Type type, Value value) {
  if (auto tensorType = dyn_cast<FakeTensorType>(type)) {
    Tensor t(value, tensorType.getSizes(), tensorType.getDtype());
    bindSizes(loc, tensorType, t);
    return Lowered(t);
  }
  return Lowered(named(loc, type, value));
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

/// Erases the operations between `before` and the builder's insertion point and
/// forgets the values of symbols among them.
static void rollBack(OpBuilder &b, Operation *before, Symbols &symbols) {
  Block *block = b.getInsertionBlock();
  auto first = std::next(Block::iterator(before));
  auto last = b.getInsertionPoint();
  llvm::SmallPtrSet<Operation *, 16> gone;
  for (Operation &op : llvm::make_range(first, last))
    gone.insert(&op);
  symbols.forget([&](Operation *op) {
    while (op && op->getBlock() != block)
      op = op->getParentOp();
    return op && gone.contains(op);
  });
  while (&*std::prev(last) != before) {
    Operation &op = *std::prev(last);
    op.dropAllUses();
    op.erase();
  }
}

/// Returns the reason why a size of the node's results cannot be computed
/// before the node; an empty string if all can.
static std::string explainUnknownSize(NodeOpInterface node,
                                      const Symbols &symbols) {
  for (Type type : node->getResultTypes())
    if (auto tensor = dyn_cast<FakeTensorType>(type))
      for (ExprAttr size : tensor.getSizes())
        if (!symbols.canEvaluate(size)) {
          std::string text;
          llvm::raw_string_ostream os(text);
          os << "the result's size ";
          size.printInfix(os);
          os << " depends on data";
          return text;
        }
  return "";
}

static bool isComplex(Type type) {
  auto tensor = dyn_cast<FakeTensorType>(type);
  return tensor && isa<ComplexType>(tensor.getDtype());
}

static bool usesComplex(NodeOpInterface node) {
  return llvm::any_of(node->getOperandTypes(), isComplex) ||
         llvm::any_of(node->getResultTypes(), isComplex);
}

Lowered GraphLowering::join(Location loc, const Lowered &lowered) {
  if (lowered.kind != Lowered::Kind::Complex)
    return lowered;
  lin::Builder builder(b, loc, symbols);
  return joinParts(builder, lowered.tensor, *lowered.imaginary);
}

LowerFn GraphLowering::convertComplexOperands(NodeOpInterface node) {
  LowerFn lower = Registry::get().lookupComplex(node.getTargetName());
  lin::Builder builder(b, node->getLoc(), symbols);
  for (Value operand : node->getOperands()) {
    auto it = values.find(operand);
    if (it == values.end() || !isComplex(operand.getType()))
      continue;
    Lowered &lowered = it->second;
    if (!lower)
      lowered = join(node->getLoc(), lowered);
    else if (lowered.kind == Lowered::Kind::Tensor)
      lowered = splitParts(builder, lowered.tensor);
  }
  // Operators with sub-graphs take complex tensors joined, as fallbacks do.
  return lower || isa<CallFunctionOp>(node)
             ? lower
             : Registry::get().lookup(node.getTargetName());
}

static constexpr StringRef kCommunicates =
    "it communicates with other processes";

/// Returns true if all that is done with the results of a collective is to wait
/// for them. The collective then runs beside the code in between.
static bool isAwaited(NodeOpInterface node) {
  return isCollective(node.getTargetName()) &&
         llvm::all_of(node->getResults(), [](Value result) {
           return !result.use_empty() &&
                  llvm::all_of(result.getUsers(), [](Operation *user) {
                    auto call = dyn_cast<CallFunctionOp>(user);
                    return call && isWaitTensor(call.getTarget());
                  });
         });
}

LogicalResult GraphLowering::lowerNode(NodeOpInterface node) {
  // A symbolic number is represented by its expression; the node that computes
  // it is not needed.
  if (node->getNumResults() == 1) {
    Type type = node->getResult(0).getType();
    ExprAttr expr = symbolicExpr(type);
    if (expr && symbols.canEvaluate(expr)) {
      Number n;
      n.kind = numberKind(type);
      n.expr = expr;
      set(node->getResult(0), Lowered(n));
      return success();
    }
  }
  for (Type type : node->getResultTypes())
    if (!builtinType(type) && !isa<PyNoneType>(type))
      return node->emitOpError("expected results whose dtype and rank are "
                               "known, got ")
             << type;

  if (isWaitTensor(node.getTargetName()))
    return lowerWaitTensor(node);
  if (isCollective(node.getTargetName()))
    return lowerEager(node, kCommunicates);

  LowerFn lower = usesComplex(node)
                      ? convertComplexOperands(node)
                      : Registry::get().lookup(node.getTargetName());
  if (auto reason = node->getAttrOfType<StringAttr>("fx.no_native"))
    return lowerEager(node, reason);
  if (!lower)
    return lowerEager(node,
                      Registry::get().lookup(node.getTargetName())
                          ? "the operator has no lowering for complex tensors"
                          : "the operator has no lowering");
  // The branches of a cond determine the sizes of its results, and lowerings
  // that count elements (Registry::addCounting) bind theirs.
  if (std::string why = explainUnknownSize(node, symbols);
      !why.empty() && !isa<CondOp>(node) &&
      !Registry::get().countsElements(node.getTargetName()))
    return lowerEager(node, why);

  // A lowering that fails halfway is undone. The insertion point is at the end
  // of a block that grows, so the operations that it built are those after
  // `anchor`. (The operation before the insertion point cannot be the anchor:
  // sizes computed at the function's entry may be inserted after it.)
  Operation *anchor = arith::ConstantIndexOp::create(b, node->getLoc(), 0);
  lin::Builder builder(b, node->getLoc(), symbols);
  NodeLowering n(*this, node, builder);
  bool ok = succeeded(lower(n)) && !n.failed();
  if (fatal)
    return failure();
  if (ok)
    for (OpResult result : node->getResults())
      if (!result.use_empty() && !values.count(result)) {
        ok = false;
        (void)n.fail("the lowering gives no result " +
                     Twine(result.getResultNumber()));
      }
  if (!ok)
    rollBack(b, anchor, symbols);
  anchor->erase();
  if (!ok)
    return lowerEager(node, n.reason.empty() ? "the lowering failed"
                                             : StringRef(n.reason));
  return success();
}

/// Returns `tree` with each operand leaf replaced by what `nextOperand`
/// returns.
static Attribute rebuildTree(Attribute tree,
                             function_ref<Attribute()> nextOperand) {
  if (isa<OperandAttr>(tree))
    return nextOperand();
  MLIRContext *ctx = tree.getContext();
  if (auto list = dyn_cast<ArrayAttr>(tree)) {
    SmallVector<Attribute> elements;
    for (Attribute element : list)
      elements.push_back(rebuildTree(element, nextOperand));
    return ArrayAttr::get(ctx, elements);
  }
  if (auto dict = dyn_cast<DictAttr>(tree))
    return DictAttr::get(
        ctx, dict.getKeys(),
        cast<ArrayAttr>(rebuildTree(dict.getValues(), nextOperand)));
  return tree;
}

LogicalResult GraphLowering::lowerEager(NodeOpInterface node,
                                        StringRef reason) {
  MLIRContext *ctx = node->getContext();
  Location loc = node->getLoc();
  SmallVector<Value> operands;
  SmallVector<Type> fxOperands, fxResults, types;
  unsigned next = 0;
  bool bad = false;
  auto leaf = [&]() -> Attribute {
    Value fx = node->getOperand(next++);
    const Lowered *lowered = lookup(fx);
    if (!lowered) {
      bad = true;
      return NoneAttr::get(ctx);
    }
    if (lowered->kind == Lowered::Kind::None)
      return NoneAttr::get(ctx);
    if (lowered->kind == Lowered::Kind::Graph)
      return FlatSymbolRefAttr::get(GraphOp(lowered->graph).getSymNameAttr());
    if (lowered->kind == Lowered::Kind::Object)
      return lowered->object;
    operands.push_back(builtinValue(loc, *lowered));
    fxOperands.push_back(fx.getType());
    return OperandAttr::get(ctx);
  };
  auto args = cast<ArrayAttr>(rebuildTree(node.getArgs(), leaf));
  if (bad)
    return node->emitOpError("uses a value that was not lowered");
  // Its results are numbers, which the waits take. The elements are not there
  // yet.
  bool starts = isAwaited(node);
  // None results have no value.
  SmallVector<Value> fxValues;
  for (OpResult result : node->getResults()) {
    if (isa<PyNoneType>(result.getType())) {
      set(result, Lowered());
      continue;
    }
    fxResults.push_back(result.getType());
    types.push_back(starts ? b.getI64Type() : builtinType(result.getType()));
    fxValues.push_back(result);
  }
  auto eager = EagerOp::create(b, loc, types, node.getTargetName(), operands,
                               args, node.getKwnames(), node.getOutsAttr());
  eager->setAttr("fx.reason", b.getStringAttr(reason));
  eager->setAttr("fx.operand_types", b.getTypeArrayAttr(fxOperands));
  eager->setAttr("fx.result_types", b.getTypeArrayAttr(fxResults));
  if (isMemoryEffectFree(node))
    eager->setAttr("fx.pure", b.getUnitAttr());
  if (node->hasAttr("fx.async"))
    eager->setAttr("fx.async", b.getUnitAttr());
  if (isCollective(node.getTargetName()))
    eager->setAttr("fx.collective", b.getUnitAttr());
  for (auto [fx, result] : llvm::zip(fxValues, eager->getResults()))
    set(fx, starts ? Lowered::fromWork(result)
                   : fromBuiltin(loc, fx.getType(), result));
  return success();
}

LogicalResult GraphLowering::lowerWaitTensor(NodeOpInterface node) {
  Location loc = node->getLoc();
  Value awaited = node->getOperand(0), result = node->getResult(0);
  const Lowered *operand = lookup(awaited);
  if (!operand)
    return node->emitOpError("uses a value that was not lowered");
  // A collective whose result has other uses has waited itself.
  if (operand->kind != Lowered::Kind::Work) {
    set(result, Lowered(*operand));
    return success();
  }
  auto eager = EagerOp::create(b, loc, builtinType(result.getType()),
                               node.getTargetName(), operand->work,
                               node.getArgs(), node.getKwnames(), ArrayAttr());
  eager->setAttr("fx.reason", b.getStringAttr(kCommunicates));
  eager->setAttr("fx.operand_types", b.getTypeArrayAttr(b.getI64Type()));
  eager->setAttr("fx.result_types", b.getTypeArrayAttr(result.getType()));
  eager->setAttr("fx.pure", b.getUnitAttr());
  Lowered lowered = fromBuiltin(loc, result.getType(), eager->getResult(0));
  set(result, lowered);
  set(awaited, lowered); // for further waits
  return success();
}

LogicalResult GraphLowering::lowerBody(GraphOp graph) {
  for (Operation &op : graph.getBlock()) {
    if (isa<PlaceholderOp, GuardOp, OutputOp>(op))
      continue;
    if (auto getAttr = dyn_cast<GetAttrOp>(op)) {
      auto callee = table.lookup<GraphOp>(getAttr.getTarget());
      if (!callee)
        return getAttr.emitOpError("expected a graph @")
               << getAttr.getTarget() << "; lift states to placeholders";
      set(getAttr.getResult(), Lowered(callee));
      continue;
    }
    auto node = dyn_cast<NodeOpInterface>(op);
    if (!node)
      return op.emitOpError("is no node of a graph");
    const OperatorSchema *schema = lookupOperator(node.getTargetName());
    if (!graph.getFunctional() && schema && schema->isMutating() &&
        !Registry::get().lookup(node.getTargetName()))
      return emitNotFunctional(graph, &op);
    if (failed(lowerNode(node)))
      return failure();
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Sub-graphs
//===----------------------------------------------------------------------===//

Lowered lowerImmediate(Attribute immediate) {
  Number n;
  MLIRContext *ctx = immediate.getContext();
  if (auto boolean = dyn_cast<BoolAttr>(immediate)) {
    n.kind = Number::Kind::Bool;
    n.expr = ExprAttr::integer(ctx, boolean.getValue());
  } else if (auto integer = dyn_cast<IntegerAttr>(immediate)) {
    n.expr = ExprAttr::integer(ctx, integer.getValue().getSExtValue());
  } else if (auto real = dyn_cast<FloatAttr>(immediate)) {
    n.kind = Number::Kind::Float;
    n.expr = ExprAttr::real(ctx, real.getValueAsDouble());
  }
  return n ? Lowered(n) : Lowered();
}

SmallVector<std::pair<Attribute, Lowered>>
GraphLowering::outputLeaves(OutputOp output) {
  SmallVector<std::pair<Attribute, Lowered>> result;
  unsigned next = 0;
  walkLeaves(output.getArgs(), [&](Attribute leaf) {
    if (isa<OperandAttr>(leaf)) {
      const Lowered *lowered = lookup(output->getOperand(next++));
      result.emplace_back(leaf, lowered ? join(output.getLoc(), *lowered)
                                        : Lowered());
      return;
    }
    result.emplace_back(leaf, lowerImmediate(leaf));
  });
  return result;
}

FailureOr<SmallVector<Lowered>>
GraphLowering::inlineGraph(GraphOp callee, ArrayRef<Lowered> operands) {
  GraphLowering inner(b, symbols, table);
  inner.nextGroup = nextGroup;
  inner.kernels = kernels;
  inner.numNames = numNames;
  auto placeholders = callee.getPlaceholders();
  if (placeholders.size() != operands.size())
    return failure();
  // Bind the callee's symbols, which are numbers and sizes of its inputs, to
  // the values of the operands.
  bool renamed = false;
  for (auto [placeholder, operand] : llvm::zip(placeholders, operands)) {
    inner.set(placeholder.getResult(), operand);
    if (ExprAttr expr = symbolicExpr(placeholder.getType());
        expr && expr.isSymbol() && operand.kind == Lowered::Kind::Number &&
        operand.number.expr && operand.number.expr != expr &&
        operand.number.kind == Number::Kind::Int) {
      inner.symbols.bind(
          expr.getName(),
          symbols.integer(b, callee.getLoc(), operand.number.expr), false);
      renamed = true;
    }
    auto type = dyn_cast<FakeTensorType>(placeholder.getType());
    if (!type || operand.kind != Lowered::Kind::Tensor)
      continue;
    if (type.getRank() != operand.tensor.rank())
      return failure();
    lin::Builder builder(b, callee.getLoc(), symbols);
    for (auto [size, have] : llvm::zip(type.getSizes(), operand.tensor.sizes)) {
      if (!size.isSymbol() || size == have)
        continue;
      inner.symbols.bind(size.getName(), builder.index(have), false);
      renamed = true;
    }
  }
  if (renamed) {
    inner.symbols.forgetExpressions();
    // Express the operands' sizes by the callee's symbols.
    for (auto [placeholder, operand] : llvm::zip(placeholders, operands))
      if (auto type = dyn_cast<FakeTensorType>(placeholder.getType())) {
        if (operand.kind != Lowered::Kind::Tensor)
          continue;
        // Keep static sizes, which the type of the value has.
        Tensor t = operand.tensor;
        for (auto [size, want] : llvm::zip(t.sizes, type.getSizes()))
          if (!size.isInteger() && !want.isInteger())
            size = want;
        inner.set(placeholder.getResult(), Lowered(t));
      }
  }
  if (failed(inner.lowerBody(callee))) {
    fatal = true;
    return failure();
  }
  numNames = inner.numNames;
  SmallVector<Lowered> results;
  for (auto &[leaf, lowered] : inner.outputLeaves(callee.getOutput())) {
    // Expressions over the callee's symbols mean nothing to the caller: pass
    // the value.
    if (lowered.kind == Lowered::Kind::Number && lowered.number.expr &&
        !lowered.number.expr.isInteger() &&
        lowered.number.expr.getKind() != ExprKind::Real) {
      Number n;
      n.kind = lowered.number.kind;
      n.value = inner.builtinValue(callee.getLoc(), lowered);
      results.push_back(Lowered(n));
      continue;
    }
    results.push_back(lowered);
    for (ExprAttr &size : results.back().tensor.sizes)
      size = toOuter(inner.symbols, callee.getLoc(), size);
  }
  return results;
}

ExprAttr GraphLowering::toOuter(Symbols &inner, Location loc, ExprAttr size) {
  bool same = true;
  size.walkSymbols([&](StringRef name) {
    Value here = symbols.lookup(name);
    same &= here && here == inner.lookup(name);
  });
  if (same)
    return size;
  std::string name = "." + std::to_string(numNames++);
  symbols.bind(name, inner.integer(b, loc, size), false);
  return ExprAttr::symbol(b.getContext(), name);
}

} // namespace fx::lin
