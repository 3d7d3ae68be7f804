/*===- memory.c - archives from memory ---------------------------* C -*--===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// memory MODEL.pt2 FOLDER: imports the archive from its path, from a buffer and
// from call-backs that return few bytes at once. All modules must export the
// same archive. Compiles a module whose archive is in memory only, and makes
// wrong calls.
//
// memory --same FILE...: imports each file from its path and from memory. Both
// must succeed, or fail with the same message of one line.
//
// Prints `ok` last.
//
//===----------------------------------------------------------------------===*/

#include "fx-c/Compile.h"
#include "fx-c/Export.h"
#include "fx-c/IR.h"

#include "text.h"
#include <stdio.h>

static void check(int holds, int line, const char *what) {
  if (holds)
    return;
  fprintf(stderr, "memory.c:%d: failed: %s\n", line, what);
  exit(1);
}
#define CHECK(condition) check(!!(condition), __LINE__, #condition)

static FXError *error = NULL;

/* Checks that a call failed with the message `text`, or, if it ends with "...",
 * with one that begins with it. */
static void expectError(int failed, const char *text, int line) {
  const char *message = fxErrorGetMessage(error);
  size_t size = strlen(text);
  int isPart = size > 3 && !strcmp(text + size - 3, "...");
  if (!failed || !error || strchr(message, '\n') ||
      (isPart ? strncmp(message, text, size - 3) : strcmp(message, text))) {
    fprintf(stderr, "memory.c:%d: expected '%s', got %s '%s'\n", line, text,
            failed ? "the error" : "success", message);
    exit(1);
  }
  fxErrorDestroy(error);
  error = NULL;
}
#define FAILS(module, text) expectError((module) == NULL, text, __LINE__)

static Text readFile(const char *path) {
  Text text = {0};
  FILE *file = fopen(path, "rb");
  CHECK(file);
  char buffer[4096];
  for (size_t n; (n = fread(buffer, 1, sizeof buffer, file));)
    append(buffer, n, &text);
  fclose(file);
  return text;
}

/* A source of bytes for fxModuleImportStream. */
typedef struct {
  Text text;
  size_t at, most; /* bytes of a call; 0: as many as asked for */
  size_t failAt;   /* fails from this offset on; 0: never */
  int64_t failure;
  int hasEnded;
} Source;

static int64_t readSource(void *data, size_t size, void *user) {
  Source *source = user;
  CHECK(size > 0 && !source->hasEnded);
  if (source->failAt && source->at >= source->failAt) {
    source->hasEnded = 1;
    return source->failure;
  }
  size_t n = source->text.size - source->at;
  if (n > size)
    n = size;
  if (source->most && n > source->most)
    n = source->most;
  if (n)
    memcpy(data, source->text.data + source->at, n);
  source->at += n;
  source->hasEnded = n == 0;
  return n;
}

static FXModule *importSource(FXContext *context, Source source,
                              const FXImportOptions *options) {
  return fxModuleImportStream(context, readSource, &source, options, &error);
}

/*===----------------------------------------------------------------------===*/

/* Exports and destroys the module. */
static Text take(FXModule *module) {
  Text text = {0};
  CHECK(module && !error);
  CHECK(!fxModuleVerify(module, &error));
  CHECK(!fxModuleExport(module, FX_EXPORT_PT2, append, &text, &error));
  CHECK(text.size > 0);
  fxModuleDestroy(module);
  return text;
}

static void expectSame(Text want, Text got) {
  CHECK(want.size == got.size && !memcmp(want.data, got.data, want.size));
  free(got.data);
}

static void testSources(FXContext *context, const char *path, Text file) {
  Text want = take(fxModuleImport(context, path, NULL, &error));
  expectSame(want, take(fxModuleImportWith(context, path, NULL, &error)));
  expectSame(want, take(fxModuleImportBuffer(context, file.data, file.size,
                                             NULL, &error)));
  size_t sizes[] = {0, 1, 7, 4096, file.size - 1, file.size, file.size + 1};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i)
    expectSame(want,
               take(importSource(
                   context, (Source){.text = file, .most = sizes[i]}, NULL)));
  free(want.data);
}

/* The module is all that is left: no buffer, no context, no other module. */
static void testOwnership(Text file, const char *folder) {
  FXContext *context = fxContextCreate();
  char *bytes = malloc(file.size), path[4096];
  memcpy(bytes, file.data, file.size);
  FXImportOptions options = {.struct_size = sizeof options, .name = "net.pt2"};
  FXModule *module =
      fxModuleImportBuffer(context, bytes, file.size, &options, &error);
  CHECK(module && !error);
  memset(bytes, 0x5a, file.size);
  free(bytes);
  fxContextDestroy(context);
  FXModule *clone = fxModuleClone(module, &error);
  CHECK(clone && !error);
  fxModuleDestroy(module);
  CHECK(!fxModuleRunPasses(clone, "fx-functionalize,fx-decompose,cse", &error));
  snprintf(path, sizeof path, "%s/memory.so", folder);
  CHECK(!fxModuleCompile(clone, path, NULL, &error));

  /* Text refers to the archive in memory while a module owns it, no longer. */
  Text text = {0};
  CHECK(!fxModulePrint(clone, 0, append, &text, &error));
  context = fxContextCreate();
  module = fxModuleParse(context, text.data, text.size, "m.mlir", NULL, &error);
  snprintf(path, sizeof path, "%s/text.so", folder);
  CHECK(module && !fxModuleCompile(module, path, NULL, &error));
  remove(path);
  fxModuleDestroy(clone);
  CHECK(fxModuleCompile(module, path, NULL, &error));
  const char *lost = "the file was in the memory of another process, or of a "
                     "module that was destroyed";
  CHECK(strstr(fxErrorGetMessage(error), lost));
  CHECK(!strchr(fxErrorGetMessage(error), '\n'));
  fxErrorDestroy(error);
  error = NULL;
  fxModuleDestroy(module);
  fxContextDestroy(context);
  free(text.data);
}

static void testBadInput(FXContext *context, Text file) {
  FXImportOptions options = {.struct_size = sizeof options, .name = "net.pt2"};
  FAILS(fxModuleImportBuffer(NULL, "", 0, NULL, &error),
        "fxModuleImportBuffer: expected 'context', got null");
  FAILS(fxModuleImportBuffer(context, NULL, 1, NULL, &error),
        "fxModuleImportBuffer: expected 'data', got null");
  FAILS(fxModuleImportStream(context, NULL, NULL, NULL, &error),
        "fxModuleImportStream: expected 'read', got null");
  FAILS(fxModuleImportStream(NULL, readSource, NULL, NULL, &error),
        "fxModuleImportStream: expected 'context', got null");
  FAILS(fxModuleImportWith(context, NULL, NULL, &error),
        "fxModuleImportWith: expected 'path', got null");
  FAILS(fxModuleImportBuffer(context, NULL, 0, NULL, &error),
        "<archive>: expected a zip archive, got a file of 0 bytes");
  FAILS(importSource(context, (Source){.most = 1}, &options),
        "net.pt2: expected a zip archive, got a file of 0 bytes");
  for (int i = 0; i < 30; ++i) {
    Text part = {file.data, file.size * i / 30};
    FAILS(fxModuleImportBuffer(context, part.data, part.size, &options, &error),
          "net.pt2: expected a zip archive, ...");
    FAILS(importSource(context, (Source){.text = part}, &options),
          "net.pt2: expected a zip archive, ...");
  }
  Source broken = {.text = file, .most = 100, .failAt = 300, .failure = -1};
  FAILS(importSource(context, broken, &options), "net.pt2: cannot be read");
  broken.failure = INT64_MIN;
  FAILS(importSource(context, broken, &options), "net.pt2: cannot be read");
  broken.failure = INT64_MAX;
  FAILS(importSource(context, broken, &options),
        "net.pt2: expected at most 1048576 bytes of a call, got "
        "9223372036854775807");
  options.model = "other";
  FAILS(fxModuleImportBuffer(context, file.data, file.size, &options, &error),
        "net.pt2: has no model 'other', only 'model'");
  options.model = NULL;
  /* Options of another size. */
  options.struct_size = 0;
  FAILS(importSource(context, (Source){.text = file}, &options),
        "fxModuleImportStream: expected the options' struct_size, got 0");
  options.struct_size = offsetof(FXImportOptions, max_nodes);
  options.max_nodes = 1; /* not read */
  FXModule *module = importSource(context, (Source){.text = file}, &options);
  CHECK(module && !error);
  fxModuleDestroy(module);
}

static void testLimits(FXContext *context, const char *path, Text file) {
  FXImportOptions options = {.struct_size = sizeof options, .name = "net.pt2"};
  options.max_nodes = 1;
  FAILS(fxModuleImportBuffer(context, file.data, file.size, &options, &error),
        "net.pt2:models/model.json: expected at most 1 nodes, got ...");
  CHECK(!fxModuleImportWith(context, path, &options, &error));
  CHECK(strstr(fxErrorGetMessage(error),
               ":models/model.json: expected at most 1 nodes, got "));
  fxErrorDestroy(error);
  error = NULL;
  options.max_nodes = 0;
  options.max_text_bytes = 100;
  FAILS(importSource(context, (Source){.text = file}, &options),
        "net.pt2:models/model.json: expected at most 100 bytes of text, got "
        "...");
  options.max_text_bytes = 0;
  options.max_seconds = 1e-9;
  FAILS(importSource(context, (Source){.text = file}, &options), "net.pt2:...");
  options.max_seconds = -1;
  FAILS(importSource(context, (Source){.text = file}, &options),
        "fxModuleImportStream: expected max_seconds of 0 or more");
  options.max_nodes = UINT64_MAX;
  options.max_text_bytes = UINT64_MAX;
  options.max_seconds = 1e9;
  FXModule *module = importSource(context, (Source){.text = file}, &options);
  CHECK(module && !error);
  fxModuleDestroy(module);
}

/*===----------------------------------------------------------------------===*/

/* Returns the message of an import that failed, "" if it succeeded. */
static Text getMessage(FXModule *module) {
  Text text = {0};
  const char *message = fxErrorGetMessage(error);
  CHECK(!module == !!error);
  append(message, strlen(message), &text);
  CHECK(!strchr(text.data, '\n'));
  fxErrorDestroy(error);
  error = NULL;
  fxModuleDestroy(module);
  return text;
}

static int compareFiles(char **files, int n) {
  int failed = 0;
  FXContext *context = fxContextCreate();
  for (int i = 0; i < n; ++i) {
    Text file = readFile(files[i]);
    FXImportOptions options = {.struct_size = sizeof options, .name = files[i]};
    Text want = getMessage(fxModuleImport(context, files[i], NULL, &error));
    Text got[] = {
        getMessage(fxModuleImportBuffer(context, file.data, file.size, &options,
                                        &error)),
        getMessage(importSource(context, (Source){.text = file, .most = 1000},
                                &options))};
    failed += want.size > 0;
    for (int k = 0; k < 2; ++k) {
      if (strcmp(want.data, got[k].data)) {
        fprintf(stderr, "%s: expected '%s', got '%s'\n", files[i], want.data,
                got[k].data);
        exit(1);
      }
      free(got[k].data);
    }
    free(want.data);
    free(file.data);
  }
  fxContextDestroy(context);
  printf("%d files, %d of them refused\n", n, failed);
  return 0;
}

int main(int argc, char **argv) {
  CHECK(argc >= 3);
  if (!strcmp(argv[1], "--same")) {
    compareFiles(argv + 2, argc - 2);
  } else {
    FXContext *context = fxContextCreate();
    Text file = readFile(argv[1]);
    testSources(context, argv[1], file);
    testBadInput(context, file);
    testLimits(context, argv[1], file);
    fxContextDestroy(context);
    testOwnership(file, argv[2]);
    free(file.data);
  }
  puts("ok");
  return 0;
}
