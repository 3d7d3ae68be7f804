// Runs a package on several threads, and swaps its weights, by LibTorch's
// loader.
#include <torch/csrc/inductor/aoti_package/model_package_loader.h>

#include <ATen/ops/add.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/ones.h>
#include <atomic>
#include <iostream>
#include <thread>

int main(int argc, char **argv) {
  torch::inductor::AOTIModelPackageLoader loader(argv[1], "model", false,
                                                 /*num_runners=*/4);
  at::Tensor x = at::ones({3, 8}), before = loader.run({x})[0];
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&] {
      for (int k = 0; k < 50; ++k)
        wrong += !at::equal(loader.run({x})[0], before);
    });
  for (std::thread &thread : threads)
    thread.join();
  auto *runner = loader.get_runner();
  std::unordered_map<std::string, at::Tensor> weights;
  for (auto &[name, tensor] :
       runner->extract_constants_map(/*use_inactive=*/false))
    weights[name] = at::add(tensor, tensor);
  loader.load_constants(weights, /*use_inactive=*/true,
                        /*check_full_update=*/true);
  bool isSame = at::equal(loader.run({x})[0], before);
  runner->swap_constant_buffer();
  bool isDoubled = at::equal(loader.run({x})[0], at::add(before, before));
  runner->swap_constant_buffer();
  bool isBack = at::equal(loader.run({x})[0], before);
  runner->free_inactive_constant_buffer();
  std::cout << wrong << isSame << isDoubled << isBack << '\n';
}
