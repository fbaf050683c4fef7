// A model as a table: a row for each module, with what it is called with and what it gives.
//
//   nn::CallList calls;                          // lists every call from here on
//   model.apply(variables, {}, images);
//   std::cout << nn::summary_text(calls, variables["params"], {.depth = 1});
//
//  path     module           inputs                outputs                    parameters    bytes
//  -------  ---------------  --------------------  -------------------------  ----------  -------
//  .        FlatAutoencoder  float32[256 28 28 1]  {image: float32[256 28...           0        0
//  encoder  Dense            float32[256 784]      float32[256 128]              100,480  401,920
//  ...
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kd/core/tree.h"

namespace kd::nn {

// One module, in the order of first calls.
struct ListedCall {
  std::vector<std::string> path = {};  // of its scope
  std::string module = {};             // its type: "Dense"
  std::string inputs = {};             // of the first call: "float32[256 784]"
  std::string outputs = {};
  int calls = 1;
};

// The calls of modules in this thread while it lives; of lists inside each other the innermost.
class CallList {
 public:
  CallList();
  ~CallList();
  CallList(const CallList&) = delete;
  CallList& operator=(const CallList&) = delete;

  const std::vector<ListedCall>& calls() const { return calls_; }
  // The place of a call in the list, from 1; of one that is there already, the same.
  std::size_t add(ListedCall call);
  void set_outputs(std::size_t place, std::string outputs);

 private:
  std::vector<ListedCall> calls_;
  std::map<std::pair<std::vector<std::string>, std::string>, std::size_t> places_;
  CallList* outer_;
};

struct SummaryOptions {
  std::optional<int> depth = {};             // 1: the model's parts, 2: theirs, ...
  std::optional<std::size_t> max_rows = {};  // a longer table is cut to fewer levels
};
// Parameters are counted once, in the row of their module, or of the one around it where a row is
// left out for its depth. The last row is the sum.
std::string summary_text(const CallList& list, const Tree& params,
                         const SummaryOptions& options = {});

}  // namespace kd::nn
