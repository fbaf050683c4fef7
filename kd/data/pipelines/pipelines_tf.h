// Pipelines under the names of the reference's kd.data.tf. They run on the same engine as those of
// kd.data.py, with the transforms' rules of kd.data.tf; docs/data.md lists what differs.
//
//   cfg.train_ds = data::tf::Tfds{.name = "mnist", .split = "train", .batch_size = 256};
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kd/core/dtype.h"
#include "kd/data/pipelines/pipelines.h"
#include "kd/data/transforms/transforms_tf.h"

namespace kd::random {
struct Key;
}

namespace kd::data::tf {

using StreamPtr = std::shared_ptr<const Stream>;

// A dataset by name; each process takes its share of the shuffled order.
struct Tfds {
  static constexpr std::string_view konfig_raw_fields[] = {"decoders", "tf_data_options"};

  Required<std::string> name;                   // "mnist"
  Required<std::string> split;                  // "train", "test[:90%]"
  std::optional<std::string> data_dir = {};     // where the files are
  konfig::Value decoders = {};                  // must be None: every feature is decoded
  bool cache = false;                           // no effect: files are mapped into memory
  bool shuffle = true;                          // a new order each epoch
  bool shard_drop_remainder = true;             // every process gets equally many examples
  std::optional<int> num_epochs = {};           // None: forever
  Transforms transforms = {};                   // applied to each example, in order
  std::optional<int> batch_size = {};           // examples a batch; None: no batches
  bool batch_drop_remainder = true;             // leaves out a last, smaller batch
  konfig::Inherit<int, "seed"> seed = inherit;  // of the order; the trainer's by default
  konfig::Value tf_data_options = {};           // no effect: threads keep the order of examples
  std::optional<int> prefetch_size = {};        // batches ahead; 0: none, None: as many as fit
  std::optional<bool> checkpoint = {};          // false: a restored run starts over
  std::optional<std::string> substitute = {};   // a dataset to read where this one is missing

  Dataset open(const Process& process) const;
  StreamPtr stream(const random::Key& key, const Process& process) const;
};

// The same for old datasets, shuffled within a buffer.
struct TfdsLegacy {
  static constexpr std::string_view konfig_raw_fields[] = {"decoders", "read_config",
                                                           "tf_data_options"};

  Required<std::string> name;                   // "mnist"
  Required<std::string> split;                  // "train", "test[:90%]"
  std::optional<std::string> data_dir = {};     // where the files are
  konfig::Value decoders = {};                  // must be None: every feature is decoded
  konfig::Value read_config = {};               // no effect: only what makes reading quick is taken
  bool cache = false;                           // no effect: files are mapped into memory
  bool shuffle = true;                          // a new order each epoch
  std::optional<int> shuffle_buffer_size = {};  // draws from so many at a time; None: from all
  std::optional<int> num_epochs = {};           // None: forever
  Transforms transforms = {};                   // applied to each example, in order
  std::optional<int> batch_size = {};           // examples a batch; None: no batches
  bool batch_drop_remainder = true;             // leaves out a last, smaller batch
  konfig::Inherit<int, "seed"> seed = inherit;  // of the order; the trainer's by default
  konfig::Value tf_data_options = {};           // no effect: threads keep the order of examples
  std::optional<int> prefetch_size = {};        // batches ahead; 0: none, None: as many as fit
  std::optional<bool> checkpoint = {};          // false: a restored run starts over

  Dataset open(const Process& process) const;
  StreamPtr stream(const random::Key& key, const Process& process) const;
};

// Several datasets; each example is drawn from one of them, by weight.
struct SampleFromDatasets {
  static constexpr std::string_view konfig_raw_fields[] = {"tf_data_options"};

  std::vector<Poly<Pipeline>> datasets = {};        // with num_epochs of their own
  std::optional<std::vector<double>> weights = {};  // how likely each is; None: equally
  bool stop_on_empty_dataset = false;               // ends with the first that ends
  bool rerandomize_each_iteration = false;          // must be false: iterators repeat exactly
  Transforms transforms = {};                       // applied to each example, in order
  std::optional<int> batch_size = {};               // examples a batch; None: no batches
  bool batch_drop_remainder = true;                 // leaves out a last, smaller batch
  konfig::Inherit<int, "seed"> seed = inherit;      // of the order; the trainer's by default
  konfig::Value tf_data_options = {};               // no effect: threads keep the order of examples
  std::optional<int> prefetch_size = {};            // batches ahead; 0: none, None: as many as fit
  std::optional<bool> checkpoint = {};              // false: a restored run starts over

  Dataset open(const Process& process) const;
  StreamPtr stream(const random::Key& key, const Process& process) const;
};

// Several datasets side by side: {"a": example of a, "b": example of b}. As long as the shortest.
struct ZipDatasets {
  static constexpr std::string_view konfig_raw_fields[] = {"tf_data_options"};

  Map<Poly<Pipeline>> datasets = {};            // by the names of the result
  Transforms transforms = {};                   // applied to each example, in order
  std::optional<int> batch_size = {};           // examples a batch; None: no batches
  bool batch_drop_remainder = true;             // leaves out a last, smaller batch
  konfig::Inherit<int, "seed"> seed = inherit;  // of the order; the trainer's by default
  konfig::Value tf_data_options = {};           // no effect: threads keep the order of examples
  std::optional<int> prefetch_size = {};        // batches ahead; 0: none, None: as many as fit
  std::optional<bool> checkpoint = {};          // false: a restored run starts over

  Dataset open(const Process& process) const;
  StreamPtr stream(const random::Key& key, const Process& process) const;
};

// Shape and type of an element.
struct ArraySpec {
  std::vector<std::optional<std::int64_t>> shape = {};  // with the batch in front; None: any size
  DType dtype = DType::float32;                         // of its numbers
};

// One batch of zeros: shapes without data.
struct ElementSpecDataset {
  Map<ArraySpec> spec = {};                     // by name of element: "image", "camera.pose"
  std::optional<int> batch_size = {};           // must be None: the shapes have it
  konfig::Inherit<int, "seed"> seed = inherit;  // no effect: zeros are not random

  Dataset open(const Process& process) const;
};

}  // namespace kd::data::tf

KONFIG_COMPONENT(kd::Pipeline, kd::data::tf::Tfds, "kauldron.kd:data.tf.Tfds");
KONFIG_COMPONENT(kd::Pipeline, kd::data::tf::TfdsLegacy, "kauldron.kd:data.tf.TfdsLegacy");
KONFIG_COMPONENT(kd::Pipeline, kd::data::tf::SampleFromDatasets,
                 "kauldron.kd:data.tf.SampleFromDatasets");
KONFIG_COMPONENT(kd::Pipeline, kd::data::tf::ZipDatasets, "kauldron.kd:data.tf.ZipDatasets");
KONFIG_COMPONENT(kd::Pipeline, kd::data::tf::ElementSpecDataset,
                 "kauldron.kd:data.tf.ElementSpecDataset");
KONFIG_TYPE(kd::data::tf::ArraySpec, "etils.enp:ArraySpec");
