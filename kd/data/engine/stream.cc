// Streams that choose and order positions.
#include "kd/data/engine/stream.h"

#include <algorithm>
#include <array>
#include <deque>
#include <mutex>
#include <numeric>

#include "kd/data/engine/batch.h"
#include "kd/data/engine/profile.h"
#include "kd/data/formats.h"
#include "kd/data/order/generator.h"
#include "kd/data/order/index_shuffle.h"
#include "kd/io/errors.h"

namespace kd::data {

Tree Stream::batch(std::span<const std::int64_t> positions) const {
  std::vector<Tree> records;
  records.reserve(positions.size());
  for (std::int64_t position : positions) records.push_back(at(position).value());
  static ProfileSlot& time = profile_slot("stacking");
  const Timed timed(time);
  return stack(records);
}

std::optional<Tree> Stream::at_part(std::int64_t position, const std::string& element,
                                    const ChooseBox& choose) const {
  auto record = at(position);
  if (record) record = with_part(std::move(*record), element, choose);
  return record;
}

bool Stream::has_filter() const {
  return std::ranges::any_of(parents(), [](const Stream* parent) { return parent->has_filter(); });
}

// For those that change records and leave them in their places.
RecordId Stream::origin(std::int64_t position) const {
  const auto from = parents();
  return from.empty() ? RecordId{0, position} : from[0]->origin(position);
}

std::int64_t Stream::source_count() const {
  std::int64_t out = 0;
  for (const Stream* parent : parents()) out += parent->source_count();
  return std::max<std::int64_t>(out, 1);
}

std::optional<std::uint32_t> default_seed(const Stream& stream) {
  std::vector<std::uint64_t> found;
  std::deque<std::pair<const Stream*, std::uint64_t>> next = {{&stream, 0}};
  for (; !next.empty(); next.pop_front()) {
    auto [node, depth] = next.front();
    if (auto seed = node->seed()) {
      found.push_back(*seed);
      found.push_back(depth);
    } else {
      for (const Stream* parent : node->parents()) next.emplace_back(parent, depth + 1);
    }
  }
  if (found.empty()) return {};
  return seed_words(found, 1)[0];
}

namespace {

class SourceStream final : public Stream {
 public:
  explicit SourceStream(RecordsPtr records) : records_(std::move(records)) {}
  std::int64_t size() const override { return records_->size(); }
  std::optional<Tree> at(std::int64_t position) const override {
    const Timed timed(time_);
    return records_->read(position % size());
  }
  std::optional<Tree> at_part(std::int64_t position, const std::string& element,
                              const ChooseBox& choose) const override {
    const Timed timed(time_);
    return records_->read_part(position % size(), element, choose);
  }
  Tree batch(std::span<const std::int64_t> positions) const override {
    std::vector<std::int64_t> ids(positions.begin(), positions.end());
    for (std::int64_t& id : ids) id %= size();
    const Timed timed(time_);
    return records_->gather(ids);
  }
  RecordId origin(std::int64_t position) const override { return {0, position % size()}; }

 private:
  RecordsPtr records_;
  ProfileSlot& time_ = profile_slot("reading");
};

// One parent, whose records it gives under other positions.
class Reordered : public Stream {
 public:
  explicit Reordered(StreamPtr parent)
      : parent_(std::move(parent)), parent_size_(parent_->size()) {}
  std::int64_t size() const override { return parent_size_; }
  std::optional<Tree> at(std::int64_t position) const override {
    move({&position, 1});
    return parent_->at(position);
  }
  std::optional<Tree> at_part(std::int64_t position, const std::string& element,
                              const ChooseBox& choose) const override {
    move({&position, 1});
    return parent_->at_part(position, element, choose);
  }
  Tree batch(std::span<const std::int64_t> positions) const override {
    std::vector<std::int64_t> moved(positions.begin(), positions.end());
    move(moved);
    return parent_->batch(moved);
  }
  RecordId origin(std::int64_t position) const override {
    move({&position, 1});
    return parent_->origin(position);
  }
  std::vector<const Stream*> parents() const override { return {parent_.get()}; }

 protected:
  // Positions here into those of the parent.
  virtual void move(std::span<std::int64_t> positions) const = 0;
  std::int64_t parent_size() const { return parent_size_; }

 private:
  StreamPtr parent_;
  std::int64_t parent_size_;
};

class Seeded final : public Reordered {
 public:
  Seeded(StreamPtr parent, std::uint32_t seed) : Reordered(std::move(parent)), seed_(seed) {}
  std::optional<std::uint32_t> seed() const override { return seed_; }

 private:
  void move(std::span<std::int64_t>) const override {}
  std::uint32_t seed_;
};

class Repeated final : public Reordered {
 public:
  Repeated(StreamPtr parent, std::optional<std::int64_t> epochs)
      : Reordered(std::move(parent)), epochs_(epochs) {}
  std::int64_t size() const override {
    if (parent_size() == 0) return 0;
    if (!epochs_ || *epochs_ > kForever / parent_size()) return kForever;
    return parent_size() * *epochs_;
  }

 private:
  void move(std::span<std::int64_t>) const override {}
  std::optional<std::int64_t> epochs_;
};

class Sliced final : public Reordered {
 public:
  Sliced(StreamPtr parent, const Slice& slice) : Reordered(std::move(parent)) {
    const std::int64_t n = parent_size();
    step_ = slice.step.value_or(1);
    if (step_ == 0) throw Error(ErrorKind::value, "slice: a step of 0 does not lead anywhere");
    const bool forward = step_ > 0;
    auto bound = [&](std::optional<std::int64_t> given, std::int64_t otherwise) {
      if (!given) return otherwise;
      const std::int64_t from_start = *given < 0 ? *given + n : *given;
      return std::clamp(from_start, forward ? 0 : std::int64_t{-1}, forward ? n : n - 1);
    };
    start_ = bound(slice.start, forward ? 0 : n - 1);
    const std::int64_t stop = bound(slice.stop, forward ? n : -1);
    const std::int64_t length = forward ? stop - start_ : start_ - stop;
    const std::int64_t stride = forward ? step_ : -step_;
    size_ = length > 0 ? (length - 1) / stride + 1 : 0;
  }
  std::int64_t size() const override { return size_; }

 private:
  void move(std::span<std::int64_t> positions) const override {
    for (std::int64_t& p : positions) p = start_ + p % size_ * step_ + p / size_ * parent_size();
  }
  std::int64_t start_ = 0, step_ = 1, size_ = 0;
};

class Shuffled final : public Reordered {
 public:
  Shuffled(StreamPtr parent, std::uint32_t seed) : Reordered(std::move(parent)), seed_(seed) {}

 private:
  void move(std::span<std::int64_t> positions) const override {
    const std::int64_t n = parent_size();
    std::optional<IndexShuffle> order;
    std::int64_t known = -1;
    for (std::int64_t& position : positions) {
      const std::int64_t epoch = position / n;
      if (epoch != known) {
        order.emplace(static_cast<std::uint64_t>(n - 1), seed_ + static_cast<std::uint32_t>(epoch));
        known = epoch;
      }
      const auto place = (*order)(static_cast<std::uint64_t>(position % n));
      position = static_cast<std::int64_t>(place) + epoch * n;
    }
  }
  std::uint32_t seed_;
};

class BufferShuffled final : public Reordered {
 public:
  BufferShuffled(StreamPtr parent, std::int64_t size, std::uint32_t seed)
      : Reordered(std::move(parent)), size_(std::min(size, parent_size())), seed_(seed) {}

 private:
  using Order = std::vector<std::int64_t>;

  void move(std::span<std::int64_t> positions) const override {
    const std::int64_t n = parent_size();
    for (std::int64_t& position : positions) {
      const std::int64_t epoch = position / n;
      position = (*order_of(epoch))[static_cast<std::size_t>(position % n)] + epoch * n;
    }
  }

  // A draw depends on all before it, so the whole epoch is drawn at once. Readers are in one epoch
  // or at the border of two.
  std::shared_ptr<const Order> order_of(std::int64_t epoch) const {
    const std::lock_guard lock(mutex_);
    auto& [known, order] = orders_[static_cast<std::size_t>(epoch % 2)];
    if (!order || known != epoch) {
      order = std::make_shared<const Order>(drawn(epoch));
      known = epoch;
    }
    return order;
  }

  Order drawn(std::int64_t epoch) const {
    Generator rng({seed_, 0}, {0, 0, static_cast<std::uint64_t>(epoch), 0});
    const std::int64_t n = parent_size();
    Order buffer(static_cast<std::size_t>(size_)), out;
    std::iota(buffer.begin(), buffer.end(), 0);
    out.reserve(static_cast<std::size_t>(n));
    for (std::int64_t next = size_; !buffer.empty(); ++next) {
      std::int64_t& place = buffer[static_cast<std::size_t>(rng.integers(buffer.size()))];
      out.push_back(place);
      if (next < n) {
        place = next;
      } else {
        place = buffer.back();
        buffer.pop_back();
      }
    }
    return out;
  }

  std::int64_t size_;
  std::uint32_t seed_;
  mutable std::mutex mutex_;
  mutable std::array<std::pair<std::int64_t, std::shared_ptr<const Order>>, 2> orders_ = {};
};

}  // namespace

StreamPtr stream(RecordsPtr records) { return std::make_shared<SourceStream>(std::move(records)); }
StreamPtr seeded(StreamPtr parent, std::uint32_t seed) {
  return std::make_shared<Seeded>(std::move(parent), seed);
}
StreamPtr slice(StreamPtr parent, const Slice& slice) {
  return std::make_shared<Sliced>(std::move(parent), slice);
}
StreamPtr shuffled(StreamPtr parent, std::uint32_t seed) {
  return std::make_shared<Shuffled>(std::move(parent), seed);
}
StreamPtr buffer_shuffled(StreamPtr parent, std::int64_t size, std::uint32_t seed) {
  if (size < 1) {
    throw Error(ErrorKind::value, "shuffle_buffer_size",
                "expected a whole number above 0, got " + std::to_string(size));
  }
  return std::make_shared<BufferShuffled>(std::move(parent), size, seed);
}
StreamPtr repeated(StreamPtr parent, std::optional<std::int64_t> epochs) {
  if (epochs && *epochs < 0) {
    throw Error(ErrorKind::value,
                "num_epochs: " + std::to_string(*epochs) + " is negative; None means for ever");
  }
  return std::make_shared<Repeated>(std::move(parent), epochs);
}

}  // namespace kd::data
