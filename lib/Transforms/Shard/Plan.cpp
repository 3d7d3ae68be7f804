//===- Plan.cpp - which weights are divided, and how ----------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Plan.h"
#include "Rule.h"
#include "fx/IR/PythonStack.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/GlobPattern.h"

using namespace mlir;
using namespace fx;
using namespace fx::shard;

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

/// Parses `[64, 32, 32]`. Returns false if it is no list of positive integers.
static bool parseSections(StringRef text, SmallVectorImpl<int64_t> &sections) {
  text = text.trim();
  if (!text.consume_front("[") || !text.consume_back("]"))
    return false;
  SmallVector<StringRef> parts;
  text.split(parts, ',');
  for (StringRef part : parts) {
    int64_t size;
    if (part.trim().getAsInteger(10, size) || size <= 0)
      return false;
    sections.push_back(size);
  }
  return true;
}

/// Parses the style of an entry. Returns false if there is no such style.
static bool parseStyle(StringRef text, PlanEntry &entry) {
  auto [name, rest] = text.split(' ');
  rest = rest.trim();
  if (name == "shard") {
    entry.style = Style::Shard;
    auto [dim, sections] = rest.split(' ');
    if (dim.getAsInteger(10, entry.dim))
      return false;
    return sections.trim().empty() || parseSections(sections, entry.sections);
  }
  entry.isPacked = name.consume_front("packed_");
  if (name == "colwise" || name == "colwise_rep" ||
      name == "colwise_gather_output")
    entry.style = Style::Colwise;
  else if (name == "rowwise" || name == "rowwise_rep")
    entry.style = Style::Rowwise;
  else if (name == "replicate" && !entry.isPacked)
    entry.style = Style::Replicate;
  else
    return false;
  if (rest.empty())
    return true;
  return entry.style != Style::Replicate && !entry.isPacked &&
         parseSections(rest, entry.sections);
}

/// Parses "8G", "512M" or a number.
static std::optional<double> parseNumber(StringRef text) {
  double unit = 1, number;
  for (auto [letter, size] :
       {std::pair("K", 1024.0), std::pair("M", 1024.0 * 1024),
        std::pair("G", 1024.0 * 1024 * 1024)})
    if (text.consume_back(letter)) {
      unit = size;
      break;
    }
  if (text.getAsDouble(number) || !(number >= 0) || number * unit > 1e18)
    return std::nullopt;
  return number * unit;
}

/// Parses the options of a line `auto`. Returns false if one has no value.
static bool parseMachine(StringRef text, Machine &machine) {
  SmallVector<StringRef> options;
  text.split(options, ' ', -1, /*KeepEmpty=*/false);
  for (StringRef option : options) {
    auto [name, value] = option.split('=');
    std::optional<double> number = parseNumber(value);
    if (!number)
      return false;
    if (name == "memory")
      machine.memory = *number;
    else if (name == "latency")
      machine.latency = *number * 1e-6;
    else if (*number == 0)
      return false;
    else if (name == "peak")
      machine.peak = *number * 1e9;
    else if (name == "bandwidth")
      machine.bandwidth = *number * 1e9;
    else if (name == "link")
      machine.link = *number * 1e9;
    else
      machine.sizes[name] = *number;
  }
  return true;
}

llvm::Expected<Plan> shard::parsePlan(StringRef text, StringRef where) {
  Plan plan;
  SmallVector<StringRef> lines;
  text.split(lines, '\n');
  for (auto [number, line] : llvm::enumerate(lines)) {
    SmallVector<StringRef> parts;
    line.split('#').first.split(parts, ';');
    for (StringRef part : parts) {
      part = part.trim();
      if (part.empty())
        continue;
      if (part == "auto" || part.starts_with("auto ")) {
        if (!parseMachine(part.drop_front(4), plan.automatic.emplace()))
          return llvm::createStringError(
              where + ":" + Twine(number + 1) +
              ": expected 'auto memory=8G latency=MICROSECONDS link=GB/S "
              "peak=GFLOP/S bandwidth=GB/S SYMBOL=N', got '" +
              part + "'");
        continue;
      }
      auto [pattern, style] = part.split(':');
      PlanEntry entry;
      entry.pattern = pattern.trim();
      entry.text = part.str();
      if (entry.pattern.empty() || !parseStyle(style.trim(), entry))
        return llvm::createStringError(
            where + ":" + Twine(number + 1) +
            ": expected 'PATH: colwise', 'rowwise', 'replicate' or 'shard "
            "DIM', got '" +
            part + "'");
      plan.entries.push_back(std::move(entry));
    }
  }
  return plan;
}

static bool matchesParts(ArrayRef<StringRef> pattern,
                         ArrayRef<StringRef> path) {
  if (pattern.empty())
    return path.empty();
  if (pattern.front() == "**") {
    for (size_t n = 0; n <= path.size(); ++n)
      if (matchesParts(pattern.drop_front(), path.drop_front(n)))
        return true;
    return false;
  }
  if (path.empty())
    return false;
  llvm::Expected<llvm::GlobPattern> glob =
      llvm::GlobPattern::create(pattern.front());
  if (!glob) {
    llvm::consumeError(glob.takeError());
    return false;
  }
  return glob->match(path.front()) &&
         matchesParts(pattern.drop_front(), path.drop_front());
}

bool shard::matchesPath(StringRef pattern, StringRef path) {
  SmallVector<StringRef> patternParts, pathParts;
  pattern.split(patternParts, '.');
  path.split(pathParts, '.');
  return matchesParts(patternParts, pathParts);
}

StringRef shard::getKey(PlaceholderOp op) {
  return op.getTargetAttr() ? op.getTargetAttr().getValue() : op.getName();
}

//===----------------------------------------------------------------------===//
// Uses of weights
//===----------------------------------------------------------------------===//

namespace {
/// The dimensions of a weight that are contracted (`in`) and that become a
/// dimension of the result (`out`).
struct WeightDims {
  Dim in, out;
};
} // namespace

/// Returns the dimensions of operand `number` of a contraction or embedding.
static WeightDims getWeightDims(const OperatorView &call, unsigned number) {
  WeightDims dims;
  if (call.getSchema().getName() == "aten.embedding.default") {
    // As in parallelize_module, the vocabulary is `rowwise`.
    if (number == 0)
      dims = {0, 1};
    return dims;
  }
  Rule rule;
  RuleFn fn = lookupRule(call);
  if (!fn || !fn(call, rule))
    return dims;
  // A convolution of several groups sums within each.
  if (call.declares("groups") && number == 1)
    dims.out = 0;
  std::optional<unsigned> other;
  for (const Factor &factor : rule.factors) {
    if (!factor.isSum || !factor.operands[number])
      continue;
    dims.in = factor.operands[number];
    for (unsigned i = 0; i < factor.operands.size(); ++i)
      if (i != number && factor.operands[i])
        other = i;
  }
  if (!other) {
    dims.in.reset(); // a sum, and no product
    return dims;
  }
  // The output features are those that the other factor of the product lacks.
  for (const Factor &factor : rule.factors)
    if (!factor.isSum && factor.operands[number] && !factor.operands[*other])
      dims.out = factor.operands[number];
  return dims;
}

/// Follows a weight to the contraction or embedding that uses it, through views
/// and casts. `places` has the dimension of the parameter for each dimension of
/// the value.
static WeightDims findWeightDims(Value value, ArrayRef<Dim> places) {
  // A weight may be that of an embedding and of the head. The embedding counts.
  SmallVector<OpOperand *> uses;
  for (OpOperand &use : value.getUses()) {
    auto node = dyn_cast<NodeOpInterface>(use.getOwner());
    bool isEmbedding = node && node.getTargetName() == "aten.embedding.default";
    uses.insert(isEmbedding ? uses.begin() : uses.end(), &use);
  }
  for (OpOperand *each : uses) {
    OpOperand &use = *each;
    OperatorView call = getOperatorView(use.getOwner());
    if (!call)
      continue;
    WeightDims dims = getWeightDims(call, use.getOperandNumber());
    if (dims.in || dims.out) {
      WeightDims found;
      if (dims.in)
        found.in = places[*dims.in];
      if (dims.out)
        found.out = places[*dims.out];
      return found;
    }
    FakeTensorType result = getResultType(call);
    Rule rule;
    RuleFn fn = lookupRule(call);
    if (!fn || !result || call->getNumResults() != 1 || !fn(call, rule))
      continue;
    SmallVector<Dim> next(result.getRank());
    bool keepsAll = true;
    for (auto [dim, place] : llvm::enumerate(places)) {
      bool isKept = false;
      for (const Factor &factor : rule.factors)
        if (factor.operands[use.getOperandNumber()] == Dim(dim) &&
            factor.results[0] && factor.isWhole) {
          next[*factor.results[0]] = place;
          isKept = true;
        }
      keepsAll &= isKept;
    }
    if (!keepsAll)
      continue;
    WeightDims found = findWeightDims(call->getResult(0), next);
    if (found.in || found.out)
      return found;
  }
  return {};
}

//===----------------------------------------------------------------------===//
// Placements
//===----------------------------------------------------------------------===//

static WeightDims findWeightDims(PlaceholderOp op) {
  SmallVector<Dim> places;
  auto type = cast<FakeTensorType>(op.getResult().getType());
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    places.push_back(dim);
  return findWeightDims(op.getResult(), places);
}

std::optional<Placement> shard::getOutputPlacement(PlaceholderOp op) {
  WeightDims dims = findWeightDims(op);
  bool isEmbedding =
      llvm::any_of(op.getResult().getUsers(), [](Operation *user) {
        auto node = dyn_cast<NodeOpInterface>(user);
        return node && node.getTargetName() == "aten.embedding.default";
      });
  Dim dim = isEmbedding ? dims.in : dims.out;
  return dim ? std::optional(Placement::shard(*dim)) : std::nullopt;
}

static LogicalResult place(const PlanEntry &entry, PlaceholderOp op,
                           FakeTensorType type, unsigned ranks,
                           PlacementMap &placements) {
  Placement placement;
  if (entry.style == Style::Shard) {
    placement = Placement::shard(entry.dim, entry.sections);
  } else if (entry.style != Style::Replicate) {
    WeightDims dims = findWeightDims(op);
    Dim dim = entry.style == Style::Colwise ? dims.out : dims.in;
    if (!dim)
      return op.emitError("plan '")
             << entry.text << "': expected the weight of a linear, embedding, "
             << "convolution or other matmul, got '" << getKey(op)
             << "' of type " << type << "; use 'shard DIM'";
    placement = Placement::shard(*dim, entry.sections);
    if (entry.isPacked) {
      int64_t half = type.getDimSize(*dim) / 2;
      placement = Placement::shard(*dim, {half, half});
    }
  }
  if (!isDivisible(placement, type, ranks)) {
    InFlightDiagnostic error = op.emitError("plan '")
                               << entry.text << "': '" << getKey(op) << "': ";
    if (placement.dim >= type.getRank())
      return error << "expected a dimension below " << type.getRank()
                   << ", got " << placement.dim;
    error << "expected a size of dimension " << placement.dim << " that "
          << ranks << " ranks divide, got ";
    std::string size;
    llvm::raw_string_ostream os(size);
    type.getSizes()[placement.dim].printInfix(os);
    error << size;
    if (!placement.sections.empty())
      error << " of sections ["
            << llvm::join(
                   llvm::map_range(placement.sections,
                                   [](int64_t s) { return std::to_string(s); }),
                   ", ")
            << "]";
    return error;
  }
  placements[getKey(op)] = placement;
  return success();
}

FailureOr<PlacementMap> shard::applyPlan(const Plan &plan, GraphOp graph,
                                         unsigned ranks) {
  PlacementMap placements;
  SmallVector<bool> used(plan.entries.size());
  for (PlaceholderOp op : graph.getPlaceholders()) {
    auto type = dyn_cast<FakeTensorType>(op.getResult().getType());
    if (!type)
      continue;
    StringRef path = getKey(op);
    StringRef module = op.getTargetAttr() && path.contains('.')
                           ? path.rsplit('.').first
                           : StringRef();
    for (auto [i, entry] : llvm::enumerate(plan.entries)) {
      bool isExact = matchesPath(entry.pattern, path);
      bool isModule = !module.empty() && entry.style != Style::Shard &&
                      matchesPath(entry.pattern, module);
      if (!isExact && !isModule)
        continue;
      // The vectors of a module follow its weight: a bias is divided if the
      // result is.
      if (!isExact && entry.style != Style::Replicate && type.getRank() < 2)
        break;
      used[i] = true;
      if (failed(place(entry, op, type, ranks, placements)))
        return failure();
      break;
    }
  }
  for (auto [i, entry] : llvm::enumerate(plan.entries))
    if (!used[i])
      return graph.emitError("plan '")
             << entry.text << "': expected the path of a module with a weight, "
             << "of a parameter, buffer or input, got one that the model does "
             << "not have";
  return placements;
}
