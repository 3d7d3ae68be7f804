//===- WeightFile.cpp - files of named tensors ----------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/Weights/WeightFile.h"
#include "fx/Support/MappedFile.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace fx;

std::string fx::showText(StringRef text) {
  std::string shown;
  raw_string_ostream(shown).write_escaped(text.take_front(80));
  return shown;
}

std::string WeightTensor::describe() const {
  std::string text;
  raw_string_ostream os(text);
  os << getFormat() << "[";
  interleaveComma(sizes, os);
  os << "]";
  return text;
}

const WeightTensor *WeightFile::find(StringRef name) const {
  auto it = tensors.find(std::string_view(name));
  return it == tensors.end() ? nullptr : &it->second;
}

Error WeightFile::openFile(StringRef file) {
  Expected<sys::fs::mapped_file_region> map = mapFile(file);
  if (!map)
    return map.takeError();
  StringRef bytes(map->const_data(), *map ? map->size() : 0);
  maps.push_back(std::move(*map));
  if (bytes.starts_with("GGUF")) {
    if (maps.size() > 1)
      return createStringError(file +
                               ": expected a safetensors file, got GGUF");
    return readGguf(file, bytes);
  }
  return readSafetensors(file, bytes);
}

Expected<std::shared_ptr<const WeightFile>> WeightFile::open(StringRef path) {
  std::shared_ptr<WeightFile> file(new WeightFile);
  file->path = path.str();
  SmallString<256> name(path);
  if (sys::fs::is_directory(path)) {
    sys::path::append(name, "model.safetensors.index.json");
    if (!sys::fs::exists(name)) {
      name = path;
      sys::path::append(name, "model.safetensors");
      if (!sys::fs::exists(name))
        return createStringError(
            path + ": expected a folder with model.safetensors or "
                   "model.safetensors.index.json");
    }
  }
  Error error = name.str().ends_with(".json") ? file->openIndex(name)
                                              : file->openFile(name);
  if (error)
    return std::move(error);
  return file;
}

std::shared_ptr<const WeightFile>
WeightFile::create(StringRef name, Tensors tensors,
                   std::shared_ptr<const void> owner) {
  std::shared_ptr<WeightFile> file(new WeightFile);
  file->path = name.str();
  file->tensors = std::move(tensors);
  file->owner = std::move(owner);
  return file;
}
