// A plan as data, in the keys of the reference's records.
#include "kxm/job.h"
#include "kxm/make_plan.h"

namespace kxm {
namespace {

using konfig::Dict;
using konfig::List;
using konfig::Value;

Value or_default(const Dict& params, const char* field, const Value& otherwise) {
  auto* value = params.find(field);
  return value ? *value : otherwise;
}

Dict job_dict(const Dict& params) {
  constexpr int kDefaultPriority = 200;
  return {{"name", or_default(params, "name", konfig::None())},
          {"target", or_default(params, "target", "")},
          {"priority", or_default(params, "priority", kDefaultPriority)},
          {"platform", or_default(params, "platform", konfig::None())},
          {"cell", or_default(params, "cell", konfig::None())},
          {"use_interpreter", or_default(params, "use_interpreter", false)},
          {"add_jax_flags", or_default(params, "add_jax_flags", true)},
          {"args", or_default(params, "args", Dict())},
          {"env_vars", or_default(params, "env_vars", Dict())},
          {"files", or_default(params, "files", Dict())}};
}

List texts(const std::vector<std::string>& items) {
  List out;
  for (auto& item : items) out.push_back(item);
  return out;
}

Dict unit_dict(const PlannedUnit& unit) {
  Dict jobs;
  for (auto& job : unit.jobs) {
    Dict env;
    for (auto& [name, text] : job.env) env.set(name, text);
    Dict one{{"argv", texts(job.argv)}, {"env", env}};
    if (!job.after.empty()) one.set("after", texts(job.after));
    jobs.set(job.name, one);
  }
  return {{"id", unit.wid},
          {"identity", unit.identity},
          {"ui_args", unit.args},
          {"dir", unit.dir.empty() ? Value() : Value(unit.dir)},
          {"jobs", jobs}};
}

}  // namespace

Dict plan_dict(const Plan& plan) {
  Dict jobs;
  for (auto& [name, params] : plan.jobs) jobs.set(name, job_dict(params));
  List titles, units;
  for (auto& [title, text] : plan.texts) titles.push_back(title);
  for (auto& unit : plan.units) units.push_back(unit_dict(unit));
  return {{"jobs", jobs},
          {"experiment", Dict{{"xid", plan.xid},
                              {"title", plan.title},
                              {"author", plan.author},
                              {"tags", texts(plan.tags)},
                              {"notes", plan.note},
                              {"dir", plan.dir.empty() ? Value() : Value(plan.dir)},
                              {"attached_texts", titles},
                              {"units", units}}}};
}

}  // namespace kxm
