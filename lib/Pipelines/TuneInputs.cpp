//===- TuneInputs.cpp - inputs of the runs that tuning measures -----------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TuneInputs.h"
#include "fx/IR/FXDialect.h"
#include "fx/Pipelines/CompileError.h"
#include "fx/Runtime/model.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

#include <random>

using namespace fx;

static llvm::Error fail(const llvm::Twine &text) {
  return CompileError::make(CompileError::Kind::Input, "--tune: " + text);
}

llvm::Expected<llvm::StringMap<int64_t>>
fx::getTuneSizes(const cpu::ModelDescription &model,
                 const CompileOptions &options) {
  llvm::SetVector<llvm::StringRef> symbols;
  auto add = [&](llvm::StringRef name) { symbols.insert(name); };
  for (const cpu::ValueDescription &input : model.inputs) {
    for (ExprAttr size : input.sizes)
      size.walkSymbols(add);
    if (input.value)
      input.value.walkSymbols(add);
  }
  llvm::StringMap<int64_t> sizes;
  for (const auto &[name, size] : options.tuneSizes) {
    if (!symbols.contains(name))
      return fail(
          "expected the size of a symbol of the inputs (" +
          (symbols.empty() ? "there are none" : llvm::join(symbols, ", ")) +
          "), got '" + name + "'");
    sizes[name] = size;
  }
  for (llvm::StringRef name : symbols)
    if (!sizes.count(name))
      return fail("expected sizes for the measurement of a model with dynamic "
                  "sizes; pass --tune-size=" +
                  name + "=N");
  return sizes;
}

/// The number of different elements of an input.
static constexpr int kElements = 1021;

/// Returns random floats in the format `semantics`, as bytes.
static std::vector<char> drawFloats(const llvm::fltSemantics &semantics) {
  std::mt19937 generator(0);
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<char> bytes;
  for (int i = 0; i < kElements; ++i) {
    llvm::APFloat value(uniform(generator));
    bool losesInfo;
    value.convert(semantics, llvm::APFloat::rmNearestTiesToEven, &losesInfo);
    llvm::APInt bits = value.bitcastToAPInt();
    uint64_t word = bits.getZExtValue();
    const char *from = reinterpret_cast<const char *>(&word);
    bytes.insert(bytes.end(), from, from + bits.getBitWidth() / 8);
  }
  return bytes;
}

/// Returns the format of the elements of a dtype, or of the parts of a complex
/// one; null if it has no random values.
static const llvm::fltSemantics *getSemantics(const kernel::Dtype &dtype) {
  int bits = dtype.code == kDLComplex ? dtype.bits / 2 : dtype.bits;
  if (dtype.code == kDLBfloat)
    return &llvm::APFloat::BFloat();
  if (dtype.code != kDLFloat && dtype.code != kDLComplex)
    return nullptr;
  return bits == 16   ? &llvm::APFloat::IEEEhalf()
         : bits == 32 ? &llvm::APFloat::IEEEsingle()
         : bits == 64 ? &llvm::APFloat::IEEEdouble()
                      : nullptr;
}

llvm::Expected<TuneInput>
fx::makeTuneInput(const cpu::ValueDescription &value,
                  const llvm::StringMap<int64_t> &sizes) {
  auto lookup = [&](llvm::StringRef name) -> std::optional<int64_t> {
    auto it = sizes.find(name);
    return it == sizes.end() ? std::nullopt : std::optional(it->second);
  };
  TuneInput input;
  int64_t bytes = (value.dtype.bits + 7) / 8;
  for (ExprAttr size : value.sizes) {
    std::optional<int64_t> number = size.evaluate(lookup);
    if (!number || *number < 0 || llvm::MulOverflow(bytes, *number, bytes))
      return fail("input '" + value.name +
                  "': expected a size that can be allocated, got " +
                  cpu::getText(size));
    input.sizes.push_back(*number);
  }
  input.strides.assign(input.sizes.size(), 1);
  for (unsigned d = input.sizes.size(); d-- > 1;)
    input.strides[d - 1] = input.strides[d] * input.sizes[d];
  // An empty tensor has an address, too.
  input.bytes.resize(std::max<int64_t>(bytes, 8));
  if (value.value && value.kind == FX_VALUE_INT) {
    int64_t number = value.value.evaluate(lookup).value_or(0);
    memcpy(input.bytes.data(), &number, sizeof number);
  } else if (const llvm::fltSemantics *semantics = getSemantics(value.dtype)) {
    std::vector<char> drawn = drawFloats(*semantics);
    for (size_t at = 0; at < input.bytes.size(); at += drawn.size())
      memcpy(input.bytes.data() + at, drawn.data(),
             std::min(drawn.size(), input.bytes.size() - at));
  }
  return input;
}
