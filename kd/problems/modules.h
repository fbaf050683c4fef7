// The modules of an experiment's models. All take images (n, h, w, c) and give (n, features).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kd/core/dtype.h"
#include "kd/nn/module/module.h"

namespace kd::problems {

// Prepares images for a model: (image - mean) / std, by channel or with one number for all.
struct Preprocess : nn::Module<Preprocess> {
  using Numbers = std::vector<double>;  // a struct with a field `std` cannot write the namespace
  using Size = std::vector<int>;

  Poly<kd::Module> model = {};   // what gets the prepared images
  Numbers mean = {0.0};          // subtracted
  Numbers std = {1.0};           // divided by
  DType dtype = DType::float32;  // what images are cast to
  Size input_size = {};          // height and width they must have; empty: any
  int in_channels = -1;          // channels they must have; -1: any
  Key image = "batch.image";     // the images

  // A model that gives {"logits": ...} gives these.
  Tree call(const Tensor& image) const;
};

// Layers of `hidden` units, then the logits.
struct Mlp : nn::Module<Mlp> {
  int nb_classes = 10;                   // number of logits
  std::vector<int> hidden = {256, 128};  // sizes of the layers before the logits
  double drop_rate = 0.0;                // before the logits
  Tensor call(const Tensor& image) const;
};

// Two convolutions with pooling, a layer of units, then the logits.
struct Cnn : nn::Module<Cnn> {
  int nb_classes = 10;                   // number of logits
  std::vector<int> channels = {32, 64};  // of each convolution
  int hidden = 128;                      // size of the layer before the logits
  double drop_rate = 0.0;                // before the logits
  Tensor call(const Tensor& image) const;
};

// The residual network of 18 layers. He et al., 2016.
struct ResNet18 : nn::Module<ResNet18> {
  int nb_classes = 1000;   // number of logits
  int width = 64;          // channels of the first stage
  double drop_rate = 0.0;  // before the logits
  Tensor call(const Tensor& image) const;
};

// The vision transformer ViT-Ti: the mean of its tokens, then the logits.
struct VitTiny : nn::Module<VitTiny> {
  int nb_classes = 1000;               // number of logits
  std::optional<int> patch_size = {};  // None: 16, or the largest of 14, 8, 7, 4, 2 that fits
  double drop_rate = 0.0;              // before the logits
  Tensor call(const Tensor& image) const;
};

// Student and teacher on the same images. The teacher does not learn.
struct Distilled : nn::Module<Distilled> {
  Poly<kd::Module> student = {};  // gives embeddings
  Poly<kd::Module> teacher = {};  // gives those to learn
  bool normalize = true;          // to length 1
  Key image = "batch.image";      // the images
  Tree call(const Tensor& image) const;
};

// A classifier as it is saved: logits whose sum is 0, two of them for a binary one.
struct SavedClassifier : nn::Module<SavedClassifier> {
  Poly<kd::Module> model = {};  // gives the logits
  bool binary = false;          // it gives one: that of class 1
  Key image = "batch.image";    // the images
  Tree call(const Tensor& image) const;
};

}  // namespace kd::problems

KONFIG_COMPONENT(kd::Module, kd::problems::Preprocess);
KONFIG_COMPONENT(kd::Module, kd::problems::Mlp);
KONFIG_COMPONENT(kd::Module, kd::problems::Cnn);
KONFIG_COMPONENT(kd::Module, kd::problems::ResNet18);
KONFIG_COMPONENT(kd::Module, kd::problems::VitTiny);
KONFIG_COMPONENT(kd::Module, kd::problems::Distilled);
KONFIG_COMPONENT(kd::Module, kd::problems::SavedClassifier);
