//===- Decode.cpp - JSON to the typed schema ------------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Decode.h"
#include "fx/Import/SchemaTables.h"
#include "fx/Support/JsonReader.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"

using namespace llvm;
using namespace fx;
using namespace fx::schema;

namespace {
using AK = schema::Argument::Kind;

//===----------------------------------------------------------------------===//
// Decoder
//===----------------------------------------------------------------------===//

class Decoder {
public:
  Decoder(JsonReader &json, bool isNewer) : json(json), isNewer(isNewer) {}

  /// Returns the number of nodes that were read, in all graphs.
  uint64_t getNumNodes() const { return numNodes; }

  bool read(bool &out) { return json.readBool(out); }
  bool read(int64_t &out) { return json.readInteger(out); }
  bool read(double &out) { return json.readReal(out); }
  bool read(String &out) { return json.readString(out); }
  /// `as_none` holds true.
  bool read(std::monostate &) {
    bool ignored;
    return json.readBool(ignored);
  }
  template <typename T>
  bool read(std::optional<T> &out) {
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
  template <typename T>
  bool read(List<T> &out) {
    return json.readArray([&](size_t) {
      numNodes += std::is_same_v<T, Node>;
      return read(out.emplace_back());
    });
  }
  template <typename T>
  bool read(Map<T> &out) {
    return json.readObject(
        [&](StringRef key) { return read(out.emplace_back(key, T()).second); });
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
  /// Skips a field that the schema does not know. This is an error unless the
  /// program is newer than the schema and the field holds a default.
  bool readUnknown(StringRef kind) {
    bool isDefault;
    if (!json.skip(&isDefault))
      return false;
    if (isNewer && isDefault)
      return true;
    return json.fail("unknown " + kind + " for schema version " +
                     Twine(kMajorVersion) + "." + Twine(kMinorVersion));
  }
  /// Reads an object that must have exactly one member.
  bool readOnly(StringRef what, function_ref<bool(StringRef)> member);
  template <typename Spec>
  bool readSpec(Spec &out, ArrayRef<SpecKind> kinds, StringRef what,
                function_ref<bool(const SpecKind &)> readArg);
  template <typename Spec>
  bool readArg(Spec &out, const SpecKind &kind);

  template <typename T, typename K>
  static void setKind(T &out, K kind) {
    if constexpr (requires { out.kind = kind; })
      out.kind = kind;
  }

  JsonReader &json;
  uint64_t numNodes = 0;
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
  auto as = [&](AK argument, auto value) {
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
    // A token has only a name. It is represented as a tensor argument.
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

/// Reads the schema version in a pass of its own, because the decoding of other
/// fields depends on it. This pass also checks the syntax of the whole text.
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
                                            BumpPtrAllocator &strings,
                                            uint64_t &numNodes,
                                            Deadline *deadline) {
  SchemaVersion version;
  {
    // The strings that this pass decodes are not needed again.
    BumpPtrAllocator scratch;
    JsonReader json(text, scratch, deadline);
    if (!readVersion(json, version))
      return createStringError(json.getError());
  }
  JsonReader json(text, strings, deadline);
  Decoder decoder(json, version.minor > kMinorVersion);
  ExportedProgram program;
  if (!decoder.read(program) || !json.readEnd())
    return createStringError(json.getError());
  numNodes = decoder.getNumNodes();
  return program;
}

Expected<PayloadConfig> fx::decodePayloadConfig(StringRef text,
                                                BumpPtrAllocator &strings,
                                                Deadline *deadline) {
  JsonReader json(text, strings, deadline);
  Decoder decoder(json, /*isNewer=*/false);
  PayloadConfig config;
  if (!decoder.read(config) || !json.readEnd())
    return createStringError(json.getError());
  return config;
}
