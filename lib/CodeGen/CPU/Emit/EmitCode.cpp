//===- EmitCode.cpp - LLVM IR, its optimization, and machine code ---------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Target.h"
#include "fx/CodeGen/CPU/EmitListener.h"
#include "fx/CodeGen/Common/Optimize.h"

#include "mlir/Target/LLVMIR/Dialect/All.h"
#include "mlir/Target/LLVMIR/Export.h"

#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"

using namespace fx;
using namespace fx::cpu;

std::unique_ptr<llvm::Module>
fx::cpu::translateToLLVMIR(mlir::ModuleOp module, llvm::LLVMContext &context,
                           const CPUOptions &options) {
  // The caller's context may lack the translation interfaces.
  mlir::DialectRegistry registry;
  mlir::registerBuiltinDialectTranslation(registry);
  mlir::registerLLVMDialectTranslation(registry);
  module.getContext()->appendDialectRegistry(registry);
  std::unique_ptr<llvm::Module> out =
      mlir::translateModuleToLLVMIR(module, context, "model");
  if (!out)
    return nullptr;
  auto machine = createTargetMachine(options);
  if (!machine) {
    module.emitError(llvm::toString(machine.takeError()));
    return nullptr;
  }
  out->setTargetTriple((*machine)->getTargetTriple());
  out->setDataLayout((*machine)->createDataLayout());
  for (llvm::Function &f : *out) {
    if (f.isDeclaration()) {
      if (f.getName() == "fx_rt_assert_fail") {
        f.setDoesNotReturn();
        f.addFnAttr(llvm::Attribute::Cold);
      }
      continue;
    }
    f.addFnAttr("target-cpu", options.cpu);
    f.addFnAttr("target-features", options.features);
    f.addFnAttr("prefer-vector-width", std::to_string(options.vectorWidth));
    f.addFnAttr(llvm::Attribute::NoUnwind);
    if (!f.hasInternalLinkage())
      f.setVisibility(llvm::GlobalValue::HiddenVisibility);
  }
  return out;
}

llvm::Error fx::cpu::optimizeLLVM(llvm::Module &module,
                                  const CPUOptions &options) {
  auto machine = createTargetMachine(options);
  if (!machine)
    return machine.takeError();
  if (options.optLevel <= 1)
    codegen::optimizeFast(**machine, module);
  else
    codegen::optimizeFor(**machine, module, options.optLevel);
  return llvm::Error::success();
}

namespace {
/// Calls the listener for each function, after the passes that emit its code.
struct Listen : llvm::FunctionPass {
  static char id;
  const FunctionListener &listener;
  explicit Listen(const FunctionListener &listener)
      : FunctionPass(id), listener(listener) {}
  bool runOnFunction(llvm::Function &function) override {
    listener(function);
    return false;
  }
  void getAnalysisUsage(llvm::AnalysisUsage &usage) const override {
    usage.setPreservesAll();
  }
};
char Listen::id;
} // namespace

llvm::Expected<std::string>
fx::cpu::emitCode(llvm::Module &module, const CPUOptions &options,
                  CodeKind kind, const FunctionListener &listener) {
  auto machine = createTargetMachine(options);
  if (!machine)
    return machine.takeError();
  if (options.optLevel <= 1)
    codegen::skipSlowPasses(module.getContext());
  llvm::SmallString<0> bytes;
  llvm::raw_svector_ostream os(bytes);
  llvm::legacy::PassManager passes;
  llvm::CodeGenFileType type = kind == CodeKind::Object
                                   ? llvm::CodeGenFileType::ObjectFile
                                   : llvm::CodeGenFileType::AssemblyFile;
  if ((*machine)->addPassesToEmitFile(passes, os, nullptr, type))
    return llvm::createStringError("the target cannot emit this kind of file");
  if (listener)
    passes.add(new Listen(listener));
  passes.run(module);
  return bytes.str().str();
}

llvm::Expected<std::string> fx::cpu::emitCode(llvm::Module &module,
                                              const CPUOptions &options,
                                              CodeKind kind) {
  return emitCode(module, options, kind, nullptr);
}

llvm::Error fx::cpu::addEntry(llvm::Module &module, llvm::StringRef function,
                              llvm::StringRef name) {
  llvm::Function *callee =
      module.getFunction(("_mlir_ciface_" + function).str());
  if (!callee)
    return llvm::createStringError("the function '" + function.str() +
                                   "' has no C interface");
  llvm::LLVMContext &context = module.getContext();
  llvm::Function *original = module.getFunction(function);
  // Inline both functions: the descriptor fields of all tensors can be
  // thousands of arguments, which every pass and the calling convention would
  // handle one by one.
  if (original && !original->isDeclaration())
    original->addFnAttr(llvm::Attribute::AlwaysInline);
  callee->addFnAttr(llvm::Attribute::AlwaysInline);
  bool hasResults = original && !original->getReturnType()->isVoidTy();
  auto *ptr = llvm::PointerType::getUnqual(context);
  auto *type = llvm::FunctionType::get(llvm::Type::getVoidTy(context),
                                       {ptr, ptr}, false);
  auto *entry = llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage,
                                       name, module);
  entry->setVisibility(llvm::GlobalValue::HiddenVisibility);
  llvm::IRBuilder<> b(llvm::BasicBlock::Create(context, "entry", entry));
  llvm::SmallVector<llvm::Value *> args;
  if (hasResults)
    args.push_back(entry->getArg(0));
  args.push_back(entry->getArg(1));
  if (callee->arg_size() != args.size())
    return llvm::createStringError("the function '" + function.str() +
                                   "' does not take the addresses of its "
                                   "arguments' descriptors");
  b.CreateCall(callee, args);
  b.CreateRetVoid();
  callee->setLinkage(llvm::GlobalValue::InternalLinkage);
  callee->setVisibility(llvm::GlobalValue::DefaultVisibility);
  return llvm::Error::success();
}
