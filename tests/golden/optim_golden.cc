// Golden test of kd/optim: walks every case of $KD_GOLDEN/optim (by default the copy in this
// folder) and compares with the reference. Arguments: only cases whose name starts with one of
// them.
#include "tests/golden/optim_case.h"

namespace golden {
namespace {

using konfig::Dict;

Dict dict_at(const Dict& dict, const char* key) { return dict.at(key).as<Dict>(); }

Problems run(const Dict& whole, Differences&) {
  static const Tensors tensors = load_tensors("optim");
  static const Dict data = dict_at(load_document("optim").as<Dict>(), "data");
  return run_optim_case({.name = whole.at("name").as<std::string>(),
                         .group = whole.at("group").as<std::string>(),
                         .args = dict_at(whole, "args"),
                         .inputs = dict_at(whole, "inputs"),
                         .outputs = dict_at(whole, "outputs"),
                         .tolerance = whole.at("tolerance")},
                        data, tensors);
}

}  // namespace
}  // namespace golden

int main(int argc, char** argv) {
  return golden::walk("optim", {argv + 1, argv + argc}, golden::run);
}
