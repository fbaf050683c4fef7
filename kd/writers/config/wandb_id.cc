// The ids of W&B's runs.
#include <cstdlib>

#include "kd/writers/wandb_id.h"
#include "konfig/error.h"

namespace kd::writers {

using konfig::Error;

void check_wandb_id(const std::string& id) {
  constexpr std::string_view kAllowed =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";
  const bool only_dots = id.find_first_not_of('.') == id.npos;
  if (!only_dots && id.size() <= 128 && id.find_first_not_of(kAllowed) == id.npos) return;
  throw Error(konfig::ErrorKind::value, "'" + id +
                                            "' cannot be the id of a W&B run: use 1 to 128 "
                                            "letters, digits, '-', '_' and '.'");
}

std::string agents_run_id() {
  const char* id = std::getenv("WANDB_RUN_ID");
  if (!id || !*id) return "";
  try {
    check_wandb_id(id);
  } catch (const Error& e) {
    throw Error(e.kind(), std::string("WANDB_RUN_ID: ") + e.what());
  }
  return id;
}

}  // namespace kd::writers
