//===- EmitDescription.cpp - the tables of an artefact --------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/CodeGen/CPU/Description.h"
#include "fx/Support/Version.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

#include "Target.h"
#include "fx/Runtime/Desc.h"

using namespace fx;
using namespace fx::cpu;
using namespace fx::kernel;

namespace {
/// Builds constants with the layouts that Desc.h and model.h declare. LLVM
/// lays out a literal struct as C does.
class Tables {
public:
  Tables(llvm::Module &module)
      : module(module), context(module.getContext()),
        ptr(llvm::PointerType::getUnqual(context)) {}

  llvm::Constant *i8(int64_t v) { return integer(8, v); }
  llvm::Constant *i16(int64_t v) { return integer(16, v); }
  llvm::Constant *i32(int64_t v) { return integer(32, v); }
  llvm::Constant *i64(int64_t v) { return integer(64, v); }
  llvm::Constant *null() { return llvm::ConstantPointerNull::get(ptr); }

  llvm::Constant *global(llvm::Constant *value) {
    auto *g = new llvm::GlobalVariable(module, value->getType(), true,
                                       llvm::GlobalValue::PrivateLinkage, value,
                                       "table");
    g->setAlignment(llvm::Align(8));
    return g;
  }
  llvm::Constant *text(llvm::StringRef s) {
    auto [it, inserted] = texts.try_emplace(s, nullptr);
    if (inserted)
      it->second = global(llvm::ConstantDataArray::getString(context, s, true));
    return it->second;
  }
  llvm::Constant *record(llvm::ArrayRef<llvm::Constant *> fields) {
    return llvm::ConstantStruct::getAnon(context, fields);
  }
  /// Returns a global with the bytes of `s`, followed by a zero byte.
  llvm::Constant *bytes(llvm::StringRef s) {
    return global(llvm::ConstantDataArray::getString(context, s, true));
  }
  /// Returns a global array of `rows`, which have the same type; null if there
  /// are none.
  llvm::Constant *table(llvm::ArrayRef<llvm::Constant *> rows) {
    if (rows.empty())
      return null();
    auto *type = llvm::ArrayType::get(rows[0]->getType(), rows.size());
    return global(llvm::ConstantArray::get(type, rows));
  }
  llvm::Constant *words(llvm::ArrayRef<int64_t> values) {
    llvm::SmallVector<llvm::Constant *> rows;
    for (int64_t v : values)
      rows.push_back(i64(v));
    return table(rows);
  }
  llvm::Constant *textTable(llvm::ArrayRef<std::string> values) {
    llvm::SmallVector<llvm::Constant *> rows;
    for (const std::string &v : values)
      rows.push_back(text(v));
    return table(rows);
  }
  llvm::Constant *dtype(Dtype d) {
    return record({i8(d.code), i8(d.bits), i16(1)});
  }

private:
  llvm::Constant *integer(unsigned bits, int64_t v) {
    return llvm::ConstantInt::get(llvm::Type::getIntNTy(context, bits), v,
                                  /*isSigned=*/true);
  }

  llvm::Module &module;
  llvm::LLVMContext &context;
  llvm::PointerType *ptr;
  llvm::StringMap<llvm::Constant *> texts;
};

class Emitter {
public:
  Emitter(const ModelDescription &m, llvm::Module &module)
      : m(m), module(module), t(module), symbols(m.symbols) {}
  /// Returns the model's FXrtModel and its FXModelInfo.
  std::pair<llvm::Constant *, llvm::Constant *> run();

private:
  llvm::Constant *values(llvm::ArrayRef<ValueDescription> list);
  llvm::Constant *inputs();
  llvm::Constant *states(llvm::SmallVectorImpl<int64_t> &stateArgs,
                         llvm::Constant *&persistent,
                         std::vector<std::string> &unused);
  llvm::Constant *args();
  llvm::Constant *prepared();
  llvm::Constant *device();
  llvm::Constant *info(llvm::SmallVectorImpl<int64_t> &stateArgs);
  llvm::Constant *code(ExprAttr e) {
    auto words = compileExpr(e, symbols);
    return mlir::succeeded(words) ? t.words(*words) : t.null();
  }

  const ModelDescription &m;
  llvm::Module &module;
  Tables t;
  llvm::SmallVector<std::string> symbols;
};
} // namespace

llvm::Constant *Emitter::values(llvm::ArrayRef<ValueDescription> list) {
  llvm::SmallVector<llvm::Constant *> rows;
  for (const ValueDescription &v : list) {
    llvm::SmallVector<int64_t> sizes;
    llvm::SmallVector<llvm::Constant *> exprs;
    for (ExprAttr e : v.sizes) {
      sizes.push_back(e.getInteger().value_or(-1));
      exprs.push_back(t.text(getText(e)));
    }
    rows.push_back(
        t.record({t.text(v.name), t.i32(v.kind), t.i32(v.leaf),
                  t.dtype(v.dtype), t.i32(v.sizes.size()), t.i32(v.isMutated),
                  t.words(sizes), t.table(exprs)}));
  }
  return t.table(rows);
}

llvm::Constant *Emitter::inputs() {
  llvm::SmallVector<llvm::Constant *> rows;
  for (const ValueDescription &v : m.inputs) {
    llvm::SmallVector<llvm::Constant *> dims;
    for (ExprAttr e : v.sizes)
      dims.push_back(code(e));
    rows.push_back(t.record({t.table(dims), v.value ? code(v.value) : t.null(),
                             v.value ? t.text(getText(v.value)) : t.null()}));
  }
  return t.table(rows);
}

/// Returns the table of the states. Sets `persistent` to the table that tells
/// which of them the state_dict has, and adds the others to `unused`.
llvm::Constant *Emitter::states(llvm::SmallVectorImpl<int64_t> &stateArgs,
                                llvm::Constant *&persistent,
                                std::vector<std::string> &unused) {
  llvm::SmallVector<llvm::Constant *> rows, flags;
  for (auto [i, a] : llvm::enumerate(m.args)) {
    if (a.state.empty())
      continue;
    if (!a.isUsed && !a.isPrepared) {
      unused.push_back(a.state);
      continue;
    }
    flags.push_back(t.i32(a.isPersistent));
    bool isSettable = a.kind == FunctionArgDescription::Mutable ||
                      !a.isPrepared || m.keepsPrepare;
    stateArgs.push_back(a.isUsed ? int64_t(i) : -1);
    rows.push_back(
        t.record({t.text(a.state), t.dtype(a.dtype), t.i32(a.sizes.size()),
                  t.i32(a.kind == FunctionArgDescription::Mutable),
                  t.i32(isSettable), t.words(a.sizes)}));
  }
  persistent = t.table(flags);
  return t.table(rows);
}

llvm::Constant *Emitter::args() {
  llvm::SmallVector<llvm::Constant *> rows;
  for (const FunctionArgDescription &a : m.args)
    rows.push_back(t.record({t.i64(a.kind), t.i64(a.index), t.i64(a.offset),
                             t.i64(a.bytes), t.i64(a.sizes.size()),
                             t.words(a.sizes), t.i64(a.prepared)}));
  return t.table(rows);
}

llvm::Constant *Emitter::info(llvm::SmallVectorImpl<int64_t> &stateArgs) {
  llvm::SmallVector<llvm::Constant *> conditions;
  for (const ConditionDescription &c : m.conditions)
    conditions.push_back(
        t.record({t.text(c.text), c.isRange ? t.null() : t.text(c.python)}));
  std::vector<std::string> unused = m.unusedStates;
  llvm::Constant *persistent = nullptr;
  llvm::Constant *stateTable = states(stateArgs, persistent, unused);
  return t.global(t.record({t.text(m.name),
                            t.text("fx-mlir " + getVersion().str()),
                            t.text(m.cpu),
                            t.i32(m.inputs.size()),
                            t.i32(m.outputs.size()),
                            values(m.inputs),
                            values(m.outputs),
                            t.i32(m.inputLeaves),
                            t.i32(m.conditions.size()),
                            t.table(conditions),
                            t.i32(stateArgs.size()),
                            t.i32(m.fallbacks.size()),
                            stateTable,
                            t.textTable(m.fallbacks),
                            t.i64(m.arenaBytes),
                            t.i64(m.weightBytes),
                            t.text(m.report),
                            m.target.empty() ? t.null() : t.text(m.target),
                            t.i32(m.drawsRandom),
                            t.i32(unused.size()),
                            persistent,
                            t.textTable(unused)}));
}

llvm::Constant *Emitter::device() {
  if (m.target.empty())
    return t.null();
  llvm::SmallVector<llvm::Constant *> images;
  for (const ImageDescription &image : m.images)
    images.push_back(t.record({t.i64(image.isBinary), t.i64(image.chip),
                               t.i64(image.family), t.i64(image.overlaps),
                               t.i64(image.bytes.size() + !image.isBinary),
                               t.bytes(image.bytes)}));
  llvm::SmallVector<llvm::Constant *> kernels;
  for (const KernelDescription &kernel : m.kernels)
    kernels.push_back(t.record(
        {t.text(kernel.name), t.i64(kernel.chip), t.text(kernel.nodes)}));
  llvm::StringRef platform = llvm::StringRef(m.target).split(':').first;
  auto *ops = new llvm::GlobalVariable(
      module, llvm::Type::getInt8Ty(module.getContext()), true,
      llvm::GlobalValue::ExternalLinkage, nullptr, "fx_rt_" + platform);
  ops->setVisibility(llvm::GlobalValue::HiddenVisibility);
  return t.global(t.record({ops, t.i64(images.size()), t.table(images),
                            t.i64(kernels.size()), t.table(kernels)}));
}

llvm::Constant *Emitter::prepared() {
  llvm::SmallVector<llvm::Constant *> rows;
  for (auto [sizes, dtype] : llvm::zip(m.preparedSizes, m.preparedDtypes)) {
    int64_t bytes = dtype.bits / 8;
    for (int64_t size : sizes)
      bytes *= size;
    rows.push_back(
        t.record({t.i64(bytes), t.i64(sizes.size()), t.words(sizes)}));
  }
  return t.table(rows);
}

/// Returns the features that the CPU must have.
static int64_t getRequiredFeatures(const ModelDescription &m,
                                   const llvm::Triple &triple) {
  int64_t features = getFeatureBits(m.features, triple);
  if (!triple.isX86())
    return features;
  // Virtual machines often hide the tiles of their CPU. Require them only for
  // code that uses them.
  auto tile = [](bool isUsed, int feature) {
    return isUsed ? int64_t(1) << feature : 0;
  };
  return (features & ~FX_X86_TILES) | tile(m.tiles.any(), FX_X86_AMX_TILE) |
         tile(m.tiles.int8, FX_X86_AMX_INT8) |
         tile(m.tiles.bf16, FX_X86_AMX_BF16) |
         tile(m.tiles.f16, FX_X86_AMX_FP16);
}

std::pair<llvm::Constant *, llvm::Constant *> Emitter::run() {
  int64_t features = getRequiredFeatures(m, module.getTargetTriple());
  llvm::SmallVector<llvm::Constant *> conditions, outputs;
  for (const ConditionDescription &c : m.conditions)
    conditions.push_back(
        t.record({t.words(c.code), t.i64(c.isRange), t.i64(c.min.has_value()),
                  t.i64(c.min.value_or(0)), t.i64(c.max.has_value()),
                  t.i64(c.max.value_or(0))}));
  for (const ValueDescription &v : m.outputs)
    outputs.push_back(t.record({t.i64(v.result), t.i64(v.bits)}));
  int64_t mutables =
      llvm::count_if(m.args, [](const FunctionArgDescription &a) {
        return a.kind == FunctionArgDescription::Mutable;
      });
  auto *ptr = llvm::PointerType::getUnqual(module.getContext());
  auto *entryType = llvm::FunctionType::get(
      llvm::Type::getVoidTy(module.getContext()), {ptr, ptr}, false);
  auto declare = [&](const std::string &name) {
    auto *function = llvm::Function::Create(
        entryType, llvm::GlobalValue::ExternalLinkage, name, module);
    function->setVisibility(llvm::GlobalValue::HiddenVisibility);
    return function;
  };
  llvm::Constant *entry = declare("fx_entry" + m.suffix);
  llvm::Constant *prepare =
      m.keepsPrepare ? declare("fx_prepare" + m.suffix) : t.null();
  llvm::SmallVector<int64_t> stateArgs;
  llvm::Constant *infoTable = info(stateArgs);
  llvm::Constant *inputTable = inputs();
  llvm::Constant *model = t.record({infoTable,
                                    t.i64(symbols.size()),
                                    t.textTable(symbols),
                                    inputTable,
                                    t.table(conditions),
                                    t.i64(m.args.size()),
                                    args(),
                                    t.i64(m.resultRanks.size()),
                                    t.words(m.resultRanks),
                                    t.table(outputs),
                                    t.words(stateArgs),
                                    t.i64(mutables),
                                    t.i64(m.weightBytes),
                                    entry,
                                    t.i64(features),
                                    prepare,
                                    t.i64(m.prepareArgs.size()),
                                    t.words(m.prepareArgs),
                                    t.i64(m.preparedSizes.size()),
                                    prepared(),
                                    device()});
  auto *global = new llvm::GlobalVariable(module, model->getType(), true,
                                          llvm::GlobalValue::InternalLinkage,
                                          model, "fx_rt_model" + m.suffix);
  global->setAlignment(llvm::Align(8));
  return {global, infoTable};
}

std::unique_ptr<llvm::Module>
fx::cpu::emitDescriptions(llvm::ArrayRef<const ModelDescription *> models,
                          int64_t methods, llvm::LLVMContext &context,
                          const CPUOptions &options) {
  auto machine = createTargetMachine(options);
  if (!machine) {
    llvm::consumeError(machine.takeError());
    return nullptr;
  }
  auto module = std::make_unique<llvm::Module>("description", context);
  module->setTargetTriple((*machine)->getTargetTriple());
  module->setDataLayout((*machine)->createDataLayout());
  Tables t(*module);
  auto define = [&](llvm::StringRef name, llvm::Constant *value) {
    auto *global = new llvm::GlobalVariable(*module, value->getType(), true,
                                            llvm::GlobalValue::ExternalLinkage,
                                            value, name);
    global->setVisibility(llvm::GlobalValue::HiddenVisibility);
  };
  llvm::SmallVector<llvm::Constant *> rows, methodRows;
  int64_t mutables = 0;
  for (const ModelDescription *model : models) {
    auto [table, info] = Emitter(*model, *module).run();
    rows.push_back(table);
    methodRows.push_back(t.record(
        {t.text(model->method.empty() ? "forward" : model->method), info}));
    for (const FunctionArgDescription &arg : model->args)
      if (arg.kind == FunctionArgDescription::Mutable)
        mutables = std::max(mutables, arg.index + 1);
  }
  define("fx_rt_versions",
         t.record({t.i64(int64_t(models.size()) / methods), t.i64(methods),
                   t.table(rows), t.table(methodRows), t.i64(mutables)}));
  // The call spec is the same for all versions.
  if (const auto &spec = models.front()->callSpec)
    define("fx_rt_call_spec", t.record({t.text(spec->in), t.text(spec->out)}));
  return module;
}
