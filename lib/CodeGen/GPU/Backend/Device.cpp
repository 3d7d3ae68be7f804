//===- Device.cpp - code for NVIDIA GPUs ----------------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/CodeGen/GPU/Device.h"
#include "fx/CodeGen/GPU/Passes.h"

#include "../../CPU/Emit/Target.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/GPU/GPUToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"

using namespace fx;
using namespace fx::cuda;

extern "C" {
void LLVMInitializeNVPTXTargetInfo();
void LLVMInitializeNVPTXTarget();
void LLVMInitializeNVPTXTargetMC();
void LLVMInitializeNVPTXAsmPrinter();
}

static constexpr llvm::StringLiteral kTriple = "nvptx64-nvidia-cuda";

static const llvm::Target *getNVPTX(std::string &error) {
  static bool initialized = [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
    return true;
  }();
  (void)initialized;
  return llvm::TargetRegistry::lookupTarget(llvm::Triple(kTriple), error);
}

std::string Target::getText() const { return "cuda:" + llvm::join(chips, ","); }

ChipName fx::cuda::getChipName(llvm::StringRef chip) {
  ChipName name;
  if (!chip.consume_front("sm_") || chip.consumeInteger(10, name.number) ||
      chip.size() > 1)
    return {};
  name.suffix = chip.empty() ? 0 : chip[0];
  return name;
}

std::string fx::cuda::getCommonChip(const Target &target) {
  int number = 80;
  for (llvm::StringRef chip : target.chips)
    number = std::min(number, getChipName(chip).number);
  return "sm_" + std::to_string(number);
}

llvm::Expected<Target> fx::cuda::parseTarget(llvm::StringRef text) {
  Target target;
  auto [name, chips] = text.split(':');
  bool isKnown = name == "cuda";
  if (text.contains(':')) {
    target.chips.clear();
    for (llvm::StringRef chip : llvm::split(chips, ',')) {
      ChipName parts = getChipName(chip);
      isKnown &= parts.number >= 70 &&
                 llvm::is_contained({0, int('a'), int('f')}, parts.suffix);
      target.chips.push_back(chip.str());
    }
  }
  if (!isKnown)
    return llvm::createStringError(
        "--target: expected cuda or cuda:sm_NN[,sm_NN...] with NN of "
        "at least 70, got '" +
        text.str() + "'");
  std::string error;
  const llvm::Target *nvptx = getNVPTX(error);
  if (!nvptx)
    return llvm::createStringError(
        "--target: this LLVM has no code generator for NVIDIA GPUs");
  std::unique_ptr<llvm::MCSubtargetInfo> info(
      nvptx->createMCSubtargetInfo(llvm::Triple(kTriple), "", ""));
  for (llvm::StringRef chip : target.chips)
    if (!info->isCPUStringValid(chip))
      return llvm::createStringError("--target: unknown chip '" + chip.str() +
                                     "'");
  return target;
}

static llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
createMachine(llvm::StringRef chip, int optLevel) {
  std::string error;
  const llvm::Target *nvptx = getNVPTX(error);
  if (!nvptx)
    return llvm::createStringError(
        "this LLVM has no code generator for NVIDIA GPUs: " + error);
  llvm::TargetOptions options;
  // One rounding instead of two, as on the CPU.
  options.AllowFPOpFusion = llvm::FPOpFusion::Fast;
  llvm::Triple triple(kTriple);
  std::unique_ptr<llvm::TargetMachine> machine(nvptx->createTargetMachine(
      triple, chip, "+ptx80", options, llvm::Reloc::PIC_, std::nullopt,
      optLevel >= 2 ? llvm::CodeGenOptLevel::Aggressive
                    : llvm::CodeGenOptLevel::Default));
  if (!machine)
    return llvm::createStringError("no code generator for '" + chip.str() +
                                   "'");
  return machine;
}

/// Upstream's conversion calls functions of CUDA's libdevice, by name. Those
/// that the processor has instructions for get a body here; the others (exp,
/// log, tanh, erf) were made polynomials before.
static void defineMath(llvm::Module &module) {
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
      {"copysign", llvm::Intrinsic::copysign}};
  for (llvm::Function &f : module) {
    llvm::StringRef name = f.getName();
    if (!f.isDeclaration() || !name.consume_front("__nv_"))
      continue;
    if (f.getReturnType()->isFloatTy())
      name.consume_back("f");
    auto it = known.find(name);
    if (it == known.end() && name != "fmod")
      continue;
    llvm::IRBuilder<> b(
        llvm::BasicBlock::Create(module.getContext(), "entry", &f));
    llvm::SmallVector<llvm::Value *> args;
    for (llvm::Argument &arg : f.args())
      args.push_back(&arg);
    llvm::Value *result =
        it == known.end()
            ? b.CreateFRem(args[0], args[1])
            : b.CreateIntrinsic(f.getReturnType(), it->second, args);
    if (name == "rsqrt")
      result =
          b.CreateFDiv(llvm::ConstantFP::get(f.getReturnType(), 1.0), result);
    b.CreateRet(result);
    f.setLinkage(llvm::GlobalValue::InternalLinkage);
    f.addFnAttr(llvm::Attribute::AlwaysInline);
  }
}

/// Reports functions that would be calls of a library.
static llvm::Error checkCalls(const llvm::Module &module) {
  for (const llvm::Function &f : module)
    if (f.isDeclaration() && !f.isIntrinsic()) {
      llvm::StringRef name = f.getName();
      name.consume_front("__nv_");
      return llvm::createStringError(": no code for the function '" +
                                     name.str() + "' on a GPU");
    }
  return llvm::Error::success();
}

llvm::Expected<std::string>
fx::cuda::emitPTX(mlir::ModuleOp module, llvm::StringRef chip, int optLevel) {
  mlir::DialectRegistry registry;
  mlir::registerBuiltinDialectTranslation(registry);
  mlir::registerLLVMDialectTranslation(registry);
  mlir::registerGPUDialectTranslation(registry);
  mlir::registerNVVMDialectTranslation(registry);
  module.getContext()->appendDialectRegistry(registry);
  auto kernels = module.lookupSymbol<mlir::gpu::GPUModuleOp>("kernels");
  if (!kernels)
    return llvm::createStringError("the model has nothing to run on a GPU");
  // Without those of other chips.
  mlir::OwningOpRef<mlir::gpu::GPUModuleOp> mine = kernels.clone();
  for (auto func :
       llvm::make_early_inc_range(mine->getOps<mlir::LLVM::LLVMFuncOp>()))
    if (auto only = func->getAttrOfType<mlir::StringAttr>(kChipAttr);
        only && only.getValue() != chip)
      func.erase();
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> code =
      mlir::translateModuleToLLVMIR(*mine, context, "kernels");
  if (!code)
    return llvm::createStringError(
        "the kernels cannot be translated to LLVM IR");
  auto machine = createMachine(chip, optLevel);
  if (!machine)
    return machine.takeError();
  code->setTargetTriple((*machine)->getTargetTriple());
  code->setDataLayout((*machine)->createDataLayout());
  defineMath(*code);
  if (llvm::Error e = checkCalls(*code))
    return e;
  cpu::optimizeFor(**machine, *code, optLevel);
  llvm::SmallString<0> text;
  llvm::raw_svector_ostream os(text);
  llvm::legacy::PassManager passes;
  if ((*machine)->addPassesToEmitFile(passes, os, nullptr,
                                      llvm::CodeGenFileType::AssemblyFile))
    return llvm::createStringError("PTX cannot be emitted");
  passes.run(*code);
  return text.str().str();
}

std::string fx::cuda::findPtxas() {
  if (const char *path = getenv("FX_PTXAS"))
    return path;
  llvm::SmallVector<std::string> places;
  if (const char *home = getenv("CUDA_HOME"))
    places.push_back(std::string(home) + "/bin/ptxas");
  if (auto found = llvm::sys::findProgramByName("ptxas"))
    places.push_back(*found);
  places.push_back("/usr/local/cuda/bin/ptxas");
  for (const std::string &place : places)
    if (llvm::sys::fs::can_execute(place))
      return place;
  return "";
}

namespace {
/// A file that is gone when this is.
struct TemporaryFile {
  llvm::SmallString<128> path;
  std::error_code create(llvm::StringRef suffix) {
    return llvm::sys::fs::createTemporaryFile("fx", suffix, path);
  }
  ~TemporaryFile() {
    if (!path.empty())
      llvm::sys::fs::remove(path);
  }
};
} // namespace

static std::string readAll(llvm::StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  return buffer ? (*buffer)->getBuffer().str() : "";
}

llvm::Expected<std::string> fx::cuda::assemble(llvm::StringRef ptx,
                                               llvm::StringRef chip,
                                               std::string *log) {
  std::string ptxas = findPtxas();
  if (ptxas.empty())
    return llvm::createStringError(
        "machine code needs ptxas of a CUDA toolkit, which was not "
        "found: set FX_PTXAS or CUDA_HOME");
  TemporaryFile in, out, messages;
  if (in.create("ptx") || out.create("cubin") || messages.create("log"))
    return llvm::createStringError("cannot make a temporary file");
  std::error_code ec;
  llvm::raw_fd_ostream os(in.path, ec);
  os << ptx;
  os.close();
  if (ec || os.has_error())
    return llvm::createStringError("cannot write a temporary file");
  std::string arch = "-arch=" + chip.str();
  std::optional<llvm::StringRef> redirects[] = {
      llvm::StringRef(""), messages.path.str(), messages.path.str()};
  std::string error;
  int status = llvm::sys::ExecuteAndWait(
      ptxas, {ptxas, arch, "-v", "-O3", in.path.str(), "-o", out.path.str()},
      std::nullopt, redirects, /*SecondsToWait=*/300, 0, &error);
  std::string said = error.empty() ? readAll(messages.path) : error;
  if (status) {
    std::replace(said.begin(), said.end(), '\n', ' ');
    return llvm::createStringError("ptxas failed: " +
                                   llvm::StringRef(said).trim().str());
  }
  if (log)
    *log = said;
  return readAll(out.path);
}
