/*===- count.c - a plugin of QEMU that counts instructions ----------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Prints the number of instructions of a program when it ends. Debian has no
// header of QEMU's plugin interface: the declarations are those of its version
// 1.
//
//===----------------------------------------------------------------------===*/

#include <inttypes.h>
#include <stdio.h>

typedef uint64_t PluginId;
struct qemu_plugin_tb;
void qemu_plugin_register_vcpu_tb_trans_cb(PluginId,
                                           void (*)(PluginId,
                                                    struct qemu_plugin_tb *));
void qemu_plugin_register_vcpu_tb_exec_inline(struct qemu_plugin_tb *, int op,
                                              void *counter, uint64_t add);
void qemu_plugin_register_atexit_cb(PluginId, void (*)(PluginId, void *),
                                    void *);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *);

int qemu_plugin_version = 1;

static uint64_t count;

static void on_block(PluginId id, struct qemu_plugin_tb *block) {
  (void)id;
  qemu_plugin_register_vcpu_tb_exec_inline(block, /*add*/ 0, &count,
                                           qemu_plugin_tb_n_insns(block));
}

static void on_exit(PluginId id, void *data) {
  (void)id, (void)data;
  fprintf(stderr, "instructions: %" PRIu64 "\n", count);
}

int qemu_plugin_install(PluginId id, const void *info, int argc, char **argv) {
  (void)info, (void)argc, (void)argv;
  qemu_plugin_register_vcpu_tb_trans_cb(id, on_block);
  qemu_plugin_register_atexit_cb(id, on_exit, 0);
  return 0;
}
