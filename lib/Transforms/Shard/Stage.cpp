//===- Stage.cpp - divide a program between stages of a pipeline ----------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Sizes.h"
#include "fx/IR/Arguments.h"
#include "fx/Operators/Cost.h"
#include "fx/Operators/Purity.h"
#include "fx/Transforms/NodeNamer.h"
#include "fx/Transforms/Passes.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringSet.h"

namespace fx {
#define GEN_PASS_DEF_STAGEPASS
#include "fx/Transforms/Passes.h.inc"
} // namespace fx

using namespace mlir;
using namespace fx;

namespace {
/// The nodes of a graph in order, and where stages may begin.
class Stages {
public:
  Stages(GraphOp graph, const SizeMap &sizes, double peak, double bandwidth)
      : graph(graph), sizes(sizes), peak(peak), bandwidth(bandwidth) {}

  LogicalResult cut(unsigned count);
  unsigned getStage(Operation *op) const { return stages.lookup(op); }

  /// Returns true for nodes that each stage computes itself: arithmetic on
  /// sizes, and references to sub-graphs.
  static bool isCopied(Operation *op);

private:
  std::optional<double> getTime(Operation *op) const;
  /// Returns the bytes that cross the boundary in front of node `at`; nullopt
  /// if the next stage does not know their sizes.
  std::optional<int64_t> getBytes(size_t at) const;

  GraphOp graph;
  const SizeMap &sizes;
  double peak, bandwidth;
  SmallVector<Operation *> nodes;
  DenseMap<Operation *, size_t> places;
  DenseMap<Operation *, unsigned> stages;
};

/// Builds the graph of one stage.
class StageBuilder {
public:
  StageBuilder(GraphOp whole, const Stages &stages, unsigned stage,
               unsigned count)
      : whole(whole), stages(stages), stage(stage), count(count), namer(whole),
        b(whole) {}

  FailureOr<GraphOp> build();

private:
  Value materialize(ExprAttr size);
  Value makeEmpty(FakeTensorType type);
  Value broadcast(Value value, FakeTensorType type, unsigned source,
                  const std::string &group, Location loc);
  LogicalResult send(unsigned from);
  Value find(Value value);
  LogicalResult buildOutput();
  bool isComputed(Operation *op) const {
    return isa<NodeOpInterface>(op) && !Stages::isCopied(op);
  }
  /// Returns the stages that use a value, its own one included.
  unsigned getLastUse(Value value) const;

  GraphOp whole, graph;
  const Stages &stages;
  unsigned stage, count;
  NodeNamer namer;
  OpBuilder b;
  IRMapping mapping;
};

struct StagePass : fx::impl::StagePassBase<StagePass> {
  using StagePassBase::StagePassBase;

  void runOnOperation() override {
    if (failed(divide()))
      signalPassFailure();
  }

private:
  LogicalResult divide();
};
} // namespace

//===----------------------------------------------------------------------===//
// Where to cut
//===----------------------------------------------------------------------===//

bool Stages::isCopied(Operation *op) {
  if (isa<GetAttrOp>(op))
    return true;
  OperatorView call = getOperatorView(op);
  if (!call)
    return false;
  // A size of an input of the user is known everywhere.
  bool isSize =
      call.getSchema().getName().starts_with("aten.sym_size") &&
      op->getNumOperands() > 0 &&
      isa_and_present<PlaceholderOp>(op->getOperand(0).getDefiningOp());
  return isSize || isSymbolicComputation(call);
}

std::optional<double> Stages::getTime(Operation *op) const {
  OperatorView call = getOperatorView(op);
  if (!call)
    return 0;
  Cost cost = getCost(call);
  double time = 0;
  for (auto [formula, rate] : {std::pair(cost.total, peak * 1e9),
                               std::pair(cost.bytes, bandwidth * 1e9)}) {
    if (!formula)
      continue;
    std::optional<int64_t> number = evaluate(formula, sizes);
    if (!number)
      return std::nullopt;
    time = std::max(time, *number / rate);
  }
  return time;
}

std::optional<int64_t> Stages::getBytes(size_t at) const {
  llvm::StringSet<> known;
  for (Attribute attr : GraphOp(graph).getSymbols())
    cast<RangeAttr>(attr).getExpr().walkSymbols(
        [&](StringRef symbol) { known.insert(symbol); });
  int64_t bytes = 0;
  for (Operation *op : ArrayRef(nodes).take_front(at))
    for (Value result : op->getResults()) {
      bool crosses = llvm::any_of(result.getUsers(), [&](Operation *user) {
        auto it = places.find(user);
        return it != places.end() && it->second >= at;
      });
      if (!crosses || isCopied(op))
        continue;
      auto type = dyn_cast<FakeTensorType>(result.getType());
      if (!type)
        return std::nullopt;
      bool isKnown = true;
      for (ExprAttr size : type.getSizes())
        size.walkSymbols(
            [&](StringRef symbol) { isKnown &= known.contains(symbol); });
      ExprAttr formula = getByteCount(type);
      std::optional<int64_t> number =
          formula ? evaluate(formula, sizes) : std::nullopt;
      if (!isKnown || !number)
        return std::nullopt;
      bytes += *number;
    }
  return bytes;
}

/// Of the places where the time before is near its share, takes the one that
/// the fewest bytes cross.
LogicalResult Stages::cut(unsigned count) {
  SmallVector<double> before = {0};
  for (Operation &op : graph.getBlock()) {
    if (!isa<NodeOpInterface>(op))
      continue;
    std::optional<double> time = getTime(&op);
    if (!time)
      return op.emitError("expected a cost that is a number; 'sizes' gives "
                          "integers for symbols");
    places[&op] = nodes.size();
    nodes.push_back(&op);
    before.push_back(before.back() + *time);
  }
  if (nodes.size() < count)
    return graph.emitError("expected at least ")
           << count << " nodes for " << count << " stages, got "
           << nodes.size();
  // A stage takes at most this much more or less than its share.
  constexpr double kTolerance = 0.15;
  double total = before.back(), share = total / count;
  size_t begin = 0;
  for (unsigned i = 1; i <= count; ++i) {
    size_t end = nodes.size();
    if (i < count) {
      double ideal = share * i;
      std::optional<size_t> best;
      std::pair<int64_t, double> bestCost;
      for (double tolerance = kTolerance; !best && tolerance < 2 * count;
           tolerance *= 2)
        for (size_t at = begin + 1; at + (count - i) <= nodes.size(); ++at) {
          double distance = std::abs(before[at] - ideal);
          if (distance > tolerance * share)
            continue;
          std::optional<int64_t> bytes = getBytes(at);
          if (!bytes)
            continue;
          std::pair<int64_t, double> cost(*bytes, distance);
          if (!best || cost < bestCost) {
            best = at;
            bestCost = cost;
          }
        }
      if (!best)
        return graph.emitError("expected a place to begin stage ")
               << i << ", got only values whose sizes the next stage does not "
               << "know";
      end = *best;
    }
    for (size_t at = begin; at < end; ++at)
      stages[nodes[at]] = i - 1;
    begin = end;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// The graph of a stage
//===----------------------------------------------------------------------===//

/// Returns a symbolic integer, computed from the sizes of the user's inputs;
/// null if it cannot be.
Value StageBuilder::materialize(ExprAttr size) {
  MLIRContext *context = b.getContext();
  for (PlaceholderOp op : graph.getBlock().getOps<PlaceholderOp>()) {
    auto type = dyn_cast<FakeTensorType>(op.getResult().getType());
    if (op.getKind() != InputKind::UserInput || !type)
      continue;
    for (auto [dim, each] : llvm::enumerate(type.getSizes()))
      if (each == size)
        return createCall(
                   b, namer.rename(op.getLoc(), "sym_size_int"),
                   "aten.sym_size.int", SymIntType::get(context, size),
                   {Value(op.getResult()), ArgumentTree::integer(context, dim)})
            ->getResult(0);
  }
  bool isSum = size.getKind() == ExprKind::Add;
  if (!isSum && size.getKind() != ExprKind::Mul)
    return {};
  ExprAttr soFar;
  ArgumentTree left{Attribute()};
  for (ExprAttr operand : size.getOperands()) {
    ArgumentTree right{Attribute()};
    if (std::optional<int64_t> number = operand.getInteger()) {
      right = ArgumentTree::integer(context, *number);
    } else {
      Value value = materialize(operand);
      if (!value)
        return {};
      right = value;
    }
    if (!soFar) {
      soFar = operand;
      left = right;
      continue;
    }
    soFar = isSum ? ExprAttr::add(context, {soFar, operand})
                  : ExprAttr::mul(context, {soFar, operand});
    if (!soFar)
      return {};
    left = createCall(b, namer.rename(graph.getLoc(), isSum ? "add" : "mul"),
                      isSum ? "_operator.add" : "_operator.mul",
                      SymIntType::get(context, soFar), {left, right})
               ->getResult(0);
  }
  return left.values.empty() ? Value() : left.values.front();
}

/// Returns a tensor to receive a value in; null if its size is not known.
Value StageBuilder::makeEmpty(FakeTensorType type) {
  MLIRContext *context = b.getContext();
  SmallVector<ArgumentTree> sizes;
  for (ExprAttr size : type.getSizes()) {
    if (std::optional<int64_t> number = size.getInteger()) {
      sizes.push_back(ArgumentTree::integer(context, *number));
      continue;
    }
    Value value = materialize(size);
    if (!value)
      return {};
    sizes.push_back(value);
  }
  Attribute zero = ArgumentTree::integer(context, 0).tree;
  Type dtype = type.getDtype();
  if (isa<FloatType>(dtype))
    zero = b.getF64FloatAttr(0);
  else if (dtype.isInteger(1))
    zero = b.getBoolAttr(false);
  return createCall(b, namer.rename(graph.getLoc(), "full"),
                    "aten.full.default", type.withoutMeta(),
                    {ArgumentTree::list(context, sizes), zero,
                     Attribute(TypeAttr::get(dtype))},
                    {"dtype"})
      ->getResult(0);
}

Value StageBuilder::broadcast(Value value, FakeTensorType type, unsigned source,
                              const std::string &group, Location loc) {
  if (!value)
    value = makeEmpty(type);
  if (!value)
    return {};
  type = type.withoutMeta();
  Value started =
      createCall(b, namer.rename(loc, "broadcast"),
                 "_c10d_functional.broadcast.default", type,
                 {value, ArgumentTree::integer(b.getContext(), source),
                  Attribute(b.getStringAttr(group))})
          ->getResult(0);
  return createCall(b, namer.rename(loc, "wait_tensor"),
                    "_c10d_functional.wait_tensor.default", type, {started})
      ->getResult(0);
}

unsigned StageBuilder::getLastUse(Value value) const {
  unsigned last = 0;
  SmallVector<Operation *> users(value.getUsers());
  while (!users.empty()) {
    Operation *user = users.pop_back_val();
    if (isComputed(user))
      last = std::max(last, stages.getStage(user));
  }
  return last;
}

/// Sends the values of stage `from` and of those before it to the next stage,
/// if a later one uses them. Both stages build this.
LogicalResult StageBuilder::send(unsigned from) {
  std::string group = count == 2 ? "0" : "stages." + std::to_string(from);
  for (Operation &op : whole.getBlock()) {
    if (!isComputed(&op) || stages.getStage(&op) > from)
      continue;
    for (Value result : op.getResults()) {
      auto type = dyn_cast<FakeTensorType>(result.getType());
      if (!type || getLastUse(result) <= from)
        continue;
      Value value = mapping.lookupOrNull(result);
      Value received = broadcast(stage == from ? value : Value(), type,
                                 /*source=*/0, group, result.getLoc());
      if (!received)
        return op.emitError("expected a size that the inputs tell, got ")
               << type;
      if (stage == from + 1)
        mapping.map(result, received);
    }
  }
  return success();
}

/// Returns the value in the graph of the stage. Copies the nodes that each
/// stage computes itself.
Value StageBuilder::find(Value value) {
  if (Value found = mapping.lookupOrNull(value))
    return found;
  Operation *op = value.getDefiningOp();
  for (Value operand : op->getOperands())
    find(operand);
  b.clone(*op, mapping);
  return mapping.lookup(value);
}

LogicalResult StageBuilder::buildOutput() {
  OutputOp output = whole.getOutput();
  llvm::StringSet<> present;
  for (PlaceholderOp op : graph.getBlock().getOps<PlaceholderOp>())
    present.insert(op.getTargetAttr() ? op.getTargetAttr().getValue()
                                      : op.getName());
  SmallVector<Value> operands;
  SmallVector<Attribute> args, signature;
  llvm::StringSet<> inputs;
  unsigned at = 0;
  DenseMap<Value, Value> sent;
  for (auto [i, tree] : llvm::enumerate(output.getArgs())) {
    OutputSpecAttr spec = output.getSpec(i);
    bool isKept = !spec || !spec.isMutation() || !spec.getTarget() ||
                  present.contains(spec.getTarget().getValue());
    for (unsigned n = countOperands(tree); n > 0; --n, ++at) {
      Value value = output->getOperand(at);
      Operation *op = value.getDefiningOp();
      auto type = dyn_cast<FakeTensorType>(value.getType());
      Value result;
      if (!isComputed(op) || !type) {
        if (isKept)
          result = find(value);
      } else {
        // A new value of a state that only its own stage has stays there.
        bool isShared = true;
        if (spec && spec.isMutation() && spec.getTarget())
          for (PlaceholderOp state : whole.getPlaceholders())
            if (state.getTargetAttr() && state.getTargetAttr().getValue() ==
                                             spec.getTarget().getValue()) {
              isShared = llvm::any_of(
                  state.getResult().getUsers(), [&](Operation *user) {
                    return isComputed(user) &&
                           stages.getStage(user) != stages.getStage(op);
                  });
            }
        Value &received = sent[value];
        if (!isShared) {
          if (isKept)
            result = mapping.lookup(value);
        } else {
          if (!received)
            received = broadcast(
                stage == stages.getStage(op) ? mapping.lookup(value) : Value(),
                type, stages.getStage(op), "0", value.getLoc());
          if (!received)
            return op->emitError("expected a size that the inputs tell, got ")
                   << type;
          result = received;
        }
      }
      if (isKept)
        operands.push_back(result);
    }
    if (!isKept)
      continue;
    args.push_back(tree);
    if (output.getSignature())
      signature.push_back((*output.getSignature())[i]);
  }
  auto copy = cast<OutputOp>(b.cloneWithoutRegions(*output.getOperation()));
  copy->setOperands(operands);
  copy.setArgsAttr(b.getArrayAttr(args));
  if (output.getSignature())
    copy.setSignatureAttr(b.getArrayAttr(signature));
  return success();
}

FailureOr<GraphOp> StageBuilder::build() {
  graph = cast<GraphOp>(whole->cloneWithoutRegions());
  b.insert(graph);
  graph.getBody().emplaceBlock();
  b.setInsertionPointToEnd(&graph.getBlock());
  for (Operation &op : whole.getBlock()) {
    if (isa<GuardOp>(op)) {
      b.clone(op, mapping);
      continue;
    }
    auto placeholder = dyn_cast<PlaceholderOp>(op);
    if (!placeholder)
      continue;
    // A state belongs to the stages that use it. One without uses belongs to
    // the first.
    bool isHere = !placeholder.getTargetAttr() ||
                  (stage == 0 && placeholder.getResult().use_empty());
    for (Operation *user : placeholder.getResult().getUsers())
      isHere |= isa<OutputOp>(user) || Stages::isCopied(user) ||
                (isComputed(user) && stages.getStage(user) == stage);
    if (isHere)
      b.clone(op, mapping);
  }
  if (stage > 0 && failed(send(stage - 1)))
    return failure();
  for (Operation &op : whole.getBlock()) {
    if (!isComputed(&op) || stages.getStage(&op) != stage)
      continue;
    for (Value operand : op.getOperands())
      find(operand);
    b.clone(op, mapping);
  }
  if (stage + 1 < count && failed(send(stage)))
    return failure();
  if (failed(buildOutput()))
    return failure();
  return graph;
}

LogicalResult StagePass::divide() {
  ModuleOp module = getOperation();
  auto whole = module.lookupSymbol<GraphOp>("main");
  if (!whole)
    return module.emitError("expected an 'fx.graph @main'");
  if (!whole.getFunctional())
    return whole.emitError("expected a functional graph; 'fx-functionalize' "
                           "makes one");
  if (stages == 0 || stage >= stages)
    return module.emitError("expected 'stages' of at least 1 and a 'stage' "
                            "below it, got ")
           << stages.getValue() << " and " << stage.getValue();
  if (!(peak > 0) || !(bandwidth > 0))
    return module.emitError("expected a positive 'peak' and 'bandwidth'");
  FailureOr<SizeMap> sizes = parseSizes(module, sizeText);
  if (failed(sizes))
    return failure();
  if (stages == 1)
    return success();
  Stages parts(whole, *sizes, peak, bandwidth);
  if (failed(parts.cut(stages)))
    return failure();
  FailureOr<GraphOp> graph = StageBuilder(whole, parts, stage, stages).build();
  if (failed(graph))
    return failure();
  whole.erase();
  for (auto state : llvm::make_early_inc_range(module.getOps<StateOp>()))
    if (SymbolTable::symbolKnownUseEmpty(state, module)) {
      state.erase();
      ++numLeft;
    }
  return success();
}
