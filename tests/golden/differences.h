// The deliberate differences from the reference, listed in differences.yaml.
//
// An entry has `area`, `reason` and matchers, all of which must hold for a step to be excused:
// `case` (a glob over case names), `topic`, `op`, `input` (a part of the step's JSON text) and
// `expects` (a part of the expected output's JSON text, or a list of which one must occur). With
// `gives` our output must be that, with `ours` it must contain that; with `rest: true` the later
// steps of the case are not compared. An entry that excuses nothing fails, unless it says
// `elsewhere: true`: it is about a version of the reference that did not make the cases kept here.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace golden {

struct Difference {
  std::string reason;
  std::optional<std::string> case_glob, topic, op, input, gives, ours;
  std::vector<std::string> expects;  // any of these; none: anything
  bool rest = false;
  bool elsewhere = false;
  int used = 0;  // how many outputs it excused
};

// What a difference is matched against.
struct Occasion {
  std::string case_name, topic, op, input, expected;
};

class Differences {
 public:
  // The entries of one area.
  static Differences load(const std::string& file, const std::string& area);
  // The entry that excuses this output, or nullptr. Counts its use.
  const Difference* excuse(const Occasion& occasion, const std::string& ours);

  std::vector<Difference> entries;
};

}  // namespace golden
