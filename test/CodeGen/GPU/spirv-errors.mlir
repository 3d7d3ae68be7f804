// RUN: fx-opt %s --fx-gpu-spirv --split-input-file --verify-diagnostics

module attributes {gpu.container_module} {
  gpu.module @kernels {
    // expected-error @+1 {{no SPIR-V for blocks of a size that only the run tells}}
    gpu.func @any_size() kernel {
      gpu.return
    }
  }
}

// -----

module attributes {gpu.container_module} {
  gpu.module @kernels {
    // expected-error @+1 {{no SPIR-V for a parameter of type 'complex<f32>'}}
    gpu.func @pairs(%x: complex<f32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
      gpu.return
    }
  }
}

// -----

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @shuffles(%x: f32) workgroup(%s: memref<1xf32, #gpu.address_space<workgroup>>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : i32
      %c32 = arith.constant 32 : i32
      // expected-error @+1 {{no SPIR-V for this shuffle}}
      %r, %valid = gpu.shuffle up %x, %c1, %c32 : f32
      memref.store %r, %s[%c0] : memref<1xf32, #gpu.address_space<workgroup>>
      gpu.return
    }
  }
}
