//===- FoldConvBN.cpp - fold batch norms into convolutions -===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NodeNamer.h"
#include "fx/IR/Metadata.h"
#include "fx/Operators/Purity.h"
#include "fx/Operators/aten/_native_batch_norm_legit_no_training.h"
#include "fx/Operators/aten/add.h"
#include "fx/Operators/aten/batch_norm.h"
#include "fx/Operators/aten/mul.h"
#include "fx/Operators/aten/neg.h"
#include "fx/Operators/aten/rsqrt.h"
#include "fx/Operators/aten/sub.h"
#include "fx/Operators/aten/view.h"
#include "fx/Transforms/Passes.h"

namespace fx {
#define GEN_PASS_DEF_FOLDCONVBNPASS
#include "fx/Transforms/Passes.h.inc"
} // namespace fx

using namespace mlir;
using namespace fx;

namespace {

/// Which values are computed from states that no one mutates.
class Frozen {
public:
  explicit Frozen(GraphOp graph) {
    OutputOp output = graph.getOutput();
    for (unsigned i = 0, e = output.getArgs().size(); i < e; ++i)
      if (OutputSpecAttr spec = output.getSpec(i); spec && spec.getTarget())
        mutated.insert(spec.getTarget());
  }

  bool contains(Value value) {
    auto [it, isNew] = known.try_emplace(value, false);
    if (!isNew)
      return it->second;
    bool result = compute(value);
    return known[value] = result;
  }

private:
  bool compute(Value value) {
    Operation *op = value.getDefiningOp();
    if (auto placeholder = dyn_cast_if_present<PlaceholderOp>(op)) {
      InputKind kind = placeholder.getKind();
      return (kind == InputKind::Parameter || kind == InputKind::Buffer ||
              kind == InputKind::TensorConstant) &&
             placeholder.getTargetAttr() &&
             !mutated.contains(placeholder.getTargetAttr().getAttr());
    }
    OperatorView view = getOperatorView(op);
    return view && isPure(view) && !drawsRandomNumbers(view) &&
           op->getNumOperands() > 0 &&
           llvm::all_of(op->getOperands(), [&](Value v) { return contains(v); });
  }

  DenseSet<StringAttr> mutated;
  DenseMap<Value, bool> known;
};

/// A batch norm that uses running statistics.
struct BatchNorm {
  Operation *op = nullptr;
  Value input, weight, bias, mean, variance;
  double eps = 0;
};

/// What a batch norm folds into: y = op(x, weight) + bias, `axis` of the weight
/// being y's channels.
struct Producer {
  OperatorView op;
  unsigned weightArg = 0, biasArg = 0, axis = 0, numArgs = 0;
};

} // namespace

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
  if (auto view = dyn_cast<aten::UnderNativeBatchNormLegitNoTraining>(op)) {
    for (OpResult saved : op->getResults().drop_front())
      if (!saved.use_empty())
        return std::nullopt;
    if (!read(view))
      return std::nullopt;
    return bn;
  }
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
  StringRef target = call.getTarget();
  if (target == "aten.addmm.default") {
    if (view.getArg("beta").getFloat() != 1 ||
        view.getArg("alpha").getFloat() != 1)
      return std::nullopt;
    p.biasArg = 0;
    p.weightArg = 2;
    p.axis = 1;
    p.numArgs = 3;
    return p;
  }
  bool isLinear = target == "aten.linear.default";
  bool isConvolution = target == "aten.convolution.default" ||
                       target == "aten.conv1d.default" ||
                       target == "aten.conv2d.default" ||
                       target == "aten.conv3d.default" ||
                       target == "aten.conv1d.padding" ||
                       target == "aten.conv2d.padding" ||
                       target == "aten.conv3d.padding";
  if (!isLinear && !isConvolution)
    return std::nullopt;
  // The channels of a batch norm are dimension 1.
  if (isLinear && type.getRank() != 2)
    return std::nullopt;
  p.weightArg = 1;
  p.biasArg = 2;
  if (target == "aten.convolution.default") {
    std::optional<bool> transposed = view.getArg("transposed").getBool();
    if (!transposed || (*transposed && view.getArg("groups").getInt() != 1))
      return std::nullopt;
    p.axis = *transposed ? 1 : 0;
  }
  p.numArgs = 3;
  for (unsigned i = 3; i < view.getNumArgs(); ++i)
    if (view.isGiven(i))
      p.numArgs = i + 1;
  return p;
}

namespace {

class Folder {
public:
  explicit Folder(GraphOp graph)
      : graph(graph), frozen(graph), namer(graph), b(graph.getContext()) {}

  unsigned run() {
    SmallVector<Operation *> ops;
    for (Operation &op : graph.getBlock())
      ops.push_back(&op);
    unsigned count = 0;
    for (Operation *op : ops)
      if (std::optional<BatchNorm> bn = matchBatchNorm(op))
        count += fold(*bn);
    return count;
  }

private:
  bool fold(const BatchNorm &bn);
  FakeTensorType getFrozenType(Value value, FakeTensorType out);

  template <class Op, class... Args>
  Value make(Location loc, StringRef name, Type type, Args &&...args) {
    return Op::create(b, namer.rename(loc, name), type,
                      std::forward<Args>(args)...)
        ->getResult(0);
  }

  GraphOp graph;
  Frozen frozen;
  NodeNamer namer;
  OpBuilder b;
};

} // namespace

/// The type of a weight or statistic that folding may use, else null: of the
/// result's dtype, with its sizes known, and the same in all runs.
FakeTensorType Folder::getFrozenType(Value value, FakeTensorType out) {
  auto type = dyn_cast<FakeTensorType>(value.getType());
  if (!type || type.getDtype() != out.getDtype() || !type.hasStaticShape() ||
      type.getDevice() != out.getDevice() || !frozen.contains(value))
    return FakeTensorType();
  return type;
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
      cast<FakeTensorType>(bn.input.getType()).getDtype() != out.getDtype())
    return false;
  Value weight = p->op.getArg(p->weightArg).getValue();
  Argument biasArg = p->op.getArg(p->biasArg);
  Value bias = biasArg.getValue();
  if (!weight || (!bias && !biasArg.isNone()))
    return false;
  FakeTensorType weightType = getFrozenType(weight, out);
  if (!weightType || weightType.getRank() <= int64_t(p->axis))
    return false;
  int64_t channels = weightType.getDimSize(p->axis);
  for (Value v : {bias, bn.weight, bn.bias, bn.mean, bn.variance}) {
    if (!v)
      continue;
    FakeTensorType type = getFrozenType(v, out);
    if (!type || type.getRank() != 1 || type.getDimSize(0) != channels)
      return false;
  }

  b.setInsertionPoint(bn.op);
  Location loc = producerOp->getLoc();
  MLIRContext *ctx = graph.getContext();
  SmallVector<ExprAttr> sizes{ExprAttr::integer(ctx, channels)};
  Type vector =
      FakeTensorType::get(ctx, sizes, out.getDtype(), out.getDevice(), MetaAttr());
  // scale = weight / sqrt(var + eps), shift = bias + (bias' - mean) * scale.
  Value var = make<aten::AddTensor>(loc, "add", vector, bn.variance, bn.eps);
  Value scale = make<aten::Rsqrt>(loc, "rsqrt", vector, var);
  if (bn.weight)
    scale = make<aten::MulTensor>(loc, "mul", vector, scale, bn.weight);
  Value centre = bn.mean;
  if (bias)
    centre = make<aten::SubTensor>(loc, "sub", vector, centre, bias);
  Value shift = make<aten::MulTensor>(loc, "mul", vector, centre, scale);
  shift = bn.bias ? make<aten::SubTensor>(loc, "sub", vector, bn.bias, shift)
                  : make<aten::Neg>(loc, "neg", vector, shift);
  SmallVector<int64_t> shape(weightType.getRank(), 1);
  shape[p->axis] = channels;
  SmallVector<ExprAttr> shapeExprs = llvm::map_to_vector(
      shape, [&](int64_t s) { return ExprAttr::integer(ctx, s); });
  Value factor = make<aten::View>(
      loc, "view",
      FakeTensorType::get(ctx, shapeExprs, out.getDtype(), out.getDevice(),
                          MetaAttr()),
      scale, shape);
  Value newWeight = make<aten::MulTensor>(
      loc, "mul", weightType.withoutMeta(), weight, factor);

  SmallVector<ArgumentTree> args;
  for (unsigned i = 0; i < p->numArgs; ++i) {
    if (i == p->weightArg)
      args.push_back(newWeight);
    else if (i == p->biasArg)
      args.push_back(shift);
    else
      args.push_back(p->op.getArg(i));
  }
  // It computes what the batch norm did, so it takes its name.
  SmallVector<StringRef> names = getResultNames(bn.op);
  Location newLoc = names.empty() ? bn.op->getLoc()
                                  : withNodeName(bn.op->getLoc(), names.front());
  CallFunctionOp call =
      createCall(b, newLoc, cast<CallFunctionOp>(producerOp).getTarget(),
                 bn.op->getResult(0).getType(), args);
  bn.op->getResult(0).replaceAllUsesWith(call->getResult(0));
  bn.op->erase();
  producerOp->erase();
  return true;
}

namespace {
struct FoldConvBNPass : fx::impl::FoldConvBNPassBase<FoldConvBNPass> {
  void runOnOperation() override {
    for (GraphOp graph : getOperation().getOps<GraphOp>())
      if (graph.getFunctional())
        numFolded += Folder(graph).run();
  }
};
} // namespace
