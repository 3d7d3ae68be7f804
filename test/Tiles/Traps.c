/*===- Traps.c - executes the instructions of AMX on other CPUs -----------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A CPU without AMX raises SIGILL at an instruction on tiles. This library
// (LD_PRELOAD) handles the signal: it decodes the instruction, executes it by
// the model in Tiles.c, and goes on behind it. So tests run the machine code
// that the compiler emitted, with its registers, addresses and encodings. Each
// thread has its own tiles. An instruction that would raise an exception on a
// CPU with AMX ends the process with a message.
//
// With FX_TILES_COUNTS, the numbers of executed instructions are written to
// that file at the end of the process, also if it ends by _Exit.
//
//===----------------------------------------------------------------------===*/

#define _GNU_SOURCE
#include "Tiles.h"

#include <dlfcn.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

static __thread TileState tiles __attribute__((tls_model("initial-exec")));

enum { CONFIGURE, RELEASE, ZERO, LOAD, STORE, MULTIPLY, NUM_COUNTERS };
static const char *const counter_names[NUM_COUNTERS] = {
    "ldtilecfg", "tilerelease", "tilezero",
    "tileload",  "tilestore",   "multiply"};
static atomic_long counters[NUM_COUNTERS];

/* The number of a register in an instruction, as an index of gregs. */
static const int registers[16] = {
    REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
    REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};

/* The parts of a VEX instruction of the map 0F38. */
typedef struct {
  unsigned prefix; /* 0: none, 1: 66, 2: F3, 3: F2 */
  unsigned opcode, mod, reg, rm, vvvv;
  uint8_t *base; /* of a memory operand */
  int64_t stride;
  int has_index;
  const uint8_t *next;
} Instruction;

static void stop(const char *why) {
  static const char start[] = "tiles: ";
  if (write(2, start, sizeof start - 1) < 0 || write(2, why, strlen(why)) < 0 ||
      write(2, "\n", 1) < 0)
    _exit(72);
  _exit(71);
}

/* Returns 0 if the instruction at `at` has another encoding. */
static int decode(const uint8_t *at, const greg_t *gregs, Instruction *i) {
  /* Three-byte VEX, map 2, W = 0, L = 0. */
  if (at[0] != 0xc4 || (at[1] & 31) != 2 || (at[2] & 0x84))
    return 0;
  unsigned r = !(at[1] & 0x80) * 8, x = !(at[1] & 0x40) * 8,
           b = !(at[1] & 0x20) * 8;
  i->prefix = at[2] & 3;
  i->vvvv = ~(at[2] >> 3) & 15;
  i->opcode = at[3];
  unsigned modrm = at[4];
  i->mod = modrm >> 6;
  i->reg = (modrm >> 3 & 7) | r;
  i->rm = (modrm & 7) | b;
  i->has_index = 0;
  i->next = at + 5;
  if (i->mod == 3)
    return 1;
  int64_t address = 0;
  i->stride = 0;
  if ((modrm & 7) == 4) {
    unsigned sib = *i->next++, index = (sib >> 3 & 7) | x, base = sib & 7;
    i->has_index = index != 4;
    if (i->has_index)
      i->stride = (int64_t)((uint64_t)gregs[registers[index]] << (sib >> 6));
    if (base == 5 && i->mod == 0) {
      int32_t disp;
      memcpy(&disp, i->next, 4);
      i->next += 4;
      address = disp;
    } else {
      address = gregs[registers[base | b]];
    }
  } else if ((modrm & 7) == 5 && i->mod == 0) {
    int32_t disp;
    memcpy(&disp, i->next, 4);
    i->next += 4;
    address = (int64_t)(intptr_t)i->next + disp;
  } else {
    address = gregs[registers[i->rm]];
  }
  if (i->mod == 1) {
    address += (int8_t)*i->next++;
  } else if (i->mod == 2) {
    int32_t disp;
    memcpy(&disp, i->next, 4);
    i->next += 4;
    address += disp;
  }
  i->base = (uint8_t *)(intptr_t)address;
  return 1;
}

static void count(int which) {
  atomic_fetch_add_explicit(&counters[which], 1, memory_order_relaxed);
}

/* Returns 0 if `i` is no instruction on tiles. */
static int execute(const Instruction *i, const char **error) {
  static const TileKind floats[4] = {-1, -1, TILE_BF16, TILE_FP16},
                        bytes[4] = {TILE_UU, TILE_US, TILE_SU, TILE_SS};
  int is_register = i->mod == 3;
  switch (i->opcode) {
  case 0x49:
    if (i->prefix == 0 && !is_register && i->reg == 0) {
      count(CONFIGURE);
      *error = tile_ldtilecfg(&tiles, i->base + i->stride);
    } else if (i->prefix == 0 && is_register && i->reg == 0 && i->rm == 0) {
      count(RELEASE);
      *error = tile_release(&tiles);
    } else if (i->prefix == 3 && is_register && i->rm == 0) {
      count(ZERO);
      *error = tile_zero(&tiles, i->reg);
    } else {
      return 0;
    }
    return 1;
  case 0x4b:
    if (is_register || i->prefix == 0)
      return 0;
    if (i->prefix == 2) {
      count(STORE);
      *error = tile_store(&tiles, i->reg, i->base, i->stride);
    } else {
      count(LOAD);
      *error = tile_load(&tiles, i->reg, i->base, i->stride);
    }
    return 1;
  case 0x5c:
  case 0x5e: {
    TileKind kind = i->opcode == 0x5c ? floats[i->prefix] : bytes[i->prefix];
    if (!is_register || (int)kind < 0)
      return 0;
    count(MULTIPLY);
    *error = tile_multiply(&tiles, kind, i->reg, i->rm, i->vvvv);
    return 1;
  }
  default:
    return 0;
  }
}

static int real_sigaction(int number, const struct sigaction *action,
                          struct sigaction *old) {
  static int (*real)(int, const struct sigaction *, struct sigaction *);
  if (!real)
    *(void **)&real = dlsym(RTLD_NEXT, "sigaction");
  return real(number, action, old);
}

static void handle(int number, siginfo_t *info, void *context) {
  (void)info;
  greg_t *gregs = ((ucontext_t *)context)->uc_mcontext.gregs;
  Instruction i;
  const char *error = 0;
  if (!decode((const uint8_t *)gregs[REG_RIP], gregs, &i) ||
      !execute(&i, &error)) {
    /* Another instruction that the CPU lacks: let it end the process. */
    struct sigaction action = {0};
    action.sa_handler = SIG_DFL;
    real_sigaction(number, &action, 0);
    return;
  }
  if (error)
    stop(error);
  gregs[REG_RIP] = (greg_t)(intptr_t)i.next;
}

/* Other handlers of SIGILL, such as LLVM's for crashes, are not installed. */
int sigaction(int number, const struct sigaction *action,
              struct sigaction *old) {
  return real_sigaction(number, number == SIGILL ? 0 : action, old);
}

__attribute__((constructor)) static void install(void) {
  struct sigaction action = {0};
  action.sa_sigaction = handle;
  action.sa_flags = SA_SIGINFO;
  real_sigaction(SIGILL, &action, 0);
}

__attribute__((destructor)) static void report(void) {
  const char *path = getenv("FX_TILES_COUNTS");
  FILE *file = path ? fopen(path, "w") : 0;
  if (!file)
    return;
  for (int c = 0; c < NUM_COUNTERS; ++c)
    fprintf(file, "%s %ld\n", counter_names[c], atomic_load(&counters[c]));
  fclose(file);
}

__attribute__((noreturn)) void _Exit(int status) {
  report();
  _exit(status);
}
