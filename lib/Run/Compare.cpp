//===- Compare.cpp - are two results the same? ----------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Compare.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>
#include <cstring>

namespace fx {

namespace {
/// The format and tolerance of the real numbers of a dtype. A complex number
/// consists of two.
struct RealFormat {
  const llvm::fltSemantics *semantics = nullptr; // null: not floating-point
  unsigned bytes = 0;
  double tolerance = 0;
};
} // namespace

static RealFormat getFormat(DType dtype) {
  using F = llvm::APFloat;
  switch (dtype) {
  case DType::F16:
  case DType::C32:
    return {&F::IEEEhalf(), 2, 4e-3};
  case DType::BF16:
    return {&F::BFloat(), 2, 3e-2};
  case DType::F32:
  case DType::C64:
    return {&F::IEEEsingle(), 4, 1e-4};
  case DType::F64:
  case DType::C128:
    return {&F::IEEEdouble(), 8, 1e-7};
  case DType::F8E4M3FN:
    return {&F::Float8E4M3FN(), 1, 0.13};
  case DType::F8E5M2:
    return {&F::Float8E5M2(), 1, 0.26};
  case DType::F8E4M3FNUZ:
    return {&F::Float8E4M3FNUZ(), 1, 0.13};
  case DType::F8E5M2FNUZ:
    return {&F::Float8E5M2FNUZ(), 1, 0.26};
  default:
    return {};
  }
}

double getTolerance(DType dtype) { return getFormat(dtype).tolerance; }

static double readReal(const char *data, const RealFormat &format) {
  if (format.bytes == 8) {
    double value;
    memcpy(&value, data, 8);
    return value;
  }
  if (format.bytes == 4) {
    float value;
    memcpy(&value, data, 4);
    return value;
  }
  uint64_t bits = 0;
  memcpy(&bits, data, format.bytes);
  llvm::APFloat value(*format.semantics, llvm::APInt(format.bytes * 8, bits));
  bool inexact;
  value.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven,
                &inexact);
  return value.convertToDouble();
}

/// Returns the position of the i-th element as text, such as "[1, 2]".
static std::string getPosition(const HostTensor &t, int64_t i) {
  llvm::SmallVector<int64_t> index(t.sizes.size());
  for (size_t d = t.sizes.size(); d-- > 0; i /= t.sizes[d])
    index[d] = i % t.sizes[d];
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "[";
  llvm::interleaveComma(index, os);
  os << "]";
  return text;
}

static std::string describe(int64_t wrong, const HostTensor &t, int64_t first,
                            const std::string &got, const std::string &want) {
  return std::to_string(wrong) + " of " + std::to_string(t.getNumElements()) +
         " elements differ, the first at " + getPosition(t, first) + ": got " +
         got + ", expected " + want;
}

static std::string toText(double value) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << llvm::format("%.9g", value);
  return text;
}

static std::optional<std::string> compareReals(const HostTensor &got,
                                               const HostTensor &want,
                                               const RealFormat &format) {
  int64_t parts = getByteSize(want.dtype) / format.bytes;
  int64_t count = want.getNumElements() * parts;
  double squares = 0;
  int64_t finite = 0;
  for (int64_t i = 0; i < count; ++i) {
    double w = readReal(want.data.get() + i * format.bytes, format);
    if (std::isfinite(w)) {
      squares += w * w;
      ++finite;
    }
  }
  double rms = finite ? std::sqrt(squares / finite) : 0;
  int64_t wrong = 0, first = 0;
  double firstGot = 0, firstWant = 0;
  for (int64_t i = 0; i < count; ++i) {
    double g = readReal(got.data.get() + i * format.bytes, format);
    double w = readReal(want.data.get() + i * format.bytes, format);
    bool same = g == w || (std::isnan(g) && std::isnan(w)) ||
                (std::isfinite(w) &&
                 std::fabs(g - w) <= format.tolerance * (std::fabs(w) + rms));
    if (same)
      continue;
    if (wrong++ == 0) {
      first = i / parts;
      firstGot = g;
      firstWant = w;
    }
  }
  if (!wrong)
    return std::nullopt;
  return describe(wrong, want, first, toText(firstGot), toText(firstWant));
}

static std::string toHex(const char *data, unsigned bytes) {
  uint64_t bits = 0;
  memcpy(&bits, data, std::min(bytes, 8u));
  std::string text;
  llvm::raw_string_ostream os(text);
  os << llvm::format_hex(bits, 4);
  return text;
}

std::optional<std::string> findDifference(const HostTensor &got,
                                          const HostTensor &want) {
  if (got.dtype != want.dtype || got.sizes != want.sizes)
    return "got " + got.describe() + ", expected " + want.describe();
  RealFormat format = getFormat(want.dtype);
  if (format.semantics)
    return compareReals(got, want, format);
  unsigned bytes = getByteSize(want.dtype);
  int64_t wrong = 0, first = 0;
  for (int64_t i = 0, e = want.getNumElements(); i < e; ++i)
    if (memcmp(got.data.get() + i * bytes, want.data.get() + i * bytes,
               bytes) &&
        wrong++ == 0)
      first = i;
  if (!wrong)
    return std::nullopt;
  return describe(wrong, want, first,
                  toHex(got.data.get() + first * bytes, bytes),
                  toHex(want.data.get() + first * bytes, bytes));
}

std::optional<std::string> findDifference(const HostValue &got,
                                          const HostValue &want) {
  if (!got || !want) {
    if (got || want)
      return std::string("got ") + (got ? got->describe() : "None") +
             ", expected " + (want ? want->describe() : "None");
    return std::nullopt;
  }
  return findDifference(*got, *want);
}

} // namespace fx
