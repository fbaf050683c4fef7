// Pipelines: datasets as batches.
//
//   cfg.train_ds = data::py::Tfds{.name = "fashion_mnist", .split = "train", .shuffle = true,
//                                 .transforms = {data::Elements{.keep = {"image"}}},
//                                 .batch_size = 256};
//   cfg.train_ds =
//       data::py::DataSource{.data_source = data::Csv{.path = "iris.csv"}, .shuffle = true};
//
// The fields that pipelines of kd::data::py share mean the same in all of them. Below a mixture
// only `transforms` and `shuffle` count: epochs, batches and the seed are the mixture's.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kd/data/pipelines/pipeline_fields.h"
#include "kd/data/sources/source.h"
#include "kd/data/transforms/transforms.h"

namespace kd::data {
class Dataset;
class Records;
class Stream;
struct Process;
}  // namespace kd::data

namespace kd::data::py {

// A dataset by name, read in a fixed order for a given seed.
struct Tfds {
  static constexpr std::string_view konfig_raw_fields[] = {"decoders", "worker_init_fn"};

  Required<std::string> name;                    // "mnist"
  Required<std::string> split;                   // "train", "test[:90%]"
  Required<bool> shuffle;                        // a new order each epoch
  std::optional<int> num_epochs = {};            // None: forever
  Transforms transforms = {};                    // applied to each example, in order
  std::optional<int> batch_size = {};            // examples a batch; None: no batches
  konfig::Inherit<int, "seed"> seed = inherit;   // of the order; the trainer's by default
  std::optional<std::string> data_dir = {};      // where the files are
  konfig::Value decoders = {};                   // must be None: every feature is decoded
  DropRemainder batch_drop_remainder = true;     // what happens to a last, smaller batch
  int num_workers = 16;                          // threads at most; 0: none besides the caller
  std::optional<ReadOptions> read_options = {};  // no effect: files are mapped into memory
  bool enable_profiling = false;                 // no effect: use `kd data bench`
  int per_worker_buffer_size = 1;                // finished batches a worker may have waiting
  konfig::Value worker_init_fn = {};             // must be None: threads read, not processes
  bool shard_by_process = true;                  // each process reads its own part
  bool skip_bad_records = false;                 // leaves out what cannot be read, and counts it
  std::optional<std::string> substitute = {};    // a dataset to read where this one is missing

  std::shared_ptr<const Records> records() const;
};

// Any source.
struct DataSource {
  static constexpr std::string_view konfig_raw_fields[] = {"worker_init_fn"};

  Poly<Source> data_source;                      // where the records are
  Required<bool> shuffle;                        // a new order each epoch
  std::optional<int> num_epochs = {};            // None: forever
  Transforms transforms = {};                    // applied to each example, in order
  std::optional<int> batch_size = {};            // examples a batch; None: no batches
  konfig::Inherit<int, "seed"> seed = inherit;   // of the order; the trainer's by default
  DropRemainder batch_drop_remainder = true;     // what happens to a last, smaller batch
  int num_workers = 16;                          // threads at most; 0: none besides the caller
  std::optional<ReadOptions> read_options = {};  // no effect: files are mapped into memory
  bool enable_profiling = false;                 // no effect: use `kd data bench`
  int per_worker_buffer_size = 1;                // finished batches a worker may have waiting
  konfig::Value worker_init_fn = {};             // must be None: threads read, not processes
  bool shard_by_process = true;                  // each process reads its own part
  bool skip_bad_records = false;                 // leaves out what cannot be read, and counts it

  std::shared_ptr<const Records> records() const;
};

// A JSON file with a list of examples.
struct Json {
  static constexpr std::string_view konfig_raw_fields[] = {"worker_init_fn"};

  Required<std::string> path;                    // the file; it is kept in memory
  Required<bool> shuffle;                        // a new order each epoch
  std::optional<int> num_epochs = {};            // None: forever
  Transforms transforms = {};                    // applied to each example, in order
  std::optional<int> batch_size = {};            // examples a batch; None: no batches
  konfig::Inherit<int, "seed"> seed = inherit;   // of the order; the trainer's by default
  DropRemainder batch_drop_remainder = true;     // what happens to a last, smaller batch
  int num_workers = 16;                          // threads at most; 0: none besides the caller
  std::optional<ReadOptions> read_options = {};  // no effect: files are mapped into memory
  bool enable_profiling = false;                 // no effect: use `kd data bench`
  int per_worker_buffer_size = 1;                // finished batches a worker may have waiting
  konfig::Value worker_init_fn = {};             // must be None: threads read, not processes
  bool shard_by_process = true;                  // each process reads its own part
  bool skip_bad_records = false;                 // leaves out what cannot be read, and counts it

  std::shared_ptr<const Records> records() const;
};

// Several datasets that take turns.
struct Mix {
  static constexpr std::string_view konfig_raw_fields[] = {"worker_init_fn"};

  std::vector<Poly<Pipeline>> datasets = {};        // of kd::data::py
  std::optional<std::vector<double>> weights = {};  // how often each has its turn; None: equally
  bool shuffle = true;                              // a new order of turns each epoch
  std::optional<int> num_epochs = {};               // None: forever
  Transforms transforms = {};                       // applied to each example, in order
  std::optional<int> batch_size = {};               // examples a batch; None: no batches
  konfig::Inherit<int, "seed"> seed = inherit;      // of the order; the trainer's by default
  DropRemainder batch_drop_remainder = true;        // what happens to a last, smaller batch
  int num_workers = 16;                             // threads at most; 0: none besides the caller
  std::optional<ReadOptions> read_options = {};     // no effect: files are mapped into memory
  bool enable_profiling = false;                    // no effect: use `kd data bench`
  int per_worker_buffer_size = 1;                   // finished batches a worker may have waiting
  konfig::Value worker_init_fn = {};                // must be None: threads read, not processes

  std::shared_ptr<const Stream> combine(std::vector<std::shared_ptr<const Stream>> streams) const;
};

// Several datasets, each record chosen by a table.
struct SelectFromDatasets {
  static constexpr std::string_view konfig_raw_fields[] = {"worker_init_fn"};

  std::vector<Poly<Pipeline>> datasets = {};                                   // of kd::data::py
  Required<std::vector<std::pair<std::int64_t, std::int64_t>>> selection_map;  // dataset and record
  bool shuffle = true;                           // a new order of the table each epoch
  std::optional<int> num_epochs = {};            // None: forever
  Transforms transforms = {};                    // applied to each example, in order
  std::optional<int> batch_size = {};            // examples a batch; None: no batches
  konfig::Inherit<int, "seed"> seed = inherit;   // of the order; the trainer's by default
  DropRemainder batch_drop_remainder = true;     // what happens to a last, smaller batch
  int num_workers = 16;                          // threads at most; 0: none besides the caller
  std::optional<ReadOptions> read_options = {};  // no effect: files are mapped into memory
  bool enable_profiling = false;                 // no effect: use `kd data bench`
  int per_worker_buffer_size = 1;                // finished batches a worker may have waiting
  konfig::Value worker_init_fn = {};             // must be None: threads read, not processes

  std::shared_ptr<const Stream> combine(std::vector<std::shared_ptr<const Stream>> streams) const;
};

}  // namespace kd::data::py

namespace kd::data {

// Everything in memory. Batches never cross epochs: what is left of each is dropped.
struct InMemoryPipeline {
  Loader loader = {};                           // a function that gives all examples, or a source
  bool shuffle = false;                         // a new order each epoch
  std::optional<int> num_epochs = {};           // None: forever
  bool drop_remainder = true;                   // must be true, as in the reference
  std::optional<int> batch_size = {};           // examples a batch
  konfig::Inherit<int, "seed"> seed = inherit;  // of the order; the trainer's by default

  Dataset open(const Process& process) const;
};

}  // namespace kd::data

KONFIG_COMPONENT(kd::Pipeline, kd::data::py::Tfds, "kauldron.kd:data.py.Tfds");
KONFIG_COMPONENT(kd::Pipeline, kd::data::py::DataSource, "kauldron.kd:data.py.DataSource");
KONFIG_COMPONENT(kd::Pipeline, kd::data::py::Json, "kauldron.kd:data.py.Json");
KONFIG_COMPONENT(kd::Pipeline, kd::data::py::Mix, "kauldron.kd:data.py.Mix");
KONFIG_COMPONENT(kd::Pipeline, kd::data::py::SelectFromDatasets,
                 "kauldron.kd:data.py.SelectFromDatasets");
KONFIG_COMPONENT(kd::Pipeline, kd::data::InMemoryPipeline, "kauldron.kd:data.InMemoryPipeline");
