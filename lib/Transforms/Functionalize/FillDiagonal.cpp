//===- FillDiagonal.cpp - fill_diagonal_ as a function --------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// ATen has no functional form of `fill_diagonal_`, and torch's own
// functionalization refuses it. It writes every n-th element of a tensor whose
// dimensions have equal sizes, or of a matrix (fill_diagonal_ of
// aten/src/ATen/native/Fill.cpp):
//
//   index_fill(reshape(self, [-1]), 0, arange(0, end, n), value)
//
//===----------------------------------------------------------------------===//

#include "../ViewInverse.h"
#include "Functionalizer.h"
#include "fx/IR/Metadata.h"

using namespace mlir;
using namespace fx;
using namespace fx::functionalize;

bool functionalize::isFillDiagonal(StringRef target) {
  return target == "aten.fill_diagonal_.default";
}

LogicalResult Functionalizer::visitFillDiagonal(CallFunctionOp op) {
  SmallVector<Argument> args = getArguments(op);
  Value self = args.empty() ? Value() : args[0].getValue();
  auto type =
      self ? dyn_cast<FakeTensorType>(self.getType()) : FakeTensorType();
  SmallVector<int64_t> sizes;
  if (type)
    for (ExprAttr size : type.getSizes())
      sizes.push_back(size.getInteger().value_or(-1));
  if (args.size() < 2 || sizes.size() < 2 || llvm::is_contained(sizes, -1) ||
      (sizes.size() > 2 && !llvm::all_equal(sizes)))
    return fail(op, "expected a fill_diagonal_ of known sizes");
  std::optional<bool> wraps =
      args.size() > 2 ? args[2].getBool() : std::optional<bool>(false);
  if (!wraps)
    return fail(op, "expected a fill_diagonal_ whose 'wrap' is known");
  // The distance between elements of the diagonal, and the number of elements
  // of the tensor.
  int64_t step = 0, stride = 1, total = 1;
  for (int64_t size : llvm::reverse(sizes)) {
    step += stride;
    stride *= std::max<int64_t>(size, 1);
    total *= size;
  }
  int64_t count = std::min(sizes[0], sizes[1]);
  MLIRContext *ctx = op.getContext();
  OpBuilder b(op);
  auto call = [&](StringRef target, StringRef name, Type type,
                  ArrayRef<ArgumentTree> arguments) -> Value {
    return createCall(b, namer.rename(op.getLoc(), name), target, type,
                      arguments)
        ->getResult(0);
  };
  auto integer = [&](int64_t value) {
    return ArgumentTree::integer(ctx, value);
  };
  auto vector = [&](int64_t size, Type dtype) {
    return FakeTensorType::get({ExprAttr::integer(ctx, size)}, dtype);
  };
  Value flat =
      call("aten.reshape.default", "reshape", vector(total, type.getDtype()),
           {getCurrent(self), ArgumentTree::list(ctx, {integer(-1)})});
  auto fill = [&](int64_t first, int64_t count) {
    if (count <= 0)
      return;
    Value index =
        call("aten.arange.start_step", "arange", vector(count, b.getI64Type()),
             {integer(first), integer(first + (count - 1) * step + 1),
              integer(step)});
    flat = call("aten.index_fill.int_Scalar", "index_fill", flat.getType(),
                {flat, integer(0), index, args[1]});
  };
  if (total > 0) {
    fill(0, count);
    // A tall matrix has further diagonals below, one row apart.
    if (*wraps && sizes.size() == 2 && sizes[0] > sizes[1] + 1)
      fill(sizes[1] * step, (total + step - 1) / step - count);
  }
  SmallVector<ArgumentTree> shape;
  for (int64_t size : sizes)
    shape.push_back(integer(size));
  Value filled = call("aten.reshape.default", "reshape", type.withoutMeta(),
                      {flat, ArgumentTree::list(ctx, shape)});
  op->replaceAllUsesWith(ValueRange(self).take_front(op->getNumResults()));
  replaced.push_back(op);
  return write(op, self, filled);
}
