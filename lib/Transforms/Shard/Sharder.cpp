//===- Sharder.cpp - the program of one rank ------------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Sharder.h"
#include "fx/IR/Metadata.h"
#include "fx/Operators/Cost.h"
#include "fx/Operators/Shape.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace fx;
using namespace fx::shard;

Sharder::Sharder(GraphOp whole, const PlacementMap &placements,
                 const RankOptions &options)
    : whole(whole), placements(placements), options(options), namer(whole),
      b(whole) {}

void Sharder::setResult(Value whole, Value local, Placement placement) {
  values[whole] = {std::move(placement), local, {}};
}

LogicalResult Sharder::build() {
  graph = cast<GraphOp>(whole->cloneWithoutRegions());
  b.insert(graph);
  graph.getBody().emplaceBlock();
  b.setInsertionPointToEnd(&graph.getBlock());
  for (Operation &op : whole.getBlock()) {
    if (auto placeholder = dyn_cast<PlaceholderOp>(op))
      visitPlaceholder(placeholder);
    else if (auto output = dyn_cast<OutputOp>(op))
      visitOutput(output);
    else if (failed(visitNode(&op)))
      return failure();
  }
  return success();
}

void Sharder::visitPlaceholder(PlaceholderOp op) {
  auto copy = cast<PlaceholderOp>(b.clone(*op));
  Placement placement;
  auto type = dyn_cast<FakeTensorType>(op.getResult().getType());
  if (auto it = placements.find(getKey(op)); type && it != placements.end()) {
    placement = it->second;
    FakeTensorType local = getLocalType(type, placement, options.ranks);
    // A parameter is still one.
    if (MetaAttr meta = type.getMeta(); meta && meta.getRequiresGrad())
      local = FakeTensorType::get(
          b.getContext(), local.getSizes(), local.getDtype(), local.getDevice(),
          MetaAttr::get(b.getContext(), {}, {}, true, {}));
    copy.getResult().setType(local);
  }
  setResult(op.getResult(), copy.getResult(), placement);
  // What the plan says to replicate stays whole.
  if (type && op.getTargetAttr() && !placements.contains(getKey(op)))
    uses[op.getResult()] = {op, false, {}, std::nullopt};
}

/// Copies a node whose operands are all whole.
void Sharder::copyWhole(Operation *op) {
  IRMapping mapping;
  for (Value operand : op->getOperands())
    mapping.map(operand, isa<FakeTensorType>(operand.getType())
                             ? get(operand, Placement::replicate())
                             : lookup(operand).value);
  Operation *copy = b.clone(*op, mapping);
  for (auto [from, to] : llvm::zip_equal(op->getResults(), copy->getResults()))
    setResult(from, to, Placement::replicate());
}

LogicalResult Sharder::gatherAndCopy(Operation *op) {
  StringRef target = isa<NodeOpInterface>(op)
                         ? cast<NodeOpInterface>(op).getTargetName()
                         : op->getName().getStringRef();
  for (Value operand : op->getOperands()) {
    auto type = dyn_cast<FakeTensorType>(operand.getType());
    if (!type)
      continue;
    const Placement &placement = getPlacement(operand);
    if (!placement.isShard())
      continue;
    // The strides of the gathered tensor are those of a contiguous one.
    if (target.starts_with("aten.as_strided") && type.getMeta() &&
        !type.getMeta().getStrides().empty())
      return op->emitError("expected a contiguous operand of ")
             << target << ", got a divided one of type " << type;
    std::string name = getNodeName(operand.getDefiningOp()).value_or("-").str();
    notes.push_back({op, (target + " gets '" + name + "', which is " +
                          placement.describe() + ", as a whole")
                             .str()});
  }
  copyWhole(op);
  return success();
}

LogicalResult Sharder::visitNode(Operation *op) {
  bool isWhole = llvm::all_of(op->getOperands(), [&](Value operand) {
    return getPlacement(operand).isReplicate();
  });
  OperatorView call =
      isa<CallFunctionOp>(op) ? getOperatorView(op) : OperatorView();
  if (isWhole) {
    copyWhole(op);
    return success();
  }
  if (call && (visitLinear(call) || visitSpecial(call) || applyRule(call)))
    return success();
  return gatherAndCopy(op);
}

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

/// Returns the bytes of a value; 1 if they are not known.
static double getBytes(Value value) {
  ExprAttr bytes = getByteCount(value.getType());
  std::optional<int64_t> count = bytes ? bytes.getInteger() : std::nullopt;
  return count ? *count : 1;
}

bool Sharder::applyRule(const OperatorView &call) {
  RuleFn fn = lookupRule(call);
  Rule rule;
  if (!fn || !fn(call, rule))
    return false;
  struct Candidate {
    double gathered;
    size_t order;
    const Factor *factor;
    ArrayRef<int64_t> sections;
  };
  SmallVector<Candidate> candidates;
  auto isUnused = [&](unsigned i) {
    return llvm::is_contained(rule.unused, i);
  };
  bool usesPart = false;
  for (unsigned i = 0; i < call->getNumOperands(); ++i) {
    const Placement &placement = getPlacement(call->getOperand(i));
    if (isUnused(i) || placement.isReplicate())
      continue;
    usesPart = true;
    if (!placement.isShard())
      continue;
    for (const Factor &factor : rule.factors) {
      if (factor.operands[i] != Dim(placement.dim) ||
          (!factor.isWhole && !placement.sections.empty()))
        continue;
      double gathered = 0;
      for (unsigned j = 0; j < call->getNumOperands(); ++j) {
        const Placement &other = getPlacement(call->getOperand(j));
        if (isUnused(j) || !other.isShard())
          continue;
        if (factor.operands[j] != Dim(other.dim) ||
            other.sections != placement.sections)
          gathered += getBytes(call->getOperand(j));
      }
      candidates.push_back(
          {gathered, candidates.size(), &factor, placement.sections});
    }
  }
  llvm::sort(candidates, [](const Candidate &a, const Candidate &b) {
    return std::tie(a.gathered, a.order) < std::tie(b.gathered, b.order);
  });
  for (const Candidate &candidate : candidates) {
    // The sections belong to a value that may be changed by the redistribution.
    SmallVector<int64_t> sections(candidate.sections);
    if (candidate.factor->isSum &&
        visitBiasedSum(call, *candidate.factor, sections))
      return true;
    if (applyFactor(call, rule, *candidate.factor, sections))
      return true;
  }
  if (usesPart)
    return false;
  // No operand is used: the result is whole.
  Operation *copy;
  {
    IRMapping mapping;
    for (Value operand : call->getOperands())
      mapping.map(operand, lookup(operand).value);
    copy = b.clone(*call.getOperation(), mapping);
  }
  for (auto [from, to] :
       llvm::zip_equal(call->getResults(), copy->getResults()))
    setResult(from, to, Placement::replicate());
  return true;
}

/// Replaces the sizes of the factor in the arguments of a copy. Returns false
/// if a size is no multiple of the ranks, or is computed.
bool Sharder::setSizes(Operation *op, const OperatorView &call,
                       const Factor &factor) {
  if (factor.sizes.empty())
    return true;
  auto node = cast<NodeOpInterface>(op);
  SmallVector<Argument> arguments = getArguments(node);
  SmallVector<ArgumentTree> trees(arguments.begin(), arguments.end());
  size_t numPositional = trees.size() - node.getKwnames().size();
  int64_t ranks = options.ranks;
  for (const SizeArgument &size : factor.sizes) {
    int at = call.getSchema().findArgument(size.name);
    if (at < 0)
      return false;
    size_t index = at;
    if (index >= numPositional) {
      index = numPositional;
      for (StringAttr name : node.getKwnames().getAsRange<StringAttr>()) {
        if (name.getValue() == size.name)
          break;
        ++index;
      }
      if (index == trees.size())
        return false;
    }
    auto divide = [&](const Argument &argument,
                      bool mayInfer) -> std::optional<ArgumentTree> {
      if (std::optional<int64_t> value = argument.getInt()) {
        if (*value == -1 && size.element)
          return ArgumentTree(argument);
        if (*value % ranks == 0)
          return integer(*value / ranks);
      } else if (argument.isValue() && mayInfer) {
        return integer(-1);
      }
      return std::nullopt;
    };
    if (!size.element) {
      auto divided = divide(arguments[index], /*mayInfer=*/false);
      if (!divided)
        return false;
      trees[index] = *divided;
      continue;
    }
    auto elements = arguments[index].getElements();
    // A single integer stands for a list of one.
    if (*size.element >= elements.size())
      return false;
    bool mayInfer = llvm::none_of(
        elements, [](const Argument &each) { return each.getInt() == -1; });
    SmallVector<ArgumentTree> list(elements.begin(), elements.end());
    auto divided = divide(elements[*size.element], mayInfer);
    if (!divided)
      return false;
    list[*size.element] = *divided;
    trees[index] = ArgumentTree::list(b.getContext(), list);
  }
  ArgumentTree all = ArgumentTree::list(b.getContext(), trees);
  op->setOperands(all.values);
  cast<CallFunctionOp>(op).setArgsAttr(cast<ArrayAttr>(all.tree));
  return true;
}

bool Sharder::applyFactor(const OperatorView &call, const Rule &rule,
                          const Factor &factor, ArrayRef<int64_t> sections) {
  if (factor.count && *factor.count % options.ranks != 0)
    return false;
  // Placements of operands and results.
  SmallVector<std::optional<Placement>> operands;
  for (unsigned i = 0; i < call->getNumOperands(); ++i) {
    FakeTensorType type = getOperandType(call, i);
    operands.emplace_back();
    if (!type || llvm::is_contained(rule.unused, i))
      continue;
    Dim dim = factor.operands[i];
    operands.back() =
        dim ? Placement::shard(*dim, sections) : Placement::replicate();
    if (!isDivisible(*operands.back(), type, options.ranks))
      return false;
  }
  SmallVector<Placement> results;
  for (unsigned i = 0; i < call->getNumResults(); ++i) {
    FakeTensorType type = getResultType(call, i);
    Dim dim = factor.results[i];
    if (!type || (!dim && !factor.isSum && !factor.isMean))
      return false;
    results.push_back(dim ? Placement::shard(*dim, sections)
                          : Placement::partial());
    if (!isDivisible(results.back(), type, options.ranks))
      return false;
  }
  // Infer the types of a copy before its operands are redistributed, which
  // cannot be undone.
  SmallVector<Operation *> stand;
  IRMapping mapping;
  for (auto [operand, placement] :
       llvm::zip_equal(call->getOperands(), operands)) {
    if (!placement) {
      mapping.map(operand, lookup(operand).value);
      continue;
    }
    if (mapping.contains(operand))
      continue;
    Type local = getLocalType(cast<FakeTensorType>(operand.getType()),
                              *placement, options.ranks);
    stand.push_back(UnrealizedConversionCastOp::create(
        b, call.getLoc(), TypeRange(local), ValueRange()));
    mapping.map(operand, stand.back()->getResult(0));
  }
  auto copy = cast<CallFunctionOp>(b.clone(*call.getOperation(), mapping));
  for (auto [result, placement] : llvm::zip_equal(copy->getResults(), results))
    result.setType(getLocalType(cast<FakeTensorType>(result.getType()),
                                placement, options.ranks));
  auto undo = [&] {
    copy.erase();
    for (Operation *op : stand)
      op->erase();
    return false;
  };
  // Two operands that are one value need the same placement.
  for (auto [i, operand] : llvm::enumerate(call->getOperands()))
    for (unsigned j = 0; j < i; ++j)
      if (call->getOperand(j) == operand && operands[i] != operands[j])
        return undo();
  if (!setSizes(copy, call, factor))
    return undo();
  InferredTypes inferred = inferResultTypes(getOperatorView(copy));
  if (succeeded(inferred)) {
    SmallVector<Type> types = matchResults(copy, *inferred);
    if (types.size() != copy->getNumResults())
      return undo();
    for (auto [result, type] : llvm::zip_equal(copy->getResults(), types))
      if (type && areProvablyDifferent(result.getType(), type))
        return undo();
  } else if (!factor.sizes.empty()) {
    return undo();
  }
  b.setInsertionPoint(copy);
  for (auto [i, operand] : llvm::enumerate(call->getOperands()))
    if (operands[i])
      mapping.lookup(operand).replaceAllUsesWith(get(operand, *operands[i]));
  for (Operation *op : stand)
    op->erase();
  b.setInsertionPointToEnd(&graph.getBlock());
  // A slice of a part need not have the strides that a view of the whole had.
  if (call.getSchema().getName() == "aten.view.default" &&
      copy.getKwnames().empty())
    copy.setTarget("aten.reshape.default");
  for (auto [i, result] : llvm::enumerate(call->getResults())) {
    Value local = copy->getResult(i);
    if (factor.isMean && results[i].isPartial())
      local = this->call(call.getLoc(), "aten.div.Scalar", local.getType(),
                         {local, integer(options.ranks)});
    setResult(result, local, results[i]);
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Output
//===----------------------------------------------------------------------===//

void Sharder::visitOutput(OutputOp op) {
  // Returns the placement of the state or input that an output is the new value
  // of.
  llvm::StringMap<PlaceholderOp> byKey;
  for (PlaceholderOp placeholder : whole.getPlaceholders())
    byKey[getKey(placeholder)] = placeholder;
  SmallVector<Value> operands;
  unsigned at = 0;
  for (auto [i, tree] : llvm::enumerate(op.getArgs())) {
    OutputSpecAttr spec = op.getSpec(i);
    PlaceholderOp target;
    if (spec && spec.isMutation() && spec.getTarget())
      target = byKey.lookup(spec.getTarget().getValue());
    for (unsigned n = countOperands(tree); n > 0; --n, ++at) {
      Value value = op->getOperand(at);
      if (!isa<FakeTensorType>(value.getType())) {
        operands.push_back(lookup(value).value);
        continue;
      }
      Placement placement;
      if (target) {
        placement = getPlacement(target.getResult());
        if (auto it = uses.find(target.getResult()); it != uses.end())
          it->second.written = getPlacement(value);
      }
      operands.push_back(get(value, placement));
    }
  }
  auto copy = cast<OutputOp>(b.clone(*op));
  copy->setOperands(operands);
}

PlacementMap Sharder::getBetterPlacements() const {
  PlacementMap better;
  llvm::StringSet<> refused;
  for (auto &[value, use] : uses) {
    StringRef key = getKey(use.op);
    // A new value that is divided would have to be gathered in each call.
    FakeTensorType type = cast<FakeTensorType>(value.getType());
    if (use.written && use.written->isShard() &&
        isDivisible(*use.written, type, options.ranks)) {
      better[key] = *use.written;
      continue;
    }
    bool isOne = !use.isUsedWhole && use.parts.size() == 1 &&
                 use.parts.front().isShard() &&
                 (!use.written || *use.written == use.parts.front());
    if (isOne)
      better[key] = use.parts.front();
    else if (use.isUsedWhole || !use.parts.empty())
      refused.insert(key);
  }
  for (auto &entry : refused)
    better.erase(entry.getKey());
  return better;
}

std::unique_ptr<Sharder> shard::buildRank(GraphOp whole,
                                          PlacementMap &placements,
                                          const RankOptions &options) {
  while (true) {
    auto sharder = std::make_unique<Sharder>(whole, placements, options);
    if (failed(sharder->build()))
      return nullptr;
    PlacementMap better = sharder->getBetterPlacements();
    if (better.empty())
      return sharder;
    sharder->getGraph().erase();
    for (auto &entry : better)
      placements[entry.getKey()] = entry.getValue();
  }
}
