//===- FoldConvBN.cpp - fold batch norms into convolutions ----------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ResolveCalls.h"
#include "SubgraphForms.h"
#include "fx/IR/Metadata.h"
#include "fx/Operators/aten/_native_batch_norm_legit.h"
#include "fx/Operators/aten/_native_batch_norm_legit_no_training.h"
#include "fx/Operators/aten/_to_copy.h"
#include "fx/Operators/aten/add.h"
#include "fx/Operators/aten/batch_norm.h"
#include "fx/Operators/aten/mul.h"
#include "fx/Operators/aten/native_batch_norm.h"
#include "fx/Operators/aten/neg.h"
#include "fx/Operators/aten/reshape.h"
#include "fx/Operators/aten/rsqrt.h"
#include "fx/Operators/aten/sub.h"
#include "fx/Operators/aten/view.h"
#include "fx/Transforms/ConstantAnalysis.h"
#include "fx/Transforms/NodeNamer.h"
#include "fx/Transforms/Passes.h"

namespace fx {
#define GEN_PASS_DEF_FOLDCONVBNPASS
#include "fx/Transforms/Passes.h.inc"
} // namespace fx

using namespace mlir;
using namespace fx;

namespace {

/// A batch norm that uses running statistics.
struct BatchNorm {
  Operation *op = nullptr;
  Value input, weight, bias, mean, variance;
  double eps = 0;
};

/// An operator that a batch norm can be folded into: y = op(x, weight) + bias.
/// Dimension `axis` of the weight is the channels of y. The weight of a grouped
/// transposed convolution holds the channels of one group only.
struct Producer {
  OperatorView op;
  /// The operator that computes y with a bias. Folding changes it for `mm`,
  /// which has no bias.
  StringRef target;
  unsigned weightArg = 0, biasArg = 0, axis = 0, numArgs = 0;
  int64_t groups = 1;
};

} // namespace

/// Matches a batch norm in inference mode.
static std::optional<BatchNorm> matchBatchNorm(Operation *op) {
  BatchNorm bn;
  bn.op = op;
  auto read = [&](auto view) {
    bn.input = view.input();
    bn.weight = view.weight();
    bn.bias = view.bias();
    bn.mean = view.running_mean();
    bn.variance = view.running_var();
    std::optional<double> eps = view.eps().getFloat();
    bn.eps = eps.value_or(0);
    return eps.has_value() && bn.input && bn.mean && bn.variance;
  };
  if (auto view = dyn_cast<aten::BatchNorm>(op)) {
    if (view.training().getBool() != false || !read(view))
      return std::nullopt;
    return bn;
  }
  // In inference mode the saved statistics are empty. They must be unused.
  for (OpResult saved : op->getResults().drop_front(op->getNumResults() != 0))
    if (!saved.use_empty())
      return std::nullopt;
  bool matches = false;
  if (auto view = dyn_cast<aten::UnderNativeBatchNormLegitNoTraining>(op))
    matches = read(view);
  else if (auto view = dyn_cast<aten::UnderNativeBatchNormLegit>(op))
    matches = view.training().getBool() == false && read(view);
  else if (auto view = dyn_cast<aten::NativeBatchNorm>(op))
    matches = view.training().getBool() == false && read(view);
  return matches ? std::optional(bn) : std::nullopt;
}

/// Returns true if `call` is a transposed convolution, false if it is another
/// convolution, and nullopt if it is none.
static std::optional<bool> isTransposed(const OperatorView &call) {
  StringRef target = call.getSchema().getName();
  static constexpr StringLiteral forward[] = {
      "aten.conv1d.default", "aten.conv2d.default", "aten.conv3d.default",
      "aten.conv1d.padding", "aten.conv2d.padding", "aten.conv3d.padding"};
  static constexpr StringLiteral transposed[] = {
      "aten.conv_transpose1d.default", "aten.conv_transpose2d.input",
      "aten.conv_transpose3d.input"};
  if (llvm::is_contained(forward, target))
    return false;
  if (llvm::is_contained(transposed, target))
    return true;
  if (target == "aten.convolution.default")
    return call.getArg("transposed").getBool();
  return std::nullopt;
}

static std::optional<Producer> matchProducer(Operation *op) {
  auto call = dyn_cast_if_present<CallFunctionOp>(op);
  OperatorView view = call ? getOperatorView(call) : OperatorView();
  if (!view || call->getNumResults() != 1)
    return std::nullopt;
  auto type = dyn_cast<FakeTensorType>(call->getResult(0).getType());
  if (!type)
    return std::nullopt;
  Producer p;
  p.op = view;
  p.target = call.getTarget();
  p.numArgs = 3;
  // The input is (n, k), the weight (k, channels). `mm` has no bias.
  if (p.target == "aten.addmm.default" || p.target == "aten.mm.default") {
    p.axis = 1;
    p.weightArg = p.target == "aten.mm.default" ? 1 : 2;
    if (p.weightArg == 2 && (view.getArg("beta").getFloat() != 1 ||
                             view.getArg("alpha").getFloat() != 1))
      return std::nullopt;
    return p;
  }
  p.weightArg = 1;
  p.biasArg = 2;
  if (p.target == "aten.linear.default") {
    // The channels of a batch norm are dimension 1; those of a linear layer are
    // the last dimension.
    return type.getRank() == 2 ? std::optional(p) : std::nullopt;
  }
  std::optional<bool> transposed = isTransposed(view);
  std::optional<int64_t> groups =
      transposed ? view.getArg("groups").getInt() : std::nullopt;
  if (!groups || *groups < 1)
    return std::nullopt;
  p.axis = *transposed ? 1 : 0;
  p.groups = *transposed ? *groups : 1;
  for (unsigned i = 3; i < view.getNumArgs(); ++i)
    if (view.isGiven(i))
      p.numArgs = i + 1;
  return p;
}

namespace {

class Folder {
public:
  explicit Folder(GraphOp graph)
      : graph(graph), constants(graph), namer(graph), b(graph.getContext()) {}

  unsigned run() {
    SmallVector<Operation *> ops;
    for (Operation &op : graph.getBlock())
      ops.push_back(&op);
    return run(ops);
  }
  unsigned run(ArrayRef<Operation *> ops) {
    unsigned count = 0;
    for (Operation *op : ops)
      if (std::optional<BatchNorm> bn = matchBatchNorm(op))
        count += fold(*bn);
    return count;
  }

private:
  bool fold(const BatchNorm &bn);
  FakeTensorType getConstantType(Value value, FakeTensorType out);
  FakeTensorType getType(ArrayRef<int64_t> sizes, Type dtype);
  Value cast(Location loc, Value value, Type dtype);
  std::pair<Value, Value> getScaleAndShift(const BatchNorm &bn, Value bias,
                                           Location loc);
  Value scaleWeight(const Producer &p, Value weight, Value scale, Location loc);

  template <class Op, class... Args>
  Value make(Location loc, StringRef name, Type type, Args &&...args) {
    return Op::create(b, namer.rename(loc, name), type,
                      std::forward<Args>(args)...)
        ->getResult(0);
  }

  GraphOp graph;
  ConstantAnalysis constants;
  NodeNamer namer;
  OpBuilder b;
  StringAttr device;
};

} // namespace

/// Returns the type of `value` if folding can use it as a weight or statistic,
/// else null: it must have the dtype and device of the result type `out`, a
/// static shape, and the same value in all runs.
FakeTensorType Folder::getConstantType(Value value, FakeTensorType out) {
  auto type = dyn_cast<FakeTensorType>(value.getType());
  if (!type || type.getDtype() != out.getDtype() || !type.hasStaticShape() ||
      type.getDevice() != out.getDevice() || !constants.contains(value))
    return FakeTensorType();
  return type;
}

FakeTensorType Folder::getType(ArrayRef<int64_t> sizes, Type dtype) {
  MLIRContext *ctx = graph.getContext();
  return FakeTensorType::get(
      ctx,
      llvm::map_to_vector(sizes,
                          [&](int64_t s) { return ExprAttr::integer(ctx, s); }),
      dtype, device, MetaAttr());
}

Value Folder::cast(Location loc, Value value, Type dtype) {
  auto type = llvm::cast<FakeTensorType>(value.getType());
  if (type.getDtype() == dtype)
    return value;
  return make<aten::UnderToCopy>(
      loc, "_to_copy", type.withoutMeta().withDtype(dtype), value, dtype);
}

/// Computes scale = weight / sqrt(var + eps) and
/// shift = bn.bias + (bias - mean) * scale. Computes in f64: 1 / sqrt(var) can
/// be large, and f32 would round each product.
std::pair<Value, Value> Folder::getScaleAndShift(const BatchNorm &bn,
                                                 Value bias, Location loc) {
  Type f64 = b.getF64Type();
  Value mean = cast(loc, bn.mean, f64);
  Type vector = mean.getType();
  Value var = make<aten::AddTensor>(loc, "add", vector,
                                    cast(loc, bn.variance, f64), bn.eps);
  Value scale = make<aten::Rsqrt>(loc, "rsqrt", vector, var);
  if (bn.weight)
    scale = make<aten::MulTensor>(loc, "mul", vector, scale,
                                  cast(loc, bn.weight, f64));
  if (bias)
    mean =
        make<aten::SubTensor>(loc, "sub", vector, mean, cast(loc, bias, f64));
  Value shift = make<aten::MulTensor>(loc, "mul", vector, mean, scale);
  shift = bn.bias ? make<aten::SubTensor>(loc, "sub", vector,
                                          cast(loc, bn.bias, f64), shift)
                  : make<aten::Neg>(loc, "neg", vector, shift);
  return {scale, shift};
}

/// Computes weight * scale along the dimension of the channels. The weight of a
/// grouped transposed convolution is (in, out/groups, ...) with the inputs of a
/// group next to each other. It is reshaped to (groups, in/groups, out/groups,
/// ...) and back.
Value Folder::scaleWeight(const Producer &p, Value weight, Value scale,
                          Location loc) {
  auto type = llvm::cast<FakeTensorType>(weight.getType()).withoutMeta();
  SmallVector<int64_t> sizes;
  for (int64_t i = 0; i < type.getRank(); ++i)
    sizes.push_back(type.getDimSize(i));
  SmallVector<int64_t> shape(sizes.size(), 1);
  shape[p.axis] = sizes[p.axis];
  Type f64 = b.getF64Type();
  Value wide = cast(loc, weight, f64);
  if (p.groups > 1) {
    SmallVector<int64_t> grouped = sizes;
    grouped[0] /= p.groups;
    grouped.insert(grouped.begin(), p.groups);
    shape.insert(shape.begin(), p.groups);
    wide = make<aten::Reshape>(loc, "reshape", getType(grouped, f64), wide,
                               grouped);
  }
  Value factor =
      make<aten::View>(loc, "view", getType(shape, f64), scale, shape);
  Value product =
      make<aten::MulTensor>(loc, "mul", wide.getType(), wide, factor);
  if (p.groups > 1)
    product =
        make<aten::View>(loc, "view", getType(sizes, f64), product, sizes);
  return cast(loc, product, type.getDtype());
}

bool Folder::fold(const BatchNorm &bn) {
  Operation *producerOp = bn.input.getDefiningOp();
  if (!bn.input.hasOneUse())
    return false;
  std::optional<Producer> p = matchProducer(producerOp);
  if (!p)
    return false;
  auto out = dyn_cast<FakeTensorType>(bn.op->getResult(0).getType());
  if (!out || !(out.getDtype().isF32() || out.getDtype().isF64()) ||
      llvm::cast<FakeTensorType>(bn.input.getType()).getDtype() !=
          out.getDtype())
    return false;
  device = out.getDevice();
  bool isMM = p->target == "aten.mm.default";
  Value weight = p->op.getArg(p->weightArg).getValue();
  Argument biasArg = isMM ? Argument() : p->op.getArg(p->biasArg);
  Value bias = biasArg.getValue();
  if (!weight || (!bias && !biasArg.isNone()))
    return false;
  FakeTensorType weightType = getConstantType(weight, out);
  if (!weightType || weightType.getRank() <= int64_t(p->axis) ||
      weightType.getDimSize(0) % p->groups != 0)
    return false;
  int64_t channels = weightType.getDimSize(p->axis) * p->groups;
  for (Value v : {bias, bn.weight, bn.bias, bn.mean, bn.variance}) {
    if (!v)
      continue;
    FakeTensorType type = getConstantType(v, out);
    if (!type || type.getRank() != 1 || type.getDimSize(0) != channels)
      return false;
  }

  b.setInsertionPoint(bn.op);
  Location loc = producerOp->getLoc();
  auto [scale, wideShift] = getScaleAndShift(bn, bias, loc);
  Value newWeight = scaleWeight(*p, weight, scale, loc);
  Value shift = cast(loc, wideShift, out.getDtype());

  SmallVector<ArgumentTree> args;
  if (isMM) {
    args = {shift, p->op.getArg(0u), newWeight};
    p->target = "aten.addmm.default";
  } else {
    for (unsigned i = 0; i < p->numArgs; ++i) {
      if (i == p->weightArg)
        args.push_back(newWeight);
      else if (i == p->biasArg)
        args.push_back(shift);
      else
        args.push_back(p->op.getArg(i));
    }
  }
  // The new call computes the result of the batch norm and takes its name.
  SmallVector<StringRef> names = getResultNames(bn.op);
  Location newLoc = names.empty()
                        ? bn.op->getLoc()
                        : withNodeName(bn.op->getLoc(), names.front());
  CallFunctionOp call = createCall(b, newLoc, p->target, out, args);
  bn.op->getResult(0).replaceAllUsesWith(call->getResult(0));
  bn.op->erase();
  producerOp->erase();
  return true;
}

namespace {

/// Finds layers followed by norms that are module calls of a live graph, and
/// replaces the calls by the operators that they run, so that they can be
/// folded. Since such a graph can contain mutations, no op between the two
/// calls may write, and no other input or state may share their states.
class ModulePairs {
public:
  explicit ModulePairs(ModuleOp module) {
    for (GraphOp graph : module.getOps<GraphOp>())
      for (PlaceholderOp input : graph.getPlaceholders())
        if (auto target = input.getTargetAttr())
          ++numInputs[target.getAttr()];
    for (auto state : module.getOps<StateOp>()) {
      inits[state.getSymNameAttr()] = state.getInitAttr();
      if (Attribute init = state.getInitAttr())
        ++numNames[init];
    }
  }
  /// Replaces the foldable pairs of `graph` and returns the operators that
  /// replace the norms.
  SmallVector<Operation *> resolve(GraphOp graph);

private:
  Operation *getLayer(Operation *norm);
  bool ownsStates(GraphOp body);

  /// The number of placeholders of each state, by symbol.
  llvm::DenseMap<StringAttr, unsigned> numInputs;
  /// The initial value of each state, by symbol.
  llvm::DenseMap<StringAttr, Attribute> inits;
  /// The number of states with each initial value.
  llvm::DenseMap<Attribute, unsigned> numNames;
};

} // namespace

/// Returns true if no other placeholder or state shares the states of `body`.
bool ModulePairs::ownsStates(GraphOp body) {
  return llvm::all_of(body.getPlaceholders(), [&](PlaceholderOp input) {
    FlatSymbolRefAttr target = input.getTargetAttr();
    if (!target)
      return true;
    Attribute init = inits.lookup(target.getAttr());
    return numInputs.lookup(target.getAttr()) == 1 &&
           (!init || numNames.lookup(init) == 1);
  });
}

/// If `norm` is a module call that runs a batch norm which can be folded into
/// the operator of another module call, returns the latter. Otherwise returns
/// null.
Operation *ModulePairs::getLayer(Operation *norm) {
  GraphOp body = getModuleBody(norm);
  Operation *op = body ? getOnlyOperator(body) : nullptr;
  std::optional<BatchNorm> bn = op ? matchBatchNorm(op) : std::nullopt;
  SmallVector<Value> operands =
      bn ? getBodyOperands(norm, body) : SmallVector<Value>();
  // The normalized tensor must be the only input that is not a state.
  auto input = bn ? bn->input.getDefiningOp<PlaceholderOp>() : nullptr;
  if (!input || input.getTargetAttr() || operands.size() != 1 ||
      !operands[0].hasOneUse() || !ownsStates(body))
    return nullptr;
  Operation *layer = operands[0].getDefiningOp();
  GraphOp layerBody = layer ? getModuleBody(layer) : nullptr;
  if (!layerBody || !matchProducer(getOnlyOperator(layerBody)) ||
      !ownsStates(layerBody))
    return nullptr;
  for (Operation *between = layer->getNextNode(); between != norm;
       between = between->getNextNode())
    if (hasUnknownEffects(between) || hasEffect<MemoryEffects::Write>(between))
      return nullptr;
  return layer;
}

SmallVector<Operation *> ModulePairs::resolve(GraphOp graph) {
  SmallVector<std::pair<Operation *, Operation *>> pairs;
  for (Operation &op : graph.getBlock())
    if (Operation *layer = getLayer(&op))
      pairs.push_back({layer, &op});
  SmallVector<Operation *> norms;
  if (pairs.empty())
    return norms;
  CallResolver resolver(graph);
  for (auto [layer, norm] : pairs) {
    Operation *next = norm->getNextNode();
    if (resolver.resolve(layer) && resolver.resolve(norm))
      norms.push_back(next->getPrevNode());
  }
  return norms;
}

namespace {
struct FoldConvBNPass : fx::impl::FoldConvBNPassBase<FoldConvBNPass> {
  void runOnOperation() override {
    ModulePairs pairs(getOperation());
    for (GraphOp graph : llvm::to_vector(getOperation().getOps<GraphOp>())) {
      if (graph.isPrivate() && !graph.getFunctional())
        continue; // the body of a call
      if (graph.getFunctional()) {
        numFolded += Folder(graph).run();
        continue;
      }
      SmallVector<Operation *> norms = pairs.resolve(graph);
      if (norms.empty())
        continue;
      numFolded += Folder(graph).run(norms);
      eraseUnusedGraphs(getOperation());
    }
  }
};
} // namespace
