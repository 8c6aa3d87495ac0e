#include "cli/command.h"
#include "core/nn/caching_allocator.h"
#include "core/train/train_run.h"

int main(int argc, char** argv) {
  phraseq::nn::install_caching_allocator();
  return phraseq::run_command("train", argc, argv, phraseq::train_run);
}
