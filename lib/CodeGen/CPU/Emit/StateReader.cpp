//===- StateReader.cpp - the bytes of states ------------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/CodeGen/CPU/Weights.h"
#include "fx/Support/CrashRecovery.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace fx;
using namespace fx::cpu;
using namespace fx::kernel;

int64_t StateView::getNumElements() const {
  int64_t n = 1;
  for (int64_t size : sizes)
    n *= size;
  return n;
}

bool StateView::isContiguous() const {
  int64_t stride = 1;
  if (getNumElements() == 0)
    return true;
  for (unsigned d = sizes.size(); d-- > 0;) {
    if (sizes[d] != 1 && strides[d] != stride)
      return false;
    stride *= sizes[d];
  }
  return true;
}

StateReader::StateReader(ModuleOp module) : module(module) {}

StateReader::~StateReader() { wait(); }

void StateReader::wait() {
  if (ahead.joinable())
    ahead.join();
}

void StateReader::readAhead() {
  SmallVector<StateOp> states(module.getOps<StateOp>());
  ahead = std::thread([this, states = std::move(states)] {
    std::string fatal;
    crashed = !runSafely(
        [&] {
          // Whoever needs a state gets its error.
          for (StateOp state : states)
            if (isa_and_present<ExternalAttr>(state.getInitAttr()))
              llvm::consumeError(files.get(state).takeError());
        },
        fatal);
  });
}

llvm::Expected<StateView> StateReader::read(StringRef name) {
  wait();
  // A crash leaves locks of `files` locked.
  if (crashed)
    return llvm::createStringError("the file of state '" + name +
                                   "' cannot be read: it was cut off");
  auto state = module.lookupSymbol<StateOp>(name);
  auto type =
      state ? dyn_cast<FakeTensorType>(state.getType()) : FakeTensorType();
  if (!type)
    return llvm::createStringError("no state '" + name + "' of a tensor type");
  auto fail = [&](Twine why) {
    return llvm::createStringError("state '" + name + "': " + why);
  };
  StateView view;
  std::optional<Dtype> dtype = getDtype(type.getDtype());
  if (!dtype)
    return fail("its dtype has no representation");
  view.dtype = *dtype;
  for (ExprAttr size : type.getSizes()) {
    std::optional<int64_t> n = size.getInteger();
    if (!n || *n < 0)
      return fail("its size is not static");
    view.sizes.push_back(*n);
  }
  MetaAttr meta = type.getMeta();
  int64_t offset = 0;
  if (meta && meta.getStorageOffset())
    offset = meta.getStorageOffset().getInteger().value_or(-1);
  if (meta && !meta.getStrides().empty()) {
    for (ExprAttr stride : meta.getStrides())
      view.strides.push_back(stride.getInteger().value_or(-1));
  } else {
    view.strides.resize(view.sizes.size());
    int64_t stride = 1;
    for (unsigned d = view.sizes.size(); d-- > 0;) {
      view.strides[d] = stride;
      if (llvm::MulOverflow(stride, std::max<int64_t>(view.sizes[d], 1),
                            stride))
        return fail("its size overflows");
    }
  }
  if (offset < 0 || view.strides.size() != view.sizes.size() ||
      llvm::any_of(view.strides, [](int64_t s) { return s < 0; }))
    return fail("expected static strides and offset that are not negative");
  llvm::Expected<ArrayRef<char>> bytes = files.get(state);
  if (!bytes)
    return bytes.takeError();
  // The last element must lie in the storage.
  int64_t last = offset, elementBytes = dtype->bits / 8;
  for (auto [size, stride] : llvm::zip(view.sizes, view.strides)) {
    int64_t span;
    if (llvm::MulOverflow(std::max<int64_t>(size - 1, 0), stride, span) ||
        llvm::AddOverflow(last, span, last))
      return fail("its strides overflow");
  }
  int64_t end;
  if (llvm::AddOverflow(last, int64_t(1), end) ||
      llvm::MulOverflow(end, elementBytes, end))
    return fail("its strides overflow");
  if (view.getNumElements() > 0 && uint64_t(end) > bytes->size())
    return fail("it ends at byte " + Twine(end) + " of a storage of " +
                Twine(bytes->size()));
  view.data =
      bytes->data() + (view.getNumElements() > 0 ? offset * elementBytes : 0);
  return view;
}
