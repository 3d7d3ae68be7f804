//===- Schema.h - torch.export's serialized program -------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The data classes of torch/_export/serde/schema.py as C++ structures, with
// the same names and fields. Strings point into the archive or into the storage
// of the decoded program, so both must outlive these structures.
//
//===----------------------------------------------------------------------===//

#ifndef FX_IMPORT_SCHEMA_H
#define FX_IMPORT_SCHEMA_H

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

namespace fx::schema {

using String = llvm::StringRef;
template <typename T>
using List = std::vector<T>;
/// A dict, in the order of the file.
template <typename T>
using Map = std::vector<std::pair<String, T>>;

/// The version of the schema that this reader knows.
constexpr int64_t kMajorVersion = 8, kMinorVersion = 20;

/// A key of a graph module's metadata that torch ignores. It marks a program of
/// the TRAINING kind in which no graph mutates a value.
constexpr char kFunctionalKey[] = "fx.functional";

enum class ScalarType : int64_t {
  Byte = 1,
  Char,
  Short,
  Int,
  Long,
  Half,
  Float,
  Double,
  ComplexHalf,
  ComplexFloat,
  ComplexDouble,
  Bool,
  BFloat16,
  UInt16 = 28,
  Float8E4M3FN,
  Float8E5M2,
  Float8E4M3FNUZ,
  Float8E5M2FNUZ,
  Float8E8M0FNU,
  UInt32,
  UInt64
};
enum class Layout : int64_t {
  SparseCoo = 1,
  SparseCsr,
  SparseCsc,
  SparseBsr,
  SparseBsc,
  Mkldnn,
  Strided
};
enum class MemoryFormat : int64_t {
  ContiguousFormat = 1,
  ChannelsLast,
  ChannelsLast3d,
  PreserveFormat
};
enum class ArgumentKind : int64_t { Unknown, Positional, Keyword };

struct Device {
  String type;
  std::optional<int64_t> index;
};

/// A symbolic expression: sympy's srepr text, and an example value.
struct SymExprHint {
  std::variant<int64_t, bool, double> value;
};
struct SymExpr {
  String expr_str;
  std::optional<SymExprHint> hint;
};
struct SymInt {
  std::variant<SymExpr, int64_t> value;
};
struct SymFloat {
  std::variant<SymExpr, double> value;
};
struct SymBool {
  std::variant<SymExpr, bool> value;
};

struct TensorMeta {
  ScalarType dtype;
  List<SymInt> sizes;
  bool requires_grad;
  Device device;
  List<SymInt> strides;
  SymInt storage_offset;
  Layout layout;
};

/// The name of a value, or an immediate.
struct SymIntArgument {
  std::variant<String, int64_t> value;
};
struct SymFloatArgument {
  std::variant<String, double> value;
};
struct SymBoolArgument {
  std::variant<String, bool> value;
};
struct TensorArgument {
  String name;
};
struct TokenArgument {
  String name;
};
struct OptionalTensorArgument {
  std::optional<TensorArgument> value;
};
struct Graph;
struct GraphArgument {
  String name;
  std::shared_ptr<Graph> graph;
};
struct CustomObjArgument {
  String name, class_fqn;
};
struct ComplexValue {
  double real, imag;
};

struct ArgumentMap;

/// A union of 31 kinds. Several kinds share an alternative of `value`.
struct Argument {
  enum class Kind {
    None,
    Tensor,
    Tensors,
    Int,
    Ints,
    Float,
    Floats,
    String,
    Strings,
    SymInt,
    SymInts,
    ScalarType,
    MemoryFormat,
    Layout,
    Device,
    Bool,
    Bools,
    SymBool,
    SymBools,
    Graph,
    OptionalTensors,
    CustomObj,
    Operator,
    SymFloat,
    SymFloats,
    OptionalTensor,
    Complex,
    NestedTensors,
    IntLists,
    StringToArgument,
    FloatLists
  };
  Kind kind = Kind::None;
  std::variant<bool, int64_t, double, schema::String, TensorArgument,
               List<TensorArgument>, List<int64_t>, List<double>,
               List<schema::String>, SymIntArgument, List<SymIntArgument>,
               schema::ScalarType, schema::MemoryFormat, schema::Layout,
               schema::Device, List<bool>, SymBoolArgument,
               List<SymBoolArgument>, GraphArgument,
               List<OptionalTensorArgument>, CustomObjArgument,
               SymFloatArgument, List<SymFloatArgument>, OptionalTensorArgument,
               ComplexValue, List<List<TensorArgument>>, List<List<int64_t>>,
               std::shared_ptr<ArgumentMap>, List<List<double>>>
      value;

  template <typename T>
  const T &get() const {
    return std::get<T>(value);
  }
};

struct ArgumentMap {
  Map<Argument> entries;
};

struct NamedArgument {
  String name;
  Argument arg;
  std::optional<ArgumentKind> kind;
};

struct Node {
  String target;
  List<NamedArgument> inputs;
  List<Argument> outputs;
  Map<String> metadata;
  std::optional<bool> is_hop_single_tensor_return;
  std::optional<String> name;
};

struct Graph {
  List<Argument> inputs, outputs;
  List<Node> nodes;
  Map<TensorMeta> tensor_values;
  Map<SymInt> sym_int_values;
  Map<SymBool> sym_bool_values;
  bool is_single_tensor_return = false;
  Map<CustomObjArgument> custom_obj_values;
  Map<SymFloat> sym_float_values;
};

/// None, int, float, str or bool.
struct ConstantValue {
  std::variant<std::monostate, int64_t, double, String, bool> value;
};

/// A union of 7 kinds. `arg` has the name of the graph's input, `target` is the
/// parameter, buffer, constant or object that it holds.
struct InputSpec {
  enum class Kind {
    UserInput,
    Parameter,
    Buffer,
    TensorConstant,
    CustomObj,
    Token,
    ConstantInput
  };
  Kind kind = Kind::UserInput;
  Argument arg;
  String target;
  bool persistent = true;
  ConstantValue constant;
};

/// A union of 8 kinds. `target` is the state or input of a mutation or
/// gradient.
struct OutputSpec {
  enum class Kind {
    UserOutput,
    LossOutput,
    BufferMutation,
    GradientToParameter,
    GradientToUserInput,
    UserInputMutation,
    Token,
    ParameterMutation
  };
  Kind kind = Kind::UserOutput;
  Argument arg;
  String target;
};

struct GraphSignature {
  List<InputSpec> input_specs;
  List<OutputSpec> output_specs;
};

/// A closed interval; an absent bound is infinite.
struct RangeConstraint {
  std::optional<int64_t> min_val, max_val;
};

struct ModuleCallSignature {
  List<Argument> inputs, outputs;
  String in_spec, out_spec;
  std::optional<List<String>> forward_arg_names;
};
struct ModuleCallEntry {
  String fqn;
  std::optional<ModuleCallSignature> signature;
};
struct NamedTupleDef {
  List<String> field_names;
};

struct GraphModule {
  Graph graph;
  GraphSignature signature;
  List<ModuleCallEntry> module_call_graph;
  Map<String> metadata;
  Map<NamedTupleDef> treespec_namedtuple_fields;
};

struct SchemaVersion {
  int64_t major = 0, minor = 0;
};

struct ExportedProgram {
  GraphModule graph_module;
  Map<int64_t> opset_version;
  Map<RangeConstraint> range_constraints;
  SchemaVersion schema_version;
  List<String> verifiers;
  String torch_version = "<=2.4";
  List<String> guards_code;
};

/// Describes a file in data/weights or data/constants.
struct PayloadMeta {
  String path_name;
  bool is_param, use_pickle;
  std::optional<TensorMeta> tensor_meta;
};
struct PayloadConfig {
  Map<PayloadMeta> config;
};

} // namespace fx::schema

#endif // FX_IMPORT_SCHEMA_H
