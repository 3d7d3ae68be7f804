//===- InstanceNorm.cpp - running statistics of instance norms ------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// No operator returns the new running statistics of an instance norm, so they
// are computed as in ATen (ATen/native/Normalization.cpp): the old statistics
// move by the momentum towards the mean over the images.
//
//===----------------------------------------------------------------------===//

#include "Functionalizer.h"
#include "fx/IR/Metadata.h"

using namespace mlir;
using namespace fx;
using namespace fx::functionalize;

bool functionalize::isInstanceNorm(StringRef target) {
  return target == "aten.instance_norm.default";
}

LogicalResult Functionalizer::visitInstanceNorm(CallFunctionOp op) {
  SmallVector<Argument> args = getArguments(op);
  if (args.size() < 8 || !op.getKwnames().empty())
    return fail(op, "expected an instance norm with all its arguments");
  auto useInput = dyn_cast<BoolAttr>(args[5].tree);
  if (!useInput)
    return fail(op, "expected an instance norm with all its arguments");
  Value mean = args[3].getValue(), var = args[4].getValue();
  // Nothing is written if the norm does not use the statistics of its input, or
  // if there are no running statistics.
  if (!useInput.getValue() || (!mean && !var))
    return success();
  auto momentum = dyn_cast<FloatAttr>(args[6].tree);
  auto x = dyn_cast<FakeTensorType>(op->getOperand(0).getType());
  if (!mean || !var || !momentum || !x || x.getRank() < 3)
    return fail(op, "expected both running statistics of an instance norm, a "
                    "momentum, and three dimensions");
  MLIRContext *ctx = op.getContext();
  OpBuilder b(op);
  SmallVector<ArgumentTree> spatial;
  for (int64_t dim = 2; dim < x.getRank(); ++dim)
    spatial.push_back(ArgumentTree::integer(ctx, dim));
  ArgumentTree dims = ArgumentTree::list(ctx, spatial),
               first = ArgumentTree::list(ctx, {ArgumentTree::integer(ctx, 0)});
  auto getType = [&](ArrayRef<ExprAttr> sizes) {
    return FakeTensorType::get(sizes, x.getDtype());
  };
  auto call = [&](StringRef target, StringRef name, Type type,
                  ArrayRef<ArgumentTree> arguments,
                  ArrayRef<StringRef> keywords = {}) -> Value {
    return createCall(b, namer.rename(op.getLoc(), name), target, type,
                      arguments, keywords)
        ->getResult(0);
  };
  Value input = getCurrent(args[0].getValue());
  FakeTensorType rows = getType(x.getSizes().take_front(2)),
                 channels = getType(x.getSizes().slice(1, 1));
  Value means = call("aten.mean.dim", "mean", rows, {input, dims});
  Value vars =
      call("aten.var.correction", "var", rows,
           {input, dims, ArgumentTree::integer(ctx, 1)}, {"correction"});
  double share = momentum.getValueAsDouble();
  auto move = [&](Value old, Value now) {
    Type type = cast<FakeTensorType>(old.getType()).withoutMeta();
    now = call("aten.mean.dim", "mean", channels, {now, first});
    Value kept =
        call("aten.mul.Scalar", "mul", type,
             {getCurrent(old), Attribute(b.getF64FloatAttr(1 - share))});
    Value moved =
        call("aten.add.Tensor", "add", type,
             {kept, now, Attribute(b.getF64FloatAttr(share))}, {"alpha"});
    return write(op, old, moved);
  };
  SmallVector<ArgumentTree> arguments = getCurrent(args);
  arguments[3] = arguments[4] = Attribute(NoneAttr::get(ctx));
  CallFunctionOp norm = createCall(b, op.getLoc(), op.getTarget(),
                                   op->getResultTypes(), arguments);
  op->replaceAllUsesWith(norm->getResults());
  replaced.push_back(op);
  return failed(move(mean, means)) ? failure() : move(var, vars);
}
