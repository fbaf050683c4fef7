// The trainer's fields, and the groups of checks that configs name.
#include "kd/train/trainer.h"
#include "konfig/register.h"

namespace kd::train {

std::vector<std::string> Tags::list() const {
  if (auto* all = std::get_if<std::vector<std::string>>(this)) return *all;
  std::vector<std::string> out(1);
  for (char c : std::get<std::string>(*this)) {
    if (c == ',') {
      out.emplace_back();
    } else {
      out.back() += c;
    }
  }
  return out;
}

void Trainer::konfig_post_resolve(const konfig::ConfigDict& node) const {
  const bool evaluates = node.is_call() && node.qualname() == "kauldron.kd:train.Trainer.eval_only";
  if (!evaluates || setup.eval_only) return;
  throw konfig::Error(konfig::ErrorKind::value, "setup.eval_only",
                      "it is false, but Trainer.eval_only only evaluates; use Trainer to train");
}

namespace {

using Names = std::vector<std::string>;

// As JAX calls them.
bool register_checks() {
  const std::pair<const char*, Names> groups[] = {{"nan_checks", {"nan"}},
                                                  {"div_checks", {"div"}},
                                                  {"float_checks", {"nan", "div"}},
                                                  {"index_checks", {"index"}},
                                                  {"user_checks", {"user"}},
                                                  {"automatic_checks", {"nan", "div", "index"}},
                                                  {"all_checks", {"nan", "div", "index", "user"}}};
  for (auto& [name, checks] : groups) {
    konfig::detail::register_constant(std::string("jax.experimental.checkify:") + name, checks);
  }
  return true;
}

}  // namespace
}  // namespace kd::train
KONFIG_RUN(kd::train::register_checks());
