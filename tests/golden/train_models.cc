// The small models and the data that the golden training configs name.
#include <ATen/ops/cat.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/zeros_like.h>

#include <cstdlib>
#include <map>

#include "kd/core/ops.h"
#include "kd/data/engine/records.h"
#include "kd/io/idx.h"
#include "kd/model.h"
#include "kd/random/sample.h"

namespace golden_models {

using namespace kd;

namespace {

// Unpacked once for all runs.
Tensor cached(const std::string& path) {
  static std::map<std::string, Tensor> known;
  auto it = known.find(path);
  if (it == known.end()) it = known.emplace(path, io::read_idx(path).clone()).first;
  return it->second;
}

Tree fashion(const std::string& split, int count, bool labels) {
  const char* given = std::getenv("FASHION_MNIST");
  const std::string root = given && *given ? given : "/usr/share/datasets/fashion-mnist";
  const std::string start = root + "/" + (split == "train" ? "train" : "t10k");
  Tensor images = cached(start + "-images-idx3-ubyte.gz").narrow(0, 0, count);
  Tree out = Tree::dict({{"image", (images.to(at::kFloat) / 255).unsqueeze(-1).contiguous()}});
  if (labels) {
    Tensor y = cached(start + "-labels-idx1-ubyte.gz").narrow(0, 0, count);
    out["label"] = y.to(at::kInt).unsqueeze(-1).contiguous();
  }
  return out;
}

}  // namespace

// The first records of a split, as float images from 0 to 1.
struct Fashion {
  Required<std::string> split;
  Required<int> count;
  bool labels = true;
  data::RecordsPtr open() const { return data::in_memory(fashion(*split, *count, labels)); }
};

struct FashionSource {
  Required<std::string> split;
  Required<int> count;
  data::RecordsPtr open() const { return data::in_memory(fashion(*split, *count, false)); }
};

struct Cnn : nn::Module<Cnn> {
  std::vector<int> features = {4, 8};
  int num_classes = 10;
  double rate = 0.25;
  Key image = Key::required();

  Tree call(const Tensor& image) const {
    Tensor x = image;
    for (std::size_t i = 0; i < features.size(); ++i) {
      x = nn::named("conv_" + std::to_string(i),
                    nn::Conv{.features = features[i], .kernel_size = {3, 3}, .strides = {2, 2}})(x);
      x = nn::relu(x);
    }
    x = x.reshape({x.size(0), -1});
    x = nn::named("dropout", nn::Dropout{.rate = rate})(x);
    return Tree::dict({{"logits", nn::named("head", nn::Dense{.features = num_classes})(x)}});
  }
};

struct NormNet : nn::Module<NormNet> {
  int hidden = 12;
  int num_classes = 10;
  double momentum = 0.9;
  Key image = Key::required();

  Tree call(const Tensor& image) const {
    Tensor x = nn::named("dense", nn::Dense{.features = hidden})(nn::flatten(image));
    x = nn::named(
        "norm", nn::BatchNorm{.use_running_average = !nn::is_training(), .momentum = momentum})(x);
    x = nn::relu(x);
    return Tree::dict({{"logits", nn::named("head", nn::Dense{.features = num_classes})(x)}});
  }
};

struct Generator : nn::Module<Generator> {
  int hidden = 16;
  Tensor call(const Tensor& z) const {
    Tensor h = nn::relu(nn::named("in", nn::Dense{.features = hidden})(z));
    Tensor y = nn::sigmoid(nn::named("out", nn::Dense{.features = 28 * 28})(h));
    return y.reshape({-1, 28, 28, 1});
  }
};

struct Discriminator : nn::Module<Discriminator> {
  int hidden = 8;
  Tensor call(const Tensor& x) const {
    Tensor h = nn::leaky_relu(nn::named("in", nn::Dense{.features = hidden})(nn::flatten(x)));
    return nn::named("out", nn::Dense{.features = 1})(h);
  }
};

struct Gan : nn::Module<Gan> {
  Poly<kd::Module> generator;
  Poly<kd::Module> discriminator;
  int latent = 4;
  Key image = Key::required();

  Tree call(const Tensor& image) const {
    Tensor z = random::normal(nn::make_rng("default"), {image.size(0), latent});
    Tensor fake = generator(z);
    Tensor real_score = discriminator(image), fake_score = discriminator(fake);
    return Tree::dict(
        {{"fake", fake},
         {"scores", at::cat({real_score, fake_score})},
         {"score_targets", at::cat({at::ones_like(real_score), at::zeros_like(fake_score)})},
         {"fake_score", fake_score},
         {"fake_target", at::ones_like(fake_score)}});
  }
};

}  // namespace golden_models

KD_COMPONENT(kd::Source, golden_models::Fashion);
KD_COMPONENT(kd::Source, golden_models::FashionSource);
KD_COMPONENT(kd::Module, golden_models::Cnn);
KD_COMPONENT(kd::Module, golden_models::NormNet);
KD_COMPONENT(kd::Module, golden_models::Generator);
KD_COMPONENT(kd::Module, golden_models::Discriminator);
KD_COMPONENT(kd::Module, golden_models::Gan);
