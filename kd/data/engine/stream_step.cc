// Streams that change records.
#include "kd/data/engine/batch.h"
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

// Several records of each. Positions must be known without reading, so their number is that of the
// first record.
class Split final : public Stream {
 public:
  Split(StreamPtr parent, Step step)
      : parent_(std::move(parent)), step_(std::move(step)), time_(profile_slot(step_.name)) {
    for (std::int64_t i = 0; i < parent_->size() && count_ == 0; ++i) {
      if (auto record = parent_->at(i)) count_ = std::ssize(parts_of(*record));
    }
  }
  std::int64_t size() const override { return parent_->size() * count_; }
  std::optional<Tree> at(std::int64_t position) const override {
    auto record = parent_->at(position / count_);
    if (!record) return record;
    return parts_of(*record)[static_cast<std::size_t>(position % count_)];
  }
  // Neighbours come from one record, which is read once.
  Tree batch(std::span<const std::int64_t> positions) const override {
    std::vector<Tree> out, parts;
    std::int64_t known = -1;
    for (std::int64_t position : positions) {
      if (position / count_ != known) {
        known = position / count_;
        parts = parts_of(parent_->at(known).value());
      }
      out.push_back(parts[static_cast<std::size_t>(position % count_)]);
    }
    return stack(out);
  }
  RecordId origin(std::int64_t position) const override {
    return parent_->origin(position / count_);
  }
  std::vector<const Stream*> parents() const override { return {parent_.get()}; }

 private:
  std::vector<Tree> parts_of(const Tree& record) const {
    const Timed timed(time_);
    try {
      std::vector<Tree> out = step_.split(record);
      if (out.empty()) throw Error(ErrorKind::value, "the record has no parts");
      if (count_ == 0 || std::ssize(out) == count_) return out;
      throw Error(ErrorKind::value,
                  "expected " + std::to_string(count_) + " parts, as of the first record, got " +
                      std::to_string(out.size()) + "; make all equally long in a transform before");
    } catch (const Error& e) {
      throw in_place(step_.name, e);
    }
  }

  StreamPtr parent_;
  Step step_;
  ProfileSlot& time_;
  std::int64_t count_ = 0;  // 0: not known yet
};

}  // namespace

StreamPtr with_step(StreamPtr parent, Step step) {
  if (step.slice) {
    Slice range{step.slice->start, step.slice->stop, step.slice->step};
    if (range.start && !range.stop && !range.step) std::swap(range.start, range.stop);
    return slice(std::move(parent), range);
  }
  if (step.split) return std::make_shared<Split>(std::move(parent), std::move(step));
  if (step.map) return std::make_shared<Mapped>(std::move(parent), std::move(step));
  if (step.random_map) return std::make_shared<RandomlyMapped>(std::move(parent), std::move(step));
  return std::make_shared<Filtered>(std::move(parent), std::move(step));
}

}  // namespace kd::data
