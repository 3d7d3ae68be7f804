//===- Encode.cpp - the typed schema to JSON ------------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The inverse of Import/Decode.cpp. Both use the tables of SchemaTables.h.
//
//===----------------------------------------------------------------------===//

#include "Encode.h"
#include "JsonWriter.h"
#include "fx/Import/SchemaTables.h"

using namespace llvm;
using namespace fx;
using namespace fx::schema;

namespace {
class Encoder {
public:
  explicit Encoder(JsonWriter &json) : json(json) {}

  void write(bool v) { json.boolean(v); }
  void write(int64_t v) { json.integer(v); }
  void write(double v) { json.real(v); }
  void write(String v) { json.string(v); }
  /// `as_none` holds true.
  void write(std::monostate) { json.boolean(true); }
  template <typename T>
  void write(const std::optional<T> &v) {
    if (v)
      write(*v);
    else
      json.null();
  }
  void write(const std::shared_ptr<Graph> &v) { write(*v); }
  void write(const std::shared_ptr<ArgumentMap> &v) { write(v->entries); }
  void write(const List<bool> &v) {
    json.array([&] {
      for (bool element : v)
        write(element);
    });
  }
  template <typename T>
  void write(const List<T> &v) {
    json.array([&] {
      for (const T &element : v)
        write(element);
    });
  }
  template <typename T>
  void write(const Map<T> &v) {
    json.object([&] {
      for (auto &[key, value] : v) {
        json.key(key);
        write(value);
      }
    });
  }
  template <typename T>
    requires std::is_enum_v<T>
  void write(T v) {
    json.integer(static_cast<int64_t>(v));
  }
  template <typename T>
    requires requires { Fields<T>::table; }
  void write(const T &v) {
    json.object([&] {
      std::apply([&](const auto &...fields) { (writeField(v, fields), ...); },
                 Fields<T>::table);
    });
  }
  template <typename T>
    requires requires { Alternatives<T>::table; }
  void write(const T &v) {
    json.object([&] {
      std::apply([&](const auto &...kinds) { (writeKind(v, kinds), ...); },
                 Alternatives<T>::table);
    });
  }
  void write(const OptionalTensorArgument &v) {
    json.object([&] {
      json.key(v.value ? "as_tensor" : "as_none");
      if (v.value)
        write(*v.value);
      else
        json.boolean(true);
    });
  }
  void write(const InputSpec &v) { writeSpec(v, inputKinds); }
  void write(const OutputSpec &v) { writeSpec(v, outputKinds); }

private:
  template <typename T, typename Field>
  void writeField(const T &v, const Field &field) {
    json.key(field.name);
    write(v.*field.member);
  }
  /// Writes the alternative if the union holds it. If several alternatives have
  /// the same type, the union's `kind` distinguishes them.
  template <typename T, typename V, typename K>
  void writeKind(const T &v, const Alternative<V, K> &alternative) {
    if constexpr (requires { v.kind; }) {
      if (v.kind != alternative.kind)
        return;
    } else if (!std::holds_alternative<V>(v.value)) {
      return;
    }
    json.key(alternative.name);
    write(std::get<V>(v.value));
  }
  template <typename Spec>
  void writeSpec(const Spec &v, ArrayRef<SpecKind> kinds) {
    for (const SpecKind &kind : kinds) {
      if (kind.kind != static_cast<int>(v.kind))
        continue;
      json.object([&] {
        json.key(kind.name);
        json.object([&] { writeSpecFields(v, kind); });
      });
    }
  }
  template <typename Spec>
  void writeSpecFields(const Spec &v, const SpecKind &kind) {
    if constexpr (std::is_same_v<Spec, InputSpec>)
      if (kind.argument == SpecKind::Constant) {
        json.key(kind.target);
        write(v.target);
        json.key("value");
        write(v.constant);
        return;
      }
    json.key("arg");
    if (kind.argument == SpecKind::Any)
      write(v.arg);
    else if (kind.argument == SpecKind::CustomObj)
      write(v.arg.template get<CustomObjArgument>());
    else
      write(v.arg.template get<TensorArgument>());
    if (kind.target) {
      json.key(kind.target);
      write(v.target);
    }
    if constexpr (std::is_same_v<Spec, InputSpec>)
      if (v.kind == InputSpec::Kind::Buffer) {
        json.key("persistent");
        write(v.persistent);
      }
  }

  JsonWriter &json;
};
} // namespace

template <typename T>
static std::string encodeText(const T &v) {
  std::string text;
  raw_string_ostream os(text);
  JsonWriter json(os);
  Encoder(json).write(v);
  return text;
}

std::string fx::encode(const ExportedProgram &program) {
  return encodeText(program);
}

std::string fx::encode(const PayloadConfig &config) {
  return encodeText(config);
}
