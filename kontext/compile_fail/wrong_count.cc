// Two keys for a function of one parameter.
#include "kontext/call.h"

struct Loss {
  kontext::Key preds = "preds";
  kontext::Key targets = "targets";
  float get(float preds) const { return preds; }
};

float run(const kontext::TreeRef& context) {
  return kontext::call_with_keys(context, Loss{}, &Loss::get);
}
