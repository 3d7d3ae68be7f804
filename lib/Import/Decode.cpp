//===- Decode.cpp - JSON to the typed schema ------------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every structure is described by a table of its fields, every union by a
// table of its kinds; one reader does the rest.
//
//===----------------------------------------------------------------------===//

#include "Decode.h"
#include "JsonReader.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"

#include <tuple>

using namespace llvm;
using namespace fx;
using namespace fx::schema;

namespace {
/// A field of structure S. An absent optional field keeps its default.
template <typename S, typename T> struct Field {
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
/// union's Kind, where it has one.
template <typename T, typename K = int> struct Alternative {
  const char *name;
  K kind;
};
template <typename T> constexpr Alternative<T> alternative(const char *name) {
  return {name, 0};
}
template <typename T, typename K>
constexpr Alternative<T, K> alternative(const char *name, K kind) {
  return {name, kind};
}

template <typename T> struct Fields {};
template <typename T> struct Alternatives {};
template <typename T> struct EnumValues {};

#define FX_FIELDS(S, ...)                                                      \
  template <> struct Fields<S> {                                               \
    static constexpr auto table = std::make_tuple(__VA_ARGS__);                \
  }
#define FX_UNION(S, ...)                                                       \
  template <> struct Alternatives<S> {                                         \
    static constexpr auto table = std::make_tuple(__VA_ARGS__);                \
  }

//===----------------------------------------------------------------------===//
// Enumerations
//===----------------------------------------------------------------------===//

template <> struct EnumValues<ScalarType> {
  static constexpr const char *name = "scalar type";
  static bool has(int64_t v) {
    return (v >= 1 && v <= 13) || (v >= 28 && v <= 35);
  }
};
template <> struct EnumValues<Layout> {
  static constexpr const char *name = "layout";
  static bool has(int64_t v) { return v >= 1 && v <= 7; }
};
template <> struct EnumValues<MemoryFormat> {
  static constexpr const char *name = "memory format";
  static bool has(int64_t v) { return v >= 1 && v <= 4; }
};
template <> struct EnumValues<ArgumentKind> {
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
FX_UNION(
    Argument, alternative<bool>("as_none", AK::None),
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
FX_FIELDS(Node, required("target", &Node::target),
          required("inputs", &Node::inputs),
          required("outputs", &Node::outputs),
          required("metadata", &Node::metadata),
          optional("is_hop_single_tensor_return",
                   &Node::is_hop_single_tensor_return),
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

/// The fields of one kind of input or output spec. `argument` is the kind of
/// value that `arg` holds where it is not a whole Argument.
struct SpecKind {
  const char *name;
  int kind;
  const char *target;  ///< the field that names the target, or null
  enum { Any, Tensor, Token, CustomObj, Constant } argument;
};
using IK = InputSpec::Kind;
using OK = OutputSpec::Kind;
constexpr SpecKind inputKinds[] = {
    {"user_input", (int)IK::UserInput, nullptr, SpecKind::Any},
    {"parameter", (int)IK::Parameter, "parameter_name", SpecKind::Tensor},
    {"buffer", (int)IK::Buffer, "buffer_name", SpecKind::Tensor},
    {"tensor_constant", (int)IK::TensorConstant, "tensor_constant_name",
     SpecKind::Tensor},
    {"custom_obj", (int)IK::CustomObj, "custom_obj_name", SpecKind::CustomObj},
    {"token", (int)IK::Token, nullptr, SpecKind::Token},
    {"constant_input", (int)IK::ConstantInput, "name", SpecKind::Constant}};
constexpr SpecKind outputKinds[] = {
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

//===----------------------------------------------------------------------===//
// Decoder
//===----------------------------------------------------------------------===//

class Decoder {
public:
  Decoder(JsonReader &json, bool isNewer) : json(json), isNewer(isNewer) {}

  bool read(bool &out) { return json.readBool(out); }
  bool read(int64_t &out) { return json.readInteger(out); }
  bool read(double &out) { return json.readReal(out); }
  bool read(String &out) { return json.readString(out); }
  /// `as_none` holds true.
  bool read(std::monostate &) {
    bool ignored;
    return json.readBool(ignored);
  }
  template <typename T> bool read(std::optional<T> &out) {
    if (json.peek() == JsonReader::Kind::Null) {
      out.reset();
      return json.readNull();
    }
    return read(out.emplace());
  }
  bool read(std::shared_ptr<Graph> &out) {
    return read(*(out = std::make_shared<Graph>()));
  }
  bool read(std::shared_ptr<ArgumentMap> &out) {
    return read((out = std::make_shared<ArgumentMap>())->entries);
  }
  bool read(List<bool> &out) {
    return json.readArray([&](size_t) {
      bool value;
      return read(value) && (out.push_back(value), true);
    });
  }
  template <typename T> bool read(List<T> &out) {
    return json.readArray([&](size_t) { return read(out.emplace_back()); });
  }
  template <typename T> bool read(Map<T> &out) {
    return json.readObject([&](StringRef key) {
      return read(out.emplace_back(key, T()).second);
    });
  }
  template <typename T>
    requires std::is_enum_v<T>
  bool read(T &out) {
    int64_t value;
    if (!json.readInteger(value))
      return false;
    if (!EnumValues<T>::has(value))
      return json.fail(Twine("unknown ") + EnumValues<T>::name + " " +
                       Twine(value));
    out = static_cast<T>(value);
    return true;
  }
  template <typename T>
    requires requires { Fields<T>::table; }
  bool read(T &out);
  template <typename T>
    requires requires { Alternatives<T>::table; }
  bool read(T &out);
  bool read(OptionalTensorArgument &out);
  bool read(InputSpec &out) {
    return readSpec(out, inputKinds, "input spec",
                    [&](const SpecKind &kind) { return readArg(out, kind); });
  }
  bool read(OutputSpec &out) {
    return readSpec(out, outputKinds, "output spec",
                    [&](const SpecKind &kind) { return readArg(out, kind); });
  }

private:
  /// A field that the schema does not know.
  bool readUnknown(StringRef kind) {
    bool isDefault;
    if (!json.skip(&isDefault))
      return false;
    if (isNewer && isDefault)
      return true;
    return json.fail("unknown " + kind + " for schema version " +
                     Twine(kMajorVersion) + "." + Twine(kMinorVersion));
  }
  /// Reads an object of one member.
  bool readOnly(StringRef what, function_ref<bool(StringRef)> member);
  template <typename Spec>
  bool readSpec(Spec &out, ArrayRef<SpecKind> kinds, StringRef what,
                function_ref<bool(const SpecKind &)> readArg);
  template <typename Spec> bool readArg(Spec &out, const SpecKind &kind);

  template <typename T, typename K>
  static void setKind(T &out, K kind) {
    if constexpr (requires { out.kind = kind; })
      out.kind = kind;
  }

  JsonReader &json;
  bool isNewer;
};
} // namespace

template <typename T>
  requires requires { Fields<T>::table; }
bool Decoder::read(T &out) {
  uint64_t seen = 0;
  bool ok = json.readObject([&](StringRef key) {
    bool known = false, good = true;
    unsigned index = 0;
    std::apply(
        [&](const auto &...fields) {
          auto one = [&](const auto &field) {
            if (!known && key == field.name) {
              known = true;
              seen |= uint64_t(1) << index;
              good = read(out.*field.member);
            }
            ++index;
          };
          (one(fields), ...);
        },
        Fields<T>::table);
    return known ? good : readUnknown("field");
  });
  if (!ok)
    return false;
  const char *missing = nullptr;
  unsigned index = 0;
  std::apply(
      [&](const auto &...fields) {
        auto one = [&](const auto &field) {
          if (field.required && !(seen & (uint64_t(1) << index)))
            missing = field.name;
          ++index;
        };
        (one(fields), ...);
      },
      Fields<T>::table);
  return !missing || json.fail(Twine("the field '") + missing + "' is missing");
}

bool Decoder::readOnly(StringRef what, function_ref<bool(StringRef)> member) {
  unsigned count = 0;
  if (!json.readObject([&](StringRef key) {
        if (++count > 1)
          return json.fail("expected one kind of " + what);
        return member(key);
      }))
    return false;
  return count == 1 || json.fail("expected a kind of " + what);
}

template <typename T>
  requires requires { Alternatives<T>::table; }
bool Decoder::read(T &out) {
  return readOnly("value", [&](StringRef key) {
    bool known = false, good = true;
    std::apply(
        [&](const auto &...alternatives) {
          auto one = [&]<typename V, typename K>(
                         const Alternative<V, K> &alternative) {
            if (known || key != alternative.name)
              return;
            known = true;
            setKind(out, alternative.kind);
            good = read(out.value.template emplace<V>());
          };
          (one(alternatives), ...);
        },
        Alternatives<T>::table);
    return known ? good : json.fail("unknown kind of value");
  });
}

bool Decoder::read(OptionalTensorArgument &out) {
  return readOnly("optional tensor", [&](StringRef key) {
    std::monostate none;
    if (key == "as_none")
      return read(none);
    if (key == "as_tensor")
      return read(out.value.emplace());
    return json.fail("unknown kind of optional tensor");
  });
}

template <typename Spec>
bool Decoder::readArg(Spec &out, const SpecKind &kind) {
  auto as = [&](Argument::Kind argument, auto value) {
    bool good = read(value);
    out.arg.kind = argument;
    out.arg.value = std::move(value);
    return good;
  };
  switch (kind.argument) {
  case SpecKind::Tensor:
    return as(AK::Tensor, TensorArgument());
  case SpecKind::CustomObj:
    return as(AK::CustomObj, CustomObjArgument());
  case SpecKind::Token: {
    // A token has a name like a tensor and no other property.
    TokenArgument token;
    if (!read(token))
      return false;
    out.arg.kind = AK::Tensor;
    out.arg.value = TensorArgument{token.name};
    return true;
  }
  case SpecKind::Any:
  case SpecKind::Constant:
    return read(out.arg);
  }
  return false;
}

template <typename Spec>
bool Decoder::readSpec(Spec &out, ArrayRef<SpecKind> kinds, StringRef what,
                       function_ref<bool(const SpecKind &)> readArg) {
  return readOnly(what, [&](StringRef key) {
    const SpecKind *kind =
        find_if(kinds, [&](const SpecKind &k) { return key == k.name; });
    if (kind == kinds.end())
      return json.fail("unknown kind of " + what);
    out.kind = static_cast<decltype(out.kind)>(kind->kind);
    bool hasArg = false, hasTarget = false, hasPersistent = false;
    bool isBuffer = key == "buffer";
    if (!json.readObject([&](StringRef field) {
          if (kind->target && field == kind->target)
            return hasTarget = true, read(out.target);
          if constexpr (std::is_same_v<Spec, InputSpec>) {
            if (kind->argument == SpecKind::Constant && field == "value")
              return hasArg = true, read(out.constant);
            if (isBuffer && field == "persistent")
              return hasPersistent = true, read(out.persistent);
          }
          if (kind->argument != SpecKind::Constant && field == "arg")
            return hasArg = true, readArg(*kind);
          return readUnknown("field");
        }))
      return false;
    if (!hasArg)
      return json.fail(kind->argument == SpecKind::Constant
                           ? "the field 'value' is missing"
                           : "the field 'arg' is missing");
    if (kind->target && !hasTarget)
      return json.fail(Twine("the field '") + kind->target + "' is missing");
    return !isBuffer || hasPersistent ||
           json.fail("the field 'persistent' is missing");
  });
}

//===----------------------------------------------------------------------===//
// Entry points
//===----------------------------------------------------------------------===//

/// Finds the version before anything that depends on it is read; this also
/// checks the syntax of the whole text.
static bool readVersion(JsonReader &json, SchemaVersion &version) {
  bool found = false;
  if (!json.readObject([&](StringRef key) {
        if (key != "schema_version")
          return json.skip();
        found = true;
        Decoder decoder(json, /*isNewer=*/true);
        if (!decoder.read(version))
          return false;
        if (version.major != kMajorVersion)
          return json.fail("unknown schema version " + Twine(version.major) +
                           "." + Twine(version.minor) + ", known is " +
                           Twine(kMajorVersion) + ".0 to " +
                           Twine(kMajorVersion) + "." + Twine(kMinorVersion));
        return true;
      }))
    return false;
  return json.readEnd() &&
         (found || json.fail("the field 'schema_version' is missing"));
}

Expected<ExportedProgram> fx::decodeProgram(StringRef text,
                                            BumpPtrAllocator &strings) {
  SchemaVersion version;
  {
    // The strings that this pass decodes are not needed again.
    BumpPtrAllocator scratch;
    JsonReader json(text, scratch);
    if (!readVersion(json, version))
      return createStringError(json.getError());
  }
  JsonReader json(text, strings);
  Decoder decoder(json, version.minor > kMinorVersion);
  ExportedProgram program;
  if (!decoder.read(program) || !json.readEnd())
    return createStringError(json.getError());
  return program;
}

Expected<PayloadConfig> fx::decodePayloadConfig(StringRef text,
                                                BumpPtrAllocator &strings) {
  JsonReader json(text, strings);
  Decoder decoder(json, /*isNewer=*/false);
  PayloadConfig config;
  if (!decoder.read(config) || !json.readEnd())
    return createStringError(json.getError());
  return config;
}
