// Structs for the tests of kontext.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

#include "konfig/map.h"
#include "kontext/array_test.h"

namespace kontext::toys {

struct Box {
  float score = 0.5f;
  std::string label = "cat";
};

struct Batch {
  NdArray image = NdArray::zeros({2, 3, 5, 8});
  std::vector<Box> boxes = {{}, {.score = 0.25f, .label = "dog"}};
  std::map<std::string, int> ids = {{"b", 2}, {"a b", 1}};
  std::map<int, std::string> names = {{3, "three"}};
  konfig::Map<double> rates = {{"z", 0.5}, {"a", 0.25}};
  std::optional<Box> best = {};
  std::shared_ptr<Box> shared = std::make_shared<Box>();
  std::variant<int, std::string> either = "text";
  std::tuple<int, float> pair = {1, 2.5f};
  std::vector<bool> bits = {true, false};
};

}  // namespace kontext::toys
