//===- AotiPackage.cpp - packages that PyTorch loads ----------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AotiPackage.h"
#include "fx/Export/ArchiveWriter.h"
#include "fx/Export/ExternNodes.h"
#include "fx/IR/FXDialect.h"
#include "fx/IR/Metadata.h"
#include "fx/Operators/Purity.h"
#include "fx/Operators/View.h"
#include "fx/Pipelines/CompileError.h"
#include "fx/Support/OutputFile.h"

#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;
using namespace fx;

std::optional<cpu::CallSpec> fx::getCallSpec(ModuleOp module) {
  auto graph = module.lookupSymbol<GraphOp>("main");
  auto in = graph ? graph->getAttrOfType<StringAttr>("fx.in_spec") : nullptr;
  auto out = graph ? graph->getAttrOfType<StringAttr>("fx.out_spec") : nullptr;
  if (!in || !out)
    return std::nullopt;
  return cpu::CallSpec{in.getValue().str(), out.getValue().str()};
}

void fx::drawByATen(ModuleOp module) {
  auto reason =
      StringAttr::get(module.getContext(), "it draws from PyTorch's generator");
  module.walk([&](CallFunctionOp op) {
    OperatorView call = getOperatorView(op);
    if (call && drawsRandomNumbers(call))
      op->setAttr("fx.no_native", reason);
  });
}

llvm::Expected<std::string> fx::planExternCalls(ModuleOp module) {
  ExternNodes nodes;
  std::string list;
  int64_t n = 0;
  module.walk([&](EagerOp op) {
    llvm::Error error = nodes.add(op);
    if (!error)
      return;
    ++n;
    list += (list.empty() ? "" : ", ") + op.getTarget().str();
    if (std::optional<StringRef> node = getNodeName(op))
      list += " (" + node->str() + ")";
    list += ": " + llvm::toString(std::move(error));
  });
  if (n == 0)
    return nodes.empty() ? std::string() : nodes.getText();
  return CompileError::make(
      CompileError::Kind::NoNativeCode,
      "--emit=aoti: expected native code or arguments that AOTInductor's "
      "loaders pass to ATen for every operator, got " +
          llvm::Twine(n) + " without: " + list);
}

llvm::Error fx::writeAotiPackage(const AotiParts &parts,
                                 llvm::StringRef library,
                                 llvm::StringRef path) {
  auto bytes = llvm::MemoryBuffer::getFile(library, /*IsText=*/false,
                                           /*RequiresNullTerminator=*/false);
  if (!bytes)
    return makeOutputError(path, bytes.getError());
  // The name of the metadata follows from that of the C++ file. Loaders before
  // torch 2.10 insist on the latter.
  static constexpr llvm::StringLiteral kSource = "// compiled by fx-mlir\n",
                                       kMetadata =
                                           "{\"AOTI_DEVICE_KEY\": \"cpu\"}";
  return writeInPlace(path, [&](llvm::raw_ostream &os) -> llvm::Error {
    ArchiveWriter archive(os, "model");
    auto add = [&](llvm::StringRef extension, llvm::StringRef content) {
      return archive.add(
          ("data/aotinductor/model/model.wrapper" + extension).str(),
          llvm::ArrayRef(content.data(), content.size()));
    };
    if (llvm::Error e = add(".so", (*bytes)->getBuffer()))
      return e;
    if (llvm::Error e = add(".cpp", kSource))
      return e;
    if (llvm::Error e = add("_metadata.json", kMetadata))
      return e;
    if (!parts.externNodes.empty())
      if (llvm::Error e = add(".json", parts.externNodes))
        return e;
    return archive.finish();
  });
}
