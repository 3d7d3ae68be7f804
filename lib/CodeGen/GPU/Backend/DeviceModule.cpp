//===- DeviceModule.cpp - kernels through LLVM's generators ---------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceModule.h"

#include "fx/CodeGen/Common/Optimize.h"
#include "fx/CodeGen/GPU/Passes.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/GPU/GPUToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Target/TargetMachine.h"

#include <mutex>

using namespace fx;
using namespace fx::gpu;

llvm::Expected<const llvm::Target *> CodeGenerator::find() const {
  // LLVM's target registry is not thread-safe.
  static std::mutex mutex;
  std::lock_guard<std::mutex> lock(mutex);
  if (!isInitialized)
    initialize();
  isInitialized = true;
  std::string error;
  const llvm::Target *target =
      llvm::TargetRegistry::lookupTarget(llvm::Triple(triple), error);
  if (!target)
    return llvm::createStringError("this LLVM has no code generator for " +
                                   gpus.str());
  return target;
}

static llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
createMachine(const CodeGenerator &generator, const llvm::Module &code,
              llvm::StringRef chip, int optLevel) {
  llvm::Expected<const llvm::Target *> target = generator.find();
  if (!target)
    return target.takeError();
  llvm::TargetOptions options;
  // Fuse multiplications and additions, as on the CPU.
  options.AllowFPOpFusion = llvm::FPOpFusion::Fast;
  std::unique_ptr<llvm::TargetMachine> machine((*target)->createTargetMachine(
      llvm::Triple(generator.triple), chip,
      generator.getFeatures ? generator.getFeatures(code, chip) : "", options,
      llvm::Reloc::PIC_, std::nullopt,
      optLevel >= 2 ? llvm::CodeGenOptLevel::Aggressive
                    : llvm::CodeGenOptLevel::Default));
  if (!machine)
    return llvm::createStringError("no code generator for '" + chip.str() +
                                   "'");
  return machine;
}

/// Computes the math function `name` of `args`. Returns null for functions
/// without instructions: `expandMath` has expanded these (exp, log, tanh, erf)
/// before.
static llvm::Value *computeMath(llvm::IRBuilder<> &b, llvm::StringRef name,
                                llvm::ArrayRef<llvm::Value *> args) {
  static const llvm::StringMap<llvm::Intrinsic::ID> known = {
      {"sqrt", llvm::Intrinsic::sqrt},
      {"rsqrt", llvm::Intrinsic::sqrt},
      {"fabs", llvm::Intrinsic::fabs},
      {"floor", llvm::Intrinsic::floor},
      {"ceil", llvm::Intrinsic::ceil},
      {"trunc", llvm::Intrinsic::trunc},
      {"round", llvm::Intrinsic::round},
      {"rint", llvm::Intrinsic::roundeven},
      {"fma", llvm::Intrinsic::fma},
      {"exp2", llvm::Intrinsic::exp2},
      {"fmax", llvm::Intrinsic::maxnum},
      {"fmin", llvm::Intrinsic::minnum},
      {"copysign", llvm::Intrinsic::copysign}};
  if (name == "fmod")
    return b.CreateFRem(args[0], args[1]);
  // Of i32 and i64.
  if (name == "abs" || name == "llabs")
    return b.CreateBinaryIntrinsic(llvm::Intrinsic::abs, args[0], b.getFalse());
  auto it = known.find(name);
  if (it == known.end())
    return nullptr;
  llvm::Type *type = args[0]->getType();
  llvm::Value *result = b.CreateIntrinsic(type, it->second, args);
  if (name == "rsqrt")
    result = b.CreateFDiv(llvm::ConstantFP::get(type, 1.0), result);
  return result;
}

/// Defines the declared math functions for which GPUs have instructions.
static void defineMath(llvm::Module &module, const CodeGenerator &generator) {
  for (llvm::Function &f : module) {
    llvm::StringRef name = generator.getMathName(f);
    if (!f.isDeclaration() || name.empty())
      continue;
    auto *entry = llvm::BasicBlock::Create(module.getContext(), "entry", &f);
    llvm::IRBuilder<> b(entry);
    llvm::SmallVector<llvm::Value *> args;
    for (llvm::Argument &arg : f.args())
      args.push_back(&arg);
    llvm::Value *result = computeMath(b, name, args);
    if (!result) {
      entry->eraseFromParent();
      continue;
    }
    b.CreateRet(result);
    f.setLinkage(llvm::GlobalValue::InternalLinkage);
    f.addFnAttr(llvm::Attribute::AlwaysInline);
  }
}

/// Computes remainders of 16-bit types in float. LLVM narrows a remainder whose
/// operands were extended, and not all code generators expand the narrow form
/// (AMD's does not for bf16).
static void widenRemainders(llvm::Module &module) {
  for (llvm::Function &f : module)
    for (llvm::Instruction &inst :
         llvm::make_early_inc_range(llvm::instructions(f))) {
      llvm::Type *type = inst.getType();
      if (inst.getOpcode() != llvm::Instruction::FRem ||
          !type->getScalarType()->is16bitFPTy())
        continue;
      llvm::IRBuilder<> b(&inst);
      llvm::Type *wide = type->getWithNewType(b.getFloatTy());
      llvm::Value *x = b.CreateFPExt(inst.getOperand(0), wide);
      llvm::Value *y = b.CreateFPExt(inst.getOperand(1), wide);
      inst.replaceAllUsesWith(b.CreateFPTrunc(b.CreateFRem(x, y), type));
      inst.eraseFromParent();
    }
}

/// Returns an error if the module calls a library function.
static llvm::Error checkCalls(const llvm::Module &module,
                              const CodeGenerator &generator) {
  for (const llvm::Function &f : module)
    if (f.isDeclaration() && !f.isIntrinsic()) {
      llvm::StringRef name = generator.getMathName(f);
      return llvm::createStringError("no code for the function '" +
                                     (name.empty() ? f.getName() : name).str() +
                                     "' on a GPU");
    }
  return llvm::Error::success();
}

/// Translates `gpu.module @kernels` to LLVM IR, without the kernels that are
/// only for chips other than `chip`.
static llvm::Expected<std::unique_ptr<llvm::Module>>
translate(mlir::ModuleOp module, const CodeGenerator &generator,
          llvm::StringRef chip, llvm::LLVMContext &context) {
  mlir::DialectRegistry registry;
  mlir::registerBuiltinDialectTranslation(registry);
  mlir::registerLLVMDialectTranslation(registry);
  mlir::registerGPUDialectTranslation(registry);
  generator.registerTranslation(registry);
  module.getContext()->appendDialectRegistry(registry);
  auto kernels = module.lookupSymbol<mlir::gpu::GPUModuleOp>("kernels");
  if (!kernels)
    return llvm::createStringError("the model has nothing to run on a GPU");
  mlir::OwningOpRef<mlir::gpu::GPUModuleOp> mine = kernels.clone();
  for (auto func :
       llvm::make_early_inc_range(mine->getOps<mlir::LLVM::LLVMFuncOp>()))
    if (auto only = func->getAttrOfType<mlir::StringAttr>(kChipAttr);
        only && only.getValue() != chip)
      func.erase();
  std::unique_ptr<llvm::Module> code =
      mlir::translateModuleToLLVMIR(*mine, context, "kernels");
  if (!code)
    return llvm::createStringError(
        "the kernels cannot be translated to LLVM IR");
  return code;
}

llvm::Expected<std::string> fx::gpu::emitKernels(mlir::ModuleOp module,
                                                 const CodeGenerator &generator,
                                                 llvm::StringRef chip,
                                                 int optLevel,
                                                 llvm::CodeGenFileType kind) {
  llvm::LLVMContext context;
  auto translated = translate(module, generator, chip, context);
  if (!translated)
    return translated.takeError();
  llvm::Module &code = **translated;
  auto machine = createMachine(generator, code, chip, optLevel);
  if (!machine)
    return machine.takeError();
  code.setTargetTriple((*machine)->getTargetTriple());
  code.setDataLayout((*machine)->createDataLayout());
  defineMath(code, generator);
  if (llvm::Error e = checkCalls(code, generator))
    return e;
  if (generator.prepare)
    generator.prepare(code, chip);
  codegen::optimizeFor(**machine, code, optLevel);
  widenRemainders(code);
  llvm::SmallString<0> bytes;
  llvm::raw_svector_ostream os(bytes);
  llvm::legacy::PassManager passes;
  if ((*machine)->addPassesToEmitFile(passes, os, nullptr, kind))
    return llvm::createStringError("code for " + generator.gpus.str() +
                                   " cannot be emitted");
  passes.run(code);
  return bytes.str().str();
}
