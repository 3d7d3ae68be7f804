//===- Gptq.cpp - rounding that compensates its errors --------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// GPTQ: E. Frantar, S. Ashkboos, T. Hoefler, D. Alistarh, "GPTQ: accurate
// post-training quantization for generative pre-trained transformers", 2022.
//
// The squared error of a row w of the weight is d H dᵀ, where d is the error of
// the row and H the sum of xᵀx over the inputs. Rounding the elements from the
// first to the last, each error is compensated by the elements behind it. With
// the upper Cholesky factor U of H⁻¹, the best change of these for an error e
// of element i is -e U[i, i + 1 …] / U[i, i].
//
//===----------------------------------------------------------------------===//

#include "Gptq.h"

#include <cmath>

using namespace fx;

/// Relative to the mean of the diagonal of H, as in the paper: elements of
/// inputs that are linearly dependent need it.
static constexpr double kDamping = 0.01;

namespace {
/// A square matrix in rows.
struct Matrix {
  int64_t size;
  std::vector<double> values;

  double *row(int64_t i) { return values.data() + i * size; }
};
} // namespace

/// Replaces a symmetric matrix, given by its upper triangle, by its lower
/// Cholesky factor. Returns false if it is not positive definite.
static bool factor(Matrix &m) {
  // Row i of the factor needs rows above it only, so that all loops walk rows.
  for (int64_t i = 0; i < m.size; ++i)
    for (int64_t j = 0; j < i; ++j)
      m.row(i)[j] = m.row(j)[i];
  for (int64_t i = 0; i < m.size; ++i) {
    double *a = m.row(i);
    for (int64_t j = 0; j <= i; ++j) {
      const double *b = m.row(j);
      double sum = a[j];
      for (int64_t k = 0; k < j; ++k)
        sum -= a[k] * b[k];
      if (i != j) {
        a[j] = sum / b[j];
      } else {
        if (!(sum > 0) || std::isinf(sum))
          return false;
        a[j] = std::sqrt(sum);
      }
    }
    std::fill(a + i + 1, a + m.size, 0.0);
  }
  return true;
}

/// Replaces a lower triangular matrix by its inverse.
static void invert(Matrix &m) {
  for (int64_t i = 0; i < m.size; ++i) {
    double *a = m.row(i);
    std::vector<double> out(i + 1, 0.0);
    for (int64_t k = 0; k < i; ++k) {
      const double *b = m.row(k); // inverted
      double f = a[k];
      for (int64_t j = 0; j <= k; ++j)
        out[j] -= f * b[j];
    }
    double diagonal = a[i];
    for (int64_t j = 0; j < i; ++j)
      a[j] = out[j] / diagonal;
    a[i] = 1 / diagonal;
  }
}

/// Returns the upper factor U of H⁻¹ = Uᵀ U, or nullopt if H cannot be
/// factored. `h` is given by its upper triangle.
static std::optional<Matrix> getUpperFactor(Matrix h) {
  // With J, which reverses rows and columns, J H J = L Lᵀ gives H = (J L J)
  // (J L J)ᵀ. So H⁻¹ = Uᵀ U with U = (J L J)⁻¹ = J L⁻¹ J, which is upper.
  int64_t n = h.size;
  Matrix reversed{n, std::vector<double>(n * n)};
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = i; j < n; ++j)
      reversed.row(n - 1 - j)[n - 1 - i] = h.row(i)[j];
  if (!factor(reversed))
    return std::nullopt;
  invert(reversed);
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < n; ++j)
      h.row(i)[j] = reversed.row(n - 1 - i)[n - 1 - j];
  return h;
}

/// Returns the largest magnitude of the values in `type`'s scale.
static QuantParams chooseParamsOf(const double *values, int64_t count,
                                  const QuantType &type) {
  FloatRange range;
  for (int64_t i = 0; i < count; ++i) {
    range.min = std::min(range.min, float(values[i]));
    range.max = std::max(range.max, float(values[i]));
  }
  return chooseParams(range, type);
}

std::optional<QuantizedWeight>
fx::quantizeWeightGptq(const HostTensor &weight, const Moment &moment,
                       const QuantizationConfig &config) {
  if (weight.sizes.size() != 2 || weight.sizes[1] != moment.size ||
      int64_t(moment.sums.size()) != moment.size * moment.size)
    return std::nullopt;
  int64_t rows = weight.sizes[0], n = moment.size;
  Matrix h{n, moment.sums};
  double mean = 0;
  for (int64_t i = 0; i < n; ++i)
    mean += h.row(i)[i] / double(n);
  if (!(mean > 0) || std::isinf(mean))
    return std::nullopt;
  for (int64_t i = 0; i < n; ++i)
    h.row(i)[i] += kDamping * mean;
  std::optional<Matrix> upper = getUpperFactor(std::move(h));
  if (!upper)
    return std::nullopt;

  QuantType type = QuantType::weight(config.weightBits);
  int64_t size = config.groupSize ? config.groupSize : n, groups = n / size;
  QuantizedWeight result;
  result.values = HostTensor::allocate(DType::I8, weight.sizes);
  llvm::SmallVector<int64_t> sizes = {rows};
  if (config.groupSize)
    sizes.push_back(groups);
  result.scales = HostTensor::allocate(DType::F32, sizes);
  auto *in = reinterpret_cast<const float *>(weight.data.get());
  auto *out = reinterpret_cast<int8_t *>(result.values.data.get());
  auto *scales = reinterpret_cast<float *>(result.scales->data.get());
  std::vector<double> w(n);
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t i = 0; i < n; ++i) {
      w[i] = in[r * n + i];
      if (!std::isfinite(w[i]))
        return std::nullopt;
    }
    QuantParams params;
    for (int64_t i = 0; i < n; ++i) {
      // The scale of a group fits its values as the errors before changed them.
      if (i % size == 0) {
        params = chooseParamsOf(w.data() + i, size, type);
        if (config.groupSize)
          params.scale = roundScale(params.scale);
        scales[r * groups + i / size] = params.scale;
      }
      int64_t q = quantizeValue(float(w[i]), params, type);
      out[r * n + i] = static_cast<int8_t>(q);
      const double *u = upper->row(i);
      double error = (w[i] - double(q) * params.scale) / u[i];
      for (int64_t k = i + 1; k < n; ++k)
        w[k] -= error * u[k];
    }
  }
  if (config.groupSize)
    narrowScales(*result.scales);
  return result;
}
