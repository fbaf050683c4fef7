// Golden test of kontext: walks every case of $KD_GOLDEN/kontext/cases.json (by default the copy in
// this folder) and compares with the reference. A further folder of the same form needs no new
// code.
#include "tests/golden/kontext_groups.h"

int main(int argc, char** argv) {
  using namespace golden;
  return walk(
      "kontext", {argv + 1, argv + argc}, [](const konfig::Dict& c, Differences& differences) {
        auto mismatches = run_case(c.at("group").as<std::string>(), c.at("args").as<konfig::Dict>(),
                                   c.at("outputs").as<konfig::Dict>());
        Problems problems = unexcused(mismatches, c, differences);
        for (auto& unknown :
             unknown_outputs(c.at("outputs").as<konfig::Dict>(),
                             {"path", "glob", "printed", "result", "items", "is_key_annotated",
                              "keypaths", "resolved", "text"})) {
          problems.push_back(unknown);
        }
        return problems;
      });
}
