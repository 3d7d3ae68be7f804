/*===- Embedded.c - files that are part of the compiler -------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The build defines the paths. A user's machine then needs neither a compiler
// nor development packages to link an artefact.
//
//===----------------------------------------------------------------------===*/

#define EMBED(name, path)                                                      \
  __asm__(".section .rodata\n"                                                 \
          ".global " #name "\n"                                                \
          ".global " #name "_end\n"                                            \
          ".hidden " #name "\n"                                                \
          ".hidden " #name "_end\n"                                            \
          ".balign 16\n" #name ":\n"                                           \
          ".incbin \"" path "\"\n" #name "_end:\n"                             \
          ".previous\n")

EMBED(fx_embedded_runtime, FX_EMBEDDED_RUNTIME);
EMBED(fx_embedded_aoti, FX_EMBEDDED_AOTI);
EMBED(fx_embedded_libc, FX_EMBEDDED_C);
EMBED(fx_embedded_libm, FX_EMBEDDED_M);
EMBED(fx_embedded_libdl, FX_EMBEDDED_DL);
EMBED(fx_embedded_libstdcxx, FX_EMBEDDED_STDCXX);
EMBED(fx_embedded_libtorch, FX_EMBEDDED_TORCH);
EMBED(fx_embedded_aarch64_runtime, FX_EMBEDDED_AARCH64_RUNTIME);
EMBED(fx_embedded_aarch64_libc, FX_EMBEDDED_AARCH64_C);
EMBED(fx_embedded_aarch64_libm, FX_EMBEDDED_AARCH64_M);
EMBED(fx_embedded_aarch64_libdl, FX_EMBEDDED_AARCH64_DL);
