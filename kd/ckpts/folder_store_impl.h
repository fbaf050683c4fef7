// The checkpoints of a run as folders, <workdir>/checkpoints/ckpt_<step>/. Library only.
#pragma once

#include <functional>
#include <future>

#include "kd/ckpts/engine/manager.h"
#include "kd/ckpts/files_impl.h"
#include "kd/ckpts/retention.h"

namespace kd::ckpts {

class FolderStore final : public Store {
 public:
  // The options' own workdir, if given, wins. Leftovers of an interrupted save are removed, unless
  // read-only.
  FolderStore(const Checkpointer& options, const std::filesystem::path& workdir, bool read_only);
  ~FolderStore() override;  // waits for the save under way
  FolderStore(const FolderStore&) = delete;
  FolderStore& operator=(const FolderStore&) = delete;

  std::vector<std::int64_t> all_steps() const override;
  std::optional<std::int64_t> latest_step() const override;
  bool should_save(std::int64_t step) const override;
  void save(std::int64_t step, const Snapshot& snapshot, const konfig::Value& metrics,
            bool keep) override;
  void wait_until_finished() override;
  void check_saved() override;
  Snapshot restore(std::optional<std::int64_t> step) override;
  void remove(std::int64_t step) override;
  std::string place_of(std::int64_t step) const override;

  // What happens between two attempts to save or to read; by default it waits for 5 seconds.
  void set_between_attempts(std::function<void()> wait) { between_attempts_ = std::move(wait); }

 private:
  void scan();
  void pass_over(const std::vector<Damaged>& found, std::int64_t step);
  void write(const Snapshot& snapshot, const Info& info) const;
  Snapshot read(std::int64_t step) const;
  Snapshot read_or_explain(const std::vector<std::int64_t>& steps,
                           std::optional<std::int64_t> step) const;
  std::string advice() const;
  std::string foreign_advice() const;
  void wait_between_attempts() const;

  Checkpointer options_;
  std::filesystem::path folder_;
  bool read_only_;
  std::vector<Info> infos_;   // with the one being saved; of read-only ones unused
  std::vector<Info> before_;  // without it
  std::function<void()> between_attempts_;
  std::future<void> pending_;
};

}  // namespace kd::ckpts
