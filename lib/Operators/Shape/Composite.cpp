//===- Composite.cpp - shape rules of larger operators --------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Support.h"

#include <map>

using namespace mlir;
using namespace fx;
using namespace fx::shape;

//===----------------------------------------------------------------------===//
// Recurrent networks
//===----------------------------------------------------------------------===//

/// The last size of the output is the last size of the first state times the
/// number of directions. The states keep their types. `hx` is one tensor, or
/// the list of h and c.
static InferredTypes inferRecurrent(const OperatorView &call) {
  FakeTensorType input = getTensor(call.getArg("input"));
  std::optional<SmallVector<FakeTensorType>> states =
      getTensors(call.getArg("hx"));
  std::optional<bool> bidirectional = call.getArg("bidirectional").getBool();
  if (!input || !states || states->empty() || !bidirectional ||
      input.getRank() < 2 || states->front().getRank() == 0)
    return failure();
  int64_t directions = *bidirectional ? 2 : 1;
  std::optional<int64_t> layers = call.getArg("num_layers").getInt(),
                         given = Size(states->front().getSizes()[0]).getInt();
  if (layers && given &&
      (*given % directions != 0 || *layers != *given / directions))
    return refuse("expected a state for each layer and direction, got " +
                  Twine(*given) + " for " + Twine(*layers) + " layers");
  Sizes sizes(input.getSizes());
  sizes.back() = Size(states->front().getSizes().back()) * directions;
  SmallVector<Type> types{makeTensor(input, sizes)};
  for (FakeTensorType state : *states)
    types.push_back(state.withoutMeta());
  return results(types);
}

//===----------------------------------------------------------------------===//
// Einstein sums
//===----------------------------------------------------------------------===//

namespace {
/// The sizes of the letters of an equation. `...` stands for dimensions that
/// broadcast.
struct Equation {
  std::map<char, ExprAttr> sizes;
  std::map<char, unsigned> uses;
  Sizes ellipsis;

  /// Binds a letter to a size. Returns false if the letter has another size; a
  /// size of 1 broadcasts.
  bool bind(char letter, ExprAttr size) {
    ++uses[letter];
    ExprAttr &known = sizes[letter];
    if (!known || Size(known).is(1))
      known = size;
    return Size(size).is(1) || !known.isProvablyDifferent(size);
  }

  /// Binds the subscripts of one operand to its sizes. Returns false if they do
  /// not match.
  bool bindOperand(StringRef subscripts, ArrayRef<ExprAttr> operand) {
    auto [front, back] = subscripts.split("...");
    bool hasEllipsis = subscripts.contains("...");
    if (hasEllipsis ? front.size() + back.size() > operand.size()
                    : subscripts.size() != operand.size())
      return false;
    if (!hasEllipsis)
      back = "";
    for (auto [letter, size] : llvm::zip(front, operand))
      if (!bind(letter, size))
        return false;
    for (auto [letter, size] : llvm::zip(back, operand.take_back(back.size())))
      if (!bind(letter, size))
        return false;
    if (!hasEllipsis)
      return true;
    std::optional<Sizes> merged = broadcast(
        ellipsis, operand.drop_front(front.size()).drop_back(back.size()));
    if (merged)
      ellipsis = *merged;
    return merged.has_value();
  }

  /// Returns the output of an equation without `->`: the dimensions of `...`,
  /// then the letters that occur once, in alphabetical order.
  std::string getDefaultOutput() const {
    std::string output = "...";
    for (auto [letter, count] : uses)
      if (count == 1)
        output += letter;
    return output;
  }
};
} // namespace

static InferredTypes inferEinsum(const OperatorView &call) {
  std::optional<StringRef> text = call.getArg("equation").getString();
  std::optional<SmallVector<FakeTensorType>> tensors =
      getTensors(call.getArg("tensors"));
  if (!text || !tensors || tensors->empty())
    return failure();
  std::string equationText = text->str();
  llvm::erase(equationText, ' ');
  auto [inputs, output] = StringRef(equationText).split("->");
  SmallVector<StringRef> subscripts;
  inputs.split(subscripts, ',');
  if (subscripts.size() != tensors->size())
    return failure();
  Equation equation;
  for (auto [subscript, tensor] : llvm::zip_equal(subscripts, *tensors))
    if (!equation.bindOperand(subscript, tensor.getSizes()))
      return failure();

  std::string result = StringRef(equationText).contains("->")
                           ? output.str()
                           : equation.getDefaultOutput();
  Sizes sizes;
  for (StringRef rest = result; !rest.empty();) {
    if (rest.consume_front("...")) {
      llvm::append_range(sizes, equation.ellipsis);
      continue;
    }
    auto it = equation.sizes.find(rest.front());
    if (it == equation.sizes.end())
      return failure();
    sizes.push_back(it->second);
    rest = rest.drop_front();
  }
  TypePromotion promotion(call.getContext());
  for (FakeTensorType tensor : *tensors)
    promotion.addTensor(tensor.getDtype(), tensor.getRank());
  // A sum of integers has dtype int64, a product keeps the dtype. Which of them
  // gives the result depends on the equation, so infer int64 only.
  if (promotion.getResult() && isIntDtype(promotion.getResult()) &&
      !promotion.getResult().isInteger(64))
    return failure();
  return shape::result(
      makeTensor(tensors->front(), sizes, promotion.getResult()));
}

//===----------------------------------------------------------------------===//
// Others
//===----------------------------------------------------------------------===//

static InferredTypes inferGlu(const OperatorView &call) {
  FakeTensorType self = getTensor(call.getArg(0u));
  if (!self || self.getRank() == 0)
    return failure();
  std::optional<int64_t> dim = wrapDim(call.getArg("dim"), self.getRank());
  if (!dim)
    return failure();
  Sizes sizes(self.getSizes());
  sizes[*dim] = Size(sizes[*dim]).floorDiv(2);
  return result(makeTensor(self, sizes));
}

/// `reduction`: 0 keeps the sizes, 1 is the mean, 2 the sum.
static InferredTypes inferLoss(const OperatorView &call) {
  FakeTensorType self = getTensor(call.getArg(0u)),
                 target = getTensor(call.getArg("target"));
  std::optional<int64_t> reduction = call.getArg("reduction").getInt();
  if (!self || !target || !reduction)
    return failure();
  // l1_loss is a composite operator and treats other values as 0.
  bool isL1 = call.getSchema().getName() == "aten.l1_loss.default";
  if ((*reduction < 0 || *reduction > 2) && !isL1)
    return refuse("expected a reduction from 0 to 2, got " + Twine(*reduction));
  std::optional<Sizes> sizes = broadcast(self.getSizes(), target.getSizes());
  // A 0-d tensor takes part in promotion by its category only.
  Type dtype = getPromotedDtype({call.getArg(0u), call.getArg("target")});
  if (!sizes || !dtype)
    return failure();
  if (isL1)
    dtype = toRealDtype(dtype);
  return result(makeTensor(
      self, *reduction == 1 || *reduction == 2 ? Sizes() : *sizes, dtype));
}

static InferredTypes inferNativeDropout(const OperatorView &call) {
  FakeTensorType self = getTensor(call.getArg(0u));
  if (!self)
    return failure();
  return results(
      {self.withoutMeta(), makeTensor(self, self.getSizes(),
                                      IntegerType::get(call.getContext(), 1))});
}

/// The results are the scale and the zero point, each of one element.
static InferredTypes inferChooseQParams(const OperatorView &call) {
  FakeTensorType self = getTensor(call.getArg(0u));
  ExprAttr one = makeSize(call.getContext(), 1);
  return results(
      {makeTensor(self, one, Float64Type::get(call.getContext())),
       makeTensor(self, one, IntegerType::get(call.getContext(), 64))});
}

/// The query is [B, H, L, E]. The results are the attention and the log-sum-exp
/// of each row, [B, H, L].
static InferredTypes inferFlashAttentionCpu(const OperatorView &call) {
  FakeTensorType query = getTensor(call.getArg("query"));
  if (!query || query.getRank() != 4)
    return failure();
  Type rowType = getComputeDtype(query.getDtype());
  return results({query.withoutMeta(),
                  makeTensor(query, query.getSizes().drop_back(), rowType)});
}

void fx::registerCompositeShapes(HookTable<ShapeRule> &hooks) {
  hooks.add(inferRecurrent, {"aten.lstm.input", "aten.gru.input",
                             "aten.rnn_tanh.input", "aten.rnn_relu.input"});
  hooks.add(inferEinsum, {"aten.einsum.default"});
  hooks.add(inferGlu, {"aten.glu.default"});
  hooks.add(inferLoss,
            {"aten.mse_loss.default", "aten.l1_loss.default",
             "aten.smooth_l1_loss.default", "aten.huber_loss.default"});
  hooks.add(inferNativeDropout, {"aten.native_dropout.default"});
  hooks.add(inferChooseQParams,
            {"quantized_decomposed.choose_qparams.tensor",
             "quantized_decomposed.choose_qparams_symmetric.tensor"});
  hooks.add(inferFlashAttentionCpu,
            {"aten._scaled_dot_product_flash_attention_for_cpu.default"});
  hooks.add(sameAsFirst, {"aten._fft_c2c.default", "aten.rrelu.default"});
}
