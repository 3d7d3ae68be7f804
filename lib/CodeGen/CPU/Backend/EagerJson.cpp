//===- EagerJson.cpp - the JSON text of an fx.eager -----------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/CodeGen/CPU/EagerJson.h"
#include "fx/IR/Metadata.h"
#include "fx/IR/ProxyCall.h"
#include "fx/Kernels/IR/Dtypes.h"

#include "mlir/IR/BuiltinAttributes.h"

#include "llvm/Support/Base64.h"
#include "llvm/Support/JSON.h"

using namespace mlir;
using namespace fx;

/// The operator whose operand is the number of a collective.
static constexpr StringRef kWaitTensor = "_c10d_functional.wait_tensor.default";

namespace {
/// Writes argument trees as JSON. Numbers the tensor leaves and the scalar
/// leaves in order of occurrence.
class Writer {
public:
  Writer(EagerOp op, llvm::json::OStream &os) : op(op), os(os) {}
  LogicalResult write(Attribute tree);
  LogicalResult writeOut(Attribute tree);

private:
  LogicalResult writeOperand();
  void writeTagged(StringRef tag, StringRef text) {
    os.object([&] { os.attribute(tag, text); });
  }

  EagerOp op;
  llvm::json::OStream &os;
  unsigned operand = 0, tensors = 0, scalars = 0, result = 0;
};
} // namespace

/// Returns decimal text that parses to the same double.
static std::string getExactText(const APFloat &value) {
  APFloat copy = value;
  bool ignored;
  copy.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &ignored);
  if (copy.isNaN())
    return "nan";
  if (copy.isInfinity())
    return copy.isNegative() ? "-inf" : "inf";
  SmallString<32> text;
  copy.toString(text, /*FormatPrecision=*/17, /*FormatMaxPadding=*/0);
  return text.str().str();
}

Type fx::cpu::getEagerType(EagerOp op, bool isResult, unsigned i) {
  auto types = op->getAttrOfType<ArrayAttr>(isResult ? "fx.result_types"
                                                     : "fx.operand_types");
  if (types && i < types.size())
    if (auto type = dyn_cast<TypeAttr>(types[i]))
      return type.getValue();
  return isResult ? op->getResult(i).getType() : op->getOperand(i).getType();
}

LogicalResult Writer::writeOperand() {
  if (operand >= op->getNumOperands())
    return op.emitError("more values in the argument tree than operands");
  Type type = op->getOperand(operand++).getType();
  bool isTensor = isa<ShapedType>(type);
  StringRef kind = isTensor                        ? "tensor"
                   : op.getTarget() == kWaitTensor ? "work"
                                                   : "scalar";
  os.object([&] { os.attribute(kind, isTensor ? tensors++ : scalars++); });
  return success();
}

LogicalResult Writer::write(Attribute tree) {
  bool failed = false;
  auto fail = [&](Attribute attr) {
    os.value(nullptr);
    return op.emitError("'")
           << op.getTarget()
           << "' has no native code: the fallback takes no argument " << attr;
  };
  if (isa<OperandAttr>(tree))
    return writeOperand();
  if (isa<fx::NoneAttr>(tree)) {
    os.value(nullptr);
  } else if (auto b = dyn_cast<BoolAttr>(tree)) {
    os.value(b.getValue());
  } else if (auto i = dyn_cast<IntegerAttr>(tree)) {
    os.value(i.getValue().getSExtValue());
  } else if (auto f = dyn_cast<FloatAttr>(tree)) {
    writeTagged("float", getExactText(f.getValue()));
  } else if (auto s = dyn_cast<StringAttr>(tree)) {
    writeTagged("str", s.getValue());
  } else if (auto t = dyn_cast<TypeAttr>(tree)) {
    std::optional<fx::kernel::Dtype> dtype = fx::kernel::getDtype(t.getValue());
    if (!dtype)
      return fail(tree);
    writeTagged("dtype", dtype->torchName);
  } else if (auto d = dyn_cast<DeviceAttr>(tree)) {
    os.object([&] {
      os.attribute("device", d.getType());
      if (d.getIndex())
        os.attribute("index", *d.getIndex());
    });
  } else if (auto m = dyn_cast<MemoryFormatAttr>(tree)) {
    writeTagged("memory_format", m.getValue());
  } else if (auto l = dyn_cast<LayoutAttr>(tree)) {
    writeTagged("layout", l.getValue());
  } else if (auto c = dyn_cast<ComplexAttr>(tree)) {
    os.object([&] {
      os.attributeArray("complex", [&] {
        os.value(getExactText(c.getReal().getValue()));
        os.value(getExactText(c.getImag().getValue()));
      });
    });
  } else if (auto object = dyn_cast<FlatSymbolRefAttr>(tree)) {
    auto objects = op->getAttrOfType<DictionaryAttr>("fx.objects");
    auto entry =
        objects ? objects.getAs<ArrayAttr>(object.getValue()) : ArrayAttr();
    if (!entry || entry.size() != 2 ||
        !llvm::all_of(entry, llvm::IsaPred<StringAttr>))
      return fail(tree);
    os.object([&] {
      os.attribute("object", object.getValue());
      os.attribute("class", cast<StringAttr>(entry[0]).getValue());
      os.attribute("pickle",
                   llvm::encodeBase64(cast<StringAttr>(entry[1]).getValue()));
    });
  } else if (auto o = dyn_cast<OperatorAttr>(tree)) {
    writeTagged("operator", o.getTarget());
  } else if (auto d = dyn_cast<DictAttr>(tree)) {
    os.object([&] {
      os.attributeArray("dict", [&] {
        for (auto [key, value] : llvm::zip(d.getKeys(), d.getValues()))
          os.array([&] {
            auto name = dyn_cast<StringAttr>(key);
            os.value(name ? name.getValue() : StringRef());
            failed |= !name || mlir::failed(write(value));
          });
      });
    });
  } else if (auto list = dyn_cast<ArrayAttr>(tree)) {
    os.array([&] {
      for (Attribute item : list)
        failed |= mlir::failed(write(item));
    });
  } else {
    return fail(tree);
  }
  return failure(failed);
}

/// Writes the results as a flat list; nested lists are flattened.
LogicalResult Writer::writeOut(Attribute tree) {
  if (auto list = dyn_cast<ArrayAttr>(tree)) {
    for (Attribute item : list)
      if (failed(writeOut(item)))
        return failure();
    return success();
  }
  if (isa<fx::NoneAttr>(tree)) {
    os.object([&] { os.attribute("none", true); });
    return success();
  }
  if (result >= op->getNumResults())
    return op.emitError("more values in the tree of results than results");
  Type builtin = op->getResult(result).getType();
  Type type = fx::cpu::getEagerType(op, true, result++);
  std::optional<fx::kernel::Dtype> dtype = fx::kernel::getValueDtype(type);
  if (!dtype)
    return op.emitError("no dtype for the result type ") << type;
  auto tensor = dyn_cast<FakeTensorType>(type);
  bool isCollective = op->hasAttr("fx.collective");
  os.object([&] {
    if (auto shaped = dyn_cast<ShapedType>(builtin)) {
      os.attribute("tensor", dtype->torchName);
      os.attribute("rank", shaped.getRank());
    } else if (isCollective) {
      os.attribute("work", dtype->torchName);
    } else {
      os.attribute("scalar", dtype->torchName == "bool"    ? "bool"
                             : dtype->torchName == "int64" ? "int"
                                                           : "float");
    }
    // Processes compare what they communicate.
    if (isCollective && tensor)
      os.attributeArray("sizes", [&] {
        for (ExprAttr size : tensor.getSizes())
          if (size.isInteger()) {
            os.value(*size.getInteger());
          } else {
            std::string text;
            llvm::raw_string_ostream stream(text);
            size.printInfix(stream);
            os.value(text);
          }
      });
  });
  return success();
}

/// Returns the entry `proxy`.
static std::string getProxyText(const ProxyCall &call) {
  std::string text = std::to_string(call.node);
  if (call.mayAlias)
    text += " v";
  if (call.outputs)
    for (int64_t output : call.outputs.asArrayRef())
      text += output == ProxyCall::kResult ? " r"
              : output == ProxyCall::kNone ? " n"
                                           : " c" + std::to_string(output);
  unsigned scalars = 0;
  for (Attribute integer : call.integers)
    if (auto immediate = dyn_cast<IntegerAttr>(integer))
      text += " " + std::to_string(immediate.getInt());
    else
      text += " $" + std::to_string(scalars++);
  return text;
}

FailureOr<std::string> fx::cpu::getEagerJson(EagerOp op) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  llvm::json::OStream os(stream);
  Writer writer(op, os);
  bool failed = false;
  os.object([&] {
    if (!op->hasAttr("fx.pure") && !op->hasAttr("fx.collective"))
      os.attribute("random", true);
    if (std::optional<ProxyCall> call = ProxyCall::get(op))
      os.attribute("proxy", getProxyText(*call));
    os.attribute("target", op.getTarget());
    os.attributeArray("args", [&] {
      for (Attribute tree : op.getArgs())
        failed |= mlir::failed(writer.write(tree));
    });
    os.attributeArray("kwnames", [&] {
      for (Attribute name : op.getKwnames())
        os.value(cast<StringAttr>(name).getValue());
    });
    os.attributeArray("outs", [&] {
      Attribute operand = OperandAttr::get(op.getContext());
      if (ArrayAttr outs = op.getOutsAttr()) {
        failed |= mlir::failed(writer.writeOut(outs));
      } else {
        for (unsigned i = 0; i < op->getNumResults(); ++i)
          failed |= mlir::failed(writer.writeOut(operand));
      }
    });
    if (std::optional<StringRef> node = getNodeName(op->getLoc()))
      os.attribute("node", *node);
  });
  if (failed)
    return failure();
  return text;
}
