//===- LoraConfig.cpp - the configuration of an adapter -------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoraConfig.h"
#include "fx/Support/JsonReader.h"
#include "fx/Support/MappedFile.h"
#include "fx/Weights/WeightFile.h"

#include <cmath>

using namespace llvm;
using namespace fx;

/// Reads a finite number.
static bool readFinite(JsonReader &json, double &number) {
  if (!json.readReal(number))
    return false;
  return std::isfinite(number) || json.fail("expected a finite number");
}

/// Reads a member of which only null, false and empty values are supported.
static bool readAbsent(JsonReader &json, StringRef member) {
  bool isDefault = false;
  if (!json.skip(&isDefault))
    return false;
  return isDefault || json.fail("expected an adapter without '" + member + "'");
}

/// Reads `alpha_pattern`. peft takes its keys as regular expressions for the
/// end of a module's name; names alone are supported.
static bool readAlphas(JsonReader &json, std::map<std::string, double> &out) {
  return json.readObject([&](StringRef key) {
    if (key.empty() || key.find_first_of("^$*+?()[]{}|\\") != StringRef::npos)
      return json.fail("expected the name of a module, got '" + showText(key) +
                       "'");
    return readFinite(json, out[key.str()]);
  });
}

/// Reads how the matrices were initialized. Some ways change the weights of the
/// model, too, so that their adapters belong to other weights.
static bool readInit(JsonReader &json) {
  if (json.peek() != JsonReader::Kind::String)
    return json.skip();
  StringRef name;
  if (!json.readString(name))
    return false;
  bool changesBase =
      name.starts_with("pissa") || name.starts_with("corda") || name == "olora";
  return !changesBase ||
         json.fail(
             "expected an adapter of the model's own weights, got one of '" +
             showText(name) + "', which changes them");
}

Expected<LoraConfig> LoraConfig::read(StringRef path) {
  Expected<sys::fs::mapped_file_region> map = mapFile(path);
  if (!map)
    return map.takeError();
  BumpPtrAllocator strings;
  JsonReader json({map->const_data(), *map ? map->size() : 0}, strings);
  LoraConfig config;
  bool hasType = false;
  bool isRead = json.readObject([&](StringRef member) {
    if (member == "peft_type") {
      StringRef type;
      if (!json.readString(type))
        return false;
      hasType = true;
      return type == "LORA" ||
             json.fail("expected LORA, got '" + showText(type) + "'");
    }
    if (member == "lora_alpha")
      return readFinite(json, config.alpha);
    if (member == "use_rslora")
      return json.readBool(config.isRankStabilized);
    if (member == "fan_in_fan_out")
      return json.readBool(config.isTransposed);
    if (member == "alpha_pattern" && json.peek() == JsonReader::Kind::Object)
      return readAlphas(json, config.alphas);
    if (member == "init_lora_weights")
      return readInit(json);
    if (member == "use_dora" || member == "lora_bias" ||
        member == "layer_replication" || member == "trainable_token_indices" ||
        member == "use_qalora" || member == "alora_invocation_tokens" ||
        member == "target_parameters")
      return readAbsent(json, member);
    return json.skip();
  });
  if (!isRead || !json.readEnd())
    return createStringError(path + json.getError());
  if (!hasType)
    return createStringError(path + ": expected peft_type LORA, got none");
  return config;
}

double LoraConfig::getScaling(StringRef module, int64_t rank) const {
  double value = alpha;
  for (const auto &[key, other] : alphas) {
    StringRef rest = module;
    if (rest.consume_back(key) && (rest.empty() || rest.ends_with(".")))
      value = other;
  }
  return value / (isRankStabilized ? std::sqrt(double(rank)) : double(rank));
}
