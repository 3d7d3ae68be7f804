//===- PythonLeaf.cpp - immediates as Python prints them ------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PythonLeaf.h"
#include "fx/Import/ArgumentKinds.h"

#include "fx/Support/HostTensor.h"

using namespace mlir;
using namespace fx;

StringRef fx::getDtypeName(Type type) {
  std::optional<DType> dtype = getDType(type);
  return dtype ? getName(*dtype) : StringRef("<unknown>");
}

static void printOperator(raw_ostream &os, StringRef target, LeafStyle style) {
  StringRef name = target;
  bool isHigherOrder = name.consume_front("higher_order.");
  if (style == LeafStyle::Code) {
    os << (isPlainTarget(target) ? "" : "torch.ops.") << target;
  } else if (style == LeafStyle::Str || isHigherOrder) {
    os << name;
  } else {
    // <OpOverload(op='aten.add', overload='Tensor')>
    auto [packet, overload] = name.rsplit('.');
    os << "<OpOverload(op='" << packet << "', overload='" << overload << "')>";
  }
}

void fx::printPythonLeaf(raw_ostream &os, Attribute leaf, LeafStyle style) {
  bool isRepr = style != LeafStyle::Str;
  if (isa<fx::NoneAttr>(leaf)) {
    os << "None";
  } else if (auto boolean = dyn_cast<BoolAttr>(leaf)) {
    os << (boolean.getValue() ? "True" : "False");
  } else if (auto integer = dyn_cast<IntegerAttr>(leaf)) {
    integer.getValue().print(os, /*isSigned=*/true);
  } else if (auto real = dyn_cast<FloatAttr>(leaf)) {
    printPythonFloat(os, real.getValueAsDouble());
  } else if (auto complex = dyn_cast<fx::ComplexAttr>(leaf)) {
    printPythonComplex(os, complex.getReal().getValueAsDouble(),
                       complex.getImag().getValueAsDouble());
  } else if (auto text = dyn_cast<StringAttr>(leaf)) {
    if (isRepr)
      printPythonString(os, text);
    else
      os << text.getValue();
  } else if (auto type = dyn_cast<TypeAttr>(leaf)) {
    os << "torch." << getDtypeName(type.getValue());
  } else if (auto format = dyn_cast<MemoryFormatAttr>(leaf)) {
    os << "torch." << format.getValue();
  } else if (auto layout = dyn_cast<LayoutAttr>(leaf)) {
    os << "torch." << layout.getValue();
  } else if (auto device = dyn_cast<DeviceAttr>(leaf)) {
    if (isRepr) {
      os << "device(type=";
      printPythonString(os, device.getType());
      if (device.getIndex())
        os << ", index=" << *device.getIndex();
      os << ')';
    } else {
      os << device.getType();
      if (device.getIndex())
        os << ':' << *device.getIndex();
    }
  } else if (auto op = dyn_cast<OperatorAttr>(leaf)) {
    printOperator(os, op.getTarget(), style);
  } else {
    os << leaf;
  }
}
