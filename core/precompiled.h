#pragma once

// Everything of LibTorch that more than a few of our files need. Sources include what they use all
// the same: they must compile without this file.
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <ATen/ATen.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/nn/module.h>
