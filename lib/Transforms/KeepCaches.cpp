//===- KeepCaches.cpp - caches that grow become states --------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Sizes.h"
#include "fx/Operators/aten/cat.h"
#include "fx/Operators/aten/slice.h"
#include "fx/Operators/aten/slice_scatter.h"
#include "fx/Transforms/NodeNamer.h"
#include "fx/Transforms/Passes.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringSet.h"

namespace fx {
#define GEN_PASS_DEF_KEEPCACHESPASS
#include "fx/Transforms/Passes.h.inc"
} // namespace fx

using namespace mlir;
using namespace fx;

namespace {
/// An input of the user, and the output that is its concatenation with new
/// values.
struct Cache {
  PlaceholderOp input;
  aten::Cat cat;
  Value added;
  int64_t dim = 0;
  ExprAttr length, numAdded;
};

class KeepCachesPass : public fx::impl::KeepCachesPassBase<KeepCachesPass> {
public:
  using Base::Base;
  void runOnOperation() override;

private:
  LogicalResult keep(GraphOp graph);
  Value addEnd(OpBuilder &b, const Cache &cache, Value length);
  void replace(Cache &cache, Value length, GuardOp guard);
  void dropOutputs(GraphOp graph, MutableArrayRef<Cache> caches);

  std::optional<NodeNamer> namer;
  /// The new values of the states, in the order of the caches.
  SmallVector<Value> written;
};
} // namespace

/// Matches a value that an output of the user returns.
static std::optional<Cache> match(Value output) {
  auto cat = dyn_cast_or_null<aten::Cat>(output.getDefiningOp());
  if (!cat)
    return std::nullopt;
  SmallVector<Value> parts = cat.tensors().getValues();
  if (parts.size() != 2 || !parts[0] || !parts[1])
    return std::nullopt;
  Cache cache;
  cache.cat = cat;
  cache.input = parts[0].getDefiningOp<PlaceholderOp>();
  cache.added = parts[1];
  auto type = dyn_cast<FakeTensorType>(parts[0].getType()),
       added = dyn_cast<FakeTensorType>(parts[1].getType());
  std::optional<int64_t> dim =
      cat.dim().isNone() ? std::optional<int64_t>(0) : cat.dim().getInt();
  if (!cache.input || cache.input.getKind() != InputKind::UserInput || !type ||
      !added || !dim || type.getRank() != added.getRank() ||
      type.getDtype() != added.getDtype() || !type.getDtype().isIntOrFloat())
    return std::nullopt;
  cache.dim = *dim < 0 ? *dim + type.getRank() : *dim;
  if (cache.dim < 0 || cache.dim >= type.getRank())
    return std::nullopt;
  // All other sizes are part of the state's type.
  for (auto [i, size] : llvm::enumerate(type.getSizes()))
    if (int64_t(i) == cache.dim ? !size || !size.isSymbol()
                                : !size || !size.isInteger())
      return std::nullopt;
  cache.length = type.getSizes()[cache.dim];
  cache.numAdded = added.getSizes()[cache.dim];
  return cache.numAdded ? std::optional<Cache>(cache) : std::nullopt;
}

/// Returns true if the bytes of a state of `capacity` rows can be counted.
static bool canHold(Cache &cache, int64_t capacity) {
  auto type = cast<FakeTensorType>(cache.input.getResult().getType());
  SmallVector<ExprAttr> sizes(type.getSizes());
  sizes[cache.dim] = ExprAttr::integer(type.getContext(), capacity);
  std::optional<int64_t> count = type.withSizes(sizes).getNumElements();
  return count && *count < (int64_t(1) << 56);
}

/// Adds a state of zeros and reads it in place of the user's input.
static void addState(PlaceholderOp input, FakeTensorType type) {
  OpBuilder b(input->getParentOfType<GraphOp>());
  unsigned bits = type.getDtype().getIntOrFloatBitWidth();
  int64_t bytes = *type.getNumElements() * llvm::divideCeil(bits, 8);
  auto bytesType = RankedTensorType::get(
      {bytes}, IntegerType::get(b.getContext(), 8, IntegerType::Unsigned));
  char zero = 0;
  StateOp::create(
      b, input.getLoc(), input.getName(), type,
      DenseElementsAttr::getFromRawBuffer(bytesType, ArrayRef<char>(&zero, 1)));
  input.setKind(InputKind::Buffer);
  input.setTargetAttr(FlatSymbolRefAttr::get(b.getContext(), input.getName()));
  input.getResult().setType(type);
  // States come before the inputs of the user.
  input->moveBefore(&input->getBlock()->front());
}

/// Replaces symbols of `names` in `expr` by `to`. Returns null if a constant
/// overflows.
static ExprAttr substitute(ExprAttr expr, const llvm::StringSet<> &names,
                           ExprAttr to) {
  if (expr.isSymbol())
    return names.contains(expr.getName().getValue()) ? to : expr;
  if (expr.getOperands().empty())
    return expr;
  SmallVector<ExprAttr> operands;
  for (ExprAttr operand : expr.getOperands()) {
    operands.push_back(substitute(operand, names, to));
    if (!operands.back())
      return {};
  }
  return rebuild(expr, operands);
}

/// Replaces the lengths of the other caches by that of the first one.
/// torch.export may give equal sizes several symbols, with a guard.
static LogicalResult unifyLengths(GraphOp graph,
                                  MutableArrayRef<Cache> caches) {
  ExprAttr length = caches[0].length;
  llvm::StringSet<> others;
  for (Cache &cache : caches)
    if (cache.length != length)
      others.insert(cache.length.getName().getValue());
  if (others.empty())
    return success();
  bool overflows = false;
  AttrTypeReplacer replacer;
  replacer.addReplacement([&](ExprAttr expr) {
    ExprAttr made = substitute(expr, others, length);
    overflows |= !made;
    return std::pair<Attribute, WalkResult>(made ? made : expr,
                                            WalkResult::skip());
  });
  replacer.recursivelyReplaceElementsIn(graph, /*replaceAttrs=*/true,
                                        /*replaceLocs=*/false,
                                        /*replaceTypes=*/true);
  if (overflows)
    return graph.emitError("a size overflows");
  SmallVector<Attribute> ranges;
  SmallPtrSet<Attribute, 8> seen;
  for (auto range : graph.getSymbols().getAsRange<RangeAttr>())
    if (seen.insert(range.getExpr()).second)
      ranges.push_back(range);
  graph.setSymbolsAttr(ArrayAttr::get(graph.getContext(), ranges));
  for (Cache &cache : caches) {
    cache.length = length;
    cache.numAdded =
        cast<FakeTensorType>(cache.added.getType()).getSizes()[cache.dim];
  }
  return success();
}

/// Returns the sum of `length` and the number of new values.
Value KeepCachesPass::addEnd(OpBuilder &b, const Cache &cache, Value length) {
  MLIRContext *context = b.getContext();
  Location loc = cache.cat->getLoc();
  ArgumentTree added{Attribute()};
  if (std::optional<int64_t> number = cache.numAdded.getInteger())
    added = ArgumentTree::integer(context, *number);
  else
    added =
        createCall(b, namer->rename(loc, "sym_size_int"), "aten.sym_size.int",
                   SymIntType::get(context, cache.numAdded),
                   {cache.added, ArgumentTree::integer(context, cache.dim)})
            ->getResult(0);
  ExprAttr end = ExprAttr::add(context, {cache.length, cache.numAdded});
  return createCall(b, namer->rename(loc, "add"), "_operator.add",
                    SymIntType::get(context, end), {length, added})
      ->getResult(0);
}

void KeepCachesPass::replace(Cache &cache, Value length, GuardOp guard) {
  auto
      before =
          cast<FakeTensorType>(cache.input.getResult().getType()).withoutMeta(),
      after =
          cast<FakeTensorType>(cache.cat->getResult(0).getType()).withoutMeta();
  SmallVector<ExprAttr> sizes(before.getSizes());
  sizes[cache.dim] = ExprAttr::integer(&getContext(), capacity);
  addState(cache.input, before.withSizes(sizes));
  Value state = cache.input.getResult();
  SmallVector<OpOperand *> uses;
  for (OpOperand &use : state.getUses())
    if (use.getOwner() != cache.cat.getOperation())
      uses.push_back(&use);
  if (!uses.empty()) {
    // What the user passed: the first rows of the state.
    OpBuilder b(&getContext());
    b.setInsertionPointAfter(guard);
    Value old = aten::SliceTensor::create(
                    b, namer->rename(cache.input.getLoc(), "slice"), before,
                    state, cache.dim, 0, length)
                    ->getResult(0);
    for (OpOperand *use : uses)
      use->set(old);
  }
  OpBuilder b(cache.cat.getOperation());
  Location loc = cache.cat->getLoc();
  Value end = addEnd(b, cache, length);
  Value scattered =
      aten::SliceScatter::create(b, namer->rename(loc, "slice_scatter"),
                                 before.withSizes(sizes), state, cache.added,
                                 cache.dim, length, end)
          ->getResult(0);
  Value all = aten::SliceTensor::create(b, namer->rename(loc, "slice"), after,
                                        scattered, cache.dim, 0, end)
                  ->getResult(0);
  cache.cat->getResult(0).replaceAllUsesWith(all);
  written.push_back(scattered);
}

/// Returns the new values of the states instead of the caches. Mutations are
/// the first outputs.
void KeepCachesPass::dropOutputs(GraphOp graph, MutableArrayRef<Cache> caches) {
  OutputOp output = graph.getOutput();
  Builder b(&getContext());
  SmallVector<Value> mutated, rest;
  SmallVector<Attribute> args, restArgs, specs, restSpecs;
  DenseSet<Value> dropped;
  for (auto [value, cache] : llvm::zip(written, caches)) {
    mutated.push_back(value);
    args.push_back(OperandAttr::get(&getContext()));
    specs.push_back(
        OutputSpecAttr::get(&getContext(), OutputKind::BufferMutation,
                            b.getStringAttr(cache.input.getName())));
    for (Operation *user : value.getUsers())
      dropped.insert_range(user->getResults());
  }
  unsigned at = 0;
  for (auto [i, tree] : llvm::enumerate(output.getArgs())) {
    unsigned count = countOperands(tree);
    OperandRange values = output->getOperands().slice(at, count);
    at += count;
    OutputSpecAttr spec = output.getSpec(i);
    if (isa<OperandAttr>(tree) && !spec.isMutation() &&
        dropped.contains(values.front()))
      continue;
    bool isFirst = spec.isMutation();
    llvm::append_range(isFirst ? mutated : rest, values);
    (isFirst ? args : restArgs).push_back(tree);
    (isFirst ? specs : restSpecs).push_back(spec);
  }
  llvm::append_range(mutated, rest);
  llvm::append_range(args, restArgs);
  llvm::append_range(specs, restSpecs);
  output->setOperands(mutated);
  output.setArgsAttr(b.getArrayAttr(args));
  output.setSignatureAttr(b.getArrayAttr(specs));
}

LogicalResult KeepCachesPass::keep(GraphOp graph) {
  if (!graph.getFunctional())
    return graph.emitError("expected a functional graph");
  OutputOp output = graph.getOutput();
  SmallVector<Cache> caches;
  llvm::SmallPtrSet<Operation *, 8> inputs;
  unsigned at = 0;
  for (auto [i, tree] : llvm::enumerate(output.getArgs())) {
    if (isa<OperandAttr>(tree) &&
        output.getSpec(i).getKind() == OutputKind::UserOutput)
      if (std::optional<Cache> cache = match(output->getOperand(at));
          cache && inputs.insert(cache->input).second)
        caches.push_back(*cache);
    at += countOperands(tree);
  }
  if (caches.empty())
    return graph.emitError("expected a cache: an output that is `cat` of an "
                           "input, whose size in that dimension is a symbol, "
                           "and new values");
  if (failed(unifyLengths(graph, caches)))
    return failure();
  for (Cache &cache : caches) {
    if (cache.numAdded != caches[0].numAdded)
      return cache.input.emitError("cache '")
             << cache.input.getName() << "': expected as many new values as "
             << "for the cache '" << caches[0].input.getName() << "', got "
             << cache.added.getType();
    if (!canHold(cache, capacity))
      return cache.input.emitError("cache '")
             << cache.input.getName() << "': a state of " << int64_t(capacity)
             << " rows is too large";
    if (SymbolTable::lookupSymbolIn(graph->getParentOp(),
                                    cache.input.getName()))
      return cache.input.emitError("cache '")
             << cache.input.getName() << "': the model has a state of the name";
  }
  namer.emplace(graph);
  // The length is an input, after those of the user.
  PlaceholderOp last;
  for (PlaceholderOp input : graph.getPlaceholders())
    last = input;
  OpBuilder b(&getContext());
  b.setInsertionPointAfter(last);
  auto length = cast<PlaceholderOp>(b.clone(*caches[0].input.getOperation()));
  length.setName(namer->getUnique("cache_length"));
  length->setLoc(NameLoc::get(b.getStringAttr(length.getName())));
  length.getResult().setType(SymIntType::get(&getContext(), caches[0].length));
  ExprAttr end =
      ExprAttr::add(&getContext(), {caches[0].length, caches[0].numAdded});
  auto require = [&](ExprAttr left, StringRef function, StringRef sign,
                     int64_t right) {
    std::string text;
    llvm::raw_string_ostream os(text);
    left.printInfix(os);
    os << sign << right;
    return GuardOp::create(
        b, length.getLoc(),
        ExprAttr::call(&getContext(), function,
                       {left, ExprAttr::integer(&getContext(), right)}),
        b.getStringAttr(text));
  };
  require(caches[0].length, "ge", " >= ", 0);
  GuardOp guard = require(end, "le", " <= ", capacity);
  for (Cache &cache : caches)
    replace(cache, length.getResult(), guard);
  dropOutputs(graph, caches);
  for (Cache &cache : caches)
    cache.cat->erase();
  numKept += caches.size();
  // These describe inputs and outputs that were removed.
  for (StringRef name : {"fx.in_spec", "fx.out_spec", "fx.module_call_graph"})
    graph->removeAttr(name);
  graph->getParentOp()->removeAttr("fx.sample_inputs");
  written.clear();
  return success();
}

void KeepCachesPass::runOnOperation() {
  if (capacity < 1) {
    getOperation().emitError("capacity: expected at least 1, got ")
        << int64_t(capacity);
    return signalPassFailure();
  }
  if (auto graph = getOperation().lookupSymbol<GraphOp>("main"))
    if (failed(keep(graph)))
      signalPassFailure();
}
