//===- TorchBoundary.cpp - between LibTorch's types and ours --------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TorchBoundary.h"
#include "fx/IR/FXDialect.h"
#include <ATen/ops/empty.h>
#include <cstring>

using c10::ScalarType;
using Kind = fx::interp::ArgumentPlan::Kind;

namespace fx::interp {

ScalarType toScalarType(DType dtype) {
  return parseDTypeName(getName(dtype).str());
}

DType fromScalarType(ScalarType type) {
  for (unsigned i = 0; i <= static_cast<unsigned>(DType::F8E8M0FNU); ++i)
    if (toScalarType(static_cast<DType>(i)) == type)
      return static_cast<DType>(i);
  throw std::runtime_error(std::string("dtype ") + c10::toString(type) +
                           " cannot leave a graph");
}

at::Tensor toTensor(const HostTensor &tensor) {
  c10::IntArrayRef sizes(tensor.sizes.data(), tensor.sizes.size());
  at::Tensor t =
      at::empty(sizes, at::TensorOptions().dtype(toScalarType(tensor.dtype)));
  if (size_t bytes = tensor.getNumBytes())
    std::memcpy(t.mutable_data_ptr(), tensor.data.get(), bytes);
  return t;
}

HostTensor fromTensor(const at::Tensor &tensor) {
  if (!tensor.defined())
    throw std::runtime_error("the tensor is undefined");
  if (tensor.layout() != c10::kStrided)
    throw std::runtime_error(
        "a tensor that is not strided cannot leave a graph");
  // A lazy conjugation or negation is resolved. Tensor.numpy() requires the
  // user to do so.
  at::Tensor t = tensor.resolve_conj().resolve_neg().to(c10::kCPU).contiguous();
  HostTensor host = HostTensor::allocate(
      fromScalarType(t.scalar_type()),
      llvm::ArrayRef<int64_t>(t.sizes().data(), t.sizes().size()));
  if (!host.data)
    throw std::runtime_error("out of memory");
  if (size_t bytes = host.getNumBytes())
    std::memcpy(host.data.get(), t.const_data_ptr(), bytes);
  return host;
}

HostValue fromIValue(const c10::IValue &value) {
  if (value.isTensor() && value.toTensor().defined())
    return fromTensor(value.toTensor());
  if (value.isBool())
    return HostTensor::fromBool(value.toBool());
  if (value.isInt())
    return HostTensor::fromInt(value.toInt());
  if (value.isDouble())
    return HostTensor::fromFloat(value.toDouble());
  return std::nullopt;
}

namespace {
struct NoWarnings final : c10::WarningHandler {
  void process(const c10::Warning &) override {}
};
} // namespace

SilenceWarnings::SilenceWarnings()
    : previous(c10::WarningUtils::get_warning_handler()) {
  static NoWarnings handler;
  c10::WarningUtils::set_warning_handler(&handler);
}

SilenceWarnings::~SilenceWarnings() {
  c10::WarningUtils::set_warning_handler(previous);
}

std::string getMessage(const std::exception &e) {
  std::string text;
  if (auto *error = dynamic_cast<const c10::Error *>(&e))
    text = error->what_without_backtrace();
  else
    text = e.what();
  // Drop the C++ source position, which is useful only to debug LibTorch.
  for (const char *tail : {"\nException raised from", " (function "})
    if (size_t at = text.find(tail); at != std::string::npos)
      text.resize(at);
  return text;
}

//===----------------------------------------------------------------------===//
// Argument trees of the dialect
//===----------------------------------------------------------------------===//

static ArgumentPlan makeLeaf(Kind kind, int64_t index = 0) {
  ArgumentPlan tree;
  tree.kind = kind;
  tree.index = index;
  return tree;
}

static ArgumentPlan makeText(Kind kind, llvm::StringRef text,
                             int64_t index = 0) {
  ArgumentPlan tree = makeLeaf(kind, index);
  tree.text = text.str();
  return tree;
}

static std::string toText(mlir::Attribute attr) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << attr;
  return text;
}

static ArgumentPlan toNumber(mlir::Attribute attr) {
  if (auto b = llvm::dyn_cast<mlir::BoolAttr>(attr))
    return makeLeaf(Kind::Bool, b.getValue());
  if (auto i = llvm::dyn_cast<mlir::IntegerAttr>(attr)) {
    if (i.getValue().getSignificantBits() > 64)
      throw std::runtime_error("integer '" + toText(attr) +
                               "' exceeds 64 bits");
    return makeLeaf(Kind::Int, i.getValue().getSExtValue());
  }
  ArgumentPlan tree = makeLeaf(Kind::Float);
  tree.real = llvm::cast<mlir::FloatAttr>(attr).getValueAsDouble();
  return tree;
}

ArgumentPlan
toArgumentPlan(mlir::Attribute attr, int64_t &nextValue,
               const std::function<const GraphPlan *(int64_t)> &getGraph) {
  if (llvm::isa<OperandAttr>(attr)) {
    ArgumentPlan tree = makeLeaf(Kind::Value, nextValue++);
    if ((tree.graph = getGraph(tree.index)))
      tree.kind = Kind::Graph;
    return tree;
  }
  if (auto list = llvm::dyn_cast<mlir::ArrayAttr>(attr)) {
    ArgumentPlan tree = makeLeaf(Kind::List);
    for (mlir::Attribute item : list)
      tree.items.push_back(toArgumentPlan(item, nextValue, getGraph));
    return tree;
  }
  if (auto dict = llvm::dyn_cast<DictAttr>(attr)) {
    ArgumentPlan tree = makeLeaf(Kind::Dict);
    for (mlir::Attribute key : dict.getKeys())
      tree.keys.push_back(llvm::cast<mlir::StringAttr>(key).str());
    for (mlir::Attribute item : dict.getValues())
      tree.items.push_back(toArgumentPlan(item, nextValue, getGraph));
    return tree;
  }
  if (llvm::isa<NoneAttr>(attr))
    return {};
  if (llvm::isa<mlir::IntegerAttr, mlir::FloatAttr>(attr))
    return toNumber(attr);
  if (auto complex = llvm::dyn_cast<ComplexAttr>(attr)) {
    ArgumentPlan tree = makeLeaf(Kind::Complex);
    tree.real = complex.getReal().getValueAsDouble();
    tree.imag = complex.getImag().getValueAsDouble();
    return tree;
  }
  if (auto text = llvm::dyn_cast<mlir::StringAttr>(attr))
    return makeText(Kind::String, text.getValue());
  if (auto type = llvm::dyn_cast<mlir::TypeAttr>(attr)) {
    std::optional<DType> dtype = getDType(type.getValue());
    if (!dtype)
      throw std::runtime_error("unknown dtype '" + toText(attr) + "'");
    return makeLeaf(Kind::DType, static_cast<int64_t>(toScalarType(*dtype)));
  }
  if (auto device = llvm::dyn_cast<DeviceAttr>(attr))
    return makeText(Kind::Device, device.getType(),
                    device.getIndex().value_or(-1));
  if (auto format = llvm::dyn_cast<MemoryFormatAttr>(attr))
    return makeLeaf(
        Kind::MemoryFormat,
        static_cast<int64_t>(parseMemoryFormatName(format.getValue().str())));
  if (auto layout = llvm::dyn_cast<LayoutAttr>(attr))
    return makeLeaf(Kind::Layout, static_cast<int64_t>(parseLayoutName(
                                      layout.getValue().str())));
  if (auto op = llvm::dyn_cast<OperatorAttr>(attr))
    return makeText(Kind::Operator, op.getTarget());
  throw std::runtime_error("argument '" + toText(attr) +
                           "' is not supported by the interpreter");
}

} // namespace fx::interp
