// Streams that draw from several others, and streams side by side.
#include <algorithm>
#include <mutex>
#include <numeric>

#include "kd/data/engine/stream_select_impl.h"
#include "kd/data/formats.h"
#include "kd/io/errors.h"

namespace kd::data {

namespace {

// Which parent a position belongs to is drawn for each position; which of its records, depends on
// how often it was drawn before. Those counts are kept for every kBlock-th position.
class Sampled final : public Selected {
 public:
  Sampled(std::vector<StreamPtr> parents, std::vector<double> weights, std::uint32_t seed,
          bool stop_on_empty)
      : Selected(std::move(parents)), weights_(std::move(weights)), key_(seeded_key(seed)) {
    counts_.emplace_back(parents_.size());
    size_ = find_size(stop_on_empty);
  }
  std::int64_t size() const override { return size_; }

 private:
  using Counts = std::vector<std::int64_t>;
  static constexpr std::int64_t kBlock = 256;

  // Among the parents that have records left.
  std::size_t draw(std::int64_t position, const Counts& counts) const {
    double total = 0;
    for (std::size_t i = 0; i < parents_.size(); ++i) {
      if (counts[i] < parents_[i]->size()) total += weights_[i];
    }
    double left =
        Generator(key_, {0, 0, 0, static_cast<std::uint64_t>(position)}).uniform() * total;
    std::size_t last = parents_.size();
    for (std::size_t i = 0; i < parents_.size(); ++i) {
      if (weights_[i] <= 0 || counts[i] >= parents_[i]->size()) continue;
      last = i;
      if (left < weights_[i]) break;
      left -= weights_[i];
    }
    return last;
  }

  Turn turn_of(std::int64_t position) const override {
    const auto block = static_cast<std::size_t>(position / kBlock);
    Counts counts;
    {
      std::lock_guard lock(mutex_);
      while (counts_.size() <= block) {
        Counts next = counts_.back();
        const auto begin = static_cast<std::int64_t>(counts_.size() - 1) * kBlock;
        for (std::int64_t i = begin; i < begin + kBlock; ++i) ++next[draw(i, next)];
        counts_.push_back(std::move(next));
      }
      counts = counts_[block];
    }
    for (std::int64_t i = position / kBlock * kBlock; i < position; ++i) ++counts[draw(i, counts)];
    const std::size_t dataset = draw(position, counts);
    return {dataset, counts[dataset]};
  }

  // Without a limit all records come; with it, the first draw from an empty parent ends the stream.
  std::int64_t find_size(bool stop_on_empty) const {
    std::int64_t total = 0, least = kForever;
    for (std::size_t i = 0; i < parents_.size(); ++i) {
      if (weights_[i] <= 0) continue;
      const std::int64_t size = parents_[i]->size();
      least = std::min(least, size);
      total = size == kForever || total == kForever ? kForever : total + size;
    }
    if (!stop_on_empty || least == kForever) return total;
    Counts counts(parents_.size());
    for (std::int64_t position = 0;; ++position) {
      for (std::size_t i = 0; i < parents_.size(); ++i) {
        if (weights_[i] > 0 && counts[i] == parents_[i]->size()) return position;
      }
      ++counts[draw(position, counts)];
    }
  }

  std::vector<double> weights_;
  Generator::Key key_;
  std::int64_t size_ = 0;
  mutable std::mutex mutex_;
  mutable std::vector<Counts> counts_;
};

class Zipped final : public Stream {
 public:
  explicit Zipped(std::vector<std::pair<std::string, StreamPtr>> parts) : parts_(std::move(parts)) {
    if (parts_.empty()) throw Error(ErrorKind::value, "datasets: at least one is needed");
    for (auto& [name, part] : parts_) {
      if (!part->has_filter()) continue;
      throw Error(ErrorKind::unsupported, "datasets." + name,
                  "a filter would put examples side by side that do not belong together; filter "
                  "behind the zip");
    }
  }
  std::int64_t size() const override {
    std::int64_t out = kForever;
    for (auto& [name, part] : parts_) out = std::min(out, part->size());
    return out;
  }
  std::optional<Tree> at(std::int64_t position) const override {
    Tree out = Tree::dict();
    for (auto& [name, part] : parts_) out[name] = part->at(position).value();
    return out;
  }
  Tree batch(std::span<const std::int64_t> positions) const override {
    Tree out = Tree::dict();
    for (auto& [name, part] : parts_) out[name] = part->batch(positions);
    return out;
  }
  std::vector<const Stream*> parents() const override {
    std::vector<const Stream*> out;
    for (auto& [name, part] : parts_) out.push_back(part.get());
    return out;
  }

 private:
  std::vector<std::pair<std::string, StreamPtr>> parts_;
};

}  // namespace

StreamPtr sampled(std::vector<StreamPtr> parents, const std::optional<std::vector<double>>& weights,
                  std::uint32_t seed, bool stop_on_empty) {
  if (parents.empty()) throw Error(ErrorKind::value, "datasets: a mixture has at least one");
  if (weights && weights->size() != parents.size()) {
    throw Error(ErrorKind::value, "weights: " + std::to_string(weights->size()) + " of them for " +
                                      std::to_string(parents.size()) + " datasets");
  }
  auto each = weights ? *weights : std::vector<double>(parents.size(), 1);
  const bool fits = std::ranges::all_of(each, [](double w) { return w >= 0; }) &&
                    std::accumulate(each.begin(), each.end(), 0.0) > 0;
  if (!fits) throw Error(ErrorKind::value, "weights: they are positive, or 0 for some of them");
  return std::make_shared<Sampled>(std::move(parents), std::move(each), seed, stop_on_empty);
}

StreamPtr zipped(std::vector<std::pair<std::string, StreamPtr>> parts) {
  return std::make_shared<Zipped>(std::move(parts));
}

}  // namespace kd::data
