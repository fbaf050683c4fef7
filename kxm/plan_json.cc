// Plans as JSON.
#include <utility>

#include "konfig/error.h"
#include "konfig/json.h"
#include "kxm/plan_json_impl.h"
#include "kxm/text_impl.h"

namespace kxm {

using konfig::Dict;
using konfig::Error;
using konfig::ErrorKind;
using konfig::List;
using konfig::Value;

namespace {

// ---- Writing: by hand, since ten thousand units are written while somebody waits ----------------

void append_job(std::string& out, const PlannedJob& job) {
  out += "{\"name\": ";
  append_text(out, job.name);
  out += ", \"role\": ";
  append_text(out, role_text(job.role));
  out += ", \"argv\": ";
  append_texts(out, job.argv);
  if (!job.env.empty()) {
    // Pairs: a name need not be UTF-8 either.
    std::vector<std::string> pairs;
    for (auto& [name, value] : job.env) pairs.push_back(name + "=" + value);
    out += ", \"env\": ";
    append_texts(out, pairs);
  }
  if (!job.secrets.empty()) {
    out += ", \"secrets\": ";
    append_texts(out, job.secrets);
  }
  if (!job.after.empty()) {
    out += ", \"after\": ";
    append_texts(out, job.after);
  }
  if (job.resources != Resources()) {
    const Resources& r = job.resources;
    out += ", \"resources\": " + konfig::to_json(Dict{{"cpus", r.cpus},
                                                      {"memory", r.memory},
                                                      {"gpus", r.gpus},
                                                      {"gpu_type", record_text(r.gpu_type)},
                                                      {"replicas", r.replicas},
                                                      {"seconds", r.seconds},
                                                      {"place", record_text(r.place)},
                                                      {"container", record_text(r.container)}});
  }
  out += '}';
}

// ---- Reading ------------------------------------------------------------------------------------

const Value* find(const Dict& dict, std::string_view key) { return dict.find(Value(key)); }

std::string text_at(const Dict& dict, std::string_view key) {
  const Value* value = find(dict, key);
  return value ? text_of(*value) : "";
}

std::vector<std::string> texts_at(const Dict& dict, std::string_view key) {
  std::vector<std::string> out;
  if (const Value* value = find(dict, key)) {
    for (const Value& item : value->as<List>()) out.push_back(text_of(item));
  }
  return out;
}

std::int64_t int_at(const Dict& dict, std::string_view key) {
  const Value* value = find(dict, key);
  return value ? value->as<std::int64_t>() : 0;
}

double number_at(const Dict& dict, std::string_view key) {
  const Value* value = find(dict, key);
  if (!value) return 0;
  if (auto* whole = value->get_if<std::int64_t>()) return static_cast<double>(*whole);
  return value->as<double>();
}

PlannedJob job_from(const Dict& dict) {
  PlannedJob job;
  job.name = text_at(dict, "name");
  job.role = role_of(text_at(dict, "role"));
  job.argv = texts_at(dict, "argv");
  for (const std::string& pair : texts_at(dict, "env")) {
    const auto end = pair.find('=');
    job.env[pair.substr(0, end)] = pair.substr(end + 1);
  }
  job.secrets = texts_at(dict, "secrets");
  job.after = texts_at(dict, "after");
  if (const Value* found = find(dict, "resources")) {
    const Dict& r = found->as<Dict>();
    job.resources = {.cpus = number_at(r, "cpus"),
                     .memory = int_at(r, "memory"),
                     .gpus = static_cast<int>(int_at(r, "gpus")),
                     .gpu_type = text_at(r, "gpu_type"),
                     .replicas = static_cast<int>(int_at(r, "replicas")),
                     .seconds = int_at(r, "seconds"),
                     .place = text_at(r, "place"),
                     .container = text_at(r, "container")};
  }
  return job;
}

Dict parse(std::string_view text, std::string_view key) {
  Dict all = konfig::parse_json(text).as<Dict>();
  if (!find(all, key))
    throw Error(ErrorKind::value, "no \"" + std::string(key) + "\" in the record");
  return all;
}

}  // namespace

std::string_view role_text(Role role) {
  return role == Role::train ? "train" : role == Role::evaluate ? "evaluate" : "program";
}

Role role_of(std::string_view text) {
  for (const Role role : {Role::program, Role::train, Role::evaluate}) {
    if (role_text(role) == text) return role;
  }
  throw Error(ErrorKind::value, "'" + std::string(text) + "' is not a job's role");
}

std::string heading_json(const Heading& heading) {
  const Plan& plan = heading.plan;
  List tags, files;
  for (auto& tag : plan.tags) tags.push_back(record_text(tag));
  for (auto& file : plan.files) {
    files.push_back(Dict{{"name", record_text(file.name)}, {"source", record_text(file.source)}});
  }
  Dict texts;
  for (auto& [name, text] : plan.texts) texts.set(name, record_text(text));
  return konfig::to_json(Dict{{"xid", plan.xid},
                              {"title", record_text(plan.title)},
                              {"author", record_text(plan.author)},
                              {"note", record_text(plan.note)},
                              {"tags", tags},
                              {"dir", record_text(plan.dir)},
                              {"cwd", record_text(plan.cwd)},
                              {"files", files},
                              {"max_parallel", plan.max_parallel},
                              {"retries", plan.retries},
                              {"fail_fast", plan.fail_fast},
                              {"executor", heading.executor},
                              {"host", record_text(heading.host)},
                              {"created", heading.created},
                              {"home", record_text(heading.home)},
                              {"texts", texts}},
                         {.indent = 2}) +
         "\n";
}

Heading heading_from_json(std::string_view text) {
  const Dict all = parse(text, "xid");
  Heading out;
  Plan& plan = out.plan;
  plan.xid = static_cast<int>(int_at(all, "xid"));
  plan.title = text_at(all, "title");
  plan.author = text_at(all, "author");
  plan.note = text_at(all, "note");
  plan.tags = texts_at(all, "tags");
  plan.dir = text_at(all, "dir");
  plan.cwd = text_at(all, "cwd");
  for (const Value& file : all.at("files").as<List>()) {
    const Dict& entry = file.as<Dict>();
    plan.files.push_back({.name = text_at(entry, "name"), .source = text_at(entry, "source")});
  }
  for (auto& [name, value] : all.at("texts").as<Dict>()) {
    plan.texts.emplace_back(name.as<std::string>(), text_of(value));
  }
  plan.max_parallel = static_cast<int>(int_at(all, "max_parallel"));
  plan.retries = static_cast<int>(int_at(all, "retries"));
  plan.fail_fast = all.at("fail_fast").as<bool>();
  out.executor = text_at(all, "executor");
  out.host = text_at(all, "host");
  out.created = number_at(all, "created");
  out.home = text_at(all, "home");
  return out;
}

std::string units_json(std::span<const PlannedUnit> units) {
  std::string out = "{\"units\": [";
  for (std::size_t i = 0; i < units.size(); ++i) {
    const PlannedUnit& unit = units[i];
    out += i > 0 ? ",\n" : "\n";
    out += "{\"wid\": " + std::to_string(unit.wid) + ", \"identity\": ";
    append_text(out, unit.identity);
    out += ", \"dir\": ";
    append_text(out, unit.dir);
    out += ", \"args\": " + konfig::to_json(unit.args) + ", \"jobs\": [";
    for (std::size_t j = 0; j < unit.jobs.size(); ++j) {
      if (j > 0) out += ", ";
      append_job(out, unit.jobs[j]);
    }
    out += "]}";
  }
  return out + "]}\n";
}

std::vector<PlannedUnit> units_from_json(std::string_view text) {
  std::vector<PlannedUnit> out;
  const Dict all = parse(text, "units");
  for (const Value& value : all.at("units").as<List>()) {
    const Dict& entry = value.as<Dict>();
    PlannedUnit unit;
    unit.wid = static_cast<int>(int_at(entry, "wid"));
    unit.identity = text_at(entry, "identity");
    unit.dir = text_at(entry, "dir");
    unit.args = entry.at("args").as<Dict>();
    for (const Value& job : entry.at("jobs").as<List>())
      unit.jobs.push_back(job_from(job.as<Dict>()));
    out.push_back(std::move(unit));
  }
  return out;
}

}  // namespace kxm
