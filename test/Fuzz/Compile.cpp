//===- Compile.cpp - fx-compile-fuzzer: IR to native code -----------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An input is a program in text. Whatever it holds, it is refused by an error
// of one line, or compiled: to LLVM IR, or to what its first line names, as
// `// emit: so` (an artefact, linked, its weights packed), or kernels of a GPU:
// `// emit: ptx`, `hsaco` or `spirv`.
//
//===----------------------------------------------------------------------===//

#include "Fuzz.h"

#include "fx/Pipelines/Compile.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace fx;
using namespace fx::fuzz;

namespace {
/// A folder of this process, gone with it.
struct Folder {
  Folder() {
    require(!llvm::sys::fs::createUniqueDirectory("fx-fuzz", path),
            "cannot make a folder");
  }
  ~Folder() { llvm::sys::fs::remove_directories(path); }
  std::string file(llvm::StringRef name) const {
    llvm::SmallString<128> file(path);
    llvm::sys::path::append(file, name);
    return file.str().str();
  }
  llvm::SmallString<128> path;
};

struct Form {
  llvm::StringLiteral name;
  EmitKind kind;
  llvm::StringLiteral target;
};
constexpr Form forms[] = {{"ll", EmitKind::LLVM, ""},
                          {"so", EmitKind::SharedObject, ""},
                          {"ptx", EmitKind::PTX, "cuda:sm_90a"},
                          {"hsaco", EmitKind::HSACO, "rocm:gfx942"},
                          {"spirv", EmitKind::SPIRV, "vulkan"}};
constexpr llvm::StringLiteral directive = "// emit: ";
} // namespace

static const Form &getForm(llvm::StringRef text) {
  if (text.consume_front(directive))
    for (const Form &form : forms)
      if (text.split('\n').first == form.name)
        return form;
  return forms[0];
}

/// The same program, to be compiled to something else.
static std::string setForm(llvm::StringRef text, const Form &form) {
  if (text.starts_with(directive))
    text = text.split('\n').second;
  return (directive + form.name + "\n" + text).str();
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static Folder folder;
  llvm::StringRef text(reinterpret_cast<const char *>(data), size);
  const Form &form = getForm(text);
  CompileOptions options;
  options.input = folder.file("m.mlir");
  options.output = folder.file("m.out");
  options.emit = form.kind;
  options.target = form.target.str();
  options.optLevel = 1;
  // The same code on every machine, so that a finding can be seen again.
  options.cpu = "x86-64-v4";
  {
    std::error_code code;
    llvm::raw_fd_ostream os(options.input, code);
    require(!code, "cannot write the input", code.message());
    os << text;
  }
  llvm::Expected<CompileReport> report = compileModel(options);
  if (!report) {
    requireOneLine(llvm::toString(report.takeError()));
    require(!llvm::sys::fs::exists(options.output),
            "an error leaves an output");
    return 0;
  }
  llvm::sys::fs::remove(options.output);
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size,
                                          size_t maxSize, unsigned seed) {
  Random random(seed);
  if (pick(random, 32) == 0)
    return LLVMFuzzerMutate(data, size, maxSize);
  std::string text(reinterpret_cast<char *>(data), size);
  if (pick(random, 16) == 0)
    text = setForm(text, forms[pick(random, std::size(forms))]);
  for (size_t i = 0, count = 1 + pick(random, 3); i < count; ++i)
    text = mutateIR(text, random);
  if (text.size() > maxSize)
    return size;
  memcpy(data, text.data(), text.size());
  return text.size();
}
