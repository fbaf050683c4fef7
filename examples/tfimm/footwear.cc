// A dataset of two classes, for binary classification: is it footwear?
//   kd run --load=examples/tfimm/footwear.cc --cfg_file=examples/tfimm/binary.yaml
#include "kd/model.h"
#include "kd/problems/classes.h"

using namespace kd;

namespace footwear {

// Sandals, sneakers and boots are 1, all else is 0.
struct IsFootwear {
  Required<data::ElementKey> key;             // the labels of Fashion-MNIST
  static constexpr bool maps_batches = true;  // may be called with a whole batch
  Tensor map_element(const Tensor& label) const {
    return ((label == 5) | (label == 7) | (label == 9)).to(label.scalar_type());
  }
};

struct FootwearConfig {
  Required<std::string> split;   // "train", "test[:90%]"
  int batch_size = 128;          // images a batch
  bool repeat = false;           // the data never ends
  std::optional<int> seed = {};  // shuffles; None: in the order of the files
};
struct Footwear : problems::DatasetBase {
  using cfg_class = FootwearConfig;
  explicit Footwear(const FootwearConfig& cfg) : cfg(cfg) {}
  Poly<Pipeline> pipeline() const override {
    return data::py::Tfds{
        .name = "fashion_mnist",
        .split = *cfg.split,
        .shuffle = cfg.seed.has_value(),
        .num_epochs = cfg.repeat ? std::nullopt : std::optional(1),
        .transforms = {data::Elements{.keep = {"image", "label"}}, IsFootwear{.key = "label"}},
        .batch_size = cfg.batch_size,
        .seed = cfg.seed.value_or(0)};
  }
  FootwearConfig cfg;
};

}  // namespace footwear

KD_COMPONENT(kd::Transform, footwear::IsFootwear);
CFG_SERIALIZABLE(footwear::Footwear);
