// Whether components refuse indices that they would otherwise let pass, as JAX does.
#pragma once

namespace kd {

// For this thread, while it lives.
class IndexChecks {
 public:
  explicit IndexChecks(bool on);
  ~IndexChecks();
  IndexChecks(const IndexChecks&) = delete;
  IndexChecks& operator=(const IndexChecks&) = delete;

 private:
  bool before_;
};

bool checks_indices();

}  // namespace kd
