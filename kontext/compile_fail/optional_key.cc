// An optional key for a parameter that must be given.
#include <optional>

#include "kontext/call.h"

struct Loss {
  kontext::Key preds = "preds";
  std::optional<kontext::Key> mask = {};
  float get(float preds, float mask) const { return preds * mask; }
};

float run(const kontext::TreeRef& context) {
  return kontext::call_with_keys(context, Loss{}, &Loss::get);
}
