// Lanes of a cap.
#include "kxm/slurm/lanes_impl.h"

#include <algorithm>
#include <set>

#include "kxm/slurm/questions_impl.h"

namespace kxm::slurm {

const Lane& Lanes::next() const {
  static const Lane no_cap;
  return all_.empty() ? no_cap : all_[at_ % all_.size()];
}

void Lanes::took(const Batch& batch) {
  if (all_.empty()) return;
  all_[at_++ % all_.size()].after = batch.id;
}

std::vector<Lane> share_cap(int width, std::size_t tasks, std::size_t batches) {
  const auto cap = std::min(static_cast<std::size_t>(width), tasks);
  const std::size_t lanes = std::min(cap, batches);
  std::vector<Lane> out;
  for (std::size_t i = 0; i < lanes; ++i) {
    out.push_back({.width = static_cast<int>(cap / lanes + (i < cap % lanes ? 1 : 0))});
  }
  return out;
}

std::optional<Lanes> open_lanes(Memory& m, const Slurm& slurm, const Attempt& first,
                                std::size_t tasks, std::size_t batches) {
  if (slurm.max_parallel <= 0) return Lanes();
  const auto folder = batches_folder(first);
  if (!m.read.contains(folder)) m.read_folder(folder);
  std::vector<Known*> earlier;
  for (auto& [token, known] : m.batches) {
    const Batch& batch = known.batch;
    if (batch.folder == folder && batch.job == first.job && batch.refused.empty()) {
      earlier.push_back(&known);
    }
  }
  if (earlier.empty()) return Lanes(share_cap(slurm.max_parallel, tasks, batches));
  m.asking.reset();
  const Queue* queue = ask_queue(m, slurm.poll_seconds);
  if (!queue) return std::nullopt;
  std::vector<const Batch*> open;
  std::set<std::int64_t> followed;
  for (Known* known : earlier) {
    if (!find_id(*known, queue) || !queue->has_open(known->batch.token)) continue;
    open.push_back(&known->batch);
    if (known->batch.lane.after) followed.insert(*known->batch.lane.after);
  }
  std::sort(open.begin(), open.end(),
            [](const Batch* a, const Batch* b) { return *a->id < *b->id; });
  int left = slurm.max_parallel;
  std::vector<Lane> behind;
  for (const Batch* batch : open) {
    if (followed.contains(*batch->id)) continue;
    behind.push_back({.width = std::max(1, batch->lane.width), .after = batch->id});
    left -= behind.back().width;
  }
  if (left <= 0) return Lanes(behind);
  return Lanes(share_cap(left, tasks, batches));
}

}  // namespace kxm::slurm
