// Streams of several sources.
#include <algorithm>
#include <numeric>

#include "kd/data/engine/stream_select_impl.h"
#include "kd/data/formats.h"
#include "kd/io/errors.h"

namespace kd::data {

namespace {

class Mixed final : public Selected {
 public:
  Mixed(std::vector<StreamPtr> parents, std::vector<std::int64_t> proportions)
      : Selected(std::move(parents)),
        proportions_(std::move(proportions)),
        size_(mixture_size(sizes(), proportions_)) {}
  std::int64_t size() const override { return size_; }

 private:
  Turn turn_of(std::int64_t position) const override { return turn_at(position, proportions_); }
  std::vector<std::int64_t> proportions_;
  std::int64_t size_;
};

class ByTable final : public Selected {
 public:
  ByTable(std::vector<StreamPtr> parents, std::vector<Turn> turns)
      : Selected(std::move(parents)), turns_(std::move(turns)) {
    const auto known = sizes();
    for (const Turn& turn : turns_) {
      if (turn.dataset >= known.size() || turn.element < 0) {
        throw Error(ErrorKind::index, "selection_map: there is no element " +
                                          std::to_string(turn.element) + " of dataset " +
                                          std::to_string(turn.dataset));
      }
    }
  }
  std::int64_t size() const override { return static_cast<std::int64_t>(turns_.size()); }

 private:
  Turn turn_of(std::int64_t position) const override {
    return turns_[static_cast<std::size_t>(position) % turns_.size()];
  }
  std::vector<Turn> turns_;
};

class Concatenated final : public Selected {
 public:
  explicit Concatenated(std::vector<StreamPtr> parents) : Selected(std::move(parents)) {
    const auto each = sizes();
    ends_.resize(each.size());
    std::partial_sum(each.begin(), each.end(), ends_.begin());
  }
  std::int64_t size() const override { return ends_.back(); }

 private:
  // A later epoch continues in each parent's next one.
  Turn turn_of(std::int64_t position) const override {
    const std::int64_t epoch = position / size(), place = position % size();
    const auto i = std::ranges::upper_bound(ends_, place) - ends_.begin();
    const std::int64_t begin = i > 0 ? ends_[i - 1] : 0;
    return {static_cast<std::size_t>(i), place - begin + epoch * (ends_[i] - begin)};
  }
  std::vector<std::int64_t> ends_;
};

}  // namespace

StreamPtr mixed(std::vector<StreamPtr> parents, const std::optional<std::vector<double>>& weights) {
  if (weights && weights->size() != parents.size()) {
    throw Error(ErrorKind::value, "weights: " + std::to_string(weights->size()) + " of them for " +
                                      std::to_string(parents.size()) + " datasets");
  }
  auto proportions =
      weights ? integer_proportions(*weights) : std::vector<std::int64_t>(parents.size(), 1);
  return std::make_shared<Mixed>(std::move(parents), std::move(proportions));
}

StreamPtr selected(std::vector<StreamPtr> parents, std::vector<Turn> turns) {
  return std::make_shared<ByTable>(std::move(parents), std::move(turns));
}

StreamPtr concatenated(std::vector<StreamPtr> parents) {
  return std::make_shared<Concatenated>(std::move(parents));
}

}  // namespace kd::data
