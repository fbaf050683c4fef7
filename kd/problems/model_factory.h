// The models of an experiment: made by name, or read from a folder.
#pragma once

#include <string>
#include <vector>

#include "kd/problems/classes.h"

namespace kd::problems {

struct ModelConfig {
  Required<std::string> model_name;  // mlp, cnn, resnet18, vit_tiny, or any registered module
  std::string pretrained = "";       // nothing is downloaded; see model_path
  std::string model_path = "";       // weights to start from: .safetensors, or a saved model
  std::vector<int> input_size = {};  // height and width that the model is for; (): the data's
  int in_channels = -1;              // of the images; -1: those of the data
  int nb_classes = -1;               // logits; -1: as many as the model has by itself
  double drop_rate = 0.0;            // dropout before the logits
  double drop_path_rate = 0.0;       // whole branches dropped
  double attn_drop_rate = 0.0;       // dropout of attention weights
};

struct ModelFactory : ModelBase {
  using cfg_class = ModelConfig;
  explicit ModelFactory(const ModelConfig& cfg) : cfg(cfg) {}
  ModelParts model() const override;
  ModelConfig cfg;
};

struct EmbeddingModelConfig {
  Required<std::string> backbone_name;   // as model_name of ModelConfig
  std::string backbone_pretrained = "";  // nothing is downloaded; see backbone_model_path
  std::string backbone_model_path = "";  // weights to start from, without the last layer
  std::vector<int> input_size = {};      // height and width that the model is for; (): the data's
  int in_channels = -1;                  // of the images; -1: those of the data
  int embed_dim = 512;                   // length of an embedding
  double drop_rate = 0.0;                // dropout before the embedding
  double drop_path_rate = 0.0;           // whole branches dropped
  double attn_drop_rate = 0.0;           // dropout of attention weights
};

struct EmbeddingModelFactory : ModelBase {
  using cfg_class = EmbeddingModelConfig;
  explicit EmbeddingModelFactory(const EmbeddingModelConfig& cfg) : cfg(cfg) {}
  ModelParts model() const override;
  EmbeddingModelConfig cfg;
};

// A struct with a field `std` cannot also write the namespace.
using Text = std::string;
using Numbers = std::vector<double>;

struct SavedModelConfig {
  Required<Text> path;             // a folder that a run saved
  Text dtype = "";                 // what images are cast to; empty: float32
  Numbers mean = {0.0, 0.0, 0.0};  // subtracted from the images, by channel
  Numbers std = {1.0, 1.0, 1.0};   // what they are then divided by
};

struct SavedModel : ModelBase {
  using cfg_class = SavedModelConfig;
  explicit SavedModel(const SavedModelConfig& cfg) : cfg(cfg) {}
  ModelParts model() const override;
  SavedModelConfig cfg;
};

}  // namespace kd::problems

KONFIG_TYPE(kd::problems::ModelConfig, "tfimm.train:ModelConfig");
KONFIG_TYPE(kd::problems::EmbeddingModelConfig, "tfimm.train:EmbeddingModelConfig");
KONFIG_TYPE(kd::problems::SavedModelConfig, "tfimm.train:SavedModelConfig");
