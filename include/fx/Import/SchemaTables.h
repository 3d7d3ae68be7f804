//===- SchemaTables.h - the fields of the serialized schema -----*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A table of fields describes each structure of the schema, and a table of
// kinds each union, in the order in which torch writes them. The reader
// (Decode.cpp) and the writer (Export/Encode.cpp) are generic and use these
// tables.
//
//===----------------------------------------------------------------------===//

#ifndef FX_IMPORT_SCHEMATABLES_H
#define FX_IMPORT_SCHEMATABLES_H

#include "fx/Import/Schema.h"

#include <tuple>

namespace fx::schema {
/// A field of structure S. An absent optional field keeps its default.
template <typename S, typename T>
struct Field {
  const char *name;
  T S::*member;
  bool required;
};
template <typename S, typename T>
constexpr Field<S, T> required(const char *name, T S::*member) {
  return {name, member, true};
}
template <typename S, typename T>
constexpr Field<S, T> optional(const char *name, T S::*member) {
  return {name, member, false};
}

/// A kind of a union whose value has type T. `kind` is an enumerator of the
/// union's Kind, if the union has one.
template <typename T, typename K = int>
struct Alternative {
  const char *name;
  K kind;
};
template <typename T>
constexpr Alternative<T> alternative(const char *name) {
  return {name, 0};
}
template <typename T, typename K>
constexpr Alternative<T, K> alternative(const char *name, K kind) {
  return {name, kind};
}

template <typename T>
struct Fields {};
template <typename T>
struct Alternatives {};
template <typename T>
struct EnumValues {};

#define FX_FIELDS(S, ...)                                                      \
  template <>                                                                  \
  struct Fields<S> {                                                           \
    static constexpr auto table = std::make_tuple(__VA_ARGS__);                \
  }
#define FX_UNION(S, ...)                                                       \
  template <>                                                                  \
  struct Alternatives<S> {                                                     \
    static constexpr auto table = std::make_tuple(__VA_ARGS__);                \
  }

//===----------------------------------------------------------------------===//
// Enumerations
//===----------------------------------------------------------------------===//

template <>
struct EnumValues<ScalarType> {
  static constexpr const char *name = "scalar type";
  static bool has(int64_t v) {
    return (v >= 1 && v <= 13) || (v >= 28 && v <= 35);
  }
};
template <>
struct EnumValues<Layout> {
  static constexpr const char *name = "layout";
  static bool has(int64_t v) { return v >= 1 && v <= 7; }
};
template <>
struct EnumValues<MemoryFormat> {
  static constexpr const char *name = "memory format";
  static bool has(int64_t v) { return v >= 1 && v <= 4; }
};
template <>
struct EnumValues<ArgumentKind> {
  static constexpr const char *name = "kind of argument";
  static bool has(int64_t v) { return v >= 0 && v <= 2; }
};

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

FX_FIELDS(Device, required("type", &Device::type),
          optional("index", &Device::index));
FX_UNION(SymExprHint, alternative<int64_t>("as_int"),
         alternative<bool>("as_bool"), alternative<double>("as_float"));
FX_FIELDS(SymExpr, required("expr_str", &SymExpr::expr_str),
          optional("hint", &SymExpr::hint));
FX_UNION(SymInt, alternative<SymExpr>("as_expr"),
         alternative<int64_t>("as_int"));
FX_UNION(SymFloat, alternative<SymExpr>("as_expr"),
         alternative<double>("as_float"));
FX_UNION(SymBool, alternative<SymExpr>("as_expr"),
         alternative<bool>("as_bool"));
FX_FIELDS(TensorMeta, required("dtype", &TensorMeta::dtype),
          required("sizes", &TensorMeta::sizes),
          required("requires_grad", &TensorMeta::requires_grad),
          required("device", &TensorMeta::device),
          required("strides", &TensorMeta::strides),
          required("storage_offset", &TensorMeta::storage_offset),
          required("layout", &TensorMeta::layout));
FX_UNION(SymIntArgument, alternative<String>("as_name"),
         alternative<int64_t>("as_int"));
FX_UNION(SymFloatArgument, alternative<String>("as_name"),
         alternative<double>("as_float"));
FX_UNION(SymBoolArgument, alternative<String>("as_name"),
         alternative<bool>("as_bool"));
FX_FIELDS(TensorArgument, required("name", &TensorArgument::name));
FX_FIELDS(TokenArgument, required("name", &TokenArgument::name));
FX_FIELDS(GraphArgument, required("name", &GraphArgument::name),
          required("graph", &GraphArgument::graph));
FX_FIELDS(CustomObjArgument, required("name", &CustomObjArgument::name),
          required("class_fqn", &CustomObjArgument::class_fqn));
FX_FIELDS(ComplexValue, required("real", &ComplexValue::real),
          required("imag", &ComplexValue::imag));

using AK = Argument::Kind;
FX_UNION(Argument, alternative<bool>("as_none", AK::None),
         alternative<TensorArgument>("as_tensor", AK::Tensor),
         alternative<List<TensorArgument>>("as_tensors", AK::Tensors),
         alternative<int64_t>("as_int", AK::Int),
         alternative<List<int64_t>>("as_ints", AK::Ints),
         alternative<double>("as_float", AK::Float),
         alternative<List<double>>("as_floats", AK::Floats),
         alternative<String>("as_string", AK::String),
         alternative<List<String>>("as_strings", AK::Strings),
         alternative<SymIntArgument>("as_sym_int", AK::SymInt),
         alternative<List<SymIntArgument>>("as_sym_ints", AK::SymInts),
         alternative<ScalarType>("as_scalar_type", AK::ScalarType),
         alternative<MemoryFormat>("as_memory_format", AK::MemoryFormat),
         alternative<Layout>("as_layout", AK::Layout),
         alternative<Device>("as_device", AK::Device),
         alternative<bool>("as_bool", AK::Bool),
         alternative<List<bool>>("as_bools", AK::Bools),
         alternative<SymBoolArgument>("as_sym_bool", AK::SymBool),
         alternative<List<SymBoolArgument>>("as_sym_bools", AK::SymBools),
         alternative<GraphArgument>("as_graph", AK::Graph),
         alternative<List<OptionalTensorArgument>>("as_optional_tensors",
                                                   AK::OptionalTensors),
         alternative<CustomObjArgument>("as_custom_obj", AK::CustomObj),
         alternative<String>("as_operator", AK::Operator),
         alternative<SymFloatArgument>("as_sym_float", AK::SymFloat),
         alternative<List<SymFloatArgument>>("as_sym_floats", AK::SymFloats),
         alternative<OptionalTensorArgument>("as_optional_tensor",
                                             AK::OptionalTensor),
         alternative<ComplexValue>("as_complex", AK::Complex),
         alternative<List<List<TensorArgument>>>("as_nested_tensors",
                                                 AK::NestedTensors),
         alternative<List<List<int64_t>>>("as_int_lists", AK::IntLists),
         alternative<std::shared_ptr<ArgumentMap>>("as_string_to_argument",
                                                   AK::StringToArgument),
         alternative<List<List<double>>>("as_float_lists", AK::FloatLists));

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

FX_FIELDS(NamedArgument, required("name", &NamedArgument::name),
          required("arg", &NamedArgument::arg),
          optional("kind", &NamedArgument::kind));
FX_FIELDS(
    Node, required("target", &Node::target), required("inputs", &Node::inputs),
    required("outputs", &Node::outputs), required("metadata", &Node::metadata),
    optional("is_hop_single_tensor_return", &Node::is_hop_single_tensor_return),
    optional("name", &Node::name));
FX_FIELDS(Graph, required("inputs", &Graph::inputs),
          required("outputs", &Graph::outputs),
          required("nodes", &Graph::nodes),
          required("tensor_values", &Graph::tensor_values),
          required("sym_int_values", &Graph::sym_int_values),
          required("sym_bool_values", &Graph::sym_bool_values),
          optional("is_single_tensor_return", &Graph::is_single_tensor_return),
          optional("custom_obj_values", &Graph::custom_obj_values),
          optional("sym_float_values", &Graph::sym_float_values));
FX_UNION(ConstantValue, alternative<std::monostate>("as_none"),
         alternative<int64_t>("as_int"), alternative<double>("as_float"),
         alternative<String>("as_string"), alternative<bool>("as_bool"));
FX_FIELDS(GraphSignature, required("input_specs", &GraphSignature::input_specs),
          required("output_specs", &GraphSignature::output_specs));
FX_FIELDS(RangeConstraint, required("min_val", &RangeConstraint::min_val),
          required("max_val", &RangeConstraint::max_val));
FX_FIELDS(ModuleCallSignature, required("inputs", &ModuleCallSignature::inputs),
          required("outputs", &ModuleCallSignature::outputs),
          required("in_spec", &ModuleCallSignature::in_spec),
          required("out_spec", &ModuleCallSignature::out_spec),
          optional("forward_arg_names",
                   &ModuleCallSignature::forward_arg_names));
FX_FIELDS(ModuleCallEntry, required("fqn", &ModuleCallEntry::fqn),
          optional("signature", &ModuleCallEntry::signature));
FX_FIELDS(NamedTupleDef, required("field_names", &NamedTupleDef::field_names));
FX_FIELDS(GraphModule, required("graph", &GraphModule::graph),
          required("signature", &GraphModule::signature),
          required("module_call_graph", &GraphModule::module_call_graph),
          optional("metadata", &GraphModule::metadata),
          optional("treespec_namedtuple_fields",
                   &GraphModule::treespec_namedtuple_fields));
FX_FIELDS(SchemaVersion, required("major", &SchemaVersion::major),
          required("minor", &SchemaVersion::minor));
FX_FIELDS(ExportedProgram,
          required("graph_module", &ExportedProgram::graph_module),
          required("opset_version", &ExportedProgram::opset_version),
          required("range_constraints", &ExportedProgram::range_constraints),
          required("schema_version", &ExportedProgram::schema_version),
          optional("verifiers", &ExportedProgram::verifiers),
          optional("torch_version", &ExportedProgram::torch_version),
          optional("guards_code", &ExportedProgram::guards_code));
FX_FIELDS(PayloadMeta, required("path_name", &PayloadMeta::path_name),
          required("is_param", &PayloadMeta::is_param),
          required("use_pickle", &PayloadMeta::use_pickle),
          required("tensor_meta", &PayloadMeta::tensor_meta));
FX_FIELDS(PayloadConfig, required("config", &PayloadConfig::config));

//===----------------------------------------------------------------------===//
// Graph signature: unions of structures that share their fields
//===----------------------------------------------------------------------===//

/// The fields of one kind of input or output spec. `argument` is the structure
/// that `arg` has in the file; `Any` is a complete Argument.
struct SpecKind {
  const char *name;
  int kind;
  const char *target; ///< the field that names the target, or null
  enum { Any, Tensor, Token, CustomObj, Constant } argument;
};
using IK = InputSpec::Kind;
using OK = OutputSpec::Kind;
inline constexpr SpecKind inputKinds[] = {
    {"user_input", (int)IK::UserInput, nullptr, SpecKind::Any},
    {"parameter", (int)IK::Parameter, "parameter_name", SpecKind::Tensor},
    {"buffer", (int)IK::Buffer, "buffer_name", SpecKind::Tensor},
    {"tensor_constant", (int)IK::TensorConstant, "tensor_constant_name",
     SpecKind::Tensor},
    {"custom_obj", (int)IK::CustomObj, "custom_obj_name", SpecKind::CustomObj},
    {"token", (int)IK::Token, nullptr, SpecKind::Token},
    {"constant_input", (int)IK::ConstantInput, "name", SpecKind::Constant}};
inline constexpr SpecKind outputKinds[] = {
    {"user_output", (int)OK::UserOutput, nullptr, SpecKind::Any},
    {"loss_output", (int)OK::LossOutput, nullptr, SpecKind::Tensor},
    {"buffer_mutation", (int)OK::BufferMutation, "buffer_name",
     SpecKind::Tensor},
    {"gradient_to_parameter", (int)OK::GradientToParameter, "parameter_name",
     SpecKind::Tensor},
    {"gradient_to_user_input", (int)OK::GradientToUserInput, "user_input_name",
     SpecKind::Tensor},
    {"user_input_mutation", (int)OK::UserInputMutation, "user_input_name",
     SpecKind::Tensor},
    {"token", (int)OK::Token, nullptr, SpecKind::Token},
    {"parameter_mutation", (int)OK::ParameterMutation, "parameter_name",
     SpecKind::Tensor}};

#undef FX_FIELDS
#undef FX_UNION
} // namespace fx::schema

#endif // FX_IMPORT_SCHEMATABLES_H
