//===- ParallelToRuntime.cpp - parallel loops as run-time calls -----------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Addresses.h"
#include "fx/CodeGen/CPU/Backend.h"
#include "fx/CodeGen/Common/Buffers.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/RegionUtils.h"

namespace fx::cpu {
#define GEN_PASS_DEF_FXCPUPARALLELTORUNTIME
#include "fx/CodeGen/CPU/BackendPasses.h.inc"
} // namespace fx::cpu

using namespace mlir;
using namespace fx::codegen;
using namespace fx::cpu;

namespace {
/// A parallel loop nest of scf.forall or scf.parallel.
struct Nest {
  Operation *op;
  SmallVector<Value> lower, step, counts;
  SmallVector<Value> ivs; ///< block arguments of the body
};

struct ParallelToRuntime
    : fx::cpu::impl::FXCPUParallelToRuntimeBase<ParallelToRuntime> {
  void runOnOperation() override;
  void outline(Operation *op, const LLVMTypeConverter &types);
  func::FuncOp createBody(Nest &nest, ArrayRef<Value> captures, StringRef name);
  func::FuncOp createThunk(func::FuncOp body, LLVM::LLVMStructType frame,
                           const LLVMTypeConverter &types, StringRef name);
};
} // namespace

static SmallVector<Value> materialize(OpBuilder &b, Location loc,
                                      ArrayRef<OpFoldResult> ofrs) {
  return llvm::map_to_vector(ofrs, [&](OpFoldResult v) {
    return getValueOrCreateConstantIndexOp(b, loc, v);
  });
}

/// Returns the loop nest of `op`. Creates bounds and iteration counts at `b`.
static Nest getNest(Operation *op, OpBuilder &b) {
  Nest nest{op, {}, {}, {}, {}};
  Location loc = op->getLoc();
  SmallVector<Value> upper;
  if (auto forall = dyn_cast<scf::ForallOp>(op)) {
    nest.lower = materialize(b, loc, forall.getMixedLowerBound());
    upper = materialize(b, loc, forall.getMixedUpperBound());
    nest.step = materialize(b, loc, forall.getMixedStep());
    llvm::append_range(nest.ivs, forall.getInductionVars());
  } else {
    auto parallel = cast<scf::ParallelOp>(op);
    llvm::append_range(nest.lower, parallel.getLowerBound());
    llvm::append_range(upper, parallel.getUpperBound());
    llvm::append_range(nest.step, parallel.getStep());
    llvm::append_range(nest.ivs, parallel.getInductionVars());
  }
  for (auto [lb, ub, step] : llvm::zip(nest.lower, upper, nest.step)) {
    Value span = arith::SubIOp::create(b, loc, ub, lb);
    nest.counts.push_back(arith::CeilDivSIOp::create(b, loc, span, step));
  }
  return nest;
}

/// Returns the index of iteration `linear` in each dimension. The last
/// dimension varies fastest.
static SmallVector<Value> delinearize(OpBuilder &b, Location loc, Value linear,
                                      ValueRange counts) {
  SmallVector<Value> at(counts.size());
  for (unsigned d = counts.size(); d-- > 0;) {
    if (d == 0) {
      at[d] = linear;
      break;
    }
    at[d] = arith::RemUIOp::create(b, loc, linear, counts[d]);
    linear = arith::DivUIOp::create(b, loc, linear, counts[d]);
  }
  return at;
}

/// Turns a parallel loop inside an outlined body into ordinary loops.
static void makeSequential(Operation *op) {
  OpBuilder b(op);
  Nest nest = getNest(op, b);
  Location loc = op->getLoc();
  Value one = arith::ConstantIndexOp::create(b, loc, 1);
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  SmallVector<Value> ivs;
  for (auto [lb, step, count] : llvm::zip(nest.lower, nest.step, nest.counts)) {
    auto loop = scf::ForOp::create(b, loc, zero, count, one);
    b.setInsertionPointToStart(loop.getBody());
    Value scaled = arith::MulIOp::create(b, loc, loop.getInductionVar(), step);
    ivs.push_back(arith::AddIOp::create(b, loc, lb, scaled));
  }
  Block &body = op->getRegion(0).front();
  IRMapping map;
  map.map(nest.ivs, ivs);
  for (Operation &inner : body.without_terminator())
    b.clone(inner, map);
  op->erase();
}

/// Moves stack buffers of static size to the function's start: inside the loop
/// over iterations they would grow the stack in every iteration.
static void hoistStackBuffers(func::FuncOp func) {
  Block &entry = func.front();
  func.walk([&](memref::AllocaOp op) {
    if (op->getBlock() != &entry && op.getType().hasStaticShape())
      op->moveBefore(&entry, entry.begin());
  });
}

/// Creates `name(captures..., begin, end)`, which runs iterations `begin` to
/// `end` of the linearized nest. Clones the constants that the nest uses.
func::FuncOp ParallelToRuntime::createBody(Nest &nest, ArrayRef<Value> captures,
                                           StringRef name) {
  Location loc = nest.op->getLoc();
  OpBuilder b(&getContext());
  b.setInsertionPointToEnd(getOperation().getBody());
  SmallVector<Type> types;
  for (Value v : captures)
    types.push_back(v.getType());
  types.append(2, b.getIndexType());
  auto func = func::FuncOp::create(b, loc, name, b.getFunctionType(types, {}));
  func.setPrivate();
  func->setAttr("fx.kernel", b.getUnitAttr());
  Block *entry = func.addEntryBlock();
  b.setInsertionPointToStart(entry);
  IRMapping map;
  map.map(captures, entry->getArguments().drop_back(2));
  llvm::SetVector<Value> constants;
  getUsedValuesDefinedAbove(nest.op->getRegions(), constants);
  for (ArrayRef<Value> part :
       {ArrayRef(nest.lower), ArrayRef(nest.step), ArrayRef(nest.counts)})
    constants.insert(part.begin(), part.end());
  auto loadConstants = [&](Value v) {
    if (!map.contains(v) && v.getDefiningOp())
      map.map(v, b.clone(*v.getDefiningOp())
                     ->getResult(cast<OpResult>(v).getResultNumber()));
  };
  for (Value v : constants)
    loadConstants(v);
  auto mapped = [&](ArrayRef<Value> values) {
    return llvm::map_to_vector(values, [&](Value v) { return map.lookup(v); });
  };
  SmallVector<Value> lower = mapped(nest.lower), step = mapped(nest.step),
                     counts = mapped(nest.counts);
  Value one = arith::ConstantIndexOp::create(b, loc, 1);
  unsigned n = entry->getNumArguments();
  auto loop = scf::ForOp::create(b, loc, entry->getArgument(n - 2),
                                 entry->getArgument(n - 1), one);
  func::ReturnOp::create(b, loc);
  b.setInsertionPointToStart(loop.getBody());
  SmallVector<Value> at = delinearize(b, loc, loop.getInductionVar(), counts);
  for (unsigned d = 0; d < at.size(); ++d) {
    Value scaled = arith::MulIOp::create(b, loc, at[d], step[d]);
    map.map(nest.ivs[d],
            arith::AddIOp::create(b, loc, lower[d], scaled).getResult());
  }
  for (Operation &op : nest.op->getRegion(0).front().without_terminator())
    b.clone(op, map);
  SmallVector<Operation *> inner;
  func.walk([&](Operation *op) {
    if (isa<scf::ForallOp, scf::ParallelOp>(op))
      inner.push_back(op);
  });
  for (Operation *op : inner)
    makeSequential(op);
  hoistStackBuffers(func);
  return func;
}

/// Creates `name(frame, begin, end)`, which the run-time calls. It loads the
/// captures from `frame` and calls `body`.
func::FuncOp ParallelToRuntime::createThunk(func::FuncOp body,
                                            LLVM::LLVMStructType frame,
                                            const LLVMTypeConverter &types,
                                            StringRef name) {
  Location loc = body.getLoc();
  OpBuilder b(&getContext());
  b.setInsertionPointToEnd(getOperation().getBody());
  Type ptr = LLVM::LLVMPointerType::get(&getContext()), i64 = b.getI64Type();
  auto func = func::FuncOp::create(b, loc, name,
                                   b.getFunctionType({ptr, i64, i64}, {}));
  func.setPrivate();
  Block *entry = func.addEntryBlock();
  b.setInsertionPointToStart(entry);
  SmallVector<Value> args, loaded;
  for (auto [i, field] : llvm::enumerate(frame.getBody())) {
    Value at = createFieldAddress(b, loc, frame, entry->getArgument(0), i);
    loaded.push_back(LLVM::LoadOp::create(b, loc, field, at));
  }
  ArrayRef<Value> left = loaded;
  for (Type type : body.getArgumentTypes().drop_back(2)) {
    unsigned n = 1;
    if (hasAddress(type)) {
      auto memref = cast<MemRefType>(type);
      n = getFieldTypes(memref).size();
      args.push_back(fromFields(b, loc, types, memref, left.take_front(n)));
    } else {
      args.push_back(castFromLLVM(b, left.front(), type));
    }
    left = left.drop_front(n);
  }
  for (unsigned i : {1, 2})
    args.push_back(arith::IndexCastOp::create(b, loc, b.getIndexType(),
                                              entry->getArgument(i)));
  func::CallOp::create(b, loc, body, args);
  func::ReturnOp::create(b, loc);
  return func;
}

/// Replaces the loop nest `op` by a call of
/// fx_rt_parallel_for(iterations, grain, function, frame).
void ParallelToRuntime::outline(Operation *op, const LLVMTypeConverter &types) {
  OpBuilder b(op);
  Location loc = op->getLoc();
  Nest nest = getNest(op, b);
  llvm::SetVector<Value> used;
  getUsedValuesDefinedAbove(op->getRegions(), used);
  for (ArrayRef<Value> part :
       {ArrayRef(nest.lower), ArrayRef(nest.step), ArrayRef(nest.counts)})
    used.insert(part.begin(), part.end());
  SmallVector<Value> captures;
  for (Value v : used)
    if (!matchPattern(v, m_Constant()))
      captures.push_back(v);
  auto parent = op->getParentOfType<func::FuncOp>();
  static constexpr StringLiteral kSuffix = "_parallel";
  unsigned id = 0;
  std::string name;
  do
    name = (parent.getName() + kSuffix + Twine(id++)).str();
  while (getOperation().lookupSymbol(name));
  func::FuncOp body = createBody(nest, captures, name);

  SmallVector<Value> fields;
  for (Value v : captures)
    if (hasAddress(v.getType()))
      llvm::append_range(
          fields, getFields(b, loc, types, v, cast<MemRefType>(v.getType())));
    else
      fields.push_back(castToLLVM(b, types, v));
  auto frame = LLVM::LLVMStructType::getLiteral(
      &getContext(), llvm::to_vector(ValueRange(fields).getTypes()));
  func::FuncOp thunk = createThunk(body, frame, types, name + "_range");
  Value slot = createStackSlot(b, loc, frame);
  for (auto [i, field] : llvm::enumerate(fields))
    LLVM::StoreOp::create(b, loc, field,
                          createFieldAddress(b, loc, frame, slot, i));
  Value n = nest.counts.front();
  for (Value count : ArrayRef(nest.counts).drop_front())
    n = arith::MulIOp::create(b, loc, n, count);
  n = arith::IndexCastOp::create(b, loc, b.getI64Type(), n);
  auto grainAttr = op->getAttrOfType<IntegerAttr>("fx.grain");
  Value grain = arith::ConstantIntOp::create(
      b, loc, grainAttr ? grainAttr.getInt() : 1, 64);
  Type ptr = LLVM::LLVMPointerType::get(&getContext());
  Value fn = func::ConstantOp::create(b, loc, thunk.getFunctionType(),
                                      thunk.getName());
  fn = castFromLLVM(b, fn, ptr);
  auto runtime = cast<func::FuncOp>(getOrDeclare(
      b, "fx_rt_parallel_for",
      b.getFunctionType({b.getI64Type(), b.getI64Type(), ptr, ptr}, {}),
      false));
  func::CallOp::create(b, loc, runtime, ValueRange{n, grain, fn, slot});
  op->erase();
}

void ParallelToRuntime::runOnOperation() {
  LLVMTypeConverter types(&getContext());
  SmallVector<Operation *> outermost;
  getOperation().walk<WalkOrder::PreOrder>([&](Operation *op) {
    auto parallel = dyn_cast<scf::ParallelOp>(op);
    if ((!isa<scf::ForallOp>(op) && !parallel) || op->getNumResults() != 0)
      return WalkResult::advance();
    outermost.push_back(op);
    return WalkResult::skip();
  });
  for (Operation *op : outermost)
    outline(op, types);
  getOperation().walk([](func::FuncOp func) {
    if (!func.isExternal())
      hoistStackBuffers(func);
  });
}
