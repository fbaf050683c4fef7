// Streams that take each record from one of several others. Library only.
#pragma once

#include "kd/data/engine/stream.h"
#include "kd/data/formats.h"
#include "kd/data/order/interleave.h"
#include "kd/io/errors.h"

namespace kd::data {

// Takes each record from one of its parents.
class Selected : public Stream {
 public:
  explicit Selected(std::vector<StreamPtr> parents) : parents_(std::move(parents)) {
    if (parents_.empty()) throw Error(ErrorKind::value, "datasets: a mixture has at least one");
  }
  std::optional<Tree> at(std::int64_t position) const override {
    const Turn turn = turn_of(position);
    return parents_[turn.dataset]->at(turn.element);
  }
  RecordId origin(std::int64_t position) const override {
    const Turn turn = turn_of(position);
    RecordId out = parents_[turn.dataset]->origin(turn.element);
    for (std::size_t i = 0; i < turn.dataset; ++i) out.source += parents_[i]->source_count();
    return out;
  }
  std::vector<const Stream*> parents() const override {
    std::vector<const Stream*> out;
    for (auto& parent : parents_) out.push_back(parent.get());
    return out;
  }

 protected:
  virtual Turn turn_of(std::int64_t position) const = 0;
  std::vector<std::int64_t> sizes() const {
    std::vector<std::int64_t> out;
    for (auto& parent : parents_) out.push_back(parent->size());
    return out;
  }

  std::vector<StreamPtr> parents_;
};

}  // namespace kd::data
