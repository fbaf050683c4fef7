// Passes: a dataset as experiments read it, pass by pass.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kd/core/dtype.h"
#include "kd/data/sources/source.h"
#include "konfig/inherit.h"

namespace kd::data {
class Dataset;
struct Process;
}  // namespace kd::data

namespace kd::problems {

// The first records, kept in memory or not, shuffled, repeated, batched, resized: in this order.
// Without `repeat` a pass ends with a smaller batch, and the next one begins with another; with it
// batches span passes.
struct Passes {
  std::string name = "";                        // of a dataset, "fashion_mnist"
  std::string split = "train";                  // "train", "test[:90%]"
  Poly<Source> source = {};                     // in place of `name`
  std::optional<std::int64_t> take = {};        // the first records only
  bool cache = false;                           // keeps records in memory
  bool shuffle = false;                         // another order in each pass
  bool repeat = false;                          // the data never ends
  Required<int> batch_size;                     // records a batch
  std::vector<int> size = {};                   // height and width of "image"; empty: as it is
  std::optional<DType> dtype = {};              // of "image"; None: as it is
  std::vector<std::string> elements = {};       // which elements; empty: all
  konfig::Inherit<int, "seed"> seed = inherit;  // of the order; the trainer's by default
  data::Dataset open(const data::Process& process) const;
};

}  // namespace kd::problems

KONFIG_COMPONENT(kd::Pipeline, kd::problems::Passes);
