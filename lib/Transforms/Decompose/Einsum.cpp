//===- Einsum.cpp - einsum as a batched matmul ----------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Follows the algorithm of at::native::einsum (ATen/native/Linear.cpp): each
// operand is permuted to one common order of labels, and pairs of operands are
// contracted from left to right. A pair becomes one bmm. Its batch dimension
// merges the labels that both operands have and that a later operand or the
// result needs. Its other dimensions merge the labels of the left operand only,
// the contracted labels, and the labels of the right operand only.
//
//===----------------------------------------------------------------------===//

#include "Decompose.h"

#include "fx/Operators/aten/bmm.h"
#include "fx/Operators/aten/diagonal.h"
#include "fx/Operators/aten/einsum.h"
#include "fx/Operators/aten/permute.h"
#include "fx/Operators/aten/reshape.h"
#include "fx/Operators/aten/squeeze.h"
#include "fx/Operators/aten/sum.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace fx;

namespace {

/// A tensor whose dimensions carry labels, all different.
struct Labelled {
  Value tensor;
  std::string labels;
};

class EinsumBuilder {
public:
  explicit EinsumBuilder(Decomposer &d) : d(d) {}

  /// Permutes the dimensions of `x` to the given order of labels.
  Value permute(const Labelled &x, StringRef order) {
    if (x.labels == order)
      return x.tensor;
    SmallVector<int64_t> dims;
    for (char label : order)
      dims.push_back(x.labels.find(label));
    return d.call<aten::Permute>(x.tensor, dims);
  }

  /// Replaces each pair of dimensions with the same label by its diagonal,
  /// which becomes the last dimension.
  void takeDiagonals(Value &tensor, std::string &labels) {
    for (size_t i = 0; i < labels.size() && tensor;) {
      size_t other = labels.find(labels[i], i + 1);
      if (other == std::string::npos) {
        ++i;
        continue;
      }
      tensor = d.call<aten::Diagonal>(tensor, 0, int64_t(i), int64_t(other));
      labels += labels[i];
      labels.erase(other, 1);
      labels.erase(i, 1);
    }
  }

  /// Drops the dimensions of size 1 whose label has another size in another
  /// operand, to which ATen broadcasts them.
  void dropBroadcast(Value &tensor, std::string &labels,
                     const llvm::DenseMap<char, ExprAttr> &sizes) {
    for (size_t i = labels.size(); i-- > 0 && tensor;)
      if (d.staticSize(tensor, i) == 1 &&
          sizes.lookup(labels[i]).getInteger() != 1) {
        tensor = d.call<aten::SqueezeDim>(tensor, int64_t(i));
        labels.erase(i, 1);
      }
  }

  /// Sums `x` over the labels that are not in `keep`.
  Labelled reduce(Labelled x, StringRef keep) {
    SmallVector<int64_t> dims;
    std::string rest;
    for (auto [i, label] : llvm::enumerate(x.labels))
      if (keep.contains(label))
        rest += label;
      else
        dims.push_back(i);
    if (dims.empty())
      return x;
    return {d.call<aten::SumDimIntList>(x.tensor, dims), rest};
  }

  /// Permutes `x` and merges the dimensions of each group of labels into one.
  /// Returns null if reshape cannot infer the unknown sizes of the groups.
  Value group(const Labelled &x, ArrayRef<std::string> groups) {
    std::string order = llvm::join(groups, "");
    Value permuted = permute(x, order);
    if (!permuted)
      return {};
    // One merged group can have an unknown size: reshape infers it from -1.
    SmallVector<ArgumentRef> sizes;
    bool unknown = false;
    size_t next = 0;
    for (const std::string &labels : groups) {
      if (labels.size() == 1) {
        sizes.push_back(d.size(permuted, next++));
        continue;
      }
      int64_t product = 1;
      for (size_t i = 0; i < labels.size(); ++i) {
        std::optional<int64_t> size = d.staticSize(permuted, next++);
        product = size && product >= 0 ? product * *size : -1;
      }
      if (product < 0 && unknown)
        return {};
      unknown |= product < 0;
      sizes.push_back(product);
    }
    return d.call<aten::Reshape>(permuted, sizes);
  }

  /// Contracts `x` and `y` by one bmm. `keep` holds the labels that the result
  /// or a later operand needs.
  Labelled contract(Labelled x, Labelled y, StringRef keep) {
    auto filter = [](StringRef labels, auto predicate) {
      std::string result;
      for (char label : labels)
        if (predicate(label))
          result += label;
      return result;
    };
    x = reduce(x, (y.labels + keep).str());
    y = reduce(y, (x.labels + keep).str());
    if (!x.tensor || !y.tensor)
      return {};
    auto inX = [&](char c) { return x.labels.find(c) != std::string::npos; };
    auto inY = [&](char c) { return y.labels.find(c) != std::string::npos; };
    std::string batch =
        filter(x.labels, [&](char c) { return inY(c) && keep.contains(c); });
    std::string inner =
        filter(x.labels, [&](char c) { return inY(c) && !keep.contains(c); });
    std::string left = filter(x.labels, [&](char c) { return !inY(c); });
    std::string right = filter(y.labels, [&](char c) { return !inX(c); });
    Value a = group(x, {batch, left, inner});
    Value b = group(y, {batch, inner, right});
    if (!a || !b)
      return {};
    Value product = d.call<aten::Bmm>(a, b);
    SmallVector<ArgumentRef> sizes;
    for (char label : batch + left)
      sizes.push_back(d.size(x.tensor, x.labels.find(label)));
    for (char label : right)
      sizes.push_back(d.size(y.tensor, y.labels.find(label)));
    return {d.call<aten::Reshape>(product, sizes), batch + left + right};
  }

private:
  Decomposer &d;
};

/// Replaces each ellipsis in `text` by one label (a digit) for each of its
/// dimensions. Ellipses are aligned at the right. Returns false if an ellipsis
/// is malformed or stands for more than 10 dimensions.
bool expandEllipses(std::string &text, ArrayRef<int64_t> ranks) {
  auto [left, right] = StringRef(text).split("->");
  SmallVector<StringRef> parts;
  left.split(parts, ',');
  if (parts.size() != ranks.size())
    return false;
  auto isEllipsis = [](StringRef part) {
    return part.count('.') == 3 && part.contains("...");
  };
  int64_t longest = 0;
  for (auto [part, rank] : llvm::zip(parts, ranks)) {
    if (!part.contains('.'))
      continue;
    int64_t count = rank - (int64_t(part.size()) - 3);
    if (!isEllipsis(part) || count < 0 || count > 10)
      return false;
    longest = std::max(longest, count);
  }
  StringRef digits = StringRef("0123456789").take_front(longest);
  auto replace = [&](StringRef part, StringRef by) {
    auto [before, after] = part.split("...");
    return part.contains("...") ? (before + by + after).str() : part.str();
  };
  SmallVector<std::string> all;
  for (auto [part, rank] : llvm::zip(parts, ranks))
    all.push_back(replace(part, digits.take_back(std::max<int64_t>(
                                    rank - (int64_t(part.size()) - 3), 0))));
  std::string result = llvm::join(all, ",");
  if (right.contains('.') && !isEllipsis(right))
    return false;
  if (StringRef(text).contains("->"))
    result += "->" + replace(right, digits);
  text = result;
  return true;
}

/// Splits `ij,jk->ik` into the labels of the operands and of the result.
/// Returns false if the equation is not valid or not supported.
bool parse(StringRef equation, ArrayRef<int64_t> ranks,
           SmallVectorImpl<std::string> &inputs, std::string &output) {
  std::string text;
  for (char c : equation)
    if (c != ' ')
      text += c;
  if (StringRef(text).contains('.') && !expandEllipses(text, ranks))
    return false;
  auto [left, right] = StringRef(text).split("->");
  SmallVector<StringRef> parts;
  left.split(parts, ',');
  for (StringRef part : parts)
    inputs.push_back(part.str());
  if (StringRef(text).contains("->")) {
    output = right.str();
  } else {
    // Without an arrow, the result has the dimensions of the ellipsis, followed
    // by the labels that occur once, in alphabetical order.
    for (char label : StringRef("0123456789"))
      if (left.contains(label))
        output += label;
    for (char label :
         llvm::concat<const char>(StringRef("ABCDEFGHIJKLMNOPQRSTUVWXYZ"),
                                  StringRef("abcdefghijklmnopqrstuvwxyz")))
      if (left.count(label) == 1)
        output += label;
  }
  auto distinct = [](StringRef labels) {
    return llvm::all_of(labels, [&](char c) {
      return llvm::isAlnum(c) && labels.count(c) == 1;
    });
  };
  auto known = [](StringRef labels) {
    return llvm::all_of(labels, [](char c) { return llvm::isAlnum(c); });
  };
  return inputs.size() == ranks.size() && llvm::all_of(inputs, known) &&
         distinct(output) &&
         llvm::all_of(output, [&](char c) { return left.contains(c); });
}

LogicalResult decomposeEinsum(aten::Einsum op, Decomposer &d,
                              SmallVectorImpl<Value> &results) {
  auto equation = dyn_cast_if_present<StringAttr>(op.equation().tree);
  SmallVector<Value> tensors(op.tensors().operands);
  SmallVector<std::string> inputs;
  std::string output;
  SmallVector<int64_t> ranks;
  for (Value tensor : tensors)
    ranks.push_back(d.rank(tensor));
  if (!equation || tensors.empty() || !op.path().isNone() ||
      !parse(equation.getValue(), ranks, inputs, output))
    return failure();
  // Equal labels must have equal sizes. Between operands, a size of 1 is
  // broadcast.
  llvm::DenseMap<char, ExprAttr> sizes;
  for (auto [tensor, labels] : llvm::zip(tensors, inputs)) {
    ArrayRef<ExprAttr> own = d.type(tensor).getSizes();
    if (own.size() != labels.size())
      return failure();
    for (auto [size, label] : llvm::zip(own, labels)) {
      ExprAttr &known = sizes.try_emplace(label, size).first->second;
      if (known.getInteger() == 1)
        known = size;
      if (size != own[labels.find(label)] ||
          (size != known && size.getInteger() != 1))
        return failure();
    }
  }
  EinsumBuilder b(d);
  for (auto [tensor, labels] : llvm::zip(tensors, inputs)) {
    b.takeDiagonals(tensor, labels);
    b.dropBroadcast(tensor, labels, sizes);
    if (!tensor)
      return failure();
  }
  Labelled acc{tensors[0], inputs[0]};
  for (size_t i = 1; i < tensors.size() && acc.tensor; ++i) {
    std::string keep = output;
    for (size_t j = i + 1; j < tensors.size(); ++j)
      keep += inputs[j];
    acc = b.contract(acc, {tensors[i], inputs[i]}, keep);
  }
  if (!acc.tensor)
    return failure();
  acc = b.reduce(acc, output);
  if (!acc.tensor)
    return failure();
  results.push_back(b.permute(acc, output));
  return success();
}

} // namespace

void fx::registerEinsumDecompositions(HookTable<Decomposition> &hooks) {
  hooks.add<aten::Einsum, decomposeEinsum>();
}
