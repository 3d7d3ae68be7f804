// libFXTorch is for one release of torch: beside torch of another release it is
// not loaded, unless there is a library for that release, too.
// UNSUPPORTED: asan
// RUN: rm -rf %t && mkdir -p %t/fx_mlir %t/torch
// RUN: ln -s %fx_lib/libFX.so %fx_lib/libFXTorch.so %t/fx_mlir
// RUN: printf "__all__ = ['__version__']\n__version__ = '2.99.1+cpu'\n" > %t/torch/version.py
// RUN: %npy write %t/in 'eye(2, dtype="f4")'
// DEFINE: %{run} = env LD_LIBRARY_PATH=%t/fx_mlir fx-run --inputs %t/in --outputs %t/out

// RUN: not %{run} %s --interpret 2>&1 | FileCheck %s
// CHECK: error: {{.*}}cannot load the interpreter: {{.*}}/fx_mlir/libFXTorch.so is built for torch 2.{{[0-9]+}}, got 2.99

// RUN: fx-compile %s -o %t/m.so
// RUN: not %{run} %t/m.so 2>&1 | FileCheck %s --check-prefix=FALLBACK
// FALLBACK: error: {{.*}}cannot load the fallback: {{.*}}/fx_mlir/libFXTorch.so is built for torch 2.{{[0-9]+}}, got 2.99

// RUN: ln -s %fx_lib/libFXTorch.so %t/fx_mlir/libFXTorch-2.99.so
// RUN: %{run} %s --interpret && %npy show %t/out | FileCheck %s --check-prefix=RUNS
// RUN: %{run} %t/m.so && %npy show %t/out | FileCheck %s --check-prefix=RUNS
// RUNS: out_0: float32[2] [1.0, 1.0]

fx.graph @main {
  %x = placeholder "x" : !fx.tensor<[2, 2], f32>
  %eig = call_function @aten.linalg_eigvalsh.default(%x) : (!fx.tensor<[2, 2], f32>) -> !fx.tensor<[2], f32>
  output(%eig) : (!fx.tensor<[2], f32>)
}
