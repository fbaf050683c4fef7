// What holds for every module: `name` as an argument, and the hook by which a running call learns
// that a module object died.
#include <algorithm>

#include "kd/nn/module/frame.h"
#include "kd/nn/module/named_module.h"
#include "konfig/construct.h"
#include "konfig/register.h"

namespace kd::nn::detail {

constinit thread_local OnDestroy on_destroy = nullptr;
constinit thread_local bool listing_calls = false;

}  // namespace kd::nn::detail

namespace kd::nn {
namespace {

using konfig::Value;

Value with_name(const konfig::Type& type, const konfig::Arguments& arguments,
                const std::function<Value(const konfig::Arguments&)>& build) {
  auto is_name = [](const auto& entry) { return entry.first == "name"; };
  const auto given = std::ranges::find_if(arguments.keyword, is_name);
  if (type.find("name") || given == arguments.keyword.end()) return build(arguments);
  const Value name = given->second;
  konfig::Arguments rest = arguments;
  std::erase_if(rest.keyword, is_name);
  Value module = build(rest);
  if (name.is_none()) return module;
  return konfig::get_symbol("kd.nn:NamedModule")
      .construct({.positional = {}, .keyword = {{"name", name}, {"model", module}}});
}

}  // namespace
}  // namespace kd::nn
KONFIG_RUN(konfig::set_construct("kd::Module", kd::nn::with_name));
