//===- Prepare.cpp - runs @prepare during the compilation -----------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CodeUnit.h"
#include "fx/Runtime/Loader.h"
#include "fx/Support/UnlinkedFile.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace fx;

llvm::Expected<OwningOpRef<ModuleOp>> fx::splitPrepare(ModuleOp module) {
  auto prepare = module.lookupSymbol<func::FuncOp>("prepare");
  if (!prepare || !module.lookupSymbol<func::FuncOp>("main"))
    return OwningOpRef<ModuleOp>();
  OwningOpRef<ModuleOp> split = module.clone();
  split->lookupSymbol<func::FuncOp>("main").erase();
  auto main = split->lookupSymbol<func::FuncOp>("prepare");
  main.setName("main");
  main.setPublic();
  Builder b(main.getContext());
  for (unsigned i = 0; i < main.getNumArguments(); ++i)
    if (auto state = main.getArgAttrOfType<FlatSymbolRefAttr>(i, "fx.state")) {
      main.setArgAttr(i, "fx.name",
                      StringAttr::get(main.getContext(), state.getValue()));
      main.removeArgAttr(i, b.getStringAttr("fx.state"));
    }
  for (unsigned r = 0; r < main.getNumResults(); ++r) {
    unsigned arg = main.getNumArguments();
    auto name =
        b.getNamedAttr("fx.name", b.getStringAttr("prepared " + Twine(r)));
    if (failed(main.insertArgument(arg, main.getResultTypes()[r],
                                   b.getDictionaryAttr(name), main.getLoc())))
      return llvm::createStringError("cannot add an argument to @prepare");
    main.setResultAttr(r, "fx.mutates_input", b.getI64IntegerAttr(arg));
  }
  prepare.erase();
  return split;
}

llvm::Error fx::runPrepare(
    CodeUnit &unit, cpu::StateReader &states,
    llvm::function_ref<char *(int64_t result, int64_t bytes)> place) {
  llvm::Expected<UnlinkedFile> file = UnlinkedFile::create();
  if (!file)
    return file.takeError();
  if (llvm::Error e = linkUnits(&unit, /*methods=*/1, file->getPath()))
    return e;
  llvm::Expected<std::unique_ptr<CompiledModel>> compiled =
      CompiledModel::load(file->getPath(), {});
  if (!compiled)
    return compiled.takeError();
  // The inputs are the states, followed by one destination for each result.
  // Results that @main does not read go to scratch memory.
  std::deque<cpu::StateView> views;
  std::deque<std::vector<char>> unread;
  int64_t result = 0;
  for (const cpu::ValueDescription &input : unit.description.inputs) {
    cpu::StateView view;
    if (input.isMutated) {
      view.dtype = input.dtype;
      int64_t bytes = (input.dtype.bits + 7) / 8;
      for (ExprAttr size : input.sizes) {
        view.sizes.push_back(*size.getInteger());
        bytes *= view.sizes.back();
      }
      view.data = place(result++, bytes);
      if (!view.data)
        view.data = unread.emplace_back(std::max<int64_t>(bytes, 1)).data();
      view.strides.assign(view.sizes.size(), 1);
      for (unsigned d = view.sizes.size(); d-- > 1;)
        view.strides[d - 1] = view.strides[d] * view.sizes[d];
    } else {
      llvm::Expected<cpu::StateView> read = states.read(input.name);
      if (!read)
        return read.takeError();
      view = std::move(*read);
    }
    views.push_back(std::move(view));
  }
  std::deque<DLTensor> tensors;
  std::vector<const DLTensor *> inputs;
  for (cpu::StateView &view : views) {
    tensors.push_back({const_cast<char *>(view.data),
                       {kDLCPU, 0},
                       int32_t(view.sizes.size()),
                       {view.dtype.code, view.dtype.bits, 1},
                       view.sizes.data(),
                       view.strides.data(),
                       0});
    inputs.push_back(&tensors.back());
  }
  ModelOutputs none;
  return (*compiled)->run(inputs, none, /*threads=*/0);
}
