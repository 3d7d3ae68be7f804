//===- Signature.cpp - rules 15 to 28: inputs and outputs -----------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Checker.h"

#include "fx/IR/Metadata.h"

#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace fx;
using namespace fx::verify_export;

/// Returns true if the types are equal, except for strides, device and
/// requires_grad. Sizes that are equal for some values of their symbols count
/// as equal.
static bool agree(Type type, Type other) {
  auto x = dyn_cast<FakeTensorType>(type), y = dyn_cast<FakeTensorType>(other);
  if (!x || !y)
    return type == other;
  if (x.getDtype() != y.getDtype() || x.getRank() != y.getRank())
    return false;
  return llvm::none_of(llvm::zip(x.getSizes(), y.getSizes()), [](auto pair) {
    return std::get<0>(pair).isProvablyDifferent(std::get<1>(pair));
  });
}

//===----------------------------------------------------------------------===//
// Inputs
//===----------------------------------------------------------------------===//

/// Checks rules 15 and 16 for an input that holds a state. The verifier of the
/// dialect ensures that there is a target.
static void checkState(Checker &c, PlaceholderOp input) {
  StringRef kind = stringifyInputKind(input.getKind());
  auto state = c.module.lookupSymbol<StateOp>(*input.getTarget());
  if (!state) {
    c.report(input, 15) << "expected the " << kind << " '" << input.getName()
                        << "' to name a state, got @" << *input.getTarget();
    return;
  }
  bool isObject = input.getKind() == InputKind::CustomObj;
  Type type = input.getResult().getType(), stored = state.getType();
  if (isObject ? !isa<ObjectType>(type) || !isa<ObjectType>(stored)
               : !isa<FakeTensorType>(type) || !isa<FakeTensorType>(stored))
    c.report(input, 16) << "expected the " << kind << " '" << input.getName()
                        << "' and its state to be "
                        << (isObject ? "objects" : "tensors") << ", got "
                        << type << " and " << stored;
  else if (!isObject && !agree(type, stored))
    c.report(input, 16) << "expected the " << kind << " '" << input.getName()
                        << "' to have its state's type " << stored << ", got "
                        << type;
}

void fx::verify_export::checkInputs(Checker &c) {
  llvm::StringSet<> seen;
  for (PlaceholderOp input : c.main.getPlaceholders()) {
    StringRef kind = stringifyInputKind(input.getKind());
    switch (input.getKind()) {
    case InputKind::Parameter:
    case InputKind::Buffer:
    case InputKind::TensorConstant:
    case InputKind::CustomObj:
      checkState(c, input);
      if (input.getTarget() && !seen.insert(*input.getTarget()).second)
        c.report(input, 17)
            << "expected one input for each state, got a second "
               "one for @"
            << *input.getTarget();
      break;
    case InputKind::UserInput:
    case InputKind::Token:
    case InputKind::ConstantInput:
      break;
    }
    if (input.getNonPersistent() && input.getKind() != InputKind::Buffer)
      c.report(input, 19) << "expected only buffers to be non-persistent, got "
                             "the "
                          << kind << " '" << input.getName() << "'";
    if (bool(input.getValueAttr()) !=
        (input.getKind() == InputKind::ConstantInput))
      c.report(input, 20)
          << (input.getValueAttr()
                  ? "expected a value only for constant inputs, "
                    "got one for the "
                  : "expected the value of the ")
          << kind << " '" << input.getName() << "'";
  }
}

//===----------------------------------------------------------------------===//
// Outputs
//===----------------------------------------------------------------------===//

namespace {
/// A top-level output, and its value if the output is a single value.
struct Output {
  OutputSpecAttr spec;
  Value value;
  StringRef getTarget() const {
    return spec.getTarget() ? spec.getTarget().getValue() : StringRef();
  }
};
} // namespace

static SmallVector<Output> getOutputs(OutputOp op) {
  SmallVector<Output> outputs;
  unsigned next = 0;
  for (auto [i, tree] : llvm::enumerate(op.getArgs())) {
    Value value;
    unsigned count = 0;
    std::function<void(Attribute)> walk = [&](Attribute t) {
      if (auto list = dyn_cast<ArrayAttr>(t))
        llvm::for_each(list, walk);
      else if (auto dict = dyn_cast<DictAttr>(t))
        walk(dict.getValues());
      else
        count += isa<OperandAttr>(t);
    };
    walk(tree);
    if (isa<OperandAttr>(tree) && next < op->getNumOperands())
      value = op->getOperand(next);
    next += count;
    outputs.push_back({op.getSpec(i), value});
  }
  return outputs;
}

/// Returns the input that `output` names; null if there is none or if it is not
/// of the kind that the output requires.
static PlaceholderOp getTargetInput(Checker &c, const Output &output) {
  auto of = [&](llvm::StringMap<PlaceholderOp> &map, InputKind kind) {
    PlaceholderOp input = map.lookup(output.getTarget());
    return input && input.getKind() == kind ? input : PlaceholderOp();
  };
  switch (output.spec.getKind()) {
  case OutputKind::BufferMutation:
    return of(c.states, InputKind::Buffer);
  case OutputKind::ParameterMutation:
  case OutputKind::GradientToParameter:
    return of(c.states, InputKind::Parameter);
  default:
    return of(c.inputs, InputKind::UserInput);
  }
}

/// Returns the number of the rule for the target of an output of `kind`.
static unsigned getTargetRule(OutputKind kind) {
  switch (kind) {
  case OutputKind::BufferMutation:
    return 22;
  case OutputKind::ParameterMutation:
    return 23;
  case OutputKind::UserInputMutation:
    return 24;
  default:
    return 25;
  }
}

/// Checks rules 22 to 25: the target of output number `i`, a mutation or
/// gradient.
static void checkTarget(Checker &c, OutputOp op, const Output &output,
                        unsigned i) {
  OutputKind kind = output.spec.getKind();
  unsigned rule = getTargetRule(kind);
  PlaceholderOp input = getTargetInput(c, output);
  if (!input) {
    StringRef what = kind == OutputKind::BufferMutation ? "a buffer"
                     : kind == OutputKind::ParameterMutation ||
                             kind == OutputKind::GradientToParameter
                         ? "a parameter"
                         : "a user input";
    c.report(op, rule) << "expected output " << i << ", a "
                       << stringifyOutputKind(kind) << ", to name " << what
                       << ", got '" << output.getTarget() << "'";
    return;
  }
  if (!output.value)
    c.report(op, rule) << "expected a value for output " << i << ", a "
                       << stringifyOutputKind(kind) << " of '"
                       << output.getTarget() << "'";
  else if (!agree(output.value.getType(), input.getResult().getType()))
    c.report(op, rule) << "expected output " << i << " to have the type of '"
                       << output.getTarget() << "', "
                       << input.getResult().getType() << ", got "
                       << output.value.getType();
}

/// Checks rule 28: names in the signatures of module calls are nodes.
static void checkModuleCalls(Checker &c) {
  auto calls = c.main->getAttrOfType<ArrayAttr>("fx.module_call_graph");
  if (!calls)
    return;
  llvm::StringSet<> names;
  for (Operation &op : c.main.getBlock()) {
    if (auto input = dyn_cast<PlaceholderOp>(op))
      names.insert(input.getName());
    for (StringRef name : getResultNames(&op))
      names.insert(name);
  }
  for (Attribute entry : calls) {
    auto call = dyn_cast<DictionaryAttr>(entry);
    if (!call)
      continue; // only a path: a call without a signature
    auto path = call.getAs<StringAttr>("fqn");
    for (StringRef side : {"inputs", "outputs"}) {
      auto list = call.getAs<ArrayAttr>(side);
      if (!list)
        continue;
      for (Attribute item : list)
        if (auto name = dyn_cast<StringAttr>(item);
            name && !name.empty() && !names.contains(name.getValue()))
          c.report(c.main, 28)
              << "expected the " << side << " of module call '"
              << (path ? path.getValue() : "") << "' to be nodes, got '"
              << name.getValue() << "'";
    }
  }
}

void fx::verify_export::checkOutputs(Checker &c) {
  OutputOp op = c.main.getOutput();
  SmallVector<Output> outputs = getOutputs(op);
  unsigned tokensIn = 0, tokensOut = 0, losses = 0;
  for (PlaceholderOp input : c.main.getPlaceholders())
    tokensIn += input.getKind() == InputKind::Token;
  bool user = false, hasGradient = false;
  llvm::StringSet<> mutated;
  for (auto [i, output] : llvm::enumerate(outputs)) {
    OutputKind kind = output.spec.getKind();
    bool isGradient = kind == OutputKind::GradientToParameter ||
                      kind == OutputKind::GradientToUserInput;
    hasGradient |= isGradient;
    if (output.spec.isMutation() || isGradient)
      checkTarget(c, op, output, i);
    else if (output.spec.getTarget() && !output.getTarget().empty())
      c.report(op, 21) << "expected no target for output " << i << ", a "
                       << stringifyOutputKind(kind) << ", got '"
                       << output.getTarget() << "'";
    if (output.spec.isMutation()) {
      if (!mutated
               .insert(
                   (stringifyOutputKind(kind) + ":" + output.getTarget()).str())
               .second)
        c.report(op, 26) << "expected one mutation of each input, got a second "
                            "one of '"
                         << output.getTarget() << "'";
      if (user)
        c.report(op, 26) << "expected mutations before the user's outputs, got "
                            "output "
                         << i << ", a " << stringifyOutputKind(kind);
    }
    if (kind == OutputKind::Token) {
      ++tokensOut;
    } else if (kind == OutputKind::LossOutput) {
      auto type = output.value
                      ? dyn_cast<FakeTensorType>(output.value.getType())
                      : FakeTensorType();
      if (++losses > 1 || !type || !isa<FloatType>(type.getDtype()) ||
          type.getRank() != 0)
        c.report(op, 27) << "expected one loss, a floating-point scalar, got "
                            "output "
                         << i << (losses > 1 ? ", a second loss" : "");
    }
    user |= kind == OutputKind::UserOutput || kind == OutputKind::LossOutput ||
            isGradient;
  }
  if (hasGradient && !losses)
    c.report(op, 27) << "expected a loss beside gradients";
  if (tokensIn != tokensOut)
    c.report(op, 21) << "expected " << tokensIn
                     << " tokens among the outputs, one for each among the "
                        "inputs, got "
                     << tokensOut;
  checkModuleCalls(c);
}
