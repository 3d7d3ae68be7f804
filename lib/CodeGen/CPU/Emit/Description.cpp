//===- Description.cpp - what an artefact says of its model ---------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/CodeGen/CPU/Description.h"
#include "fx/IR/Ranges.h"
#include "fx/Runtime/model.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"

#include "fx/Runtime/Desc.h"

using namespace mlir;
using namespace fx;
using namespace fx::cpu;
using namespace fx::kernel;

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

namespace {
/// Depth of the run-time's stack (fx/Runtime/Desc.h). Expressions that need
/// more are rejected.
constexpr int kMaxDepth = 60;

class ExprCompiler {
public:
  ExprCompiler(ExprCode &code, SmallVectorImpl<std::string> &symbols)
      : code(code), symbols(symbols) {}

  LogicalResult compile(ExprAttr e, int depth);

private:
  LogicalResult compileCall(ExprAttr e, int depth);
  /// Compiles `operands` and combines them from left to right with `op`.
  LogicalResult chain(ArrayRef<ExprAttr> operands, int64_t op, int depth) {
    for (auto [i, operand] : llvm::enumerate(operands)) {
      if (failed(compile(operand, depth + (i > 0))))
        return failure();
      if (i > 0)
        code.push_back(op);
    }
    return success();
  }

  ExprCode &code;
  SmallVectorImpl<std::string> &symbols;
};
} // namespace

LogicalResult ExprCompiler::compileCall(ExprAttr e, int depth) {
  // Functions that are the identity on integers.
  static const StringRef identities[] = {"to_int", "trunc", "floor",
                                         "ceil",   "round", "identity"};
  StringRef name = e.getName().getValue();
  ArrayRef<ExprAttr> args = e.getOperands();
  if (llvm::is_contained(identities, name) && args.size() == 1)
    return compile(args[0], depth);
  int64_t op = llvm::StringSwitch<int64_t>(name)
                   .Case("floordiv", FX_EXPR_FLOORDIV)
                   .Case("ceildiv", FX_EXPR_CEILDIV)
                   .Case("div", FX_EXPR_DIV)
                   .Case("mod", FX_EXPR_MOD)
                   .Case("min", FX_EXPR_MIN)
                   .Case("max", FX_EXPR_MAX)
                   .Case("pow", FX_EXPR_POW)
                   .Case("eq", FX_EXPR_EQ)
                   .Case("ne", FX_EXPR_NE)
                   .Case("lt", FX_EXPR_LT)
                   .Case("le", FX_EXPR_LE)
                   .Case("gt", FX_EXPR_GT)
                   .Case("ge", FX_EXPR_GE)
                   .Case("and", FX_EXPR_AND)
                   .Case("or", FX_EXPR_OR)
                   .Case("not", FX_EXPR_NOT)
                   .Case("lshift", FX_EXPR_LSHIFT)
                   .Case("rshift", FX_EXPR_RSHIFT)
                   .Case("abs", FX_EXPR_ABS)
                   .Case("where", FX_EXPR_WHERE)
                   .Default(FX_EXPR_END);
  bool isUnary = op == FX_EXPR_NOT || op == FX_EXPR_ABS;
  bool isChain = op == FX_EXPR_MIN || op == FX_EXPR_MAX || op == FX_EXPR_AND ||
                 op == FX_EXPR_OR;
  if (op == FX_EXPR_END || args.empty())
    return failure();
  if (isChain)
    return chain(args, op, depth);
  if (args.size() != (isUnary ? 1u : op == FX_EXPR_WHERE ? 3u : 2u))
    return failure();
  for (auto [i, arg] : llvm::enumerate(args))
    if (failed(compile(arg, depth + i)))
      return failure();
  code.push_back(op);
  return success();
}

LogicalResult ExprCompiler::compile(ExprAttr e, int depth) {
  if (depth > kMaxDepth)
    return failure();
  switch (e.getKind()) {
  case ExprKind::Integer:
    code.append({FX_EXPR_INT, *e.getInteger()});
    return success();
  case ExprKind::Symbol: {
    StringRef name = e.getName().getValue();
    auto it = llvm::find(symbols, name);
    code.append({FX_EXPR_SYMBOL, it - symbols.begin()});
    if (it == symbols.end())
      symbols.push_back(name.str());
    return success();
  }
  case ExprKind::Add:
    return chain(e.getOperands(), FX_EXPR_ADD, depth);
  case ExprKind::Mul:
    return chain(e.getOperands(), FX_EXPR_MUL, depth);
  case ExprKind::Call:
    return compileCall(e, depth);
  case ExprKind::Real:
    return failure();
  }
  return failure();
}

FailureOr<ExprCode>
fx::cpu::compileExpr(ExprAttr expr, SmallVectorImpl<std::string> &symbols) {
  ExprCode code;
  size_t known = symbols.size();
  if (failed(ExprCompiler(code, symbols).compile(expr, 0))) {
    symbols.resize(known);
    return failure();
  }
  code.push_back(FX_EXPR_END);
  return code;
}

//===----------------------------------------------------------------------===//
// Attributes of the contract
//===----------------------------------------------------------------------===//

namespace {
class Describer {
public:
  Describer(func::FuncOp main) : main(main), ctx(main.getContext()) {}
  FailureOr<ModelDescription> run();

private:
  LogicalResult addInput(unsigned arg, int leaf);
  LogicalResult addArgs();
  LogicalResult addConstantArg(unsigned arg);
  void addUnusedStates();
  LogicalResult addOutputs();
  LogicalResult addImmediate(Attribute attr, int leaf);
  LogicalResult addConditions();
  LogicalResult describeValue(ValueDescription &v, Type builtin, Type fxType,
                              Twine what);
  int getLeaf(unsigned arg);

  func::FuncOp main;
  MLIRContext *ctx;
  ModelDescription m;
};
} // namespace

LogicalResult Describer::describeValue(ValueDescription &v, Type builtin,
                                       Type fxType, Twine what) {
  std::optional<Dtype> dtype = getValueDtype(fxType ? fxType : builtin);
  if (!dtype)
    return main.emitError(what) << " has a type without a dtype: " << builtin;
  v.dtype = *dtype;
  auto tensor = dyn_cast<RankedTensorType>(builtin);
  if (!tensor) {
    v.kind = builtin.isInteger(1)    ? FX_VALUE_BOOL
             : builtin.isInteger(64) ? FX_VALUE_INT
                                     : FX_VALUE_FLOAT;
    if (auto sym = dyn_cast_or_null<SymIntType>(fxType))
      v.value = sym.getExpr();
    return success();
  }
  auto fake = dyn_cast_or_null<FakeTensorType>(fxType);
  if (fake && fake.getRank() != tensor.getRank())
    return main.emitError(what) << ": 'fx.type' has rank " << fake.getRank()
                                << ", the tensor " << tensor.getRank();
  for (int64_t d = 0; d < tensor.getRank(); ++d) {
    if (!tensor.isDynamicDim(d))
      v.sizes.push_back(ExprAttr::integer(ctx, tensor.getDimSize(d)));
    else if (fake)
      v.sizes.push_back(fake.getSizes()[d]);
    else // any size: a new symbol
      v.sizes.push_back(ExprAttr::symbol(ctx, (v.name + "." + Twine(d)).str()));
  }
  return success();
}

static Type getFXType(Attribute attr) {
  auto type = dyn_cast_or_null<TypeAttr>(attr);
  return type ? type.getValue() : Type();
}

/// Returns the index of the input leaf that argument `arg` holds. `fx.inputs`
/// also lists leaves without an argument.
int Describer::getLeaf(unsigned arg) {
  if (auto inputs = main->getAttrOfType<ArrayAttr>("fx.inputs"))
    for (auto [k, entry] : llvm::enumerate(inputs))
      if (auto dict = dyn_cast<DictionaryAttr>(entry))
        if (auto index = dict.getAs<IntegerAttr>("argument"))
          if (index.getInt() == int64_t(arg))
            return k;
  return m.inputs.size();
}

LogicalResult Describer::addInput(unsigned arg, int leaf) {
  ValueDescription v;
  auto name = main.getArgAttrOfType<StringAttr>(arg, "fx.name");
  v.name = name ? name.str() : ("arg" + Twine(arg)).str();
  v.leaf = leaf;
  for (unsigned r = 0; r < main.getNumResults(); ++r)
    if (auto i = main.getResultAttrOfType<IntegerAttr>(r, "fx.mutates_input"))
      v.isMutated |= i.getInt() == int64_t(arg);
  if (failed(describeValue(v, main.getArgumentTypes()[arg],
                           getFXType(main.getArgAttr(arg, "fx.type")),
                           "input '" + Twine(v.name) + "'")))
    return failure();
  FunctionArgDescription a;
  a.index = m.inputs.size();
  a.sizes.assign(v.sizes.size(), -1);
  m.inputs.push_back(std::move(v));
  m.args.push_back(std::move(a));
  return success();
}

LogicalResult Describer::addConstantArg(unsigned arg) {
  FunctionArgDescription a;
  auto state = main.getArgAttrOfType<FlatSymbolRefAttr>(arg, "fx.state");
  auto prepared = main.getArgAttrOfType<IntegerAttr>(arg, "fx.prepared");
  auto type = dyn_cast<RankedTensorType>(main.getArgumentTypes()[arg]);
  if (!type || !type.hasStaticShape())
    return main.emitError("argument ")
           << arg << ": expected a state of static shape, got "
           << main.getArgumentTypes()[arg];
  Type fxType = getFXType(main.getArgAttr(arg, "fx.type"));
  std::optional<Dtype> dtype = getValueDtype(fxType ? fxType : Type(type));
  if (!dtype)
    return main.emitError("argument ")
           << arg << " has a type without a dtype: " << type;
  a.dtype = *dtype;
  a.kind = FunctionArgDescription::Constant;
  a.isUsed = main.isExternal() || !main.getArgument(arg).use_empty();
  llvm::append_range(a.sizes, type.getShape());
  a.bytes = a.dtype.bits / 8;
  for (int64_t size : a.sizes)
    if (llvm::MulOverflow(a.bytes, size, a.bytes))
      return main.emitError("argument ")
             << arg << " does not fit memory: " << type;
  if (state) {
    a.state = state.getValue().str();
    auto kind = main.getArgAttrOfType<StringAttr>(arg, "fx.kind");
    a.isPersistent = !main.getArgAttr(arg, "fx.non_persistent") &&
                     (!kind || kind == "parameter" || kind == "buffer");
  } else {
    a.prepared = prepared.getInt();
  }
  if (main.getArgAttr(arg, "fx.mutable")) {
    a.kind = FunctionArgDescription::Mutable;
    a.index = llvm::count_if(m.args, [](const FunctionArgDescription &x) {
      return x.kind == FunctionArgDescription::Mutable;
    });
  }
  m.args.push_back(std::move(a));
  return success();
}

LogicalResult Describer::addArgs() {
  for (unsigned i = 0; i < main.getNumArguments(); ++i) {
    bool isConstant =
        main.getArgAttr(i, "fx.state") || main.getArgAttr(i, "fx.prepared");
    if (failed(isConstant ? addConstantArg(i) : addInput(i, getLeaf(i))))
      return failure();
  }
  auto leaves = main->getAttrOfType<ArrayAttr>("fx.inputs");
  m.inputLeaves = leaves ? leaves.size() : m.inputs.size();
  return success();
}

/// Adds the states of the module that are no arguments. Those of the archive
/// that no node reads are among them.
void Describer::addUnusedStates() {
  llvm::StringSet<> known;
  for (const FunctionArgDescription &arg : m.args)
    if (!arg.state.empty())
      known.insert(arg.state);
  for (StateOp state : main->getParentOfType<ModuleOp>().getOps<StateOp>())
    if (!known.contains(state.getSymName()))
      m.unusedStates.push_back(state.getSymName().str());
}

LogicalResult Describer::addImmediate(Attribute attr, int leaf) {
  ValueDescription v;
  v.name = ("output" + Twine(leaf)).str();
  v.leaf = leaf;
  if (isa<fx::NoneAttr, UnitAttr, StringAttr>(attr)) {
    v.kind = FX_VALUE_NONE;
  } else if (auto b = dyn_cast<BoolAttr>(attr)) {
    v.kind = FX_VALUE_BOOL;
    v.dtype = {kDLBool, 8, "bool"};
    v.bits = b.getValue();
  } else if (auto i = dyn_cast<IntegerAttr>(attr)) {
    v.kind = FX_VALUE_INT;
    v.dtype = {kDLInt, 64, "int64"};
    v.bits = i.getValue().getSExtValue();
  } else if (auto f = dyn_cast<FloatAttr>(attr)) {
    v.kind = FX_VALUE_FLOAT;
    v.dtype = {kDLFloat, 64, "float64"};
    v.bits = llvm::bit_cast<int64_t>(f.getValueAsDouble());
  } else {
    return main.emitError("output ")
           << leaf << ": expected a result or an immediate, got " << attr;
  }
  m.outputs.push_back(std::move(v));
  return success();
}

LogicalResult Describer::addOutputs() {
  // Results that are written back to arguments are removed from the function's
  // results: `place` numbers the remaining ones.
  SmallVector<int64_t> place(main.getNumResults(), -1);
  for (unsigned r = 0; r < main.getNumResults(); ++r) {
    if (main.getResultAttr(r, "fx.mutates") ||
        main.getResultAttr(r, "fx.mutates_input"))
      continue;
    place[r] = m.resultRanks.size();
    auto type = dyn_cast<RankedTensorType>(main.getResultTypes()[r]);
    m.resultRanks.push_back(type ? type.getRank() : 0);
  }
  SmallVector<Attribute> leaves;
  Builder b(ctx);
  if (auto outputs = main->getAttrOfType<ArrayAttr>("fx.outputs"))
    llvm::append_range(leaves, outputs);
  else
    for (unsigned r = 0; r < main.getNumResults(); ++r)
      if (place[r] >= 0)
        leaves.push_back(b.getDictionaryAttr(
            b.getNamedAttr("result", b.getI64IntegerAttr(r))));
  for (auto [leaf, attr] : llvm::enumerate(leaves)) {
    auto dict = dyn_cast<DictionaryAttr>(attr);
    auto index = dict ? dict.getAs<IntegerAttr>("result") : IntegerAttr();
    if (!index) {
      if (failed(addImmediate(attr, leaf)))
        return failure();
      continue;
    }
    uint64_t r = index.getInt();
    if (r >= place.size())
      return main.emitError("output ")
             << leaf << " is result " << r << " of " << place.size();
    ValueDescription v;
    auto name = main.getResultAttrOfType<StringAttr>(r, "fx.name");
    v.name = name ? name.str() : ("output" + Twine(leaf)).str();
    v.leaf = leaf;
    v.result = place[r];
    if (failed(describeValue(v, main.getResultTypes()[r],
                             getFXType(main.getResultAttr(r, "fx.type")),
                             "output '" + Twine(v.name) + "'")))
      return failure();
    m.outputs.push_back(std::move(v));
  }
  return success();
}

std::string fx::cpu::getText(ExprAttr e) {
  std::string text;
  llvm::raw_string_ostream os(text);
  e.printInfix(os);
  return text;
}

LogicalResult Describer::addConditions() {
  if (auto symbols = main->getAttrOfType<ArrayAttr>("fx.symbols"))
    for (Attribute attr : symbols) {
      auto range = dyn_cast<RangeAttr>(attr);
      if (!range)
        continue;
      ConditionDescription c;
      c.isRange = true;
      c.min = getCheckedMin(range);
      c.max = range.getMax();
      if (!c.min && !c.max)
        continue;
      llvm::raw_string_ostream os(c.text);
      range.printBody(os);
      FailureOr<ExprCode> code = compileExpr(range.getExpr(), m.symbols);
      if (failed(code)) {
        m.unchecked.push_back(c.text);
        continue;
      }
      c.code = *code;
      m.conditions.push_back(std::move(c));
    }
  auto guards = main->getAttrOfType<ArrayAttr>("fx.guards");
  for (Attribute attr : guards ? guards.getValue() : ArrayRef<Attribute>()) {
    auto pair = dyn_cast<ArrayAttr>(attr);
    if (!pair || pair.size() != 2)
      return main.emitError("expected [expression, code] as a guard, got ")
             << attr;
    auto expr = dyn_cast<ExprAttr>(pair[0]);
    auto text = dyn_cast<StringAttr>(pair[1]);
    ConditionDescription c;
    c.python = text ? text.str() : "";
    FailureOr<ExprCode> code =
        expr ? compileExpr(expr, m.symbols) : FailureOr<ExprCode>();
    if (failed(code)) {
      m.unchecked.push_back(c.python);
      continue;
    }
    c.code = *code;
    c.text = getText(expr);
    m.conditions.push_back(std::move(c));
  }
  return success();
}

FailureOr<ModelDescription> Describer::run() {
  if (failed(addArgs()) || failed(addOutputs()))
    return failure();
  // Number the symbols of the inputs first. A size that cannot be evaluated is
  // an error: it could not be checked at run time.
  for (ValueDescription &v : m.inputs) {
    for (ExprAttr e : v.sizes)
      if (failed(compileExpr(e, m.symbols)))
        return main.emitError("input '")
               << v.name << "': a size that cannot be checked: " << getText(e);
    if (v.value && failed(compileExpr(v.value, m.symbols)))
      v.value = {};
  }
  if (failed(addConditions()))
    return failure();
  addUnusedStates();
  return std::move(m);
}

FailureOr<ModelDescription> fx::cpu::describeModel(func::FuncOp main) {
  return Describer(main).run();
}

static std::string describeType(const FunctionArgDescription &arg) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << arg.dtype.torchName << " [";
  llvm::interleaveComma(arg.sizes, os);
  os << "]";
  return text;
}

llvm::Error fx::cpu::numberStates(ArrayRef<ModelDescription *> methods) {
  struct Known {
    const FunctionArgDescription *arg;
    const ModelDescription *method;
  };
  llvm::StringMap<Known> known;
  for (ModelDescription *method : methods)
    for (FunctionArgDescription &arg : method->args) {
      if (arg.kind != FunctionArgDescription::Mutable)
        continue;
      int64_t next = known.size();
      auto [it, isNew] = known.try_emplace(arg.state, Known{&arg, method});
      const Known &first = it->second;
      arg.index = isNew ? next : first.arg->index;
      if (arg.sizes != first.arg->sizes ||
          arg.dtype.torchName != first.arg->dtype.torchName)
        return llvm::createStringError(
            "state '" + arg.state + "': expected " + describeType(*first.arg) +
            " as in method '" + first.method->method + "', got " +
            describeType(arg) + " in method '" + method->method + "'");
    }
  return llvm::Error::success();
}
