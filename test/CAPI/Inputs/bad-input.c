/*===- bad-input.c - wrong input to the C interface ---------------* C -*--===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// bad-input FOLDER: tables of wrong arguments, files, bytes, pipelines, options
// and tensors. Each call is valid except for the one entry of the table. Every
// call must fail with a message of one line that contains the given part, and
// must leave no file. Calls with random bytes must only not crash. Prints `ok`
// last.
//
//===----------------------------------------------------------------------===*/

#include "fx-c/Builder.h"
#include "fx-c/Compile.h"
#include "fx-c/Export.h"
#include "fx-c/Operators.h"
#include "fx-c/Run.h"
#include "fx-c/Weights.h"

#include "text.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int numCalls = 0, numWrong = 0;
static FXError *error = NULL;

/* Checks that the call failed and that the message of `error` contains `part`.
 * `failed` is the call's status. Destroys the error. */
static void refused(int failed, const char *part, int line) {
  const char *message = fxErrorGetMessage(error);
  ++numCalls;
  if (!failed || !error || !*message || strchr(message, '\n') ||
      !strstr(message, part)) {
    fprintf(stderr,
            "bad-input.c:%d: expected an error with '%s', got %s '%s'\n", line,
            part, failed ? "the error" : "success", message);
    ++numWrong;
  }
  fxErrorDestroy(error);
  error = NULL;
}
#define REFUSED(failed, part) refused(!!(failed), part, __LINE__)
/* A null argument must be an error that names the argument. */
#define NULLED(failed, name) REFUSED(failed, "expected '" name "', got null")
/* A handle that must be null. */
#define NO(handle) ((handle) == NULL)

static void must(int holds, const char *what, int line) {
  if (holds)
    return;
  fprintf(stderr, "bad-input.c:%d: failed: %s %s\n", line, what,
          fxErrorGetMessage(error));
  exit(1);
}
#define MUST(condition) must(!!(condition), #condition, __LINE__)

static void drop(const char *data, size_t size, void *user) {
  (void)data, (void)size, (void)user;
}

static Text readFile(const char *path) {
  Text text = {0};
  FILE *file = fopen(path, "rb");
  MUST(file);
  char buffer[4096];
  for (size_t n; (n = fread(buffer, 1, sizeof buffer, file));)
    append(buffer, n, &text);
  fclose(file);
  return text;
}
static const char *inFolder(const char *folder, const char *name) {
  static char paths[4][4096];
  static int next = 0;
  char *path = paths[next++ % 4];
  snprintf(path, sizeof paths[0], "%s/%s", folder, name);
  return path;
}
static const char *writeFile(const char *folder, const char *name,
                             const char *data, size_t size) {
  const char *path = inFolder(folder, name);
  FILE *file = fopen(path, "wb");
  MUST(file && fwrite(data, 1, size, file) == size && !fclose(file));
  return path;
}

static const char *kModel =
    "fx.graph @main symbols [s0 in [2, 8]] attributes {functional} {\n"
    "  %x = placeholder \"x\" : !fx.tensor<[s0, 4], f32>\n"
    "  %y = placeholder \"y\" : !fx.tensor<[s0], i64>\n"
    "  %z = call_function @aten.relu.default(%x) : (!fx.tensor<[s0, 4], f32>) "
    "->"
    " !fx.tensor<[s0, 4], f32>\n"
    "  %w = call_function @aten.add.Tensor(%y, 1) : (!fx.tensor<[s0], i64>) ->"
    " !fx.tensor<[s0], i64>\n"
    "  output(%z, %w) : (!fx.tensor<[s0, 4], f32>, !fx.tensor<[s0], i64>)\n}\n";

/*===----------------------------------------------------------------------===*/

static void testNulls(FXContext *context, FXModule *module,
                      const char *folder) {
  FXValue v;
  const char *type = "!fx.any", *path = inFolder(folder, "never");
  NULLED(NO(fxModuleImport(NULL, "m.pt2", NULL, &error)), "context");
  NULLED(NO(fxModuleImport(context, NULL, NULL, &error)), "path");
  NULLED(NO(fxModuleParse(NULL, "", 0, "n", NULL, &error)), "context");
  NULLED(NO(fxModuleParse(context, NULL, 0, "n", NULL, &error)), "data");
  NULLED(NO(fxModuleParseFile(NULL, "m", &error)), "context");
  NULLED(NO(fxModuleParseFile(context, NULL, &error)), "path");
  NULLED(NO(fxModuleClone(NULL, &error)), "module");
  NULLED(fxModuleVerify(NULL, &error), "module");
  NULLED(fxModuleRunPasses(NULL, "cse", &error), "module");
  NULLED(fxModuleRunPasses(module, NULL, &error), "pipeline");
  NULLED(fxModulePrint(NULL, 0, drop, NULL, &error), "module");
  NULLED(fxModulePrint(module, 0, NULL, NULL, &error), "write");
  NULLED(fxModuleWriteBytecode(NULL, drop, NULL, &error), "module");
  NULLED(fxModuleWriteBytecode(module, NULL, NULL, &error), "write");
  NULLED(fxModuleGetText(NULL, "main", "a", drop, NULL, &error), "module");
  NULLED(fxModuleGetText(module, "main", NULL, drop, NULL, &error), "name");
  NULLED(fxModuleGetText(module, "main", "a", NULL, NULL, &error), "write");
  NULLED(fxModuleExport(NULL, FX_EXPORT_DOT, drop, NULL, &error), "module");
  NULLED(fxModuleExport(module, FX_EXPORT_DOT, NULL, NULL, &error), "write");
  NULLED(fxModuleCompile(NULL, path, NULL, &error), "module");
  NULLED(fxModuleCompile(module, NULL, NULL, &error), "path");
  const FXModule *modules[] = {module, module}, *missing[] = {module, NULL};
  const char *names[] = {"a", "b"}, *unnamed[] = {"a", NULL};
  NULLED(fxModulesCompile(NULL, names, 2, path, NULL, &error), "modules");
  NULLED(fxModulesCompile(modules, NULL, 2, path, NULL, &error), "names");
  NULLED(fxModulesCompile(modules, names, 2, NULL, NULL, &error), "path");
  NULLED(fxModulesCompile(missing, names, 2, path, NULL, &error), "a module");
  NULLED(fxModulesCompile(modules, unnamed, 2, path, NULL, &error), "a name");
  NULLED(fxOperatorRegister(NULL, 1, NULL, &error), "target");
  NULLED(fxOperatorRegisterSchema(NULL, &error), "schema");
  NULLED(fxOperatorLibraryLoad(NULL, &error), "path");
  NULLED(fxPluginLoad(NULL, &error), "path");
  NULLED(NO(fxModelLoad(NULL, NULL, &error)), "path");
  NULLED(NO(fxModelLoadBuffer(NULL, 8, NULL, &error)), "data");
  NULLED(fxModelRun(NULL, NULL, 0, NULL, 0, 1, &error), "model");
  REFUSED(fxModelRunWith(NULL, NULL, 0, NULL, 0, NULL, &error),
          "fxModelRunWith: expected 'model', got null");
  NULLED(fxModelGetState(NULL, 0, NULL, &error), "model");
  NULLED(NO(fxWeightFileOpen(NULL, &error)), "path");
  NULLED(fxWeightFileGetTensor(NULL, 0, NULL, &error), "file");
  NULLED(fxWeightFileRead(NULL, 0, NULL, &error), "file");
  NULLED(fxModelLoadWeights(NULL, NULL, NULL, &error), "model");
  NULLED(fxModelLoadTensors(NULL, 0, NULL, NULL, NULL, &error), "model");
  NULLED(fxModelApplyLora(NULL, NULL, 1, &error), "model");
  NULLED(fxModelRemoveLora(NULL, &error), "model");
  MUST(!fxWeightFileGetSize(NULL) && !fxWeightFileIsGguf(NULL));
  MUST(!fxModelGetInfo(NULL) && !*fxModuleGetFolder(NULL) &&
       !fxBuilderCreate(NULL));
  MUST(!*fxErrorGetMessage(NULL) && !*fxErrorGetNode(NULL) &&
       !*fxErrorGetFile(NULL) && !fxErrorGetLine(NULL));

  NULLED(fxBuilderSetAttribute(NULL, "a", "1", &error), "builder");
  NULLED(fxBuilderState(NULL, "a", type, NULL, 0, 0, 0, &error), "builder");
  NULLED(fxBuilderBeginGraph(NULL, "main", 0, &error), "builder");
  NULLED(fxBuilderSymbol(NULL, "s0", NULL, NULL, &error), "builder");
  NULLED(fxBuilderExpression(NULL, "Integer(1)", drop, NULL, &error),
         "builder");
  NULLED(fxBuilderPlaceholder(NULL, "x", NULL, NULL, type, &v, &error),
         "builder");
  NULLED(fxBuilderGetAttr(NULL, "x", "x", type, &v, &error), "builder");
  NULLED(fxBuilderNode(NULL, "call_function", "t", "n", &type, 1, NULL, &v,
                       &error),
         "builder");
  NULLED(fxBuilderOutput(NULL, &error), "builder");
  NULLED(NO(fxBuilderFinish(NULL, NULL, &error)), "builder");
  FXBuilder *b = fxBuilderCreate(context);
  MUST(b && !fxBuilderBeginGraph(b, "main", 0, &error));
  NULLED(fxBuilderSetAttribute(b, NULL, "1", &error), "name");
  NULLED(fxBuilderSetAttribute(b, "a", NULL, &error), "attribute");
  NULLED(fxBuilderState(b, NULL, type, NULL, 0, 0, 0, &error), "name");
  NULLED(fxBuilderState(b, "a", NULL, NULL, 0, 0, 0, &error), "type");
  NULLED(fxBuilderBeginGraph(b, NULL, 0, &error), "name");
  NULLED(fxBuilderSymbol(b, NULL, NULL, NULL, &error), "name");
  NULLED(fxBuilderExpression(b, NULL, drop, NULL, &error), "srepr");
  NULLED(fxBuilderExpression(b, "Integer(1)", NULL, NULL, &error), "write");
  NULLED(fxBuilderPlaceholder(b, NULL, NULL, NULL, type, &v, &error), "name");
  NULLED(fxBuilderPlaceholder(b, "x", NULL, NULL, NULL, &v, &error), "type");
  NULLED(fxBuilderPlaceholder(b, "x", NULL, NULL, type, NULL, &error),
         "result");
  NULLED(fxBuilderGetAttr(b, NULL, "x", type, &v, &error), "name");
  NULLED(fxBuilderGetAttr(b, "x", NULL, type, &v, &error), "target");
  NULLED(fxBuilderGetAttr(b, "x", "x", NULL, &v, &error), "type");
  NULLED(fxBuilderGetAttr(b, "x", "x", type, NULL, &error), "result");
  NULLED(fxBuilderNode(b, NULL, "t", "n", &type, 1, NULL, &v, &error), "op");
  NULLED(
      fxBuilderNode(b, "call_function", "t", NULL, &type, 1, NULL, &v, &error),
      "names");
  NULLED(fxBuilderNode(b, "call_function", "t", "n", NULL, 1, NULL, &v, &error),
         "types");
  NULLED(
      fxBuilderNode(b, "call_function", "t", "n", &type, 1, NULL, NULL, &error),
      "results");
  type = NULL;
  NULLED(
      fxBuilderNode(b, "call_function", "t", "n", &type, 1, NULL, &v, &error),
      "types[0]");
  type = "!fx.any";
  REFUSED(
      fxBuilderNode(b, "call_function", "t", "n", &type, -1, NULL, &v, &error),
      "expected a number of types, got -1");
  /* These functions return no error: they push an empty value for a null. */
  fxBuilderPushFrame(b, NULL, -1, NULL);
  fxBuilderPushMetadata(b, NULL, NULL);
  fxBuilderPushString(b, NULL);
  fxBuilderPushKey(b, NULL);
  REFUSED(
      fxBuilderNode(b, "call_function", "t", "n", &type, 1, NULL, &v, &error),
      "got a key");
  fxBuilderPushAttribute(b, NULL);
  REFUSED(
      fxBuilderNode(b, "call_function", "t", "n", &type, 1, NULL, &v, &error),
      "attribute");
  fxBuilderPushNodeAttribute(b, NULL, NULL);
  REFUSED(
      fxBuilderNode(b, "call_function", "t", "n", &type, 1, NULL, &v, &error),
      "attribute");
  fxBuilderPushKeyword(b, NULL);
  REFUSED(
      fxBuilderNode(b, "call_function", "t", "n", &type, 1, NULL, &v, &error),
      "expected an argument");
  fxBuilderPushFrame(NULL, "f", 1, "g"), fxBuilderPushMetadata(NULL, "k", "v");
  fxBuilderPushNodeAttribute(NULL, "a", "1"), fxBuilderPushValue(NULL, 0);
  fxBuilderPushInt(NULL, 1), fxBuilderPushFloat(NULL, 1),
      fxBuilderPushBool(NULL, 1);
  fxBuilderPushNone(NULL), fxBuilderPushString(NULL, "s"),
      fxBuilderPushAttribute(NULL, "1");
  fxBuilderPushList(NULL), fxBuilderPushDict(NULL), fxBuilderPushKey(NULL, "k");
  fxBuilderPushEnd(NULL), fxBuilderPushKeyword(NULL, "k");
  fxBuilderDestroy(b), fxBuilderDestroy(NULL);
}

/* Reads invalid model files with each function that reads a file. */
static void testFiles(FXContext *context, const char *folder) {
  struct {
    const char *name, *data;
  } files[] = {{"empty", ""},
               {"text", "no model"},
               {"zip", "PK\3\4"},
               {"zip end", "PK\5\6"},
               {"elf", "\177ELF\2\1\1"},
               {"bytecode", "ML\357R\r\1"},
               {"deep", "((((((((((((((((((((((((((((((((((((((((((((((((((("}};
  const char *missing[] = {"/no/such/file", "", "/", "."};
  for (size_t i = 0; i < sizeof missing / sizeof *missing; ++i) {
    REFUSED(NO(fxModuleImport(context, missing[i], NULL, &error)), "");
    REFUSED(NO(fxModuleParseFile(context, missing[i], &error)), "");
    REFUSED(NO(fxModelLoad(missing[i], NULL, &error)), "");
    REFUSED(fxPluginLoad(missing[i], &error), "");
  }
  for (size_t i = 0; i < sizeof files / sizeof *files; ++i) {
    const char *path =
        writeFile(folder, files[i].name, files[i].data, strlen(files[i].data));
    REFUSED(NO(fxModuleImport(context, path, NULL, &error)), files[i].name);
    REFUSED(NO(fxModelLoad(path, NULL, &error)), files[i].name);
    REFUSED(NO(fxModelLoadBuffer(files[i].data, strlen(files[i].data), NULL,
                                 &error)),
            "<buffer>");
    REFUSED(fxPluginLoad(path, &error), files[i].name);
    if (i > 0) /* an empty file is an empty module */
      REFUSED(NO(fxModuleParseFile(context, path, &error)), "");
    remove(path);
  }
}

/* Changes and truncates bytecode and text: parsing must succeed or return an
 * error. */
static void testBytes(FXContext *context, FXModule *module) {
  Text good[2] = {{0}, {0}};
  MUST(!fxModuleWriteBytecode(module, append, &good[0], &error));
  MUST(!fxModulePrint(module, FX_PRINT_LOCATIONS, append, &good[1], &error));
  unsigned seed = 1;
  int numRefused = 0;
  for (int which = 0; which < 2; ++which)
    for (int i = 0; i < 400; ++i) {
      size_t size = good[which].size;
      char *copy = malloc(size);
      memcpy(copy, good[which].data, size);
      for (int k = 0; k <= i % 3; ++k) {
        seed = seed * 1103515245u + 12345u;
        copy[(seed >> 8) % size] ^= (char)(1u << (seed >> 4) % 8);
      }
      if (i % 4 == 0)
        size = (seed >> 9) % size;
      FXModule *read =
          fxModuleParse(context, copy, size, "bytes", NULL, &error);
      if (read) {
        (void)fxModuleVerify(read, NULL);
        fxModuleDestroy(read);
      } else {
        REFUSED(1, "");
        ++numRefused;
      }
      free(copy);
    }
  MUST(numRefused > 300);
  for (size_t size = 1; size < good[0].size; size += 7)
    REFUSED(NO(fxModuleParse(context, good[0].data, size, "cut", NULL, &error)),
            "");
  free(good[0].data), free(good[1].data);
}

static void testPasses(FXModule *module) {
  const char *pipelines[][2] = {
      {"(", "pipeline"},
      {"cse)", "pipeline"},
      {"cse,,cse", "pipeline"},
      {"no-such-pass", "no-such-pass"},
      {"cse{max=", "pipeline"},
      {"fx-shape-prop{no-such-option=1}", "no-such-option"},
      {"fx-shape-prop{sizes=s0=x}", "s0"},
      {"func.func(cse)junk", "pipeline"},
      {"builtin.module(builtin.module(builtin.module(", "pipeline"},
      {"fx-rewrite{rules=/no/such/rules.mlir}", "/no/such/rules.mlir"},
      {"\1\377", "pipeline"}};
  Text before = {0}, after = {0};
  MUST(!fxModulePrint(module, 0, append, &before, &error));
  for (size_t i = 0; i < sizeof pipelines / sizeof *pipelines; ++i)
    REFUSED(fxModuleRunPasses(module, pipelines[i][0], &error),
            pipelines[i][1]);
  MUST(!fxModulePrint(module, 0, append, &after, &error));
  MUST(!strcmp(before.data, after.data));
  free(before.data), free(after.data);
  REFUSED(fxModuleExport(module, (FXExportKind)-1, drop, NULL, &error),
          "expected an FXExportKind");
  REFUSED(fxModuleExport(module, (FXExportKind)99, drop, NULL, &error),
          "expected an FXExportKind");
  REFUSED(fxModuleGetText(module, "nothing", "a", drop, NULL, &error),
          "nothing");
  const char *targets[] = {"", "x", "aten.relu.default", "a b.c.d", "."};
  for (size_t i = 0; i < sizeof targets / sizeof *targets; ++i)
    REFUSED(fxOperatorRegister(targets[i], 1, NULL, &error), "");
  const char *graphs[] = {"(", "fx.graph @f {", "func.func @f() { return }"};
  for (size_t i = 0; i < sizeof graphs / sizeof *graphs; ++i)
    REFUSED(fxOperatorRegister("bad.f.default", 1, graphs[i], &error),
            "bad.f.default");
  static const char *schemas[] = {"",
                                  "f",
                                  "bad::f",
                                  "bad::f(",
                                  "bad::f()",
                                  "bad::f() ->",
                                  "::f() -> ()",
                                  "bad::() -> ()",
                                  "bad::f(Tensor) -> ()",
                                  "bad::f(Tensor x=) -> ()",
                                  "bad::f(Tensor(a x) -> ()",
                                  "bad::f(Tensor(9!) x) -> ()",
                                  "bad::f(Tensor[ x) -> ()",
                                  "bad::f(Tensor x) -> () and more",
                                  "bad.f(Tensor x) -> ()",
                                  "aten::add.Tensor(Tensor self) -> Tensor"};
  for (size_t i = 0; i < sizeof schemas / sizeof *schemas; ++i)
    REFUSED(fxOperatorRegisterSchema(schemas[i], &error), "");
}

static void testOptions(FXModule *module, const char *folder) {
  const size_t size = sizeof(FXCompileOptions);
  struct {
    FXCompileOptions options;
    const char *part;
  } wrong[] = {
      {{.struct_size = size, .emit = (FXEmitKind)-1},
       "expected an FXEmitKind, got -1"},
      {{.struct_size = size, .emit = (FXEmitKind)99},
       "expected an FXEmitKind, got 99"},
      {{.struct_size = size, .emit = FX_EMIT_SHARED_OBJECT, .cpu = "z80"},
       "z80"},
      {{.struct_size = size, .emit = FX_EMIT_SHARED_OBJECT, .opt_level = -1},
       "opt_level"},
      {{.struct_size = size, .emit = FX_EMIT_SHARED_OBJECT, .opt_level = 4},
       "opt_level"},
      {{.struct_size = size, .emit = FX_EMIT_SHARED_OBJECT, .target = "tpu"},
       "tpu"},
      {{.struct_size = size, .emit = FX_EMIT_SHARED_OBJECT, .precision = "f8"},
       "expected the precision f32, tf32, bf16, int8 or bf16,int8, got 'f8'"},
      {{.struct_size = size, .emit = FX_EMIT_SHARED_OBJECT, .tune_seconds = -1},
       "expected tune_seconds of 0 or more"},
      {{.struct_size = size, .emit = FX_EMIT_SHARED_OBJECT, .tune_threads = -2},
       "expected tune_threads of -1 or more, got -2"},
      {{.struct_size = size, .emit = FX_EMIT_SHARED_OBJECT, .tune_sizes = "s"},
       "expected SYMBOL=N in tune_sizes, got 's'"},
      {{.struct_size = size,
        .emit = FX_EMIT_SHARED_OBJECT,
        .tune_file = "/no/such/file"},
       "/no/such/file: cannot open"},
      {{.struct_size = size, .emit = FX_EMIT_SHARED_OBJECT, .winograd = "f6"},
       "expected auto, off, f2 or f4 as winograd, got 'f6'"},
      {{.struct_size = size, .emit = FX_EMIT_ASSEMBLY, .triple = "z80-none"},
       "--mtriple: expected aarch64-linux-gnu"},
      {{.struct_size = size,
        .emit = FX_EMIT_SHARED_OBJECT,
        .target = "cuda:sm_x"},
       "sm_x"},
      {{.struct_size = size, .emit = FX_EMIT_PTX},
       "expected --target=cuda for ptx"},
      {{.struct_size = size, .emit = FX_EMIT_SPIRV, .target = "rocm"},
       "got spirv"},
      {{.struct_size = 1, .emit = FX_EMIT_FX}, "struct_size"},
      {{.struct_size = (size_t)-1, .emit = FX_EMIT_FX}, "struct_size"}};
  const char *never = inFolder(folder, "never");
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i)
    REFUSED(fxModuleCompile(module, never, &wrong[i].options, &error),
            wrong[i].part);
  MUST(!fopen(never, "rb"));
  const char *paths[] = {"", "-", "/no/such/folder/m.so", folder,
                         "/dev/full/m.so"};
  for (size_t i = 0; i < sizeof paths / sizeof *paths; ++i)
    REFUSED(fxModuleCompile(module, paths[i], NULL, &error), "");
  const FXModule *modules[] = {module, module};
  const char *twice[] = {"a", "a"}, *named[] = {"a", "b c"};
  REFUSED(fxModulesCompile(modules, twice, 0, never, NULL, &error), "got none");
  REFUSED(fxModulesCompile(modules, twice, 2, never, NULL, &error),
          "got 'a' twice");
  REFUSED(fxModulesCompile(modules, named, 2, never, NULL, &error),
          "got 'b c'");
  MUST(!fopen(never, "rb"));
}

/* Two methods, and the model as each of them. */
static void testMethods(FXContext *context, const char *folder) {
  const char *format =
      "!t = !fx.tensor<[2], f32>\n"
      "fx.graph @main attributes {functional} {\n"
      "  %%x = placeholder \"x\" : !t\n"
      "  %%y = call_function @aten.%s.default(%%x) : (!t) -> !t\n"
      "  output(%%y) : (!t)\n}\n";
  const char *names[] = {"relu", "neg"}, *path = inFolder(folder, "methods.so");
  FXModule *modules[2];
  for (int i = 0; i < 2; ++i) {
    char text[512];
    snprintf(text, sizeof text, format, names[i]);
    modules[i] =
        fxModuleParse(context, text, strlen(text), "m.mlir", NULL, &error);
    MUST(modules[i] && !error);
  }
  MUST(!fxModulesCompile((const FXModule *const *)modules, names, 2, path, NULL,
                         &error));
  FXModel *model = fxModelLoad(path, NULL, &error);
  MUST(model && !error);
  remove(path);
  size_t n = 0;
  const FXMethod *methods = fxModelGetMethods(model, &n);
  MUST(n == 2 && !strcmp(methods[1].name, "neg"));
  MUST(!fxModelGetMethod(model, 2) && !fxModelGetMethod(NULL, 0));
  float x[] = {-1, 2}, expected[][2] = {{0, 2}, {1, -2}};
  int64_t sizes[] = {2};
  DLTensor input = {.data = x,
                    .device = {kDLCPU, 0},
                    .ndim = 1,
                    .dtype = {kDLFloat, 32, 1},
                    .shape = sizes};
  const DLTensor *inputs[] = {&input};
  for (int i = 0; i < 2; ++i) {
    DLManagedTensor *output;
    FXModel *method = fxModelGetMethod(model, (size_t)i);
    MUST(fxModelGetInfo(method) == methods[i].info);
    MUST(!fxModelRun(method, inputs, 1, &output, 1, 1, &error));
    MUST(!memcmp(output->dl_tensor.data, expected[i], sizeof x));
    output->deleter(output);
    fxModuleDestroy(modules[i]);
  }
  fxModelDestroy(model);
}

/* Truncates the artefact and changes its headers. */
static void testArtefact(const char *path, const char *folder) {
  Text good = readFile(path);
  int numRead = 0;
  for (size_t i = 0; i < 40; ++i) {
    size_t size = good.size * i / 40;
    const char *cut = writeFile(folder, "cut.so", good.data, size);
    FXModel *model = fxModelLoad(cut, NULL, &error);
    remove(cut);
    if (model) { /* nothing that is loaded stood behind */
      ++numRead;
      fxModelDestroy(model);
      continue;
    }
    REFUSED(1, "cut.so");
    REFUSED(NO(fxModelLoadBuffer(good.data, size, NULL, &error)), "<buffer>");
  }
  MUST(numRead < 10);
  /* The ELF header, byte by byte: class, machine, offsets, counts. */
  const int bytes[] = {0, 4, 5, 16, 18, 32, 54, 56};
  for (size_t i = 0; i < sizeof bytes / sizeof *bytes; ++i) {
    good.data[bytes[i]] ^= 0x55;
    REFUSED(NO(fxModelLoadBuffer(good.data, good.size, NULL, &error)),
            "<buffer>");
    good.data[bytes[i]] ^= 0x55;
  }
  free(good.data);
}

/* The compiler packs @w, so @w itself is not in the model. */
static void testFoldedState(FXContext *context, const char *folder) {
  static const char text[] =
      "fx.state @w : !fx.tensor<[2, 2], f32> = dense<1> : tensor<16xui8>\n"
      "fx.state @v : !fx.tensor<[2, 2], f32> = dense<0> : tensor<16xui8>\n"
      "!t = !fx.tensor<[2, 2], f32>\n"
      "fx.graph @main attributes {functional} {\n"
      "  %w = placeholder \"w\" parameter @w : !t\n"
      "  %v = placeholder \"v\" parameter @v : !t\n"
      "  %x = placeholder \"x\" : !t\n"
      "  %y = call_function @aten.mm.default(%x, %w) : (!t, !t) -> !t\n"
      "  %z = call_function @aten.add.Tensor(%y, %v) : (!t, !t) -> !t\n"
      "  output(%z) : (!t)\n}\n";
  FXModule *module =
      fxModuleParse(context, text, strlen(text), "s.mlir", NULL, &error);
  MUST(module && !error);
  const char *path = inFolder(folder, "s.so");
  MUST(!fxModuleCompile(module, path, NULL, &error));
  fxModuleDestroy(module);
  FXModel *model = fxModelLoad(path, NULL, &error);
  MUST(model && !error);
  remove(path);
  const FXModelInfo *info = fxModelGetInfo(model);
  MUST(info->n_states == 2);
  DLTensor state;
  for (int i = 0; i < 2; ++i)
    if (!strcmp(info->states[i].name, "w"))
      REFUSED(fxModelGetState(model, i, &state, &error),
              "got 'w', which was folded or packed");
    else
      MUST(!fxModelGetState(model, i, &state, &error) && state.ndim == 2);
  REFUSED(fxModelGetState(model, 2, &state, &error),
          "expected a state from 0 to 1, got 2");
  /* Weights from tensors and files. */
  const char *names[] = {"w"};
  int64_t sizes[] = {-1, 2};
  DLTensor value = {
      .device = {kDLCPU, 0}, .ndim = -1, .dtype = {kDLFloat, 32, 1}};
  const DLTensor *values[] = {&value};
  NULLED(fxModelLoadTensors(model, 1, NULL, values, NULL, &error), "names");
  NULLED(fxModelLoadTensors(model, 1, names, NULL, NULL, &error), "values");
  REFUSED(fxModelLoadTensors(model, 1, names, values, NULL, &error),
          "'w': expected a shape");
  value.ndim = 2;
  REFUSED(fxModelLoadTensors(model, 1, names, values, NULL, &error),
          "'w': expected a shape");
  value.shape = sizes;
  REFUSED(fxModelLoadTensors(model, 1, names, values, NULL, &error),
          "'w': expected sizes that fit memory");
  sizes[0] = 2;
  REFUSED(fxModelLoadTensors(model, 1, names, values, NULL, &error),
          "'w': expected data, got a null pointer");
  value.dtype.bits = 7;
  REFUSED(fxModelLoadTensors(model, 1, names, values, NULL, &error),
          "'w': expected a tensor of a dtype of torch");
  FXLoadWeightsOptions load = {.struct_size = 1};
  REFUSED(fxModelLoadTensors(model, 0, NULL, NULL, &load, &error),
          "expected the options' struct_size, got 1");
  NULLED(fxModelLoadWeights(model, NULL, NULL, &error), "file");
  NULLED(fxModelApplyLora(model, NULL, 1, &error), "folder");
  REFUSED(fxModelApplyLora(model, "/none", 1, &error), "adapter_config.json");
  REFUSED(NO(fxWeightFileOpen("/none", &error)), "No such file");
  fxModelDestroy(model);
}

static void *allocate(void *context, size_t bytes, size_t alignment) {
  (void)context, (void)bytes, (void)alignment;
  return NULL;
}
static void release(void *context, void *pointer, size_t bytes) {
  (void)context, (void)pointer, (void)bytes;
}

static void testTensors(const char *path) {
  FXModel *model = fxModelLoad(path, NULL, &error);
  MUST(model && !error);
  float xs[12] = {-1};
  int64_t ys[3] = {1, 2, 3}, shape[2] = {3, 4}, one[1] = {3};
  const DLTensor x = {xs, {kDLCPU, 0}, 2, {kDLFloat, 32, 1}, shape, NULL, 0};
  const DLTensor y = {ys, {kDLCPU, 0}, 1, {kDLInt, 64, 1}, one, NULL, 0};
  int64_t sizes[][2] = {{3, 5},  {1, 4},         {9, 4}, {0, 4},
                        {-3, 4}, {1ll << 62, 4}, {4, 4}};
  struct {
    DLTensor tensor;
    const char *part;
  } wrong[32];
  int n = 0;
#define WRONG(field, value, text)                                              \
  wrong[n].tensor = x, wrong[n].tensor.field = value, wrong[n++].part = text
  WRONG(data, NULL, "'x': expected data");
  WRONG(shape, NULL, "'x': expected a shape");
  WRONG(ndim, 0, "'x': expected rank 2, got 0");
  WRONG(ndim, 3, "'x': expected rank 2, got 3");
  WRONG(ndim, -1, "'x': expected rank 2, got -1");
  WRONG(dtype.code, kDLInt, "'x': expected dtype float32");
  WRONG(dtype.code, 99, "'x': expected dtype float32");
  WRONG(dtype.bits, 64, "'x': expected dtype float32, got float64");
  WRONG(dtype.bits, 0, "'x': expected dtype float32");
  WRONG(dtype.lanes, 4, "'x': expected dtype float32");
  WRONG(dtype.lanes, 0, "'x': expected dtype float32");
  WRONG(device.device_type, kDLCUDA,
        "x: expected a tensor on the CPU, got device type 2");
  WRONG(device.device_type, (DLDeviceType)77,
        "x: expected a tensor on the CPU");
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i)
    WRONG(shape, sizes[i], "dimension");
  DLManagedTensor *outputs[2] = {NULL, NULL};
  for (int i = 0; i < n; ++i) {
    const DLTensor *inputs[2] = {&wrong[i].tensor, &y};
    REFUSED(fxModelRun(model, inputs, 2, outputs, 2, 1, &error), wrong[i].part);
    MUST(!outputs[0] && !outputs[1]);
  }
  const DLTensor *inputs[2] = {&x, &y}, *half[2] = {&x, NULL},
                 *swapped[2] = {&y, &x};
  REFUSED(fxModelRun(model, half, 2, outputs, 2, 1, &error),
          "expected a tensor, got null");
  REFUSED(fxModelRun(model, swapped, 2, outputs, 2, 1, &error),
          "'x': expected dtype float32");
  const int counts[] = {0, 1, 3, -1, 1 << 30};
  for (size_t i = 0; i < sizeof counts / sizeof *counts; ++i) {
    REFUSED(fxModelRun(model, inputs, counts[i], outputs, 2, 1, &error),
            "expected 2 inputs");
    REFUSED(fxModelRun(model, inputs, 2, outputs, counts[i], 1, &error),
            "expected room for 2 outputs");
  }
  NULLED(fxModelRun(model, NULL, 2, outputs, 2, 1, &error), "inputs");
  NULLED(fxModelRun(model, inputs, 2, NULL, 2, 1, &error), "outputs");
  DLTensor state;
  NULLED(fxModelGetState(model, 0, NULL, &error), "state");
  const int indices[] = {-1, 0, 1, 1 << 30};
  for (size_t i = 0; i < sizeof indices / sizeof *indices; ++i)
    REFUSED(fxModelGetState(model, indices[i], &state, &error),
            "expected a model with states");

  /* Valid runs, with any number of threads and options of any size. */
  const int threads[] = {1, 0, -1, 1 << 30};
  for (size_t i = 0; i < sizeof threads / sizeof *threads; ++i) {
    MUST(!fxModelRun(model, inputs, 2, outputs, 2, threads[i], &error));
    for (int k = 0; k < 2; ++k)
      outputs[k]->deleter(outputs[k]), outputs[k] = NULL;
  }
  fxModelDestroy(model);

  FXCallbacks callbacks = {.struct_size = sizeof callbacks, .alloc = allocate};
  REFUSED(NO(fxModelLoad(path, &callbacks, &error)),
          "expected both alloc and free");
  callbacks.free = release;
  model = fxModelLoad(path, &callbacks, &error);
  MUST(model && !error);
  REFUSED(fxModelRun(model, inputs, 2, outputs, 2, 1, &error), "memory");
  MUST(!outputs[0] && !outputs[1]);
  fxModelDestroy(model);
}

/*===----------------------------------------------------------------------===*/

static const char *refuseTorch(void) { return "this program has no torch"; }

/* A program that refuses LibTorch: a context that needs it for constants, and a
 * model with a fallback. Other contexts and models do not call it. */
static void testTorchPreparation(const char *folder) {
  static const char text[] =
      "!t = !fx.tensor<[2, 2], f32>\n"
      "fx.state @w : !t = dense<0> : tensor<16xui8>\n"
      "fx.graph @main attributes {functional} {\n"
      "  %w = placeholder \"w\" parameter @w : !t\n"
      "  %x = placeholder \"x\" : !t\n"
      "  %e = call_function @aten.exp.default(%w) : (!t) -> !t\n"
      "  %b = call_function @aten.isnan.default(%x) : (!t) ->"
      " !fx.tensor<[2, 2], i1>\n"
      "  %i = call_function @aten.view.dtype(%b, i8) :"
      " (!fx.tensor<[2, 2], i1>) -> !fx.tensor<[2, 2], i8>\n"
      "  output(%e, %i) : (!t, !fx.tensor<[2, 2], i8>)\n}\n";
  const char *path = inFolder(folder, "p.so");
  FXContext *context = fxContextCreate();
  fxContextSetTorchPreparation(context, refuseTorch);
  FXModule *module =
      fxModuleParse(context, text, strlen(text), "p.mlir", NULL, &error);
  MUST(module && !error);
  REFUSED(fxModuleRunPasses(module, "fx-constant-fold", &error),
          "cannot load the interpreter: this program has no torch");
  MUST(!fxModuleCompile(module, path, NULL, &error));
  fxModuleDestroy(module);
  fxContextDestroy(context);
  FXCallbacks callbacks = {.struct_size = sizeof callbacks,
                           .prepare_torch = refuseTorch};
  REFUSED(NO(fxModelLoad(path, &callbacks, &error)),
          "cannot load the fallback: this program has no torch");
  remove(path);
}

int main(int argc, char **argv) {
  if (argc != 2)
    return fprintf(stderr, "usage: bad-input FOLDER\n"), 2;
  FXContext *context = fxContextCreate();
  FXModule *module =
      fxModuleParse(context, kModel, strlen(kModel), "m.mlir", NULL, &error);
  MUST(module && !error);
  const char *folder = argv[1];
  testNulls(context, module, folder);
  testFiles(context, folder);
  testBytes(context, module);
  testPasses(module);
  testOptions(module, folder);
  char path[4096];
  snprintf(path, sizeof path, "%s/m.so", folder);
  MUST(!fxModuleCompile(module, path, NULL, &error));
  testArtefact(path, folder);
  testTensors(path);
  remove(path);
  testFoldedState(context, folder);
  testMethods(context, folder);
  testTorchPreparation(folder);
  /* The context still works after all of these errors. */
  MUST(!fxModuleRunPasses(module, "fx-decompose,canonicalize,cse", &error));
  fxModuleDestroy(module);
  fxContextDestroy(context);
  printf("%d calls refused\n%s\n", numCalls - numWrong,
         numWrong ? "wrong" : "ok");
  return numWrong != 0;
}
