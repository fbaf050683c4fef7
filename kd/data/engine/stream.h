// Stream: a graph of steps from sources to records, found by position. Positions go on over epochs:
// position size() is the first one of the second epoch, which a shuffle orders anew.
//
//   StreamPtr s = shuffled(slice(seeded(stream(records), seed), {0, {}, 2}), shuffle_seed);
//   std::optional<Tree> record = s->at(17);
//
// A stream never changes: any thread may read any position at any time.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "kd/data/engine/dataset.h"
#include "kd/data/engine/records.h"
#include "kd/data/engine/transform.h"

namespace kd::data {

struct Turn;  // kd/data/order/interleave.h

class Stream;
using StreamPtr = std::shared_ptr<const Stream>;

class Stream {
 public:
  virtual ~Stream() = default;

  // Records of one epoch.
  virtual std::int64_t size() const = 0;
  // None where a filter left the record out.
  virtual std::optional<Tree> at(std::int64_t position) const = 0;
  // With only a part of the image `element`: a step that begins with a crop asks for this.
  virtual std::optional<Tree> at_part(std::int64_t position, const std::string& element,
                                      const ChooseBox& choose) const;
  // Several records, stacked. Not for streams with filters.
  virtual Tree batch(std::span<const std::int64_t> positions) const;
  // Whether `at` may give None.
  virtual bool has_filter() const;
  // Which record of which source stands at a position.
  virtual RecordId origin(std::int64_t position) const;
  // How many sources there are, those that a mixture uses twice counted twice.
  virtual std::int64_t source_count() const;

  // The seed node, if this is one, and where the records come from: the seeds of random steps
  // depend on the graph.
  virtual std::optional<std::uint32_t> seed() const { return {}; }
  virtual std::vector<const Stream*> parents() const { return {}; }
};

constexpr std::int64_t kForever = std::numeric_limits<std::int64_t>::max();

StreamPtr stream(RecordsPtr records);
// Random steps further down take their seeds from this.
StreamPtr seeded(StreamPtr parent, std::uint32_t seed);
// Python's slice of positions; a later epoch continues in the parent's next one.
struct Slice {
  std::optional<std::int64_t> start = {}, stop = {}, step = {};
};
StreamPtr slice(StreamPtr parent, const Slice& slice);
// Another order each epoch.
StreamPtr shuffled(StreamPtr parent, std::uint32_t seed);
// As tf.data: each record is drawn from a buffer of the next `size` ones, so none comes more than
// `size` - 1 places early.
StreamPtr buffer_shuffled(StreamPtr parent, std::int64_t size, std::uint32_t seed);
// None: for ever.
StreamPtr repeated(StreamPtr parent, std::optional<std::int64_t> epochs);
// A transform.
StreamPtr with_step(StreamPtr parent, Step step);

// Takes turns; without weights one each.
StreamPtr mixed(std::vector<StreamPtr> parents, const std::optional<std::vector<double>>& weights);
// Turns by a table, which repeats.
StreamPtr selected(std::vector<StreamPtr> parents, std::vector<Turn> turns);
// One after the other.
StreamPtr concatenated(std::vector<StreamPtr> parents);

// Each record drawn from one of them, by weight, until all are used up (or the first is).
StreamPtr sampled(std::vector<StreamPtr> parents, const std::optional<std::vector<double>>& weights,
                  std::uint32_t seed, bool stop_on_empty);
// Side by side, by name; as long as the shortest.
StreamPtr zipped(std::vector<std::pair<std::string, StreamPtr>> parts);

// The seed of a random step at this place of the graph; None when no seed stands above it.
std::optional<std::uint32_t> default_seed(const Stream& stream);

}  // namespace kd::data
