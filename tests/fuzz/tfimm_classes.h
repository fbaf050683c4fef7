// The config classes of the fuzz targets.
#pragma once

#include <string>
#include <tuple>
#include <vector>

#include "tests/fuzz/round_trip.h"
#include "tfimm/train/train.h"

namespace fuzz {

struct Part {
  int a = 1;
  std::vector<konfig::Value> t = {};
  tfimm::train::Any x;
  std::string x_class = "";
};
struct Whole {
  double lr = 0.5;
  std::string s = "";
  bool b = false;
  std::tuple<int, std::string> pair = {};
  std::vector<konfig::Value> t = {};
  Part fixed = {};
  tfimm::train::Any x;
  std::string x_class = "Part";
};

// What was read is written, and read again it is the same.
inline void check_whole(const Whole& cfg) {
  namespace train = tfimm::train;
  const std::string yaml = train::to_text(cfg, train::TextFormat::yaml);
  const auto again = train::from_yaml<Whole>(yaml);
  const std::string second = train::to_text(again, train::TextFormat::yaml);
  require(second == yaml, "YAML of a config changed on the way", yaml, second);
  const konfig::Dict nested = train::to_dict_format(cfg);
  const auto flat = train::from_dict<Whole>(train::flat_to_deep(train::deep_to_flat(nested)));
  const std::string third = train::to_text(flat, train::TextFormat::yaml);
  require(third == yaml, "YAML of a config changed through the flat form", yaml, third);
  train::pprint(cfg);
}

}  // namespace fuzz
