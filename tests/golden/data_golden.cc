// Golden test of kd/data: walks every case of $KD_GOLDEN/data (by default the copy in this folder)
// and compares with the reference. Arguments: only cases whose name starts with one of them.
#include <map>

#include "tests/golden/data_case.h"

namespace golden {
namespace {

using konfig::Dict;

using Handler = Problems (*)(const DataCase&);

const std::map<std::string, Handler> kHandlers = {
    {"philox", run_philox}, {"in_memory", run_in_memory},   {"index_shuffle", run_index_shuffle},
    {"grain", run_grain},   {"transforms", run_transforms}, {"tf_transforms", run_tf_transforms},
    {"files", run_files},   {"events", run_events}};

Problems run(const Dict& whole, Differences&) {
  static const Tensors tensors = load_tensors("data");
  const DataCase c{.name = whole.at("name").as<std::string>(),
                   .api = whole.at("api").as<std::string>(),
                   .args = whole.at("args").as<Dict>(),
                   .inputs = whole.at("inputs").as<Dict>(),
                   .outputs = whole.at("outputs").as<Dict>(),
                   .tolerance = tolerance_of(whole.at("tolerance")),
                   .tensors = tensors};
  const std::string group = c.name.substr(0, c.name.find('/'));
  auto handler = kHandlers.find(group);
  if (handler == kHandlers.end()) return {"the runner does not know the group " + group};
  return handler->second(c);
}

}  // namespace
}  // namespace golden

int main(int argc, char** argv) {
  return golden::walk("data", {argv + 1, argv + argc}, golden::run);
}
