// The walk over a golden area that every golden program makes: reads the cases, runs each, prints
// what is wrong, the groups, the deliberate differences and the sums.
//
//   int main(int argc, char** argv) {
//     return golden::walk("konfig", {argv + 1, argv + argc},
//                         [&](const konfig::Dict& c, golden::Differences& differences) { ... });
//   }
#pragma once

#include <functional>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <vector>

#include "konfig/value.h"
#include "tests/golden/differences.h"

namespace golden {

// What is wrong with a case, a text each; none: it passed.
using Problems = std::vector<std::string>;
// Runs one case of cases.json. What it throws is a problem of the case.
using RunCase = std::function<Problems(const konfig::Dict& c, Differences& differences)>;

// Thrown where nothing of a case can be compared: it counts as skipped, with the reason.
struct Skipped : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// The result of main: 0 when cases were run and all passed. Only cases whose name starts with one
// of `chosen`; none: all. Of the cases kept here, a skipped one fails too, and a difference that
// excuses nothing.
int walk(const std::string& area, const std::vector<std::string>& chosen, const RunCase& run);
// The same for an area whose cases are elsewhere.
int walk(const std::string& area, const std::vector<std::string>& chosen, const RunCase& run,
         const std::function<konfig::List()>& cases);

// Outputs that a runner does not know are problems: nobody would compare them.
Problems unknown_outputs(const konfig::Dict& outputs, std::initializer_list<const char*> known);

// $KD_GOLDEN, or the copy kept in tests/golden.
std::string golden_folder();
// cases.json of an area as it is, and its cases.
konfig::Value load_document(const std::string& area);
konfig::List cases_of(const konfig::Value& document);

// Moves what the differences do not excuse to the problems. A mismatch has the fields `topic` and
// `output`, which entries may name, `expected` and `ours`.
struct Mismatch {
  std::string output, expected, ours;
  std::string topic = "";
};
Problems unexcused(const std::vector<Mismatch>& mismatches, const konfig::Dict& c,
                   Differences& differences);

}  // namespace golden
