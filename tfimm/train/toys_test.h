// Config classes for the tests; registry_test.cc registers them.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "tfimm/train/train.h"

namespace toy {

using tfimm::train::Any;
using tfimm::train::Required;

struct SimpleConfig {
  Required<int> i;
  Required<double> f;
  Required<bool> b;
  Required<std::string> s;
  Required<std::vector<konfig::Value>> t;
  int id = 0;
  double fd = 1;
  bool bd = true;
  std::string sd = "abc";
  std::tuple<int, int> td = {1, 2};
};
struct SimpleClass {
  using cfg_class = SimpleConfig;
  explicit SimpleClass(const SimpleConfig& cfg) : total(cfg.i + cfg.id) {}
  int total;
};

struct LeafConfig {
  int a = 2;
  double b = 2.5;
  std::string name = "leaf";
};
struct Leaf {
  using cfg_class = LeafConfig;
};

struct OtherConfig {
  int a = 100;
  std::string z = "other";
};
struct Other {
  using cfg_class = OtherConfig;
};

// Its part has a class by default, and fields that differ from the defaults of that class.
struct MidConfig {
  int a = 5;
  Any m = LeafConfig{.a = 7};
  std::string m_class = "Leaf";
  bool c = false;
};
struct Mid {
  using cfg_class = MidConfig;
};

struct Size {
  int width = 1;
  int height = 1;
};
// Everything that a field may be.
struct TypesConfig {
  Size size = {.width = 28};
  std::optional<int> most = {};
  std::optional<std::string> title = {};
  std::vector<double> rates = {0.1};
  std::vector<std::string> names = {};
  std::tuple<int, std::string, bool> mixed = {1, "x", true};
  std::vector<std::vector<int>> table = {};
  std::vector<bool> mask = {};
  std::array<double, 2> betas = {0.9, 0.999};
  std::pair<int, int> range = {0, 1};
  float small = 0.1F;
  unsigned char byte = 7;
};
struct Types {
  using cfg_class = TypesConfig;
};

struct Outer {
  Any n;
  Required<std::string> n_class;
  double lr = 0.5;
  std::string cfg_file = "";
};

}  // namespace toy
