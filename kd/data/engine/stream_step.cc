// Streams that change records.
#include "kd/data/engine/profile.h"
#include "kd/data/engine/stream.h"
#include "kd/data/formats.h"
#include "kd/io/errors.h"

namespace kd::data {

namespace {

class Mapped final : public Stream {
 public:
  Mapped(StreamPtr parent, Step step)
      : parent_(std::move(parent)), step_(std::move(step)), time_(profile_slot(step_.name)) {}
  std::int64_t size() const override { return parent_->size(); }
  std::optional<Tree> at(std::int64_t position) const override {
    auto record = parent_->at(position);
    if (record) record = call(step_.map, std::move(*record));
    return record;
  }
  std::optional<Tree> at_part(std::int64_t position, const std::string& element,
                              const ChooseBox& choose) const override {
    if (!step_.keeps_elements) return Stream::at_part(position, element, choose);
    auto record = parent_->at_part(position, element, choose);
    if (record) record = call(step_.map, std::move(*record));
    return record;
  }
  Tree batch(std::span<const std::int64_t> positions) const override {
    if (!step_.map_batch) return Stream::batch(positions);
    return call(step_.map_batch, parent_->batch(positions));
  }
  std::vector<const Stream*> parents() const override { return {parent_.get()}; }

 private:
  Tree call(const std::function<Tree(Tree)>& fn, Tree record) const {
    const Timed timed(time_);
    try {
      return fn(std::move(record));
    } catch (const Error& e) {
      throw in_place(step_.name, e);
    }
  }
  StreamPtr parent_;
  Step step_;
  ProfileSlot& time_;
};

// The generator depends on the seed and the position only, so that neither the order of reading nor
// the number of threads matters.
class RandomlyMapped final : public Stream {
 public:
  RandomlyMapped(StreamPtr parent, Step step)
      : parent_(std::move(parent)), step_(std::move(step)), time_(profile_slot(step_.name)) {
    const auto seed = default_seed(*this);
    if (!seed) throw Error(ErrorKind::value, step_.name + ": a random step needs a seed above it");
    key_ = seeded_key(*seed);
  }
  std::int64_t size() const override { return parent_->size(); }
  std::optional<Tree> at(std::int64_t position) const override {
    const Generator rng(key_, {0, 0, 0, static_cast<std::uint64_t>(position)});
    if (step_.cut) return cut(position, rng);
    auto record = parent_->at(position);
    if (!record) return record;
    const Timed timed(time_);
    try {
      return step_.random_map(std::move(*record), rng);
    } catch (const Error& e) {
      throw in_place(step_.name, e);
    }
  }
  std::vector<const Stream*> parents() const override { return {parent_.get()}; }

 private:
  // Only the part of the image that is kept is read.
  std::optional<Tree> cut(std::int64_t position, const Generator& rng) const {
    bool chosen = false;
    auto record = parent_->at_part(position, step_.cut->element,
                                   [&](std::int64_t height, std::int64_t width) {
                                     chosen = true;
                                     return step_.cut->box(height, width, rng);
                                   });
    if (!record) return record;
    const Timed timed(time_);
    try {
      // What is no image fails here with the right words.
      return chosen ? step_.cut->rest(std::move(*record))
                    : step_.random_map(std::move(*record), rng);
    } catch (const Error& e) {
      throw in_place(step_.name, e);
    }
  }

  StreamPtr parent_;
  Step step_;
  ProfileSlot& time_;
  Generator::Key key_;
};

class Filtered final : public Stream {
 public:
  Filtered(StreamPtr parent, Step step)
      : parent_(std::move(parent)), step_(std::move(step)), time_(profile_slot(step_.name)) {}
  std::int64_t size() const override { return parent_->size(); }
  bool has_filter() const override { return true; }
  std::optional<Tree> at(std::int64_t position) const override {
    auto record = parent_->at(position);
    const Timed timed(time_);
    if (record && !step_.filter(*record)) record.reset();
    return record;
  }
  std::vector<const Stream*> parents() const override { return {parent_.get()}; }

 private:
  StreamPtr parent_;
  Step step_;
  ProfileSlot& time_;
};

}  // namespace

StreamPtr with_step(StreamPtr parent, Step step) {
  if (step.slice) {
    Slice range{step.slice->start, step.slice->stop, step.slice->step};
    if (range.start && !range.stop && !range.step) std::swap(range.start, range.stop);
    return slice(std::move(parent), range);
  }
  if (step.map) return std::make_shared<Mapped>(std::move(parent), std::move(step));
  if (step.random_map) return std::make_shared<RandomlyMapped>(std::move(parent), std::move(step));
  return std::make_shared<Filtered>(std::move(parent), std::move(step));
}

}  // namespace kd::data
