//===- ProgramBuilder.cpp - serialized programs to modules ----------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProgramBuilder.h"
#include "Diagnostics.h"
#include "Guards.h"
#include "fx/Import/SymbolicText.h"

#include "fx/Operators/Purity.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace fx;

ProgramBuilder::ProgramBuilder(ModuleOp module,
                               const schema::ExportedProgram &program,
                               const PayloadSource &source, Deadline &deadline)
    : state(module, deadline, program.torch_version), ctx(state.ctx),
      program(program), source(source), b(ctx) {
  using K = schema::InputSpec::Kind;
  for (const schema::InputSpec &spec :
       program.graph_module.signature.input_specs) {
    if (spec.kind != K::UserInput && spec.kind != K::Token &&
        spec.kind != K::ConstantInput)
      specs[spec.target] = &spec;
    if (spec.kind == K::CustomObj)
      objectClasses[spec.target] =
          spec.arg.get<schema::CustomObjArgument>().class_fqn;
  }
}

//===----------------------------------------------------------------------===//
// States
//===----------------------------------------------------------------------===//

/// Returns the size of an element in bytes.
static int64_t getElementSize(Type dtype) {
  if (auto complex = dyn_cast<ComplexType>(dtype))
    return 2 * getElementSize(complex.getElementType());
  return llvm::divideCeil(dtype.getIntOrFloatBitWidth(), 8);
}

/// Returns the number of bytes that the storage of a tensor must have. Returns
/// nullopt if the number overflows, or if a stride or the offset is negative or
/// not a constant.
static std::optional<int64_t> getExtent(FakeTensorType type) {
  int64_t last = 0, contiguous = 1;
  ArrayRef<ExprAttr> strides;
  if (MetaAttr meta = type.getMeta()) {
    strides = meta.getStrides();
    if (meta.getStorageOffset())
      last = meta.getStorageOffset().getInteger().value_or(-1);
  }
  if (last < 0)
    return std::nullopt;
  for (int64_t dim = type.getRank() - 1; dim >= 0; --dim) {
    int64_t size = type.getDimSize(dim);
    if (size == 0)
      return 0;
    int64_t stride = contiguous, reach;
    if (!strides.empty())
      stride = strides[dim].getInteger().value_or(-1);
    if (stride < 0 || llvm::MulOverflow(size - 1, stride, reach) ||
        llvm::AddOverflow(last, reach, last) ||
        llvm::MulOverflow(contiguous, size, contiguous))
      return std::nullopt;
  }
  int64_t bytes;
  if (llvm::AddOverflow<int64_t>(last, 1, last) ||
      llvm::MulOverflow(last, getElementSize(type.getDtype()), bytes))
    return std::nullopt;
  return bytes;
}

LogicalResult ProgramBuilder::checkStorage(StringRef name, FakeTensorType type,
                                           const ArchiveRecord &record) {
  for (ExprAttr size : type.getSizes())
    if (!size.isInteger())
      return emitErrorAt(ctx, name)
             << "expected integer sizes of a stored tensor, got " << type;
  std::optional<int64_t> extent = getExtent(type);
  if (!extent)
    return emitErrorAt(ctx, name) << "the sizes, strides and offset of " << type
                                  << " are negative, symbolic or overflow";
  // Weights that were fake when they were saved have no bytes.
  if (record.size != 0 && uint64_t(*extent) > record.size)
    return emitErrorAt(ctx, name)
           << "expected " << *extent << " bytes of storage in record '"
           << record.name << "', got " << record.size;
  return success();
}

Attribute ProgramBuilder::getExternal(const ArchiveRecord &record) {
  return ExternalAttr::get(ctx, source.externalPath, record.offset, record.size,
                           record.crc32);
}

LogicalResult ProgramBuilder::buildState(StringRef name,
                                         const schema::PayloadMeta &meta,
                                         StringRef folder) {
  if (state.deadline.hasPassed())
    return emitErrorAt(ctx, name) << state.deadline.getMessage();
  if (name.empty())
    return emitErrorAt(ctx, folder) << "a tensor without a name";
  if (state.states.count(name))
    return emitErrorAt(ctx, name) << "the archive has two values of this name";
  std::string path = (folder + meta.path_name).str();
  const ArchiveRecord *record = source.archive.find(path);
  if (!record)
    return emitErrorAt(ctx, name)
           << "the archive has no record '" << path << "'";
  Type type;
  if (meta.tensor_meta) {
    auto tensor = state.types.getType(*meta.tensor_meta, name);
    if (!tensor ||
        (!meta.use_pickle && failed(checkStorage(name, tensor, *record))))
      return failure();
    type = tensor;
  } else if (meta.use_pickle) {
    type = ObjectType::get(ctx, objectClasses.lookup(name));
  } else {
    return emitErrorAt(ctx, name) << "the field 'tensor_meta' is missing";
  }

  Attribute bytes = getExternal(*record);
  bool hasNoBytes = false;
  if (auto tensor = dyn_cast<FakeTensorType>(type))
    hasNoBytes = record->size == 0 && getExtent(tensor).value_or(0) != 0;
  bool isKnown = !meta.use_pickle && !hasNoBytes;
  auto op = StateOp::create(b, state.locations.get(name), name, type,
                            isKnown ? bytes : Attribute());
  // Reading a pickle may run code, so keep only its place in the archive. Torch
  // tells the format of an object's file from the beginning of its name.
  if (meta.use_pickle)
    op->setAttr("fx.pickled", bytes);
  if (!meta.tensor_meta)
    op->setAttr("fx.payload",
                b.getStringAttr(meta.path_name.rtrim("0123456789")));
  // The placeholder determines the kind of a state. A state that the graph does
  // not take has no placeholder, so attributes keep its kind.
  using K = schema::InputSpec::Kind;
  const schema::InputSpec *spec = specs.lookup(name);
  if (meta.is_param && !(spec && spec->kind == K::Parameter))
    op->setAttr("fx.parameter", b.getUnitAttr());
  bool isWeight = !spec || spec->kind == K::Parameter ||
                  (spec->kind == K::Buffer && spec->persistent);
  if (isWeight != (folder == "data/weights/"))
    op->setAttr("fx.folder", b.getStringAttr(folder));
  if (name == "main") // the symbol of the main graph
    op->setAttr("sym_name", b.getStringAttr("main.state"));
  state.symbols.insert(op);
  if (op.getSymName() != name)
    op->setAttr("fx.fqn", b.getStringAttr(name));
  state.states[name] = op;
  if (auto it = source.subclasses.find(path); it != source.subclasses.end())
    return buildInner(op, name, it->second, folder);
  return success();
}

LogicalResult ProgramBuilder::buildInner(StateOp outer, StringRef name,
                                         const Subclass &subclass,
                                         StringRef folder) {
  if (!subclass.problem.empty()) {
    outer->setAttr("fx.reason", b.getStringAttr(subclass.problem));
    return success();
  }
  for (const auto &[attribute, meta] : subclass.file.tensors) {
    std::string inner = (name + "." + attribute).str();
    auto type = state.types.getType(*meta.tensor_meta, inner);
    if (!type)
      return failure();
    std::string path = (folder + meta.path_name).str();
    const ArchiveRecord *record = source.archive.find(path);
    if (!record)
      return emitErrorAt(ctx, inner)
             << "the archive has no record '" << path << "'";
    if (failed(checkStorage(inner, type, *record)))
      return failure();
    bool hasBytes = record->size || getExtent(type).value_or(0) == 0;
    auto op = StateOp::create(b, state.locations.get(inner), inner, type,
                              hasBytes ? getExternal(*record) : Attribute());
    state.symbols.insert(op);
    if (op.getSymName() != inner)
      op->setAttr("fx.fqn", b.getStringAttr(inner));
    op->setAttr("fx.inner_of", FlatSymbolRefAttr::get(outer));
    op->setAttr("fx.inner_name", b.getStringAttr(attribute));
  }
  return success();
}

LogicalResult ProgramBuilder::buildStates(const schema::PayloadConfig &config,
                                          StringRef folder) {
  for (auto &[name, meta] : config.config)
    if (failed(buildState(name, meta, folder)))
      return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// Symbols and guards
//===----------------------------------------------------------------------===//

LogicalResult ProgramBuilder::buildRanges() {
  for (auto &[text, range] : program.range_constraints) {
    llvm::Expected<ExprAttr> expr = parseInfix(ctx, text);
    if (!expr)
      return emitErrorAt(ctx, "range_constraints")
             << llvm::toString(expr.takeError());
    if (range.min_val && range.max_val && *range.min_val > *range.max_val)
      return emitErrorAt(ctx, "range_constraints")
             << "the range of " << *expr << " is empty: " << *range.min_val
             << " to " << *range.max_val;
    state.ranges.push_back(
        RangeAttr::get(ctx, *expr, range.min_val, range.max_val));
  }
  return success();
}

/// Builds the guards behind the placeholders. A guard that cannot be parsed has
/// its text only.
void ProgramBuilder::buildGuards(GraphOp graph) {
  GuardResolver resolver(graph, program);
  SmallVector<PlaceholderOp, 8> placeholders = graph.getPlaceholders();
  OpBuilder::InsertionGuard restore(b);
  if (placeholders.empty())
    b.setInsertionPointToStart(&graph.getBlock());
  else
    b.setInsertionPointAfter(placeholders.back());
  for (StringRef code : program.guards_code) {
    OperationState guard(UnknownLoc::get(ctx), GuardOp::getOperationName());
    if (ExprAttr condition = resolver.parse(code))
      guard.addAttribute("condition", condition);
    guard.addAttribute("code", b.getStringAttr(code));
    b.create(guard);
  }
}

//===----------------------------------------------------------------------===//
// Attributes for export and for callers
//===----------------------------------------------------------------------===//

/// Describes an argument of a module call: the name of a tensor,
/// `{sym_int = "n"}` for a symbolic number (also `sym_float`, `sym_bool`),
/// `{class = "c", object = "n"}` for an object, or `{constant = ...}`.
Attribute ProgramBuilder::describe(const schema::Argument &argument) {
  using K = schema::Argument::Kind;
  auto symbolic = [&](StringRef kind, const auto &v) -> Attribute {
    if (auto *name = std::get_if<StringRef>(&v.value))
      return b.getDictionaryAttr(b.getNamedAttr(kind, b.getStringAttr(*name)));
    return {};
  };
  Attribute constant = b.getUnitAttr(); // for kinds that have no attribute
  switch (argument.kind) {
  case K::Tensor:
    return b.getStringAttr(argument.get<schema::TensorArgument>().name);
  case K::CustomObj: {
    const auto &object = argument.get<schema::CustomObjArgument>();
    return b.getDictionaryAttr(
        {b.getNamedAttr("class", b.getStringAttr(object.class_fqn)),
         b.getNamedAttr("object", b.getStringAttr(object.name))});
  }
  case K::SymInt:
    if (Attribute name =
            symbolic("sym_int", argument.get<schema::SymIntArgument>()))
      return name;
    break;
  case K::SymFloat:
    if (Attribute name =
            symbolic("sym_float", argument.get<schema::SymFloatArgument>()))
      return name;
    break;
  case K::SymBool:
    if (Attribute name =
            symbolic("sym_bool", argument.get<schema::SymBoolArgument>()))
      return name;
    break;
  case K::None:
    constant = fx::NoneAttr::get(ctx);
    break;
  case K::Int:
    constant = b.getI64IntegerAttr(argument.get<int64_t>());
    break;
  case K::Float:
    constant = b.getF64FloatAttr(argument.get<double>());
    break;
  case K::Bool:
    constant = b.getBoolAttr(argument.get<bool>());
    break;
  case K::String:
    constant = b.getStringAttr(argument.get<StringRef>());
    break;
  default:
    break;
  }
  return b.getDictionaryAttr(b.getNamedAttr("constant", constant));
}

/// Returns an array with one entry for each module call: its path, or a
/// dictionary with its signature if the program has it.
Attribute ProgramBuilder::getCallGraph() {
  SmallVector<Attribute> calls;
  for (const schema::ModuleCallEntry &entry :
       program.graph_module.module_call_graph) {
    if (!entry.signature) {
      calls.push_back(b.getStringAttr(entry.fqn));
      continue;
    }
    const schema::ModuleCallSignature &signature = *entry.signature;
    NamedAttrList call;
    auto list = [&](StringRef name, const auto &arguments) {
      SmallVector<Attribute> described;
      for (const schema::Argument &argument : arguments)
        described.push_back(describe(argument));
      call.set(name, b.getArrayAttr(described));
    };
    call.set("fqn", b.getStringAttr(entry.fqn));
    list("inputs", signature.inputs);
    list("outputs", signature.outputs);
    if (!entry.fqn.empty()) { // the graph has the program's own specs
      call.set("in_spec", b.getStringAttr(signature.in_spec));
      call.set("out_spec", b.getStringAttr(signature.out_spec));
    }
    if (signature.forward_arg_names)
      call.set("forward_arg_names",
               b.getStrArrayAttr(*signature.forward_arg_names));
    calls.push_back(call.getDictionary(ctx));
  }
  return b.getArrayAttr(calls);
}

/// Attaches the attributes for export and for callers to the graph and to the
/// module. The pytree specs of the whole program have attributes of their own,
/// because every caller needs them.
void ProgramBuilder::attachPrograms(GraphOp graph) {
  const schema::GraphModule &graphModule = program.graph_module;
  for (const schema::ModuleCallEntry &entry : graphModule.module_call_graph)
    if (entry.fqn.empty() && entry.signature) {
      graph->setAttr("fx.in_spec", b.getStringAttr(entry.signature->in_spec));
      graph->setAttr("fx.out_spec", b.getStringAttr(entry.signature->out_spec));
    }
  if (!graphModule.module_call_graph.empty())
    graph->setAttr("fx.module_call_graph", getCallGraph());

  NamedAttrList metadata, opset, namedTuples;
  for (auto &[key, value] : graphModule.metadata)
    if (!key.empty() && key != schema::kFunctionalKey)
      metadata.set(key, b.getStringAttr(value));
  if (!metadata.empty())
    graph->setAttr("fx.metadata", metadata.getDictionary(ctx));

  ModuleOp module = state.module;
  for (auto &[key, value] : program.opset_version)
    if (!key.empty())
      opset.set(key, b.getI64IntegerAttr(value));
  if (!opset.empty())
    module->setAttr("fx.opset_version", opset.getDictionary(ctx));
  for (auto &[key, value] : graphModule.treespec_namedtuple_fields)
    if (!key.empty())
      namedTuples.set(key, b.getStrArrayAttr(value.field_names));
  if (!namedTuples.empty())
    module->setAttr("fx.namedtuples", namedTuples.getDictionary(ctx));
  if (DictionaryAttr texts = state.types.getTexts(); !texts.empty())
    module->setAttr("fx.expressions", texts);
  if (!state.unbounded.empty())
    module->setAttr("fx.unbounded",
                    b.getArrayAttr(llvm::to_vector_of<Attribute>(
                        state.unbounded.getArrayRef())));
  if (source.model != "model")
    module->setAttr("fx.model", b.getStringAttr(source.model));
  attachFiles();
  module->setAttr("fx.schema_version",
                  b.getDenseI64ArrayAttr({program.schema_version.major,
                                          program.schema_version.minor}));
  module->setAttr("fx.torch_version", b.getStringAttr(program.torch_version));
  module->setAttr("fx.verifiers", b.getStrArrayAttr(program.verifiers));
}

/// Keeps the places of the archive's files that no code reads.
void ProgramBuilder::attachFiles() {
  ModuleOp module = state.module;
  std::string samples = "data/sample_inputs/" + source.model + ".pt";
  NamedAttrList extra;
  for (const ArchiveRecord &record : source.archive.getRecords()) {
    StringRef name = record.name;
    if (name == samples)
      module->setAttr("fx.sample_inputs", getExternal(record));
    else if (name.consume_front("extra/") && !name.empty())
      extra.set(name, getExternal(record));
  }
  if (!extra.empty())
    module->setAttr("fx.extra_files", extra.getDictionary(ctx));
}

//===----------------------------------------------------------------------===//
// Functional graphs
//===----------------------------------------------------------------------===//

/// Returns true if every called operator is known and writes none of its
/// operands.
static bool isFunctional(GraphOp graph) {
  for (Operation &node : graph.getBlock()) {
    if (!isa<CallFunctionOp>(node))
      continue;
    OperatorView view = getOperatorView(&node);
    if (!view || !getWrittenOperands(view).empty())
      return false;
  }
  return true;
}

/// Marks the graphs as functional if none of them has mutations. Torch has
/// functionalized all programs except those with the verifier TRAINING. These
/// may mutate, unless the export of this project declares that they do not.
void ProgramBuilder::markFunctional() {
  bool isDeclared =
      llvm::any_of(program.graph_module.metadata, [](auto &entry) {
        return entry.first == schema::kFunctionalKey;
      });
  if (!isDeclared && (program.verifiers.empty() ||
                      llvm::is_contained(program.verifiers, "TRAINING")))
    return;
  auto graphs = state.module.getOps<GraphOp>();
  if (llvm::all_of(graphs, isFunctional))
    for (GraphOp graph : graphs)
      graph.setFunctional(true);
}

//===----------------------------------------------------------------------===//
// The whole program
//===----------------------------------------------------------------------===//

LogicalResult ProgramBuilder::build() {
  if (failed(buildRanges()))
    return failure();
  const schema::GraphModule &graphModule = program.graph_module;
  GraphBuilder builder(state, graphModule.graph);
  FailureOr<GraphOp> graph =
      builder.build("main", /*isPrivate=*/false, &graphModule.signature);
  if (failed(graph))
    return failure();
  state.symbols.insert(*graph);
  buildGuards(*graph);
  attachPrograms(*graph);
  markFunctional();
  return success();
}
