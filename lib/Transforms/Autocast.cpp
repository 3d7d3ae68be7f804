//===- Autocast.cpp - the casts of an autocast region ---------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Autocast.h"

#include "fx/IR/Arguments.h"

#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace fx;

Value fx::castTo(OpBuilder &b, NodeNamer &namer, Location loc, Value value,
                 Type dtype) {
  auto type = dyn_cast<FakeTensorType>(value.getType());
  if (!type || type.getDtype() == dtype)
    return value;
  return createCall(b, namer.rename(loc, "_to_copy"), "aten._to_copy.default",
                    type.withDtype(dtype).withoutMeta(),
                    {value, Attribute(TypeAttr::get(dtype))}, {"dtype"})
      ->getResult(0);
}

/// Returns true for operators that autocast runs in the dtype of the region
/// (PyTorch's "CPU Ops that can autocast to lower precision").
static bool runsInLowPrecision(StringRef name) {
  static const llvm::StringSet<> names = {"conv1d",
                                          "conv2d",
                                          "conv3d",
                                          "convolution",
                                          "_convolution",
                                          "conv_transpose1d",
                                          "conv_transpose2d",
                                          "conv_transpose3d",
                                          "conv_tbc",
                                          "bmm",
                                          "mm",
                                          "mv",
                                          "linear",
                                          "addmm",
                                          "addmv",
                                          "addbmm",
                                          "baddbmm",
                                          "matmul",
                                          "dot",
                                          "linalg_vecdot",
                                          "linalg_multi_dot",
                                          "_thnn_fused_lstm_cell",
                                          "scaled_dot_product_attention",
                                          "lstm_cell",
                                          "gru_cell",
                                          "rnn_tanh_cell",
                                          "rnn_relu_cell"};
  return names.contains(name);
}

/// Returns true for operators whose operands are not cast: dtype conversions
/// and copies.
static bool keepsOperands(StringRef name) {
  static const llvm::StringSet<> names = {"to",       "_to_copy", "type_as",
                                          "float",    "double",   "half",
                                          "bfloat16", "copy",     "copy_"};
  return names.contains(name);
}

void fx::castForAutocast(CallFunctionOp call, Type dtype, NodeNamer &namer) {
  StringRef name = call.getTarget();
  if (!name.consume_front("aten.") || call->getNumResults() == 0)
    return;
  name = name.split('.').first;
  auto result = dyn_cast<FakeTensorType>(call->getResult(0).getType());
  if (!result || !isa<FloatType>(result.getDtype()) || keepsOperands(name))
    return;
  // The recorded dtype of the result tells which dtype autocast chose.
  Type f32 = Float32Type::get(call.getContext());
  Type wanted;
  if (runsInLowPrecision(name) && result.getDtype() == dtype) {
    wanted = dtype;
  } else if (result.getDtype() == f32) {
    bool allLow = false;
    for (Value operand : call->getOperands())
      if (auto type = dyn_cast<FakeTensorType>(operand.getType());
          type && isa<FloatType>(type.getDtype())) {
        if (type.getDtype() != dtype)
          return;
        allLow = true;
      }
    wanted = allLow ? f32 : Type();
  }
  if (!wanted)
    return;
  OpBuilder b(call);
  for (OpOperand &operand : call->getOpOperands()) {
    auto type = dyn_cast<FakeTensorType>(operand.get().getType());
    if (type && (type.getDtype() == f32 || type.getDtype() == dtype))
      operand.set(castTo(b, namer, call.getLoc(), operand.get(), wanted));
  }
}
