//===- Prims.cpp - the operators of torch._prims --------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PyTorch defines the namespace `prims` in Python (torch/_prims/__init__.py is
// the reference), so LibTorch alone lacks it. Each prim is an ATen operator
// under another name, or a few ATen calls. Results have the dtypes that
// PyTorch's meta functions return, which are those that a graph records.
//
//===----------------------------------------------------------------------===//

#include "Operators.h"
#include <ATen/ATen.h>
#include <ATen/Dispatch_v2.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <limits>
#include <stdexcept>
#include <torch/csrc/jit/frontend/function_schema_parser.h>

using at::Tensor;
using c10::IValue;
using c10::ScalarType;
using torch::jit::Stack;

namespace fx::interp {

//===----------------------------------------------------------------------===//
// Renamed ATen operators
//===----------------------------------------------------------------------===//

namespace {
/// A prim with the arguments of an ATen operator, in the same order. The ATen
/// operator may have further arguments with defaults.
struct Renamed {
  const char *name, *aten, *overload;
};
/// A renamed ATen operator with the schema of the prim.
struct RenamedSchema {
  const char *schema, *aten, *overload;
};
} // namespace

/// Prims `(Tensor self) -> Tensor` that have the name of the ATen operator.
static const char *const sameUnary[] = {
    "abs",      "acos",        "acosh", "asin",  "asinh", "atan",
    "atanh",    "bitwise_not", "ceil",  "cos",   "cosh",  "digamma",
    "erf",      "erfc",        "exp",   "exp2",  "expm1", "floor",
    "isfinite", "lgamma",      "log",   "log10", "log1p", "log2",
    "neg",      "reciprocal",  "round", "rsqrt", "sign",  "signbit",
    "sin",      "sinh",        "sqrt",  "tan",   "tanh",  "trunc"};

/// Prims `(Tensor self) -> Tensor` that have another name.
static const Renamed unary[] = {
    {"bessel_i0", "i0"},
    {"bessel_i0e", "special_i0e"},
    {"bessel_i1", "special_i1"},
    {"bessel_i1e", "special_i1e"},
    {"bessel_j0", "special_bessel_j0"},
    {"bessel_j1", "special_bessel_j1"},
    {"conj_physical", "_conj_physical"},
    {"erf_inv", "erfinv"},
    {"erfcx", "special_erfcx"},
    {"ndtri", "special_ndtri"},
    {"spherical_bessel_j0", "special_spherical_bessel_j0"},
};

/// Prims `(Tensor self, Tensor other) -> Tensor`. If `aten` is null, the ATen
/// operator has the same name.
static const Renamed binary[] = {
    {"add", nullptr, "Tensor"},
    {"atan2"},
    {"bitwise_and", nullptr, "Tensor"},
    {"bitwise_or", nullptr, "Tensor"},
    {"bitwise_xor", nullptr, "Tensor"},
    {"eq", nullptr, "Tensor"},
    {"fmax"},
    {"fmin"},
    {"fmod", nullptr, "Tensor"},
    {"gcd"},
    {"ge", nullptr, "Tensor"},
    {"gt", nullptr, "Tensor"},
    {"hypot"},
    {"igamma"},
    {"igammac"},
    {"le", nullptr, "Tensor"},
    {"lt", nullptr, "Tensor"},
    {"maximum"},
    {"minimum"},
    {"mul", nullptr, "Tensor"},
    {"ne", nullptr, "Tensor"},
    {"nextafter"},
    {"pow", nullptr, "Tensor_Tensor"},
    {"remainder", nullptr, "Tensor"},
    {"shift_left", "bitwise_left_shift", "Tensor"},
    {"shift_right_arithmetic", "bitwise_right_shift", "Tensor"},
    {"sub", nullptr, "Tensor"},
    {"zeta", "special_zeta"},
};

static const RenamedSchema others[] = {
    {"as_strided(Tensor(a!) a, SymInt[] size, SymInt[] stride, SymInt "
     "storage_offset) -> Tensor(a!)",
     "as_strided"},
    {"as_strided_scatter(Tensor self, Tensor src, SymInt[] size, SymInt[] "
     "stride, SymInt storage_offset) -> Tensor",
     "as_strided_scatter"},
    {"cat(Tensor[] tensors, int dim) -> Tensor", "cat"},
    {"clone(Tensor self, *, MemoryFormat? memory_format=None) -> Tensor",
     "clone"},
    {"conj(Tensor(a) a) -> Tensor(a)", "conj"},
    {"copy_to(Tensor(a!) a, Tensor b) -> Tensor(a!)", "copy_"},
    {"fill(Tensor self, Scalar value) -> Tensor", "fill", "Scalar"},
    {"frexp(Tensor self) -> (Tensor mantissa, Tensor exponent)", "frexp",
     "Tensor"},
    {"imag(Tensor(a) self) -> Tensor(a)", "imag"},
    {"item(Tensor a) -> Scalar", "item"},
    {"real(Tensor(a) self) -> Tensor(a)", "real"},
    {"resize(Tensor(a!) a, SymInt[] shape) -> Tensor(a!)", "resize_"},
    {"rev(Tensor a, int[] dims) -> Tensor", "flip"},
    {"svd(Tensor A, *, bool full_matrices) -> (Tensor U, Tensor S, Tensor Vh)",
     "linalg_svd"},
    {"transpose(Tensor(a) a, int[] permutation) -> Tensor(a)", "permute"},
    {"view_of(Tensor(a) a) -> Tensor(a)", "alias"},
    {"view_of_dtype(Tensor(a) a, ScalarType dtype) -> Tensor(a)", "view",
     "dtype"},
    {"where(Tensor pred, Tensor a, Tensor b) -> Tensor", "where", "self"},
};

/// Returns a function that calls an ATen operator with `numArguments` arguments
/// from the stack and the defaults of the others.
static std::function<void(Stack &)>
callAten(const std::string &name, const char *overload, size_t numArguments) {
  auto handle = c10::Dispatcher::singleton().findSchemaOrThrow(
      ("aten::" + name).c_str(), overload ? overload : "");
  return [handle, numArguments](Stack &stack) {
    const auto &arguments = handle.schema().arguments();
    for (size_t i = numArguments; i < arguments.size(); ++i)
      stack.push_back(arguments[i].default_value().value_or(IValue()));
    handle.callBoxed(stack);
  };
}

//===----------------------------------------------------------------------===//
// Compositions of ATen operators
//===----------------------------------------------------------------------===//

namespace {
/// Pops the arguments of a call from the stack and reads them in order.
class Call {
public:
  Call(Stack &stack, size_t count)
      : stack(stack), args(stack.end() - count, stack.end()) {
    stack.resize(stack.size() - count);
  }
  const IValue &next() { return args[at++]; }
  Tensor tensor() { return next().toTensor(); }
  int64_t integer() { return next().toInt(); }
  std::vector<int64_t> ints() { return next().toIntVector(); }
  std::optional<std::vector<int64_t>> optionalInts() {
    const IValue &v = next();
    return v.isNone() ? std::nullopt
                      : std::optional<std::vector<int64_t>>(v.toIntVector());
  }
  std::optional<ScalarType> optionalType() {
    const IValue &v = next();
    return v.isNone() ? std::nullopt
                      : std::optional<ScalarType>(v.toScalarType());
  }
  /// Reads the next two arguments, dtype and device.
  at::TensorOptions options() {
    auto dtype = optionalType();
    const IValue &device = next();
    at::TensorOptions result = at::TensorOptions().dtype(dtype);
    return device.isNone() ? result : result.device(device.toDevice());
  }
  void finish(IValue result) { stack.push_back(std::move(result)); }

private:
  Stack &stack;
  std::vector<IValue> args;
  size_t at = 0;
};
} // namespace

static void cbrt(Stack &stack) {
  Call c(stack, 1);
  Tensor a = c.tensor();
  c.finish(at::copysign(a.abs().pow(1.0 / 3.0), a));
}

/// Integer division truncates.
static void div(Stack &stack) {
  Call c(stack, 2);
  Tensor a = c.tensor(), b = c.tensor();
  bool isInt = c10::isIntegralType(a.scalar_type(), /*includeBool=*/true);
  c.finish(isInt ? at::div(a, b, "trunc") : at::true_divide(a, b));
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

/// Returns the sizes of `a` with the dimensions from `start` to `end`,
/// including `end`, collapsed into one.
static std::vector<int64_t> collapsedSizes(const Tensor &a, int64_t start,
                                           int64_t end) {
  std::vector<int64_t> sizes = a.sizes().vec();
  if (sizes.empty())
    sizes.push_back(1);
  int64_t rank = sizes.size();
  require(start >= 0 && start <= end && end < rank,
          "expected 0 <= start <= end < " + std::to_string(rank) +
              ", got start " + std::to_string(start) + " and end " +
              std::to_string(end));
  for (int64_t i = start + 1; i <= end; ++i)
    sizes[start] *= sizes[i];
  sizes.erase(sizes.begin() + start + 1, sizes.begin() + end + 1);
  return sizes;
}

static void collapse(Stack &stack) {
  Call c(stack, 3);
  Tensor a = c.tensor();
  int64_t start = c.integer(), end = c.integer();
  c.finish(a.clone(at::MemoryFormat::Contiguous)
               .view(collapsedSizes(a, start, end)));
}
static void collapseView(Stack &stack) {
  Call c(stack, 3);
  Tensor a = c.tensor();
  int64_t start = c.integer(), end = c.integer();
  c.finish(a.view(collapsedSizes(a, start, end)));
}

static void splitDim(Stack &stack) {
  Call c(stack, 3);
  Tensor a = c.tensor();
  int64_t dim = c.integer(), outer = c.integer();
  require(dim >= 0 && dim < a.dim(), "expected a dim within the rank " +
                                         std::to_string(a.dim()) + ", got " +
                                         std::to_string(dim));
  std::vector<int64_t> sizes = a.sizes().vec();
  require(outer > 0 && sizes[dim] % outer == 0,
          "expected an outer_length that divides the size " +
              std::to_string(sizes[dim]) + ", got " + std::to_string(outer));
  sizes[dim] /= outer;
  sizes.insert(sizes.begin() + dim, outer);
  c.finish(a.view(sizes));
}

static void squeeze(Stack &stack) {
  Call c(stack, 2);
  Tensor a = c.tensor();
  std::vector<int64_t> dims = c.ints();
  for (int64_t dim : dims) {
    require(dim >= 0 && dim < a.dim(), "expected a dim within the rank " +
                                           std::to_string(a.dim()) + ", got " +
                                           std::to_string(dim));
    require(a.size(dim) == 1, "expected the size 1 in dimension " +
                                  std::to_string(dim) + ", got " +
                                  std::to_string(a.size(dim)));
  }
  std::sort(dims.begin(), dims.end());
  dims.erase(std::unique(dims.begin(), dims.end()), dims.end());
  c.finish(a.squeeze(dims));
}

static void broadcastInDim(Stack &stack) {
  Call c(stack, 3);
  Tensor a = c.tensor();
  std::vector<int64_t> shape = c.ints(), dims = c.ints();
  require(int64_t(dims.size()) == a.dim(),
          "expected a broadcast dimension for each of " +
              std::to_string(a.dim()) + ", got " + std::to_string(dims.size()));
  std::vector<bool> isOld(shape.size());
  int64_t last = -1;
  for (int64_t dim : dims) {
    require(dim > last && dim < int64_t(shape.size()),
            "expected ascending broadcast dimensions below " +
                std::to_string(shape.size()) + ", got " + std::to_string(dim));
    isOld[dim] = true;
    last = dim;
  }
  for (size_t i = 0; i < shape.size(); ++i)
    if (!isOld[i])
      a = a.unsqueeze(i);
  c.finish(a.expand(shape));
}

static void reshape(Stack &stack) {
  Call c(stack, 2);
  Tensor a = c.tensor();
  c.finish(a.reshape(c.ints()).clone(at::MemoryFormat::Contiguous));
}

static void copyStrided(Stack &stack) {
  Call c(stack, 2);
  Tensor a = c.tensor();
  c.finish(at::empty_strided(a.sizes(), c.ints(), a.options()).copy_(a));
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

static void sum(Stack &stack) {
  Call c(stack, 3);
  Tensor a = c.tensor();
  auto dims = c.optionalInts();
  ScalarType dtype = c.optionalType().value_or(a.scalar_type());
  c.finish(at::sum(a, at::OptionalIntArrayRef(dims), false, dtype));
}

static void prod(Stack &stack) {
  Call c(stack, 3);
  Tensor a = c.tensor();
  auto dims = c.optionalInts();
  ScalarType dtype = c.optionalType().value_or(a.scalar_type());
  if (!dims)
    return c.finish(at::prod(a, dtype));
  // Reduce the last dimension first, so that the positions of the others do not
  // change.
  std::sort(dims->rbegin(), dims->rend());
  a = a.to(dtype);
  for (int64_t dim : *dims)
    a = at::prod(a, dim, false, dtype);
  c.finish(dims->empty() ? a.clone() : a);
}

template <Tensor (*fn)(const Tensor &, at::IntArrayRef, bool)>
static void extremum(Stack &stack) {
  Call c(stack, 3);
  Tensor a = c.tensor();
  std::vector<int64_t> dims = c.optionalInts().value_or(std::vector<int64_t>());
  ScalarType dtype = c.optionalType().value_or(a.scalar_type());
  c.finish(fn(a, dims, false).to(dtype));
}

static void var(Stack &stack) {
  Call c(stack, 4);
  Tensor a = c.tensor();
  auto dims = c.optionalInts();
  const IValue &given = c.next();
  std::optional<at::Scalar> correction;
  if (!given.isNone())
    correction = given.toScalar();
  Tensor result = at::var(a, at::OptionalIntArrayRef(dims), correction, false);
  c.finish(result.to(c.optionalType().value_or(result.scalar_type())));
}

//===----------------------------------------------------------------------===//
// Creation
//===----------------------------------------------------------------------===//

static void empty(Stack &stack) {
  Call c(stack, 4);
  std::vector<int64_t> shape = c.ints();
  c.finish(at::empty(shape, c.options()));
}
static void emptyStrided(Stack &stack) {
  Call c(stack, 5);
  std::vector<int64_t> shape = c.ints(), strides = c.ints();
  c.finish(at::empty_strided(shape, strides, c.options()));
}
static void emptyPermuted(Stack &stack) {
  Call c(stack, 5);
  std::vector<int64_t> shape = c.ints(), layout = c.ints();
  c.finish(at::empty_permuted(shape, layout, c.options()));
}
static void full(Stack &stack) {
  Call c(stack, 5);
  std::vector<int64_t> shape = c.ints();
  at::Scalar value = c.next().toScalar();
  c.finish(at::full(shape, value, c.options()));
}
static void fullLike(Stack &stack) {
  Call c(stack, 5);
  Tensor a = c.tensor();
  at::Scalar value = c.next().toScalar();
  c.finish(at::full_like(a, value, c.options()));
}
static void scalarTensor(Stack &stack) {
  Call c(stack, 3);
  at::Scalar value = c.next().toScalar();
  at::TensorOptions options = c.options();
  require(!value.isComplex() ||
              c10::isComplexType(c10::typeMetaToScalarType(options.dtype())),
          "expected a complex dtype for a complex number");
  c.finish(at::scalar_tensor(value, options));
}
static void iota(Stack &stack) {
  Call c(stack, 6);
  int64_t length = c.integer(), start = c.integer(), step = c.integer();
  require(step != 0, "expected a step other than 0");
  c.finish(at::arange(start, start + length * step, step, c.options()));
}
static void normal(Stack &stack) {
  Call c(stack, 7);
  std::vector<int64_t> shape = c.ints();
  at::Scalar mean = c.next().toScalar(), deviation = c.next().toScalar();
  at::TensorOptions options = c.options();
  c.next();
  auto generator = c.next().toOptional<at::Generator>();
  c.finish(at::empty(shape, options)
               .normal_(mean.toDouble(), deviation.toDouble(), generator));
}
static void uniform(Stack &stack) {
  Call c(stack, 7);
  std::vector<int64_t> shape = c.ints();
  at::Scalar low = c.next().toScalar(), high = c.next().toScalar();
  at::TensorOptions options = c.options();
  std::vector<int64_t> strides = c.ints();
  auto generator = c.next().toOptional<at::Generator>();
  c.finish(at::empty_strided(shape, strides, options)
               .uniform_(low.toDouble(), high.toDouble(), generator));
}

/// Returns the greatest or least value of a dtype. A complex dtype has the
/// extremes of its parts.
template <bool isMaximum>
static void extremeValue(Stack &stack) {
  Call c(stack, 1);
  ScalarType type = c.next().toScalarType();
  if (type == ScalarType::Bool)
    return c.finish(isMaximum);
  AT_DISPATCH_V2(
      c10::toRealValueType(type), "extreme value", AT_WRAP([&] {
        using Limits = std::numeric_limits<scalar_t>;
        scalar_t value = isMaximum ? Limits::max() : Limits::lowest();
        if constexpr (std::is_integral_v<scalar_t>)
          c.finish(int64_t(value));
        else
          c.finish(double(value));
      }),
      AT_EXPAND(AT_ALL_TYPES), ScalarType::Half, ScalarType::BFloat16);
}

//===----------------------------------------------------------------------===//
// Fourier transforms and other operators
//===----------------------------------------------------------------------===//

static void fftR2C(Stack &stack) {
  Call c(stack, 3);
  Tensor a = c.tensor();
  std::vector<int64_t> dims = c.ints();
  c.finish(at::_fft_r2c(a, dims, 0, c.next().toBool()));
}
static void fftC2C(Stack &stack) {
  Call c(stack, 3);
  Tensor a = c.tensor();
  std::vector<int64_t> dims = c.ints();
  c.finish(at::_fft_c2c(a, dims, 0, c.next().toBool()));
}
static void fftC2R(Stack &stack) {
  Call c(stack, 3);
  Tensor a = c.tensor();
  std::vector<int64_t> dims = c.ints();
  c.finish(at::_fft_c2r(a, dims, 0, c.integer()));
}

static void devicePut(Stack &stack) {
  Call c(stack, 3);
  Tensor a = c.tensor();
  at::Device device = c.next().toDevice();
  c.finish(a.to(device, a.scalar_type(), c.next().toBool()));
}

static void convertElementType(Stack &stack) {
  Call c(stack, 2);
  Tensor a = c.tensor();
  c.finish(a.to(c.next().toScalarType()));
}

static void makeToken(Stack &stack) { stack.push_back(at::empty({0})); }
static void sinkTokens(Stack &stack) { stack.pop_back(); }

#define FX_REDUCTION                                                           \
  "(Tensor inp, int[]? dims, *, ScalarType? output_dtype=None) -> Tensor"
#define FX_OPTIONS "ScalarType dtype, Device device, bool requires_grad"

static const OwnOperator composed[] = {
    {"_make_token() -> Tensor", makeToken},
    {"_sink_tokens(Tensor[] tokens) -> ()", sinkTokens},
    {"amax" FX_REDUCTION, extremum<at::amax>},
    {"amin" FX_REDUCTION, extremum<at::amin>},
    {"broadcast_in_dim(Tensor(a) a, SymInt[] shape, int[] "
     "broadcast_dimensions) -> Tensor(a)",
     broadcastInDim},
    {"cbrt(Tensor self) -> Tensor", cbrt},
    {"collapse(Tensor a, int start, int end) -> Tensor", collapse},
    {"collapse_view(Tensor(a) a, int start, int end) -> Tensor(a)",
     collapseView},
    {"convert_element_type(Tensor a, ScalarType dtype) -> Tensor",
     convertElementType},
    {"copy_strided(Tensor a, SymInt[] stride) -> Tensor", copyStrided},
    {"device_put(Tensor a, Device device, bool non_blocking=False) -> Tensor",
     devicePut},
    {"div(Tensor self, Tensor other) -> Tensor", div},
    {"empty(SymInt[] shape, *, " FX_OPTIONS ") -> Tensor", empty},
    {"empty_permuted(SymInt[] shape, int[] physical_layout, *, " FX_OPTIONS
     ") -> Tensor",
     emptyPermuted},
    {"empty_strided(SymInt[] shape, SymInt[] strides, *, " FX_OPTIONS
     ") -> Tensor",
     emptyStrided},
    {"fft_c2c(Tensor self, *, int[] dim, bool forward) -> Tensor", fftC2C},
    {"fft_c2r(Tensor self, *, int[] dim, SymInt last_dim_size) -> Tensor",
     fftC2R},
    {"fft_r2c(Tensor self, *, int[] dim, bool onesided) -> Tensor", fftR2C},
    {"full(SymInt[] shape, Scalar fill_value, *, " FX_OPTIONS ") -> Tensor",
     full},
    {"full_like(Tensor a, Scalar fill_value, *, " FX_OPTIONS ") -> Tensor",
     fullLike},
    {"iota(SymInt length, *, SymInt start, SymInt step, " FX_OPTIONS
     ") -> Tensor",
     iota},
    {"maximum_value(ScalarType dtype) -> Scalar", extremeValue<true>},
    {"minimum_value(ScalarType dtype) -> Scalar", extremeValue<false>},
    {"normal(SymInt[] shape, *, Scalar mean, Scalar std, " FX_OPTIONS
     ", Generator? generator=None) -> Tensor",
     normal},
    {"prod" FX_REDUCTION, prod},
    {"reshape(Tensor a, SymInt[] shape) -> Tensor", reshape},
    {"scalar_tensor(Scalar s, *, ScalarType? dtype=None, Device? "
     "device=None) -> Tensor",
     scalarTensor},
    {"split_dim(Tensor(a) a, int dim, SymInt outer_length) -> Tensor(a)",
     splitDim},
    {"squeeze(Tensor(a) a, int[] dimensions) -> Tensor(a)", squeeze},
    {"sum" FX_REDUCTION, sum},
    {"uniform(SymInt[] shape, *, Scalar low, Scalar high, ScalarType dtype, "
     "Device device, SymInt[] stride, Generator? generator=None) -> Tensor",
     uniform},
    {"var(Tensor inp, int[]? dims, float? correction=1, *, ScalarType? "
     "output_dtype=None) -> Tensor",
     var},
};

//===----------------------------------------------------------------------===//
// Look-up
//===----------------------------------------------------------------------===//

static std::unique_ptr<Operator> make(const std::string &name,
                                      const std::string &schema,
                                      std::function<void(Stack &)> call) {
  auto op = std::make_unique<Operator>();
  op->target = "prims." + name + ".default";
  op->ownSchema = std::make_unique<c10::FunctionSchema>(
      torch::jit::parseSchema("prims::" + schema));
  op->schema = op->ownSchema.get();
  op->call = std::move(call);
  return op;
}

static bool isOf(const char *schema, const std::string &name) {
  return std::string_view(schema).substr(0, name.size() + 1) == name + "(";
}

std::unique_ptr<Operator> makePrim(const std::string &name) {
  for (const OwnOperator &own : composed)
    if (isOf(own.schema, name))
      return make(name, own.schema, own.call);
  auto atenName = [&](const char *aten) { return aten ? aten : name.c_str(); };
  const std::string takesOne = name + "(Tensor self) -> Tensor";
  for (const char *same : sameUnary)
    if (same == name)
      return make(name, takesOne, callAten(name, nullptr, 1));
  for (const Renamed &op : unary)
    if (op.name == name)
      return make(name, takesOne, callAten(op.aten, op.overload, 1));
  for (const Renamed &op : binary)
    if (op.name == name)
      return make(name, name + "(Tensor self, Tensor other) -> Tensor",
                  callAten(atenName(op.aten), op.overload, 2));
  for (const RenamedSchema &op : others)
    if (isOf(op.schema, name)) {
      auto made = make(name, op.schema, nullptr);
      made->call =
          callAten(op.aten, op.overload, made->schema->arguments().size());
      return made;
    }
  return nullptr;
}

} // namespace fx::interp
