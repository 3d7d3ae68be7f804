/*===- OldGlibc.c - new symbols of glibc on older releases
--------------------===*\
|*
|* Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===----------------------------------------------------------------------===*|
|*
|* With FX_STATIC_LLVM only. The archives of LLVM are compiled for the glibc of
the
|* distribution. These hidden functions take the place of its symbols that are
|* newer than glibc 2.28, and call the older ones, which every release has.
|*
\*===----------------------------------------------------------------------===*/

#ifdef __x86_64__

#include <errno.h>
#include <malloc.h>
#include <stdint.h>
#include <sys/random.h>

struct stat;

#define HIDDEN __attribute__((visibility("hidden")))

/* Refers to another version of a symbol than the current one. */
#define OLD(NAME, VERSION)                                                     \
  __asm__(".symver fx_old_" #NAME ", " #NAME "@GLIBC_" #VERSION)

/* Defines NAME as a jump to the older version, whatever its arguments are. */
#define FORWARD(NAME, VERSION)                                                 \
  OLD(NAME, VERSION);                                                          \
  __asm__(".pushsection .text." #NAME ",\"ax\",@progbits\n"                    \
          ".globl " #NAME "\n.hidden " #NAME "\n"                              \
          ".type " #NAME ",@function\n" #NAME ":\n"                            \
          "  endbr64\n"                                                        \
          "  jmp *fx_old_" #NAME "@GOTPCREL(%rip)\n"                           \
          ".size " #NAME ", .-" #NAME "\n.popsection\n")

/* These moved from libdl and libpthread to libc in 2.32 and 2.34. */
FORWARD(dladdr, 2.2.5);
FORWARD(dlclose, 2.2.5);
FORWARD(dlerror, 2.2.5);
FORWARD(dlopen, 2.2.5);
FORWARD(dlsym, 2.2.5);
FORWARD(pthread_attr_setstacksize, 2.2.5);
FORWARD(pthread_create, 2.2.5);
FORWARD(pthread_detach, 2.2.5);
FORWARD(pthread_getname_np, 2.12);
FORWARD(pthread_join, 2.2.5);
FORWARD(pthread_once, 2.2.5);
FORWARD(pthread_rwlock_rdlock, 2.2.5);
FORWARD(pthread_rwlock_unlock, 2.2.5);
FORWARD(pthread_rwlock_wrlock, 2.2.5);
FORWARD(pthread_setname_np, 2.12);
FORWARD(pthread_sigmask, 2.2.5);
FORWARD(__pthread_key_create, 2.2.5);

/* Those of 2.29 differ in how they set errno. */
FORWARD(exp, 2.2.5);
FORWARD(exp2, 2.2.5);
FORWARD(log, 2.2.5);
FORWARD(log2, 2.2.5);
FORWARD(pow, 2.2.5);

/* In headers before 2.33, stat was inline, and called these with the version of
 * the structure. */
enum { kStatVersion = 1 };
int fx_old___xstat(int version, const char *path, struct stat *out);
int fx_old___fxstat(int version, int file, struct stat *out);
int fx_old___lxstat(int version, const char *path, struct stat *out);
OLD(__xstat, 2.2.5);
OLD(__fxstat, 2.2.5);
OLD(__lxstat, 2.2.5);

HIDDEN int stat(const char *path, struct stat *out) {
  return fx_old___xstat(kStatVersion, path, out);
}
HIDDEN int fstat(int file, struct stat *out) {
  return fx_old___fxstat(kStatVersion, file, out);
}
HIDDEN int lstat(const char *path, struct stat *out) {
  return fx_old___lxstat(kStatVersion, path, out);
}

/* 2.33. The counters of mallinfo wrap around at 2 GiB. */
#pragma clang diagnostic ignored "-Wdeprecated-declarations"
HIDDEN struct mallinfo2 mallinfo2(void) {
  struct mallinfo old = mallinfo();
  struct mallinfo2 info = {
      (unsigned)old.arena,    (unsigned)old.ordblks,  (unsigned)old.smblks,
      (unsigned)old.hblks,    (unsigned)old.hblkhd,   (unsigned)old.usmblks,
      (unsigned)old.fsmblks,  (unsigned)old.uordblks, (unsigned)old.fordblks,
      (unsigned)old.keepcost,
  };
  return info;
}

/* 2.32: false means that other threads may run. */
HIDDEN char __libc_single_threaded = 0;

/* 2.36. */
HIDDEN uint32_t arc4random(void) {
  uint32_t value;
  while (getentropy(&value, sizeof value) && errno == EINTR)
    ;
  return value;
}

#ifdef FX_EXECUTABLE
/* The start file of 2.34 leaves the constructors of the program to glibc. An
 * older glibc expects a function that calls them, which a newer one calls
 * instead. */
typedef void (*InitFn)(int, char **, char **);
extern InitFn __preinit_array_start[] HIDDEN, __preinit_array_end[] HIDDEN;
extern InitFn __init_array_start[] HIDDEN, __init_array_end[] HIDDEN;
extern void _init(void);

static void construct(int argc, char **argv, char **env) {
  for (InitFn *fn = __preinit_array_start; fn != __preinit_array_end; ++fn)
    (*fn)(argc, argv, env);
  _init();
  for (InitFn *fn = __init_array_start; fn != __init_array_end; ++fn)
    (*fn)(argc, argv, env);
}

int fx_old___libc_start_main(int (*)(int, char **, char **), int, char **,
                             InitFn, void (*)(void), void (*)(void), void *);
OLD(__libc_start_main, 2.2.5);

HIDDEN int __libc_start_main(int (*main)(int, char **, char **), int argc,
                             char **argv, InitFn init, void (*fini)(void),
                             void (*rtld_fini)(void), void *stack_end) {
  return fx_old___libc_start_main(main, argc, argv, init ? init : construct,
                                  fini, rtld_fini, stack_end);
}
#endif

#endif /* __x86_64__ */
