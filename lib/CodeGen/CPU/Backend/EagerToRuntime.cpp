//===- EagerToRuntime.cpp - fx.eager as calls of the fallback -------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/CodeGen/CPU/Backend.h"
#include "fx/CodeGen/CPU/EagerJson.h"
#include "fx/CodeGen/Common/Buffers.h"
#include "fx/CodeGen/Common/Captures.h"
#include "fx/Kernels/IR/Dtypes.h"
#include "fx/Kernels/IR/KernelDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace fx::cpu {
#define GEN_PASS_DEF_FXCPUEAGERTORUNTIME
#include "fx/CodeGen/CPU/BackendPasses.h.inc"
} // namespace fx::cpu

using namespace mlir;
using namespace fx;
using namespace fx::codegen;
using namespace fx::kernel;
using namespace fx::cpu;

namespace {
/// Builds the arrays that fx_rt_eager takes, field by field.
class Packer {
public:
  Packer(OpBuilder &b, Location loc, const LLVMTypeConverter &types)
      : b(b), loc(loc), types(types),
        ptr(LLVM::LLVMPointerType::get(b.getContext())), i64(b.getI64Type()),
        tensorType(LLVM::LLVMStructType::getLiteral(b.getContext(),
                                                    {ptr, i64, i64, i64, ptr})),
        scalarType(LLVM::LLVMStructType::getLiteral(b.getContext(),
                                                    {b.getI32Type(), i64})) {}

  Value constant(int64_t value) {
    return LLVM::ConstantOp::create(b, loc, b.getI64IntegerAttr(value));
  }
  Value array(Type type, size_t n) {
    return createStackSlot(
        b, loc, LLVM::LLVMArrayType::get(type, std::max<size_t>(n, 1)));
  }
  Value element(Type type, Value array, int64_t i) {
    return LLVM::GEPOp::create(b, loc, ptr, type, array,
                               ArrayRef<LLVM::GEPArg>{int32_t(i)});
  }
  void store(Type structType, Value base, int32_t field, Value value) {
    LLVM::StoreOp::create(b, loc, value,
                          createFieldAddress(b, loc, structType, base, field));
  }

  void packTensor(Value at, Value descriptor, int64_t rank, Dtype dtype,
                  Value sizes) {
    store(tensorType, at, 0, descriptor);
    store(tensorType, at, 1, constant(rank));
    store(tensorType, at, 2, constant(dtype.code));
    store(tensorType, at, 3, constant(dtype.bits));
    store(tensorType, at, 4, sizes);
  }

  /// Returns a stack slot that holds the descriptor of `memref`.
  Value packDescriptor(Value memref) {
    Value descriptor = castToLLVM(b, types, memref);
    Value slot = createStackSlot(b, loc, descriptor.getType());
    LLVM::StoreOp::create(b, loc, descriptor, slot);
    return slot;
  }

  void packScalar(Value at, Value scalar) {
    int32_t kind = scalar.getType().isF64()        ? 1
                   : scalar.getType().isInteger(1) ? 2
                                                   : 0;
    Value bits = scalar;
    if (kind == 1)
      bits = LLVM::BitcastOp::create(b, loc, i64, scalar);
    else if (kind == 2)
      bits = LLVM::ZExtOp::create(b, loc, i64, scalar);
    store(scalarType, at, 0,
          LLVM::ConstantOp::create(b, loc, b.getI32IntegerAttr(kind)));
    store(scalarType, at, 1, bits);
  }

  OpBuilder &b;
  Location loc;
  const LLVMTypeConverter &types;
  Type ptr, i64, tensorType, scalarType;
};

struct EagerToRuntime : fx::cpu::impl::FXCPUEagerToRuntimeBase<EagerToRuntime> {
  void runOnOperation() override;
  LogicalResult lower(EagerOp op, StartEagerOp start,
                      const LLVMTypeConverter &types);
  LogicalResult lowerStart(StartEagerOp start, EagerOp op,
                           const LLVMTypeConverter &types);
  FailureOr<SmallVector<Value>> packInputs(EagerOp op, OperandRange operands,
                                           Packer &p);
  FailureOr<Value> packOutputs(EagerOp op, Packer &p,
                               SmallVectorImpl<Value> &slots);
  void call(Packer &p, Location loc, StringRef name, ValueRange args);
};
} // namespace

/// Appends to `outs`, for each flattened output of the operator, the index of
/// the op's result, or -1 for a None.
static void flattenOuts(Attribute tree, SmallVectorImpl<int> &outs, int &next) {
  if (auto list = dyn_cast<ArrayAttr>(tree)) {
    for (Attribute item : list)
      flattenOuts(item, outs, next);
  } else {
    outs.push_back(isa<fx::NoneAttr>(tree) ? -1 : next++);
  }
}

static SmallVector<int> getOuts(EagerOp op) {
  SmallVector<int> outs;
  int next = 0;
  if (ArrayAttr tree = op.getOutsAttr())
    flattenOuts(tree, outs, next);
  else
    for (unsigned i = 0; i < op->getNumResults(); ++i)
      outs.push_back(next++);
  return outs;
}

/// Returns the arguments that describe the inputs of a call: the JSON text, the
/// number and array of tensors, and the number and array of scalars.
FailureOr<SmallVector<Value>>
EagerToRuntime::packInputs(EagerOp op, OperandRange operands, Packer &p) {
  FailureOr<std::string> json = getEagerJson(op);
  if (failed(json))
    return failure();
  OpBuilder &b = p.b;
  SmallVector<std::pair<Value, unsigned>> tensors;
  SmallVector<Value> scalars;
  for (auto [i, v] : llvm::enumerate(operands))
    if (isa<MemRefType>(v.getType()))
      tensors.push_back({v, i});
    else if (v.getType().isInteger(64) || v.getType().isF64() ||
             v.getType().isInteger(1))
      scalars.push_back(v);
    else
      return op.emitError("operand ")
             << i << ": expected a tensor, i64, f64 or i1, got " << v.getType();
  Value in = p.array(p.tensorType, tensors.size());
  Value nullPtr = LLVM::ZeroOp::create(b, op.getLoc(), p.ptr);
  for (auto [k, entry] : llvm::enumerate(tensors)) {
    std::optional<Dtype> dtype =
        getValueDtype(getEagerType(op, false, entry.second));
    if (!dtype)
      return op.emitError("operand ") << entry.second << " has no dtype";
    p.packTensor(p.element(p.tensorType, in, k), p.packDescriptor(entry.first),
                 cast<MemRefType>(entry.first.getType()).getRank(), *dtype,
                 nullPtr);
  }
  Value scalarArray = p.array(p.scalarType, scalars.size());
  for (auto [k, v] : llvm::enumerate(scalars))
    p.packScalar(p.element(p.scalarType, scalarArray, k), v);
  Value text = createText(b, op.getLoc(), getOperation(), *json);
  return SmallVector<Value>{text, p.constant(tensors.size()), in,
                            p.constant(scalars.size()), scalarArray};
}

/// Returns the array of outputs. Appends to `slots`, for each result, the stack
/// slot that receives its descriptor.
FailureOr<Value> EagerToRuntime::packOutputs(EagerOp op, Packer &p,
                                             SmallVectorImpl<Value> &slots) {
  OpBuilder &b = p.b;
  SmallVector<int> outs = getOuts(op);
  Value out = p.array(p.tensorType, outs.size());
  Value nullPtr = LLVM::ZeroOp::create(b, op.getLoc(), p.ptr);
  for (auto [i, k] : llvm::enumerate(outs))
    if (k < 0)
      p.packTensor(p.element(p.tensorType, out, i), nullPtr, 0, Dtype{},
                   nullPtr);
  for (auto [k, result] : llvm::enumerate(op->getResults())) {
    auto type = dyn_cast<MemRefType>(result.getType());
    // A null `sizes` marks a scalar, whose value the host reads.
    bool isNumber = !type;
    if (isNumber)
      type = MemRefType::get({}, result.getType());
    // The number of a collective has the type of the tensor.
    std::optional<Dtype> dtype = getValueDtype(
        isNumber && op->hasAttr("fx.collective") ? result.getType()
                                                 : getEagerType(op, true, k));
    if (!dtype)
      return op.emitError("result ") << k << " has no dtype";
    slots.push_back(createStackSlot(b, op.getLoc(), p.types.convertType(type)));
    Value sizes = isNumber ? nullPtr : p.array(p.i64, type.getRank());
    for (int64_t d = 0; d < type.getRank(); ++d)
      LLVM::StoreOp::create(
          b, op.getLoc(),
          p.constant(type.isDynamicDim(d) ? -1 : type.getDimSize(d)),
          p.element(p.i64, sizes, d));
    unsigned at = llvm::find(outs, int(k)) - outs.begin();
    p.packTensor(p.element(p.tensorType, out, at), slots.back(), type.getRank(),
                 *dtype, sizes);
  }
  return out;
}

void EagerToRuntime::call(Packer &p, Location loc, StringRef name,
                          ValueRange args) {
  auto runtime = cast<func::FuncOp>(
      getOrDeclare(p.b, name, p.b.getFunctionType(args.getTypes(), {}), false));
  func::CallOp::create(p.b, loc, runtime, args);
}

/// Replaces `start` by the call of fx_rt_eager_start for `op`.
LogicalResult EagerToRuntime::lowerStart(StartEagerOp start, EagerOp op,
                                         const LLVMTypeConverter &types) {
  OpBuilder b(start);
  Packer p(b, start.getLoc(), types);
  FailureOr<SmallVector<Value>> args = packInputs(op, start.getValues(), p);
  if (failed(args))
    return failure();
  args->insert(args->begin(), p.constant(start.getSlot()));
  args->push_back(p.constant(getOuts(op).size()));
  call(p, start.getLoc(), "fx_rt_eager_start", *args);
  start.erase();
  return success();
}

LogicalResult EagerToRuntime::lower(EagerOp op, StartEagerOp start,
                                    const LLVMTypeConverter &types) {
  OpBuilder b(op);
  Packer p(b, op.getLoc(), types);
  SmallVector<Value> args, slots;
  bool isStarted = start != nullptr;
  if (isStarted) {
    args.push_back(p.constant(start.getSlot()));
    if (failed(lowerStart(start, op, types)))
      return failure();
  } else {
    FailureOr<SmallVector<Value>> inputs = packInputs(op, op->getOperands(), p);
    if (failed(inputs))
      return failure();
    args = std::move(*inputs);
    args.push_back(p.constant(getOuts(op).size()));
  }
  FailureOr<Value> out = packOutputs(op, p, slots);
  if (failed(out))
    return failure();
  args.push_back(*out);
  call(p, op.getLoc(), isStarted ? "fx_rt_eager_wait" : "fx_rt_eager", args);
  for (auto [result, slot] : llvm::zip(op->getResults(), slots)) {
    auto type = dyn_cast<MemRefType>(result.getType());
    MemRefType inMemory = type ? type : MemRefType::get({}, result.getType());
    Value loaded =
        LLVM::LoadOp::create(b, op.getLoc(), types.convertType(inMemory), slot);
    Value memref = castFromLLVM(b, loaded, inMemory);
    result.replaceAllUsesWith(
        type ? memref
             : memref::LoadOp::create(b, op.getLoc(), memref, ValueRange())
                   .getResult());
  }
  op.erase();
  return success();
}

void EagerToRuntime::runOnOperation() {
  LLVMTypeConverter types(&getContext());
  SmallVector<EagerOp> ops;
  llvm::DenseMap<int64_t, StartEagerOp> starts;
  getOperation().walk([&](EagerOp op) { ops.push_back(op); });
  getOperation().walk([&](StartEagerOp op) { starts[op.getSlot()] = op; });
  for (EagerOp op : ops) {
    StartEagerOp start;
    if (auto slot = op->getAttrOfType<IntegerAttr>("fx.slot")) {
      start = starts.lookup(slot.getInt());
      starts.erase(slot.getInt());
    }
    if (failed(lower(op, start, types)))
      return signalPassFailure();
  }
  // The ops of the remaining starts are gone: nothing used their results.
  for (auto &[slot, start] : starts)
    start.erase();
}
