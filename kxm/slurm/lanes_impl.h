// How the arrays of a job keep to one cap. The `%` of an array limits its own tasks only, so that
// arrays of one job share the cap: each has a lane, which is a part of it, and those of one lane
// follow each other.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "kxm/slurm.h"
#include "kxm/slurm/memory_impl.h"

namespace kxm::slurm {

class Lanes {
 public:
  Lanes() = default;
  explicit Lanes(std::vector<Lane> all) : all_(std::move(all)) {}

  // Where the next array goes; without lanes there is no cap.
  const Lane& next() const;
  // The next array went there, and is what its lane waits for now.
  void took(const Batch& batch);
  const std::vector<Lane>& all() const { return all_; }

 private:
  std::vector<Lane> all_;
  std::size_t at_ = 0;
};

// `width` tasks at a time, divided among `batches` arrays of `tasks` tasks together.
std::vector<Lane> share_cap(int width, std::size_t tasks, std::size_t batches);

// Lanes for further arrays of a job: what earlier ones leave of the cap, else behind these. Nothing
// if Slurm does not answer which of them are open.
std::optional<Lanes> open_lanes(Memory& m, const Slurm& slurm, const Attempt& first,
                                std::size_t tasks, std::size_t batches);

// Gives what arrays no longer need of a cap to others of the same job. All are of this folder.
void share_again(Memory& m, int cap, const std::filesystem::path& folder, const Queue& queue);

}  // namespace kxm::slurm
