// A model of your own: a module, found by its name or through a class with a config.
//   kd run --load=examples/tfimm/own_model.cc --problem.model.model_name=Perceptron ...
//   kd run --load=examples/tfimm/own_model.cc --problem.model_class=PerceptronFactory ...
#include "kd/model.h"
#include "kd/problems/classes.h"
#include "kd/problems/modules.h"

using namespace kd;

namespace perceptron {

struct Perceptron : nn::Module<Perceptron> {
  int nb_classes = 10;
  Tensor call(const Tensor& image) const {
    return nn::named("head", nn::Dense{.features = nb_classes})(nn::flatten(image));
  }
};

struct PerceptronConfig {
  int nb_classes = 10;  // logits
};
struct PerceptronFactory : problems::ModelBase {
  using cfg_class = PerceptronConfig;
  explicit PerceptronFactory(const PerceptronConfig& cfg) : cfg(cfg) {}
  // Pixels from 0 to 255 become numbers from 0 to 1.
  problems::ModelParts model() const override {
    return {.module = problems::Preprocess{.model = Perceptron{.nb_classes = cfg.nb_classes},
                                           .std = {255}}};
  }
  PerceptronConfig cfg;
};

}  // namespace perceptron

KD_COMPONENT(kd::Module, perceptron::Perceptron);
CFG_SERIALIZABLE(perceptron::PerceptronFactory);
