//===- Codegen.cpp - from scheduled tensors to a file -===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Codegen.h"
#include "fx/CodeGen/CPU/Backend.h"
#include "fx/CodeGen/CPU/EagerJson.h"
#include "fx/Runtime/Loader.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace fx;

//===----------------------------------------------------------------------===//
// Helpers
//===----------------------------------------------------------------------===//

static llvm::Error runPasses(ModuleOp module, ErrorCatcher &errors,
                             llvm::function_ref<void(OpPassManager &)> build) {
  PassManager pm(module.getContext());
  build(pm);
  if (failed(pm.run(module)))
    return errors.take("compilation failed");
  return llvm::Error::success();
}

llvm::Error fx::writeFile(llvm::StringRef path,
                          llvm::function_ref<void(llvm::raw_ostream &)> print) {
  std::error_code ec;
  llvm::raw_fd_ostream os(path, ec);
  if (!ec) {
    print(os);
    os.flush();
    ec = os.error();
    os.clear_error();
  }
  if (ec)
    return llvm::createStringError("cannot write '" + path.str() + "': " + ec.message());
  return llvm::Error::success();
}

/// The module that holds @prepare as its @main, its states as inputs; null if
/// there is none. Takes @prepare out of `module`.
static OwningOpRef<ModuleOp> splitPrepare(ModuleOp module) {
  auto prepare = module.lookupSymbol<func::FuncOp>("prepare");
  if (!prepare || !module.lookupSymbol<func::FuncOp>("main"))
    return {};
  OwningOpRef<ModuleOp> split = module.clone();
  split->lookupSymbol<func::FuncOp>("main").erase();
  auto main = split->lookupSymbol<func::FuncOp>("prepare");
  main.setName("main");
  main.setPublic();
  for (unsigned i = 0; i < main.getNumArguments(); ++i)
    if (auto state = main.getArgAttrOfType<FlatSymbolRefAttr>(i, "fx.state")) {
      main.setArgAttr(i, "fx.name", StringAttr::get(main.getContext(), state.getValue()));
      main.removeArgAttr(i, StringAttr::get(main.getContext(), "fx.state"));
    }
  prepare.erase();
  return split;
}

//===----------------------------------------------------------------------===//
// Code of one function
//===----------------------------------------------------------------------===//

namespace {
/// From a module with @main on tensors to object code.
struct CodeUnit {
  ModuleOp module;
  cpu::ModelDescription description;
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> code;
};
} // namespace

static llvm::Error describe(CodeUnit &unit, const cpu::CPUOptions &cpu, ErrorCatcher &errors) {
  auto main = unit.module.lookupSymbol<func::FuncOp>("main");
  if (!main || main.isExternal())
    return llvm::createStringError("no function @main to compile");
  FailureOr<cpu::ModelDescription> description = cpu::describeModel(main);
  if (failed(description))
    return errors.take("@main cannot be described");
  unit.description = std::move(*description);
  unit.description.cpu = cpu.cpu;
  unit.description.features = cpu.features;
  bool failedJson = false;
  unit.module.walk([&](EagerOp op) {
    FailureOr<std::string> json = cpu::getEagerJson(op);
    failedJson |= failed(json);
    if (succeeded(json))
      unit.description.fallbacks.push_back(*json);
  });
  if (failedJson)
    return errors.take("an operator cannot be passed to the fallback");
  return llvm::Error::success();
}

static llvm::Error bufferize(CodeUnit &unit, const cpu::CPUOptions &cpu, ErrorCatcher &errors) {
  if (llvm::Error e = runPasses(unit.module, errors, [&](OpPassManager &pm) {
        pm.addPass(createSymbolDCEPass());
        cpu::buildBufferizePipeline(pm, cpu);
      }))
    return e;
  auto main = unit.module.lookupSymbol<func::FuncOp>("main");
  if (auto bytes = main->getAttrOfType<IntegerAttr>("fx.arena_bytes"))
    unit.description.arenaBytes = bytes.getInt();
  return llvm::Error::success();
}

static llvm::Error lowerToLLVM(CodeUnit &unit, const cpu::CPUOptions &cpu,
                               ErrorCatcher &errors) {
  for (StateOp state : llvm::make_early_inc_range(unit.module.getOps<StateOp>()))
    state.erase();
  if (llvm::Error e = runPasses(unit.module, errors, [&](OpPassManager &pm) {
        cpu::buildLowerToLLVMPipeline(pm, cpu);
      }))
    return e;
  unit.code = cpu::translateToLLVMIR(unit.module, unit.context, cpu);
  if (!unit.code)
    return errors.take("the module cannot be translated to LLVM IR");
  return cpu::addEntry(*unit.code, "main", "fx_entry");
}

static llvm::Error linkUnit(CodeUnit &unit, const cpu::CPUOptions &cpu, std::string object,
                            llvm::StringRef path) {
  std::unique_ptr<llvm::Module> tables =
      cpu::emitDescription(unit.description, unit.context, cpu);
  if (!tables)
    return llvm::createStringError("the description cannot be emitted");
  llvm::Expected<std::string> tableObject =
      cpu::emitCode(*tables, cpu, cpu::CodeKind::Object);
  if (!tableObject)
    return tableObject.takeError();
  return cpu::linkSharedObject({std::move(object), std::move(*tableObject)}, path);
}

//===----------------------------------------------------------------------===//
// @prepare
//===----------------------------------------------------------------------===//

namespace {
/// Removes a file when it goes.
struct TemporaryFile {
  llvm::SmallString<128> path;
  ~TemporaryFile() {
    if (!path.empty())
      llvm::sys::fs::remove(path);
  }
};
} // namespace

/// Compiles @prepare for this machine, runs it on the states and keeps its
/// results.
static llvm::Error runPrepare(ModuleOp module, cpu::StateReader &states, ErrorCatcher &errors,
                              ModelOutputs &results) {
  std::string error;
  FailureOr<cpu::CPUOptions> host = cpu::getCPUOptions("", error);
  if (failed(host))
    return llvm::createStringError(error);
  // It runs once; scheduling its long blocks takes longer than it runs.
  host->optLevel = 1;
  CodeUnit unit;
  unit.module = module;
  if (llvm::Error e = describe(unit, *host, errors))
    return e;
  unit.description.name = "prepare";
  if (llvm::Error e = bufferize(unit, *host, errors))
    return e;
  if (llvm::Error e = lowerToLLVM(unit, *host, errors))
    return e;
  if (llvm::Error e = cpu::optimizeLLVM(*unit.code, *host))
    return e;
  llvm::Expected<std::string> object = cpu::emitCode(*unit.code, *host, cpu::CodeKind::Object);
  if (!object)
    return object.takeError();
  TemporaryFile file;
  if (std::error_code ec = llvm::sys::fs::createTemporaryFile("fx-prepare", "so", file.path))
    return llvm::createStringError("cannot make a temporary file: " + ec.message());
  if (llvm::Error e = linkUnit(unit, *host, std::move(*object), file.path))
    return e;
  llvm::Expected<std::unique_ptr<CompiledModel>> model = CompiledModel::load(file.path, {});
  if (!model)
    return model.takeError();
  std::vector<cpu::StateView> views;
  for (const cpu::ValueDescription &input : unit.description.inputs) {
    llvm::Expected<cpu::StateView> view = states.read(input.name);
    if (!view)
      return view.takeError();
    views.push_back(std::move(*view));
  }
  std::vector<DLTensor> tensors;
  std::vector<const DLTensor *> inputs;
  for (cpu::StateView &view : views)
    tensors.push_back({const_cast<char *>(view.data),
                       {kDLCPU, 0},
                       int32_t(view.sizes.size()),
                       {view.dtype.code, view.dtype.bits, 1},
                       view.sizes.data(),
                       view.strides.data(),
                       0});
  for (DLTensor &tensor : tensors)
    inputs.push_back(&tensor);
  return (*model)->run(inputs, results, /*threads=*/0);
}

//===----------------------------------------------------------------------===//
// The whole
//===----------------------------------------------------------------------===//

namespace {
class Generator {
public:
  Generator(ModuleOp module, const CompileOptions &options, const cpu::CPUOptions &cpu,
            llvm::StringRef directory, ErrorCatcher &errors, PhaseRunner &phases,
            CompileReport &report)
      : module(module), options(options), cpu(cpu), directory(directory), errors(errors),
        phases(phases), report(report) {
    unit.module = module;
  }
  llvm::Error run(llvm::StringRef path);

private:
  llvm::Error prepareStates();
  llvm::Error emit(llvm::StringRef path);

  ModuleOp module;
  const CompileOptions &options;
  const cpu::CPUOptions &cpu;
  llvm::StringRef directory;
  ErrorCatcher &errors;
  PhaseRunner &phases;
  CompileReport &report;
  CodeUnit unit;
  OwningOpRef<ModuleOp> stateModule, prepare;
  std::unique_ptr<cpu::StateReader> states;
  ModelOutputs prepared;
};
} // namespace

/// Places the weights and computes those that @prepare makes.
llvm::Error Generator::prepareStates() {
  // The states leave the module when it is lowered; these stay.
  stateModule = ModuleOp::create(module.getLoc());
  for (StateOp state : module.getOps<StateOp>())
    stateModule->getBody()->push_back(state->clone());
  states = std::make_unique<cpu::StateReader>(*stateModule, directory);
  if (llvm::Error e = phases.run("weights", 0.3, [&] {
        return cpu::placeWeights(unit.description, *states);
      }))
    return e;
  report.weightBytes = unit.description.weightBytes;
  if (!prepare)
    return llvm::Error::success();
  return phases.run("prepare", 0.35,
                    [&] { return runPrepare(*prepare, *states, errors, prepared); });
}

llvm::Error Generator::emit(llvm::StringRef path) {
  if (llvm::Error e = phases.run("lower", 0.5, [&] { return lowerToLLVM(unit, cpu, errors); }))
    return e;
  if (llvm::Error e =
          phases.run("optimize", 0.6, [&] { return cpu::optimizeLLVM(*unit.code, cpu); }))
    return e;
  if (options.emit == EmitKind::LLVM)
    return writeFile(path, [&](llvm::raw_ostream &os) { unit.code->print(os, nullptr); });
  std::string code;
  if (llvm::Error e = phases.run("emit", 0.75, [&]() -> llvm::Error {
        bool isText = options.emit == EmitKind::Assembly;
        llvm::Expected<std::string> emitted = cpu::emitCode(
            *unit.code, cpu, isText ? cpu::CodeKind::Assembly : cpu::CodeKind::Object);
        if (!emitted)
          return emitted.takeError();
        code = std::move(*emitted);
        return llvm::Error::success();
      }))
    return e;
  if (options.emit != EmitKind::SharedObject)
    return writeFile(path, [&](llvm::raw_ostream &os) { os << code; });
  return phases.run("link", 0.95, [&]() -> llvm::Error {
    if (llvm::Error e = linkUnit(unit, cpu, std::move(code), path))
      return e;
    return cpu::appendWeights(path, unit.description, *states, prepared.getBytes());
  });
}

llvm::Error Generator::run(llvm::StringRef path) {
  prepare = splitPrepare(module);
  if (llvm::Error e = describe(unit, cpu, errors))
    return e;
  unit.description.name = llvm::sys::path::stem(options.input).str();
  report.unchecked = unit.description.unchecked;
  report.fallbacks = unit.description.fallbacks.size();
  if (options.emit == EmitKind::Header)
    return writeFile(path, [&](llvm::raw_ostream &os) {
      os << getModelHeader(unit.description, unit.description.name);
    });
  if (options.emit == EmitKind::SharedObject)
    if (llvm::Error e = prepareStates())
      return e;
  if (llvm::Error e =
          phases.run("bufferize", 0.45, [&] { return bufferize(unit, cpu, errors); }))
    return e;
  report.arenaBytes = unit.description.arenaBytes;
  if (options.emit == EmitKind::MemRef)
    return writeFile(path, [&](llvm::raw_ostream &os) { module.print(os); });
  return emit(path);
}

llvm::Error fx::generateCode(ModuleOp module, const CompileOptions &options,
                             const cpu::CPUOptions &cpu, llvm::StringRef directory,
                             llvm::StringRef path, ErrorCatcher &errors, PhaseRunner &phases,
                             CompileReport &report) {
  return Generator(module, options, cpu, directory, errors, phases, report).run(path);
}
