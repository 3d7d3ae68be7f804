//===- CodeUnit.cpp - from a module to object code ------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CodeUnit.h"
#include "ModuleHash.h"
#include "fx/CodeGen/CPU/EagerJson.h"
#include "fx/CodeGen/CPU/EmitListener.h"
#include "fx/Kernels/Analysis.h"
#include "fx/Kernels/IR/KernelDialect.h"
#include "fx/Support/CrashRecovery.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/ThreadPool.h"

#include <chrono>
#include <mutex>
#include <utility>

using namespace mlir;
using namespace fx;

namespace {
/// Crashes. Tests use the pass to exercise crash recovery.
struct CrashPass : PassWrapper<CrashPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(CrashPass)
  StringRef getArgument() const override { return "fx-debug-crash"; }
  void runOnOperation() override { LLVM_BUILTIN_TRAP; }
};

/// Records the running passes, so that the pass that crashed is known.
class PassWatcher : public PassInstrumentation {
public:
  /// Keeps the names of the running passes in `running`, outermost first.
  explicit PassWatcher(SmallVector<std::string> &running) : running(running) {}
  void runBeforePass(Pass *pass, Operation *) override {
    StringRef argument = pass->getArgument();
    running.push_back((argument.empty() ? pass->getName() : argument).str());
  }
  void runAfterPass(Pass *, Operation *) override { running.pop_back(); }
  void runAfterPassFailed(Pass *, Operation *) override { running.pop_back(); }

private:
  SmallVector<std::string> &running;
};
} // namespace

llvm::Error fx::runPasses(ModuleOp module, ErrorCatcher &errors,
                          llvm::function_ref<void(OpPassManager &)> build) {
  PassManager pm(module.getContext());
  // Verify after each pass only when a reproducer is requested: verification
  // takes as long as the passes themselves.
  pm.enableVerifier(!errors.reproducer.empty());
  if (!errors.reproducer.empty())
    pm.enableCrashReproducerGeneration(errors.reproducer);
  SmallVector<std::string> running;
  pm.addInstrumentation(std::make_unique<PassWatcher>(running));
  if (errors.configurePasses)
    errors.configurePasses(pm);
  build(pm);
  if (std::exchange(errors.crashes, false))
    pm.addPass(std::make_unique<CrashPass>());
  LogicalResult result = pm.run(module);
  // The crash reproducer disables the process-wide crash recovery when it is
  // done. Enable the recovery again for the enclosing `runSafely`.
  if (!errors.reproducer.empty())
    renewRecovery();
  else if (succeeded(result))
    result = verify(module);
  if (succeeded(result))
    return llvm::Error::success();
  llvm::Error error = errors.take("compilation failed");
  if (running.empty())
    return error;
  llvm::consumeError(std::move(error));
  return CompileError::make(CompileError::Kind::Crash,
                            "the pass " + running.back() +
                                " crashed; 'fx-opt --run-reproducer " +
                                errors.reproducer + "' runs it again");
}

llvm::Error CodeUnit::describe(ErrorCatcher &errors) {
  auto main = module.lookupSymbol<func::FuncOp>("main");
  if (!main || main.isExternal())
    return llvm::createStringError("no function @main to compile");
  FailureOr<cpu::ModelDescription> made = cpu::describeModel(main);
  if (failed(made))
    return errors.take("@main cannot be described");
  description = std::move(*made);
  description.cpu = cpu.name;
  description.features = cpu.features;
  description.suffix = cpu.suffix;
  bool failedJson = false;
  module.walk([&](EagerOp op) {
    FailureOr<std::string> json = cpu::getEagerJson(op);
    failedJson |= failed(json);
    if (succeeded(json))
      description.fallbacks.push_back(*json);
    description.drawsRandom |=
        !op->hasAttr("fx.pure") && !op->hasAttr("fx.collective");
  });
  module.walk([&](kernel::RandomOp) { description.drawsRandom = true; });
  if (failedJson)
    return errors.take("an operator cannot be passed to the fallback",
                       CompileError::Kind::NoNativeCode);
  return llvm::Error::success();
}

llvm::Error CodeUnit::bufferize(ErrorCatcher &errors) {
  if (llvm::Error e = runPasses(module, errors, [&](OpPassManager &pm) {
        pm.addPass(createSymbolDCEPass());
        cpu::buildBufferizePipeline(pm, cpu);
      }))
    return e;
  auto main = module.lookupSymbol<func::FuncOp>("main");
  if (auto bytes = main->getAttrOfType<IntegerAttr>("fx.arena_bytes"))
    description.arenaBytes = bytes.getInt();
  // After the kernels of other functions are gone.
  module.walk([&](LLVM::CallIntrinsicOp op) {
    StringRef name = op.getIntrin();
    description.tiles.int8 |= name == "llvm.x86.tdpbusd";
    description.tiles.bf16 |= name == "llvm.x86.tdpbf16ps";
    description.tiles.f16 |= name == "llvm.x86.tdpfp16ps";
  });
  parts.clear();
  parts.push_back({module, {}, ""});
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

/// Returns the name of kernel `number` in the module of its part.
static std::string getPartKernel(unsigned number) {
  return "kernel_" + std::to_string(number);
}

/// Returns N if `function` is `kernel_N` or a loop outlined from it (its name
/// begins with `kernel_N`).
static std::optional<unsigned> getKernel(StringRef function) {
  unsigned number;
  if (!function.consume_front("kernel_") || function.consumeInteger(10, number))
    return std::nullopt;
  return number;
}

static int64_t countOps(Operation *op) {
  int64_t n = 0;
  op->walk([&](Operation *) { ++n; });
  return n;
}

/// The number of ops from which on a part takes no more kernels. A part costs 5
/// to 9 ms of CPU time (Zen 3) besides its kernels. Larger parts gain little,
/// and fewer parts keep fewer CPUs busy.
static constexpr int64_t kPartOps = 500;

void CodeUnit::split() {
  int64_t ops = kPartOps; // of the last part
  for (Operation &op : llvm::make_early_inc_range(*module.getBody())) {
    auto kernel = dyn_cast<func::FuncOp>(op);
    if (!kernel || !kernel->hasAttr(kernel::kKernelAttr) || kernel.isExternal())
      continue;
    kernel->setAttr("fx.export", UnitAttr::get(kernel.getContext()));
    OpBuilder b(kernel);
    auto declaration = cast<func::FuncOp>(kernel->cloneWithoutRegions());
    declaration->removeAttr(kernel::kKernelAttr);
    b.insert(declaration);
    if (ops >= kPartOps) {
      owned.push_back(ModuleOp::create(module.getLoc()));
      parts.push_back({*owned.back(), {}, ""});
      ops = 0;
    }
    CodePart &part = parts.back();
    ops += countOps(kernel);
    kernel->remove();
    kernel.setPublic();
    part.kernels.push_back(kernel.getSymName().str());
    kernel.setSymName(getPartKernel(part.kernels.size() - 1));
    part.module.push_back(kernel);
  }
}

llvm::Error fx::linkUnits(llvm::ArrayRef<CodeUnit *> units, int64_t methods,
                          llvm::StringRef path) {
  llvm::SmallVector<const cpu::ModelDescription *> models;
  std::vector<std::string> all;
  for (CodeUnit *unit : units) {
    models.push_back(&unit->description);
    for (CodePart &part : unit->parts)
      all.push_back(std::move(part.object));
  }
  const cpu::CPUOptions &cpu = units.front()->cpu;
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> tables =
      cpu::emitDescriptions(models, methods, context, cpu);
  if (!tables)
    return llvm::createStringError("the description cannot be emitted");
  llvm::Expected<std::string> object =
      cpu::emitCode(*tables, cpu, cpu::CodeKind::Object);
  if (!object)
    return object.takeError();
  all.push_back(std::move(*object));
  bool forTorch = models.front()->callSpec.has_value();
  return cpu::linkSharedObject(all, cpu::getTriple(cpu), path, forTorch);
}

//===----------------------------------------------------------------------===//
// Code
//===----------------------------------------------------------------------===//

/// Runs `fn` and adds its wall-clock time to `seconds`.
static auto timed(std::atomic<double> &seconds,
                  llvm::function_ref<llvm::Error()> fn) {
  auto start = std::chrono::steady_clock::now();
  llvm::Error error = fn();
  std::chrono::duration<double> taken =
      std::chrono::steady_clock::now() - start;
  seconds.fetch_add(taken.count());
  return error;
}

llvm::Expected<std::unique_ptr<llvm::Module>>
fx::compileToLLVMIR(ModuleOp module, llvm::LLVMContext &context,
                    const CodeUnit &unit, const cpu::CPUOptions &cpu,
                    CodeSeconds &seconds) {
  std::unique_ptr<llvm::Module> code;
  if (llvm::Error e = timed(seconds.lower, [&]() -> llvm::Error {
        PassManager pm(module.getContext());
        pm.enableVerifier(false);
        if (unit.configurePasses)
          unit.configurePasses(pm);
        cpu::buildLowerToLLVMPipeline(pm, cpu);
        if (failed(pm.run(module)) || failed(verify(module)))
          return llvm::createStringError("compilation failed");
        code = cpu::translateToLLVMIR(module, context, cpu);
        if (!code)
          return llvm::createStringError(
              "the module cannot be translated to LLVM IR");
        // The kernels that @main calls are in other parts.
        if (!cpu.suffix.empty())
          for (llvm::Function &function : *code)
            if (function.isDeclaration() && getKernel(function.getName()))
              function.setName(function.getName() + cpu.suffix);
        if (code->getFunction("_mlir_ciface_main"))
          return cpu::addEntry(*code, "main", unit.entry);
        return llvm::Error::success();
      }))
    return e;
  if (llvm::Error e = timed(seconds.optimize,
                            [&] { return cpu::optimizeLLVM(*code, cpu); }))
    return e;
  return code;
}

static int64_t countKernels(ModuleOp part) {
  return llvm::count_if(part.getOps<func::FuncOp>(), [](func::FuncOp func) {
    return !func.isExternal() && getKernel(func.getSymName());
  });
}

/// Returns a listener that calls `onKernel` each time the last function of a
/// kernel has been emitted.
static cpu::FunctionListener
listenForKernels(const llvm::Module &code,
                 const std::function<void()> &onKernel) {
  llvm::DenseMap<unsigned, unsigned> left;
  for (const llvm::Function &function : code)
    if (!function.isDeclaration())
      if (std::optional<unsigned> kernel = getKernel(function.getName()))
        ++left[*kernel];
  return [left, onKernel](const llvm::Function &function) mutable {
    std::optional<unsigned> kernel = getKernel(function.getName());
    if (kernel && --left[*kernel] == 0)
      onKernel();
  };
}

/// Returns the options for the code of `part`. Without kernels, @main only
/// calls them. LLVM then takes long for little: its SLP vectorizer takes
/// quadratic time for the stores to the descriptors of many results.
static cpu::CPUOptions getPartOptions(const CodeUnit &unit,
                                      const CodePart &part) {
  cpu::CPUOptions cpu = unit.cpu;
  if (part.kernels.empty() && unit.parts.size() > 1)
    cpu.optLevel = 1;
  return cpu;
}

static llvm::Error compilePart(CodePart &part, const CodeUnit &unit,
                               CodeSeconds &seconds,
                               const std::function<void()> &onKernel) {
  llvm::LLVMContext context;
  cpu::CPUOptions cpu = getPartOptions(unit, part);
  auto code = compileToLLVMIR(part.module, context, unit, cpu, seconds);
  if (!code)
    return code.takeError();
  return timed(seconds.emit, [&]() -> llvm::Error {
    llvm::Expected<std::string> emitted = cpu::emitCode(
        **code, cpu, cpu::CodeKind::Object, listenForKernels(**code, onKernel));
    if (!emitted)
      return emitted.takeError();
    part.object = std::move(*emitted);
    return llvm::Error::success();
  });
}

/// Returns what the code of `part` of `unit` depends on, except for its module.
/// A kernel gets its name later, so versions and programs share its code.
static std::string getCodeOptions(const CodeUnit &unit, const CodePart &part) {
  cpu::CPUOptions cpu = getPartOptions(unit, part);
  std::string names =
      part.kernels.empty() ? unit.entry + " " + cpu.suffix : std::string();
  return llvm::formatv("object {0} {1} {2} {3} {4} {5} {6}",
                       cpu::getTriple(cpu).str(), cpu.cpu, cpu.features,
                       cpu.vectorWidth, cpu.optLevel, cpu.profile, names);
}

namespace {
/// A part whose code is made or found.
struct Job {
  Job(CodePart &part, const CodeUnit &unit)
      : part(&part), unit(&unit), weight(countOps(part.module)),
        kernels(countKernels(part.module)) {}
  CodePart *part;
  const CodeUnit *unit;
  int64_t weight, kernels;
  std::optional<std::string> key; ///< in the cache
  std::string error;
};
} // namespace

/// Compiles the parts of `jobs` on all CPUs.
static llvm::Error compileJobs(llvm::ArrayRef<Job *> jobs, CodeSeconds &seconds,
                               llvm::function_ref<void(Job &)> run) {
  if (jobs.size() == 1)
    run(*jobs.front());
  if (jobs.size() <= 1)
    return llvm::Error::success();
  // Passes and the translation to LLVM IR register dialects and interfaces
  // with the MLIRContext, which is not thread-safe. Compile an empty module
  // first so that everything is registered before the threads start.
  OwningOpRef<ModuleOp> empty =
      ModuleOp::create(jobs.front()->part->module.getLoc());
  llvm::LLVMContext context;
  auto code = compileToLLVMIR(*empty, context, *jobs.front()->unit,
                              jobs.front()->unit->cpu, seconds);
  if (!code)
    return code.takeError();
  llvm::ThreadPoolStrategy strategy = llvm::hardware_concurrency(jobs.size());
  strategy.Limit = true; // no more threads than CPUs
  llvm::DefaultThreadPool pool(strategy);
  for (Job *job : jobs)
    pool.async([&run, job] { run(*job); });
  pool.wait();
  return llvm::Error::success();
}

/// Returns the object of `part` with the symbols of the linked file.
static llvm::Expected<std::string> renameKernels(const CodePart &part,
                                                 StringRef suffix) {
  return cpu::renameSymbols(
      part.object, [&](StringRef symbol) -> std::optional<std::string> {
        std::optional<unsigned> number = getKernel(symbol);
        if (!number || *number >= part.kernels.size())
          return std::nullopt;
        StringRef rest = symbol.drop_front(getPartKernel(*number).size());
        return (part.kernels[*number] + suffix + rest).str();
      });
}

llvm::Error fx::compileParts(llvm::ArrayRef<CodeUnit *> units,
                             ObjectCache &cache, ErrorCatcher &errors,
                             CodeSeconds &seconds,
                             const std::function<void(int64_t)> &onKernel) {
  std::deque<Job> jobs;
  for (CodeUnit *unit : units)
    for (CodePart &part : unit->parts)
      jobs.emplace_back(part, *unit);
  int64_t kernels = 0;
  for (Job &job : jobs)
    kernels += job.kernels;
  std::mutex lock;
  auto finishKernel = [&] {
    std::lock_guard guard(lock);
    onKernel(kernels);
  };
  SmallVector<Job *> missing;
  for (Job &job : jobs) {
    std::optional<std::string> object;
    if (cache.isEnabled())
      job.key =
          hashModule(job.part->module, getCodeOptions(*job.unit, *job.part));
    if (job.key)
      object = cache.find(*job.key);
    if (!object) {
      missing.push_back(&job);
      continue;
    }
    job.part->object = std::move(*object);
    for (int64_t i = 0; i < job.kernels; ++i)
      finishKernel();
  }
  // Start the largest part first: if it came last, it would run alone.
  llvm::stable_sort(missing,
                    [](Job *a, Job *b) { return a->weight > b->weight; });
  auto run = [&](Job &job) {
    // Each thread has to catch its own crashes.
    std::string fatal;
    auto compile = [&] {
      if (llvm::Error e =
              compilePart(*job.part, *job.unit, seconds, finishKernel))
        job.error = llvm::toString(std::move(e));
      else if (job.key)
        cache.insert(*job.key, job.part->object);
    };
    if (!runSafely(compile, fatal))
      job.error = kCrashText.str() + (fatal.empty() ? "" : ": ") + fatal;
  };
  if (llvm::Error e = compileJobs(missing, seconds, run))
    return e;
  for (Job &job : jobs) {
    if (!job.error.empty())
      return errors.take(job.error);
    if (job.part->kernels.empty())
      continue;
    llvm::Expected<std::string> renamed =
        renameKernels(*job.part, job.unit->cpu.suffix);
    if (!renamed)
      return renamed.takeError();
    job.part->object = std::move(*renamed);
  }
  return llvm::Error::success();
}
