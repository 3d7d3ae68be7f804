//===- Foreach.cpp - operators on lists, tensor by tensor -----------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `_foreach_add.Scalar([x, y], 2)` is the list of `add.Scalar(x, 2)` and
// `add.Scalar(y, 2)` (aten/src/ATen/native/ForeachOpsKernels.cpp).
//
//===----------------------------------------------------------------------===//

#include "Decompose.h"

#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace fx;

/// Returns the operator for one tensor of the list; null if there is none.
static const OperatorSchema *getElementOperator(StringRef name,
                                                StringRef overload) {
  if (name == "zero")
    name = "zeros_like";
  bool isNumber = overload == "Scalar" || overload == "ScalarList";
  if (isNumber)
    name = llvm::StringSwitch<StringRef>(name)
               .Case("maximum", "clamp_min")
               .Case("minimum", "clamp_max")
               .Default(name);
  SmallVector<StringRef> overloads = {"default"};
  if (overload == "List")
    overloads = {"Tensor", "Tensor_Tensor", "default"};
  else if (isNumber)
    overloads = {"Scalar", "Tensor_Scalar", "default"};
  else if (overload == "Tensor")
    overloads = {"Tensor"};
  else if (overload == "ScalarAndTensor")
    overloads = {"Scalar"};
  for (StringRef candidate : overloads)
    if (const OperatorSchema *schema =
            lookupOperator(("aten." + name + "." + candidate).str()))
      return schema;
  return nullptr;
}

bool fx::isForeach(StringRef target) {
  return target.starts_with("aten._foreach_");
}

LogicalResult fx::decomposeForeach(const OperatorView &op, Decomposer &d,
                                   SmallVectorImpl<Value> &results) {
  StringRef target = op.getSchema().getName();
  target.consume_front("aten._foreach_");
  auto [name, overload] = target.split('.');
  const OperatorSchema *schema = getElementOperator(name, overload);
  // Norms have other arguments than the operator for one tensor.
  if (!schema || name == "norm" || name == "powsum")
    return failure();
  ArrayRef<ArgumentSchema> given = op.getSchema().getArguments();
  unsigned count = op.getOperation()->getNumResults();
  for (unsigned i = 0; i < count; ++i) {
    SmallVector<Argument> arguments;
    for (unsigned k = 0; k < op.getNumArgs(); ++k) {
      Argument argument = op.getArg(k);
      if (given[k].listDepth == 0) {
        arguments.push_back(argument);
        continue;
      }
      SmallVector<Argument, 4> elements = argument.getElements();
      if (elements.size() != count)
        return failure();
      arguments.push_back(elements[i]);
    }
    if (arguments.size() > schema->numArguments)
      return failure();
    SmallVector<ArgumentRef> args(arguments.begin(), arguments.end());
    args.resize(schema->numArguments); // the others have their defaults
    Value value = d.call(*schema, args);
    auto have =
        value ? dyn_cast<FakeTensorType>(value.getType()) : FakeTensorType();
    auto want =
        dyn_cast<FakeTensorType>(op.getOperation()->getResult(i).getType());
    if (!have || !want || have.getDtype() != want.getDtype())
      return failure();
    results.push_back(value);
  }
  return success();
}
