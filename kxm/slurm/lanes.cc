// Lanes of a cap.
#include "kxm/slurm/lanes_impl.h"

#include <algorithm>
#include <map>
#include <set>

#include "kxm/slurm/commands_impl.h"
#include "kxm/slurm/questions_impl.h"

namespace kxm::slurm {

namespace fs = std::filesystem;

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

namespace {

struct OpenArray {
  Known* known = nullptr;
  int runs = 0, waits = 0;
  int width = 0;  // that it is to have
};

OpenArray open_array(Known& known, const Queue& queue) {
  OpenArray out = {.known = &known};
  const std::string& token = known.batch.token;
  for (auto it = queue.tasks.lower_bound({token, -1});
       it != queue.tasks.end() && it->first.first == token; ++it) {
    if (is_over(it->second.state)) continue;
    ++(it->second.state == "PENDING" ? out.waits : out.runs);
  }
  return out;
}

// Nothing while one of them is to follow another: then that leaves it its part.
void share_among(std::vector<OpenArray>& arrays, int cap) {
  std::set<std::int64_t> open;
  for (const OpenArray& array : arrays) open.insert(*array.known->batch.id);
  for (OpenArray& array : arrays) {
    const auto& after = array.known->batch.lane.after;
    if (after && open.contains(*after)) return;
    array.width = array.waits > 0 ? std::max(1, array.runs) : array.runs;
    cap -= array.width;
  }
  for (OpenArray& array : arrays) {
    const int more = std::clamp(array.runs + array.waits - array.width, 0, std::max(0, cap));
    array.width += more;
    cap -= more;
  }
  const auto waiting = std::ranges::find_if(arrays, [](auto& array) { return array.waits > 0; });
  if (waiting != arrays.end()) waiting->width += std::max(0, cap);
  // What becomes less comes first.
  std::ranges::stable_sort(arrays, {}, [](const OpenArray& array) {
    return array.width - array.known->batch.lane.width;
  });
  for (const OpenArray& array : arrays) {
    Known& known = *array.known;
    if (array.waits == 0 || (known.width_known && known.batch.lane.width == array.width)) continue;
    known.width_known = ask({"scontrol", "update", "JobId=" + std::to_string(*known.batch.id),
                             "ArrayTaskThrottle=" + std::to_string(array.width)})
                            .ok();
    if (known.width_known) known.batch.lane.width = array.width;
  }
}

}  // namespace

void share_again(Memory& m, int cap, const fs::path& folder, const Queue& queue) {
  std::map<std::string, std::vector<OpenArray>> jobs;
  for (auto& [token, known] : m.batches) {
    if (known.batch.folder != folder || !known.batch.id) continue;
    const OpenArray array = open_array(known, queue);
    if (array.runs + array.waits > 0) jobs[known.batch.job].push_back(array);
  }
  for (auto& [job, arrays] : jobs) {
    std::ranges::sort(arrays, {}, [](const OpenArray& array) { return *array.known->batch.id; });
    share_among(arrays, cap);
  }
}

}  // namespace kxm::slurm
