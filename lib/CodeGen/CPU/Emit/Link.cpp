//===- Link.cpp - objects into a shared object, in process ----------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/CodeGen/CPU/Backend.h"
#include "fx/CodeGen/Common/Linker.h"
#include "fx/Support/OutputFile.h"

// Defined in Embedded.c: the runtime's object and the import libraries of libc,
// libm and libdl.
extern "C" {
extern const char fx_embedded_runtime[], fx_embedded_runtime_end[];
extern const char fx_embedded_libc[], fx_embedded_libc_end[];
extern const char fx_embedded_libm[], fx_embedded_libm_end[];
extern const char fx_embedded_libdl[], fx_embedded_libdl_end[];
}

using namespace fx;
using namespace fx::codegen;
using namespace fx::cpu;

static llvm::Expected<std::string>
linkObjects(llvm::ArrayRef<std::string> objects) {
  Linker linker(
      {"-shared",
       // The objects, libc, libm and libdl must define every symbol. An
       // undefined symbol is an error here and not when the artefact is loaded.
       "-z", "defs", "--hash-style=gnu", "--gc-sections", "--build-id=none",
       // The PT_GNU_RELRO program header becomes that of the weights
       // (addSegment in Weights.cpp).
       "-z", "relro", "--eh-frame-hdr"});
  for (llvm::StringRef object : objects)
    if (llvm::Error e = linker.add(object))
      return e;
  auto add = [&](const char *begin, const char *end) {
    return linker.add(llvm::StringRef(begin, end - begin));
  };
  if (llvm::Error e = add(fx_embedded_runtime, fx_embedded_runtime_end))
    return e;
  if (llvm::Error e = add(fx_embedded_libc, fx_embedded_libc_end))
    return e;
  linker.addOption("--as-needed");
  if (llvm::Error e = add(fx_embedded_libm, fx_embedded_libm_end))
    return e;
  if (llvm::Error e = add(fx_embedded_libdl, fx_embedded_libdl_end))
    return e;
  return linker.run();
}

llvm::Error fx::cpu::linkSharedObject(llvm::ArrayRef<std::string> objects,
                                      llvm::StringRef path,
                                      const CPUOptions &options) {
  llvm::Expected<std::string> bytes = linkObjects(objects);
  if (!bytes)
    return bytes.takeError();
  return writeInPlace(path, [&](llvm::raw_ostream &os) {
    os << *bytes;
    return llvm::Error::success();
  });
}
