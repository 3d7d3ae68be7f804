//===- Outline.cpp - code of threads in functions of its own --------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Accesses.h"
#include "ExpandMath.h"

#include "fx/CodeGen/Common/Buffers.h"
#include "fx/CodeGen/GPU/Passes.h"
#include "fx/Kernels/Analysis.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/RegionUtils.h"

namespace fx::gpu {
#define GEN_PASS_DEF_FXGPUOUTLINE
#include "fx/CodeGen/GPU/Passes.h.inc"
} // namespace fx::gpu

using namespace mlir;
using namespace fx;

namespace {
/// The values that the host passes to a kernel and the types of the kernel's
/// parameters.
struct Parameters {
  OpBuilder &host;
  Location loc;
  SmallVector<Value> values;
  SmallVector<Type> types;
  llvm::SmallDenseSet<unsigned>
      buffers; ///< those that are addresses of buffers
  unsigned add(Value v) {
    values.push_back(v);
    types.push_back(v.getType());
    return values.size() - 1;
  }
};

/// A captured buffer. `address`, `sizes` and `strides` are the numbers of the
/// parameters that hold them; sizes and strides that are not passed have none.
struct Capture {
  Value value;
  unsigned address = 0;
  SmallVector<std::optional<unsigned>> sizes, strides;
};

/// The values of the enclosing function that a kernel uses.
struct Captures {
  SmallVector<Capture> buffers;
  /// Other values, and the number of the parameter of each.
  SmallVector<std::pair<Value, unsigned>> scalars;
  /// Ops that make constants: the kernel gets copies of them.
  SmallVector<Operation *> constants;
};

struct Outline : fx::gpu::impl::FXGPUOutlineBase<Outline> {
  using Base::Base;
  void runOnOperation() override;
  void outline(mlir::gpu::LaunchOp launch, mlir::gpu::GPUModuleOp kernels,
               StringRef name, bool isKernel);
};
} // namespace

/// Returns true if the region needs the dynamic sizes of `buffer`. Accesses to
/// the elements of a buffer of rank 1 do not.
static bool needsSizes(Value buffer, Region &region) {
  auto type = cast<MemRefType>(buffer.getType());
  if (type.getRank() > 1)
    return true;
  return llvm::any_of(buffer.getUsers(), [&](Operation *user) {
    return isa<memref::DimOp>(user) &&
           region.isAncestor(user->getParentRegion());
  });
}

/// Adds parameters for `buffer`: the address of its first element, the dynamic
/// sizes if the region needs them, and the dynamic strides.
static Capture pass(Parameters &p, Value buffer, Region &region) {
  Capture capture;
  capture.value = buffer;
  OpBuilder &b = p.host;
  auto type = cast<MemRefType>(buffer.getType());
  Value address =
      memref::ExtractAlignedPointerAsIndexOp::create(b, p.loc, buffer);
  auto meta = memref::ExtractStridedMetadataOp::create(b, p.loc, buffer);
  Value bytes = arith::ConstantIndexOp::create(
      b, p.loc, codegen::getElementBytes(type.getElementType()));
  Value offset = arith::MulIOp::create(b, p.loc, meta.getOffset(), bytes);
  address = arith::AddIOp::create(b, p.loc, address, offset);
  address = arith::IndexCastOp::create(b, p.loc, b.getI64Type(), address);
  auto pointer = LLVM::LLVMPointerType::get(b.getContext(), 1);
  capture.address = p.add(LLVM::IntToPtrOp::create(b, p.loc, pointer, address));
  p.buffers.insert(capture.address);
  SmallVector<int64_t> strides;
  int64_t fixedOffset;
  (void)type.getStridesAndOffset(strides, fixedOffset);
  bool all = needsSizes(buffer, region);
  for (int64_t d = 0; d < type.getRank(); ++d) {
    capture.sizes.push_back(std::nullopt);
    capture.strides.push_back(std::nullopt);
    if (all && type.isDynamicDim(d))
      capture.sizes.back() = p.add(meta.getSizes()[d]);
    if (ShapedType::isDynamic(strides[d]))
      capture.strides.back() = p.add(meta.getStrides()[d]);
  }
  return capture;
}

/// Returns the captured buffer as a memref of the kernel. Builds its descriptor
/// from the kernel's arguments, with offset 0.
static Value receive(OpBuilder &b, Location loc, const Capture &capture,
                     ValueRange args) {
  auto type = cast<MemRefType>(capture.value.getType());
  SmallVector<int64_t> strides;
  int64_t offset;
  (void)type.getStridesAndOffset(strides, offset);
  MLIRContext *context = b.getContext();
  MemRefLayoutAttrInterface layout;
  if (!type.getLayout().isIdentity())
    layout = StridedLayoutAttr::get(context, 0, strides);
  auto made = MemRefType::get(type.getShape(), type.getElementType(), layout,
                              b.getI64IntegerAttr(1));
  Type pointer = LLVM::LLVMPointerType::get(context, 1), i64 = b.getI64Type();
  int64_t rank = type.getRank();
  SmallVector<Type> fields = {pointer, pointer, i64};
  if (rank)
    fields.append(2, LLVM::LLVMArrayType::get(i64, rank));
  auto structType = LLVM::LLVMStructType::getLiteral(context, fields);
  auto number = [&](int64_t c) -> Value {
    return LLVM::ConstantOp::create(b, loc, i64, b.getI64IntegerAttr(c));
  };
  auto argument = [&](unsigned i) -> Value {
    return arith::IndexCastOp::create(b, loc, i64, args[i]);
  };
  Value d = LLVM::PoisonOp::create(b, loc, structType);
  auto set = [&](Value v, ArrayRef<int64_t> at) {
    d = LLVM::InsertValueOp::create(b, loc, d, v, at);
  };
  set(args[capture.address], 0);
  set(args[capture.address], 1);
  set(number(0), 2);
  for (int64_t i = 0; i < rank; ++i) {
    int64_t size = type.getDimSize(i);
    set(capture.sizes[i]              ? argument(*capture.sizes[i])
        : ShapedType::isDynamic(size) ? number(0)
                                      : number(size),
        {3, i});
    set(capture.strides[i] ? argument(*capture.strides[i]) : number(strides[i]),
        {4, i});
  }
  return UnrealizedConversionCastOp::create(b, loc, made, d).getResult(0);
}

/// Returns true if `v` is a tensor map, which is a pointer of the host.
static bool isTensorMap(Value v) {
  auto pointer = dyn_cast<LLVM::LLVMPointerType>(v.getType());
  return pointer && pointer.getAddressSpace() == 0;
}

/// Adds a parameter for every value of `used` that is not a constant. Tensor
/// maps come first.
static Captures captureValues(Parameters &p, ArrayRef<Value> used,
                              Region &region) {
  Captures captures;
  OpBuilder &host = p.host;
  // The run-time expects the tensor maps in front of all other parameters.
  for (Value v : used)
    if (isTensorMap(v))
      captures.scalars.push_back({v, p.add(v)});
  for (Value v : used) {
    if (isTensorMap(v))
      continue;
    if (matchPattern(v, m_Constant()))
      captures.constants.push_back(v.getDefiningOp());
    else if (isa<MemRefType>(v.getType()))
      captures.buffers.push_back(pass(p, v, region));
    else if (v.getType().isInteger(1))
      // A parameter has at least one byte.
      captures.scalars.push_back(
          {v, p.add(arith::ExtUIOp::create(host, p.loc, host.getI8Type(), v))});
    else
      captures.scalars.push_back({v, p.add(v)});
  }
  return captures;
}

/// Returns the number of blocks if it is static.
static std::optional<int64_t> countBlocks(mlir::gpu::LaunchOp launch) {
  mlir::gpu::KernelDim3 grid = launch.getGridSizeOperandValues();
  int64_t blocks = 1;
  for (Value size : {grid.x, grid.y, grid.z}) {
    std::optional<int64_t> fixed = getConstantIntValue(size);
    if (!fixed)
      return std::nullopt;
    blocks *= *fixed;
  }
  return blocks;
}

/// Creates the kernel with an empty body.
static mlir::gpu::GPUFuncOp createKernel(OpBuilder &b,
                                         mlir::gpu::LaunchOp launch,
                                         StringRef name, Parameters &p) {
  SmallVector<Type> shared;
  for (BlockArgument memory : launch.getWorkgroupAttributions())
    shared.push_back(memory.getType());
  auto func = mlir::gpu::GPUFuncOp::create(
      b, launch.getLoc(), name, b.getFunctionType(p.types, {}), shared);
  func->setAttr(mlir::gpu::GPUDialect::getKernelFuncAttrName(),
                b.getUnitAttr());
  for (StringRef name : {fx::gpu::kChipAttr, fx::gpu::kClusterAttr})
    if (Attribute attr = launch->getAttr(name))
      func->setAttr(name, attr);
  if (auto work = launch->getAttrOfType<DictionaryAttr>(fx::gpu::kWorkAttr)) {
    NamedAttrList attrs(work);
    if (std::optional<int64_t> blocks = countBlocks(launch))
      attrs.set("blocks", b.getI64IntegerAttr(*blocks));
    func->setAttr(fx::gpu::kWorkAttr, attrs.getDictionary(func.getContext()));
  }
  auto parent = launch->getParentOfType<func::FuncOp>();
  if (Attribute nodes = parent->getAttr(fx::gpu::kNodesAttr))
    func->setAttr(fx::gpu::kNodesAttr, nodes);
  return func;
}

/// Sets the block size if it is static, and `noalias` and the alignment of
/// pointers. The buffers of a function with the kernel attribute (`isKernel`)
/// do not overlap.
static void setKernelAttrs(mlir::gpu::GPUFuncOp func,
                           mlir::gpu::LaunchOp launch, Parameters &p,
                           bool isKernel) {
  Builder b(func.getContext());
  mlir::gpu::KernelDim3 block = launch.getBlockSizeOperandValues();
  SmallVector<int32_t> blockSize;
  for (Value size : {block.x, block.y, block.z})
    if (std::optional<int64_t> fixed = getConstantIntValue(size))
      blockSize.push_back(*fixed);
  if (blockSize.size() == 3)
    func.setKnownBlockSize(blockSize);
  for (unsigned i : p.buffers)
    if (isKernel)
      func.setArgAttr(i, LLVM::LLVMDialect::getNoAliasAttrName(),
                      b.getUnitAttr());
  if (Attribute bytes = launch->getAttr(fx::gpu::kAlignmentAttr))
    for (unsigned i : p.buffers)
      func.setArgAttr(i, LLVM::LLVMDialect::getAlignAttrName(), bytes);
  for (unsigned i = 0; i < launch.getWorkgroupAttributions().size(); ++i)
    func.setWorkgroupAttributionAttr(i, LLVM::LLVMDialect::getAlignAttrName(),
                                     b.getI64IntegerAttr(16));
}

/// Maps the captured values to values of the kernel: clones of constants, and
/// the memrefs and scalars that are computed from the arguments `args`.
static void mapCaptures(OpBuilder &b, Location loc, const Captures &captures,
                        ValueRange args, IRMapping &map) {
  for (Operation *op : captures.constants)
    map.map(op->getResults(), b.clone(*op)->getResults());
  for (const Capture &capture : captures.buffers)
    map.map(capture.value, receive(b, loc, capture, args));
  for (auto [value, i] : captures.scalars) {
    Value v = args[i];
    if (value.getType().isInteger(1))
      v = arith::TruncIOp::create(b, loc, b.getI1Type(), v);
    map.map(value, v);
  }
}

/// Maps the three values of `dims` to the ops that query them in a kernel.
template <typename QueryOp>
static void mapDims(OpBuilder &b, Location loc, mlir::gpu::KernelDim3 dims,
                    IRMapping &map) {
  for (auto [dim, v] : {std::pair(mlir::gpu::Dimension::x, dims.x),
                        std::pair(mlir::gpu::Dimension::y, dims.y),
                        std::pair(mlir::gpu::Dimension::z, dims.z)}) {
    Value query = QueryOp::create(b, loc, dim);
    map.map(v, query);
  }
}

void Outline::outline(mlir::gpu::LaunchOp launch,
                      mlir::gpu::GPUModuleOp kernels, StringRef name,
                      bool isKernel) {
  OpBuilder host(launch);
  Location loc = launch.getLoc();
  Region &region = launch.getBody();
  llvm::SetVector<Value> used;
  getUsedValuesDefinedAbove(region, used);
  fx::gpu::describeAccesses(host, launch, used.getArrayRef());
  Parameters p{host, loc, {}, {}, {}};
  Captures captures = captureValues(p, used.getArrayRef(), region);
  OpBuilder b = OpBuilder::atBlockEnd(kernels.getBody());
  mlir::gpu::GPUFuncOp func = createKernel(b, launch, name, p);
  setKernelAttrs(func, launch, p, isKernel);
  Block &entry = func.getBody().front();
  b.setInsertionPointToStart(&entry);
  IRMapping map;
  mapCaptures(b, loc, captures, entry.getArguments(), map);
  mapDims<mlir::gpu::BlockIdOp>(b, loc, launch.getBlockIds(), map);
  mapDims<mlir::gpu::ThreadIdOp>(b, loc, launch.getThreadIds(), map);
  mapDims<mlir::gpu::GridDimOp>(b, loc, launch.getGridSize(), map);
  mapDims<mlir::gpu::BlockDimOp>(b, loc, launch.getBlockSize(), map);
  map.map(launch.getWorkgroupAttributions(), func.getWorkgroupAttributions());
  for (Operation &op : region.front().without_terminator())
    b.clone(op, map);
  mlir::gpu::ReturnOp::create(b, loc);
  mlir::gpu::LaunchFuncOp::create(
      host, loc, func, launch.getGridSizeOperandValues(),
      launch.getBlockSizeOperandValues(), launch.getDynamicSharedMemorySize(),
      p.values);
  launch.erase();
  ++numLaunches;
}

void Outline::runOnOperation() {
  ModuleOp module = getOperation();
  SmallVector<mlir::gpu::LaunchOp> launches;
  module.walk([&](mlir::gpu::LaunchOp op) { launches.push_back(op); });
  if (launches.empty())
    return;
  module->setAttr(mlir::gpu::GPUDialect::getContainerModuleAttrName(),
                  UnitAttr::get(&getContext()));
  OpBuilder b = OpBuilder::atBlockEnd(module.getBody());
  auto kernels = mlir::gpu::GPUModuleOp::create(b, module.getLoc(), "kernels");
  llvm::StringMap<unsigned> count;
  for (mlir::gpu::LaunchOp launch : launches) {
    auto func = launch->getParentOfType<func::FuncOp>();
    bool isKernel = func->hasAttr(kernel::kKernelAttr);
    std::string name = func.getSymName().str();
    // Kernels for one chip are named, and counted, separately.
    auto chip = launch->getAttrOfType<StringAttr>(fx::gpu::kChipAttr);
    if (chip)
      name += "_" + chip.getValue().str();
    unsigned i = count[name]++;
    if (!isKernel || i > 0)
      name += "_" + std::to_string(i);
    outline(launch, kernels, name, isKernel);
  }
  if (failed(fx::gpu::expandMath(kernels)))
    signalPassFailure();
}
