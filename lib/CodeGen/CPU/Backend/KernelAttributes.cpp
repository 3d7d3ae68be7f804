//===- KernelAttributes.cpp - what LLVM may assume of kernels -------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/CodeGen/CPU/Backend.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace fx::cpu {
#define GEN_PASS_DEF_FXCPUKERNELATTRIBUTES
#include "fx/CodeGen/CPU/BackendPasses.h.inc"
} // namespace fx::cpu

using namespace mlir;

/// Removes the "fx." attributes, which only earlier passes read. The
/// translation to LLVM IR warns about each attribute that it does not know, and
/// prints the whole function with each warning.
static void dropContractAttributes(LLVM::LLVMFuncOp func) {
  auto drop = [](ArrayAttr all) {
    SmallVector<Attribute> kept;
    for (Attribute dict : all)
      kept.push_back(DictionaryAttr::get(
          dict.getContext(),
          llvm::filter_to_vector(
              cast<DictionaryAttr>(dict), [](NamedAttribute a) {
                return !a.getName().getValue().starts_with("fx.");
              })));
    return ArrayAttr::get(all.getContext(), kept);
  };
  if (ArrayAttr args = func.getArgAttrsAttr())
    func.setArgAttrsAttr(drop(args));
  if (ArrayAttr results = func.getResAttrsAttr())
    func.setResAttrsAttr(drop(results));
  for (NamedAttribute attr : llvm::to_vector(func->getDiscardableAttrs()))
    if (attr.getName().getValue().starts_with("fx."))
      func->removeDiscardableAttr(attr.getName());
}

/// Gives branches the annotations of their loops. Conversions pass them on as
/// discardable attributes, which the translation to LLVM IR ignores.
static void annotateLoops(LLVM::LLVMFuncOp func) {
  constexpr StringRef name = "llvm.loop_annotation";
  func.walk([&](LLVM::BrOp branch) {
    auto annotation = dyn_cast_or_null<LLVM::LoopAnnotationAttr>(
        branch->removeDiscardableAttr(name));
    if (annotation)
      branch.setLoopAnnotationAttr(annotation);
  });
}

namespace {
struct KernelAttributes
    : fx::cpu::impl::FXCPUKernelAttributesBase<KernelAttributes> {
  using Base::Base;

  void runOnOperation() override {
    OpBuilder b(&getContext());
    for (auto func : getOperation().getOps<LLVM::LLVMFuncOp>()) {
      // Modules of the same program share these kernels.
      bool isExported = func->hasAttr("fx.export");
      if (isExported)
        func.setVisibility_(LLVM::Visibility::Hidden);
      if (func.isExternal()) {
        dropContractAttributes(func);
        continue;
      }
      bool isKernel =
          func->hasAttr("fx.kernel") || func.getName().starts_with("kernel_");
      for (unsigned i = 0; isKernel && i < func.getNumArguments(); ++i)
        if (isa<LLVM::LLVMPointerType>(func.getArgument(i).getType()))
          func.setArgAttr(i, LLVM::LLVMDialect::getNoAliasAttrName(),
                          b.getUnitAttr());
      dropContractAttributes(func);
      annotateLoops(func);
      func.setPreferVectorWidthAttr(b.getStringAttr(Twine(vectorWidth)));
      if (!isExported && !func.getName().starts_with("_mlir_ciface_"))
        func.setLinkage(LLVM::Linkage::Internal);
    }
  }
};
} // namespace
