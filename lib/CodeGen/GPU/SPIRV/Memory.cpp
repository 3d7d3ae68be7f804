//===- Memory.cpp - the memory of kernels as addresses and variables ------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Upstream's conversion passes the buffers of a kernel in a descriptor set and
// supports static shapes only. The kernels of this project take addresses and
// numbers, as they do for CUDA. Vulkan supports addresses as physical storage
// buffers (SPV_KHR_physical_storage_buffer): the one push constant is the
// address of the parameters, 8 bytes each, and every access computes the
// address of its element. Memory of a block or of a thread is an array variable
// of SPIR-V.
//
//===----------------------------------------------------------------------===//

#include "Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVDialect.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"
#include "mlir/Dialect/SPIRV/Transforms/SPIRVConversion.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/RegionUtils.h"

namespace fx::spirv {
#define GEN_PASS_DEF_FXGPUSPIRVMEMORY
#include "Passes.h.inc"
} // namespace fx::spirv

using namespace mlir;
using mlir::spirv::StorageClass;

namespace {
/// The memory and the layout of a memref.
struct View {
  Value address;  ///< of the first element, an i64; null if `variable` is set
  Value variable; ///< a pointer to an array
  Value offset;   ///< in elements, an index
  SmallVector<Value> sizes, strides; ///< indices
};

/// Replaces the memory accesses of one kernel.
class Exposer {
public:
  explicit Exposer(mlir::gpu::GPUFuncOp func)
      : func(func), module(func->getParentOfType<mlir::gpu::GPUModuleOp>()),
        b(func.getContext()), loc(func.getLoc()) {}
  LogicalResult run();

private:
  Value loadPushConstant();
  LogicalResult receiveParameters();
  void addWorkgroupArrays();
  LogicalResult lowerAccess(Operation *op);
  LogicalResult lowerShuffle(mlir::gpu::ShuffleOp op);

  /// Returns the view of a memref, or failure if the op that defines it is not
  /// supported. `findView` does the same without the cache.
  FailureOr<View> getView(Value memref);
  FailureOr<View> findView(Value memref);
  FailureOr<View> readDescriptor(UnrealizedConversionCastOp cast);
  void addStaticShape(View &view, MemRefType type);

  Value getIndex(int64_t c) {
    return arith::ConstantIndexOp::create(b, loc, c);
  }
  Value toI64(Value index);
  Value toIndex(Value number);
  /// Returns the type that represents `element` in memory, or null if SPIR-V
  /// has none. A complex number is stored as two elements of its part's type.
  Type getStored(Type element);
  Value fromStored(Value v, Type element);
  Value toStored(Value v);
  Value getPointer(const View &view, Type element, ValueRange indices,
                   int64_t last, int64_t part = 0);
  Value load(Value pointer);
  void store(Value pointer, Value v);
  /// Loads the element that lies `last` elements after the one at `indices`.
  Value loadElement(const View &view, Type element, ValueRange indices,
                    int64_t last = 0);
  void storeElement(const View &view, Value v, ValueRange indices,
                    int64_t last = 0);
  Value getArray(StringRef name, int64_t n, Type stored);

  mlir::gpu::GPUFuncOp func;
  mlir::gpu::GPUModuleOp module;
  OpBuilder b;
  Location loc;
  llvm::DenseMap<Value, View> views;
  llvm::DenseMap<Value, Value> addresses; ///< of parameters
  unsigned numArrays = 0;
};
} // namespace

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

Value Exposer::toI64(Value index) {
  return arith::IndexCastOp::create(b, loc, b.getI64Type(), index);
}

Value Exposer::toIndex(Value number) {
  APInt c;
  if (matchPattern(number, m_ConstantInt(&c)))
    return getIndex(c.getSExtValue());
  return arith::IndexCastOp::create(b, loc, b.getIndexType(), number);
}

Type Exposer::getStored(Type element) {
  if (auto type = dyn_cast<ComplexType>(element))
    element = type.getElementType();
  if (element.isIndex())
    return b.getI64Type();
  if (element.isInteger(1))
    return b.getI8Type();
  if (element.isBF16())
    return b.getI16Type();
  bool isKnown = element.isF16() || element.isF32() || element.isF64() ||
                 element.isInteger(8) || element.isInteger(16) ||
                 element.isInteger(32) || element.isInteger(64);
  return isKnown ? element : Type();
}

Value Exposer::fromStored(Value v, Type element) {
  if (element.isIndex())
    return toIndex(v);
  if (element.isInteger(1)) {
    Value zero = arith::ConstantIntOp::create(b, loc, b.getI8Type(), 0);
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, v, zero);
  }
  if (element.isBF16())
    return arith::BitcastOp::create(b, loc, element, v);
  return v;
}

Value Exposer::toStored(Value v) {
  Type element = v.getType();
  if (element.isIndex())
    return toI64(v);
  if (element.isInteger(1))
    return arith::ExtUIOp::create(b, loc, b.getI8Type(), v);
  if (element.isBF16())
    return arith::BitcastOp::create(b, loc, b.getI16Type(), v);
  return v;
}

static int64_t getBytes(Type stored) {
  return stored.getIntOrFloatBitWidth() / 8;
}

/// Returns the number of stored elements of a memref with a static shape, but
/// at least one, because SPIR-V has no empty arrays.
static int64_t countStored(MemRefType type) {
  int64_t parts = isa<ComplexType>(type.getElementType()) ? 2 : 1;
  return std::max<int64_t>(type.getNumElements() * parts, 1);
}

/// Loads from `pointer`. Buffers of the device are aligned to their elements.
Value Exposer::load(Value pointer) {
  auto type = cast<mlir::spirv::PointerType>(pointer.getType());
  if (type.getStorageClass() != StorageClass::PhysicalStorageBuffer)
    return mlir::spirv::LoadOp::create(b, loc, pointer);
  return mlir::spirv::LoadOp::create(
      b, loc, pointer,
      mlir::spirv::MemoryAccessAttr::get(b.getContext(),
                                         mlir::spirv::MemoryAccess::Aligned),
      b.getI32IntegerAttr(getBytes(type.getPointeeType())));
}

void Exposer::store(Value pointer, Value v) {
  auto type = cast<mlir::spirv::PointerType>(pointer.getType());
  auto op = mlir::spirv::StoreOp::create(b, loc, pointer, v);
  if (type.getStorageClass() != StorageClass::PhysicalStorageBuffer)
    return;
  op.setMemoryAccess(mlir::spirv::MemoryAccess::Aligned);
  op.setAlignment(getBytes(type.getPointeeType()));
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

void Exposer::addStaticShape(View &view, MemRefType type) {
  SmallVector<int64_t> strides;
  int64_t offset;
  (void)type.getStridesAndOffset(strides, offset);
  view.offset = getIndex(0);
  for (auto [size, stride] : llvm::zip(type.getShape(), strides)) {
    view.sizes.push_back(getIndex(size));
    view.strides.push_back(getIndex(stride));
  }
}

/// Reads the descriptor that fx-gpu-outline built: fields 0 to 2 are two
/// pointers and the offset, {3, d} and {4, d} sizes and strides.
FailureOr<View> Exposer::readDescriptor(UnrealizedConversionCastOp cast) {
  llvm::SmallDenseMap<std::pair<int64_t, int64_t>, Value> fields;
  Value rest = cast.getInputs()[0];
  while (auto insert = rest.getDefiningOp<LLVM::InsertValueOp>()) {
    ArrayRef<int64_t> at = insert.getPosition();
    fields.try_emplace({at[0], at.size() > 1 ? at[1] : 0}, insert.getValue());
    rest = insert.getContainer();
  }
  View view;
  view.address = addresses.lookup(fields.lookup({1, 0}));
  if (!view.address)
    return failure();
  view.offset = toIndex(fields.lookup({2, 0}));
  auto type = mlir::cast<MemRefType>(cast.getResult(0).getType());
  for (int64_t d = 0; d < type.getRank(); ++d) {
    view.sizes.push_back(toIndex(fields.lookup({3, d})));
    view.strides.push_back(toIndex(fields.lookup({4, d})));
  }
  return view;
}

FailureOr<View> Exposer::findView(Value memref) {
  Operation *op = memref.getDefiningOp();
  auto type = cast<MemRefType>(memref.getType());
  OpBuilder::InsertionGuard guard(b);
  if (!op)
    return failure();
  b.setInsertionPoint(op);
  if (auto cast = dyn_cast<UnrealizedConversionCastOp>(op))
    return readDescriptor(cast);
  if (auto cast = dyn_cast<memref::CastOp>(op))
    return getView(cast.getSource());
  if (auto meta = dyn_cast<memref::ExtractStridedMetadataOp>(op)) {
    FailureOr<View> view = getView(meta.getSource());
    if (succeeded(view)) {
      view->sizes.clear();
      view->strides.clear();
      view->offset = getIndex(0);
    }
    return view;
  }
  if (auto again = dyn_cast<memref::ReinterpretCastOp>(op)) {
    FailureOr<View> view = getView(again.getSource());
    if (failed(view))
      return failure();
    auto values = [&](ArrayRef<OpFoldResult> mixed) {
      SmallVector<Value> result;
      for (OpFoldResult r : mixed)
        result.push_back(isa<Value>(r) ? cast<Value>(r)
                                       : getIndex(*getConstantIntValue(r)));
      return result;
    };
    view->offset = values(again.getMixedOffsets())[0];
    view->sizes = values(again.getMixedSizes());
    view->strides = values(again.getMixedStrides());
    return view;
  }
  Type stored = getStored(type.getElementType());
  if (isa<memref::AllocaOp>(op) && type.hasStaticShape() && stored) {
    View view;
    auto array = mlir::spirv::ArrayType::get(stored, countStored(type));
    OpBuilder entry = OpBuilder::atBlockBegin(&func.getBody().front());
    view.variable = mlir::spirv::VariableOp::create(
        entry, loc,
        mlir::spirv::PointerType::get(array, StorageClass::Function),
        StorageClass::Function, /*initializer=*/Value());
    addStaticShape(view, type);
    return view;
  }
  return failure();
}

FailureOr<View> Exposer::getView(Value memref) {
  if (auto it = views.find(memref); it != views.end())
    return it->second;
  FailureOr<View> view = findView(memref);
  if (succeeded(view))
    views[memref] = *view;
  return view;
}

/// Returns a pointer to the element that lies `last` elements after the one at
/// `indices`. `part` selects the real (0) or imaginary (1) part of a complex
/// number.
Value Exposer::getPointer(const View &view, Type element, ValueRange indices,
                          int64_t last, int64_t part) {
  Value linear = view.offset;
  for (auto [index, stride] : llvm::zip(indices, view.strides))
    linear = arith::AddIOp::create(
        b, loc, linear, arith::MulIOp::create(b, loc, index, stride));
  if (last)
    linear = arith::AddIOp::create(b, loc, linear, getIndex(last));
  if (isa<ComplexType>(element))
    linear = arith::AddIOp::create(
        b, loc, arith::MulIOp::create(b, loc, linear, getIndex(2)),
        getIndex(part));
  linear = toI64(linear);
  if (!view.address)
    return mlir::spirv::AccessChainOp::create(b, loc, view.variable,
                                              ValueRange{linear});
  Type stored = getStored(element);
  Value bytes =
      arith::ConstantIntOp::create(b, loc, b.getI64Type(), getBytes(stored));
  Value at = arith::AddIOp::create(
      b, loc, view.address, arith::MulIOp::create(b, loc, linear, bytes));
  return mlir::spirv::ConvertUToPtrOp::create(
      b, loc,
      mlir::spirv::PointerType::get(stored,
                                    StorageClass::PhysicalStorageBuffer),
      at);
}

Value Exposer::loadElement(const View &view, Type element, ValueRange indices,
                           int64_t last) {
  Value first = load(getPointer(view, element, indices, last));
  if (!isa<ComplexType>(element))
    return fromStored(first, element);
  Value second = load(getPointer(view, element, indices, last, 1));
  return complex::CreateOp::create(b, loc, element, first, second);
}

void Exposer::storeElement(const View &view, Value v, ValueRange indices,
                           int64_t last) {
  Type element = v.getType();
  if (!isa<ComplexType>(element))
    return store(getPointer(view, element, indices, last), toStored(v));
  store(getPointer(view, element, indices, last),
        complex::ReOp::create(b, loc, v));
  store(getPointer(view, element, indices, last, 1),
        complex::ImOp::create(b, loc, v));
}

/// Returns a pointer to an array of `n` elements that the threads of a block
/// share.
Value Exposer::getArray(StringRef name, int64_t n, Type stored) {
  auto type = mlir::spirv::PointerType::get(
      mlir::spirv::ArrayType::get(stored, n), StorageClass::Workgroup);
  std::string symbol = (func.getName() + "_" + name).str();
  auto variable = module.lookupSymbol<mlir::spirv::GlobalVariableOp>(symbol);
  if (!variable) {
    OpBuilder top = OpBuilder::atBlockBegin(module.getBody());
    variable = mlir::spirv::GlobalVariableOp::create(
        top, loc, TypeAttr::get(type), top.getStringAttr(symbol));
  }
  return mlir::spirv::AddressOfOp::create(b, loc, variable);
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

LogicalResult Exposer::lowerAccess(Operation *op) {
  b.setInsertionPoint(op);
  loc = op->getLoc();
  auto access = [&](Value memref) -> FailureOr<View> {
    FailureOr<View> view = getView(memref);
    if (failed(view) ||
        !getStored(cast<MemRefType>(memref.getType()).getElementType()))
      return op->emitError("no SPIR-V for an access of ") << memref.getType();
    return view;
  };
  auto element = [&](Value memref) {
    return cast<MemRefType>(memref.getType()).getElementType();
  };
  if (auto read = dyn_cast<memref::LoadOp>(op)) {
    FailureOr<View> view = access(read.getMemref());
    if (failed(view))
      return failure();
    op->getResult(0).replaceAllUsesWith(
        loadElement(*view, read.getType(), read.getIndices()));
  } else if (auto write = dyn_cast<memref::StoreOp>(op)) {
    FailureOr<View> view = access(write.getMemref());
    if (failed(view))
      return failure();
    storeElement(*view, write.getValue(), write.getIndices());
  } else if (auto read = dyn_cast<vector::LoadOp>(op)) {
    FailureOr<View> view = access(read.getBase());
    if (failed(view))
      return failure();
    SmallVector<Value> elements;
    for (int64_t i = 0; i < read.getVectorType().getNumElements(); ++i)
      elements.push_back(
          loadElement(*view, element(read.getBase()), read.getIndices(), i));
    op->getResult(0).replaceAllUsesWith(
        vector::FromElementsOp::create(b, loc, read.getVectorType(), elements));
  } else if (auto write = dyn_cast<vector::StoreOp>(op)) {
    FailureOr<View> view = access(write.getBase());
    if (failed(view))
      return failure();
    for (int64_t i = 0; i < write.getVectorType().getNumElements(); ++i)
      storeElement(
          *view, vector::ExtractOp::create(b, loc, write.getValueToStore(), i),
          write.getIndices(), i);
  } else if (auto meta = dyn_cast<memref::ExtractStridedMetadataOp>(op)) {
    FailureOr<View> view = access(meta.getSource());
    if (failed(view))
      return failure();
    meta.getOffset().replaceAllUsesWith(view->offset);
    for (auto [from, to] : llvm::zip(meta.getSizes(), view->sizes))
      from.replaceAllUsesWith(to);
    for (auto [from, to] : llvm::zip(meta.getStrides(), view->strides))
      from.replaceAllUsesWith(to);
    return success(); // `findView` still needs the op for its base buffer.
  } else if (auto dim = dyn_cast<memref::DimOp>(op)) {
    FailureOr<View> view = access(dim.getSource());
    std::optional<int64_t> d = dim.getConstantIndex();
    if (failed(view) || !d)
      return failure();
    op->getResult(0).replaceAllUsesWith(view->sizes[*d]);
  } else {
    return success();
  }
  op->erase();
  return success();
}

/// Lowers a shuffle to an exchange through workgroup memory, because subgroups
/// differ in size between devices and the kernels assume warps of 32 threads.
/// The exchange has barriers, so all threads of a block must execute it;
/// kernels ensure this.
LogicalResult Exposer::lowerShuffle(mlir::gpu::ShuffleOp op) {
  b.setInsertionPoint(op);
  loc = op.getLoc();
  Type type = op.getValue().getType();
  if (op.getMode() != mlir::gpu::ShuffleMode::XOR || !type.isIntOrFloat() ||
      type.getIntOrFloatBitWidth() != 32 || !op.getValid().use_empty())
    return op.emitError("no SPIR-V for this shuffle");
  Type i32 = b.getI32Type();
  Value v = op.getValue();
  if (!type.isInteger())
    v = arith::BitcastOp::create(b, loc, i32, v);
  std::optional<ArrayRef<int32_t>> block = func.getKnownBlockSize();
  View memory;
  memory.variable = getArray("exchange", (*block)[0], i32);
  memory.offset = getIndex(0);
  memory.strides = {getIndex(1)};
  Value thread = mlir::gpu::ThreadIdOp::create(b, loc, mlir::gpu::Dimension::x);
  Value distance =
      arith::IndexCastUIOp::create(b, loc, b.getIndexType(), op.getOffset());
  Value other = arith::XOrIOp::create(b, loc, thread, distance);
  storeElement(memory, v, thread);
  mlir::gpu::BarrierOp::create(b, loc);
  Value got = loadElement(memory, i32, other);
  mlir::gpu::BarrierOp::create(b, loc);
  if (!type.isInteger())
    got = arith::BitcastOp::create(b, loc, type, got);
  op.getShuffleResult().replaceAllUsesWith(got);
  op.erase();
  return success();
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// Loads the address of the parameters. (Upstream's helper for push constants
/// supports only i32.)
Value Exposer::loadPushConstant() {
  auto block =
      mlir::spirv::StructType::get({b.getI64Type()}, /*offsetInfo=*/{0});
  auto type = mlir::spirv::PointerType::get(block, StorageClass::PushConstant);
  StringRef name = "parameters";
  auto variable = module.lookupSymbol<mlir::spirv::GlobalVariableOp>(name);
  if (!variable) {
    OpBuilder top = OpBuilder::atBlockBegin(module.getBody());
    variable = mlir::spirv::GlobalVariableOp::create(
        top, loc, TypeAttr::get(type), top.getStringAttr(name));
  }
  Value pointer = mlir::spirv::AddressOfOp::create(b, loc, variable);
  Value first = mlir::spirv::ConstantOp::getZero(b.getI32Type(), loc, b);
  return load(
      mlir::spirv::AccessChainOp::create(b, loc, pointer, ValueRange{first}));
}

LogicalResult Exposer::receiveParameters() {
  Block &entry = func.getBody().front();
  b.setInsertionPointToStart(&entry);
  unsigned n = func.getFunctionType().getNumInputs();
  Value params = loadPushConstant();
  for (unsigned i = 0; i < n; ++i) {
    Value arg = entry.getArgument(i);
    bool isPointer = isa<LLVM::LLVMPointerType>(arg.getType());
    Type element = isPointer ? b.getI64Type() : arg.getType();
    if (!getStored(element) || isa<ComplexType>(element))
      return func.emitError("no SPIR-V for a parameter of type ") << element;
    View slot;
    // Parameters of all types have slots of 8 bytes.
    Value eight =
        arith::ConstantIntOp::create(b, loc, b.getI64Type(), 8 * int64_t(i));
    slot.address = arith::AddIOp::create(b, loc, params, eight);
    slot.offset = getIndex(0);
    Value v = loadElement(slot, element, {});
    if (isPointer)
      addresses[arg] = v;
    else
      arg.replaceAllUsesWith(v);
  }
  return success();
}

void Exposer::addWorkgroupArrays() {
  Block &entry = func.getBody().front();
  unsigned n = func.getFunctionType().getNumInputs();
  for (BlockArgument arg : entry.getArguments().drop_front(n)) {
    auto type = cast<MemRefType>(arg.getType());
    if (!type.hasStaticShape() || !getStored(type.getElementType()))
      continue; // An access of the array reports the error.
    View view;
    std::string name = "shared_" + std::to_string(numArrays++);
    view.variable =
        getArray(name, countStored(type), getStored(type.getElementType()));
    addStaticShape(view, type);
    views[arg] = view;
  }
}

LogicalResult Exposer::run() {
  std::optional<ArrayRef<int32_t>> block = func.getKnownBlockSize();
  if (!block)
    return func.emitError("no SPIR-V for blocks of a size that only the run "
                          "tells");
  func->setAttr(mlir::spirv::getEntryPointABIAttrName(),
                mlir::spirv::getEntryPointABIAttr(b.getContext(), *block));
  if (failed(receiveParameters()))
    return failure();
  addWorkgroupArrays();
  SmallVector<Operation *> ops;
  func.walk([&](Operation *op) { ops.push_back(op); });
  bool isRight = true;
  for (Operation *op : ops) {
    if (auto shuffle = dyn_cast<mlir::gpu::ShuffleOp>(op))
      isRight &= succeeded(lowerShuffle(shuffle));
    else
      isRight &= succeeded(lowerAccess(op));
  }
  if (!isRight)
    return failure();
  IRRewriter rewriter(b.getContext());
  (void)runRegionDCE(rewriter, func->getRegions());
  Block &entry = func.getBody().front();
  for (BlockArgument arg : entry.getArguments())
    if (!arg.use_empty())
      return (*arg.getUsers().begin())
          ->emitError("no SPIR-V for this use of memory");
  entry.eraseArguments(0, entry.getNumArguments());
  func.setFunctionType(b.getFunctionType({}, {}));
  func->removeAttr(func.getArgAttrsAttrName());
  func->removeAttr(func.getWorkgroupAttribAttrsAttrName());
  func->setAttr(func.getNumWorkgroupAttributionsAttrName(),
                b.getI64IntegerAttr(0));
  return success();
}

namespace {
struct SPIRVMemory : fx::spirv::impl::FXGPUSPIRVMemoryBase<SPIRVMemory> {
  using Base::Base;
  void runOnOperation() override {
    for (auto func : getOperation().getOps<mlir::gpu::GPUFuncOp>())
      if (failed(Exposer(func).run()))
        return signalPassFailure();
  }
};
} // namespace
