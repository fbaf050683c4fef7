// What is said when a call does not fit: everything one needs to see the mistake.
#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "base/join.h"
#include "kd/typing/scope.h"
#include "konfig/error.h"

namespace kd::typing {

namespace {

// "&kd::(anonymous namespace)::Mlp<int>::call" to "Mlp<int>.call".
std::string spoken(FunctionName name) {
  std::vector<std::string> parts(1);
  int depth = 0;
  for (std::size_t i = 0; i < name.text.size(); ++i) {
    char c = name.text[i];
    depth += c == '<' || c == '(' || c == '{';
    depth -= c == '>' || c == ')' || c == '}';
    if (depth == 0 && name.text.substr(i).starts_with("::")) {
      parts.emplace_back();
      ++i;
    } else if (c != '&' || depth > 0) {
      parts.back() += c;
    }
  }
  if (!name.of_member || parts.size() < 2) return parts.back();
  return parts[parts.size() - 2] + "." + parts.back();
}

std::string spoken(const Where& where) {
  std::string out = where.argument > 0    ? "argument " + std::to_string(where.argument)
                    : where.argument == 0 ? "result"
                                          : "value";
  if (!where.field.empty()) out += "." + std::string(where.field);
  if (where.item >= 0) out += "[" + std::to_string(where.item) + "]";
  return out;
}

std::string annotation(std::span<const Form> forms) {
  return base::join(forms, " | ", [](const Form& form) {
    return std::string(name_of(form.elements)) + "<\"" + std::string(form.spec->text) + "\">";
  });
}

}  // namespace

std::string Scope::sizes_text(std::uint32_t begin, std::uint32_t count) const {
  return "[" + base::join(std::span(sizes_).subspan(begin, count), ", ") + "]";
}

std::string Scope::bound_text() const {
  std::vector<std::string> parts;
  for (const Binding& b : bindings_) {
    if (find(b.name, b.many) != &b) continue;  // replaced
    parts.push_back(std::string(b.many ? "*" : "") + std::string(b.name) + " = " +
                    (b.absent ? "absent"
                     : b.many ? sizes_text(b.begin, b.count)
                              : std::to_string(sizes_[b.begin])));
  }
  return parts.empty() ? "nothing" : base::join(parts, ", ");
}

// What a dim stands for, by what is bound now.
std::string Scope::expected_text(const Spec& spec, const Dim& dim) const {
  if (dim.name.size) {
    const Binding* known = find(spec.of(dim.name), dim.many);
    if (!known) return "something else";
    if (known->absent) return "absent";
    if (dim.many) return (dim.broadcast ? "of " : "") + sizes_text(known->begin, known->count);
    return std::to_string(sizes_[known->begin]) + (dim.broadcast ? " or 1" : "");
  }
  std::vector<std::string> out;
  std::size_t end = dim.first + dim.steps;
  for (std::size_t first = dim.first, stop = first; first < end; first = ++stop) {
    while (stop < end && spec.step[stop].op != Op::either) ++stop;
    std::int64_t value = 0;
    bool known = run(spec, first, stop, value) == Value::known;
    out.push_back(known ? std::to_string(value) : "a whole number");
  }
  return base::join(out, " or ");
}

std::string Scope::reason_text() const {
  const Subject& subject = subjects_[failure_.subject];
  const Spec& spec = *subject.form->spec;
  const Dim& dim = spec.dim[std::min<std::size_t>(failure_.dim, spec.dim.size() - 1)];
  std::string text(spec.of(dim.text));
  switch (failure_.reason) {
    case Reason::type:
      return "its elements are " + std::string(name_of(subject.type));
    case Reason::undefined:
      return "the tensor is undefined";
    case Reason::rank:
      return "its number of dims is " + std::to_string(subject.rank);
    case Reason::size:
      return "axis " + std::to_string(failure_.axis) + ", " + text + ", must be " +
             expected_text(spec, dim) + ", but is " +
             std::to_string(sizes_[subject.begin + failure_.axis]);
    case Reason::dims:
      return text + " must be " + expected_text(spec, dim) + ", but is " +
             sizes_text(subject.begin + failure_.axis, failure_.count);
    case Reason::absent:
      return text + " is absent here and present elsewhere";
    case Reason::unknown:
      return text + " uses a name that no dim and no field has";
    case Reason::none:
      break;
  }
  return "";
}

void Scope::explain() {
  Texts texts;
  texts_ = &texts;
  failure_ = {};
  match(checked_);  // once more, now with the texts
  const Subject& failed = subjects_[failure_.subject];
  std::string out = spoken(name_) + ": " + spoken(failed.where) + " is no " +
                    annotation(failed.forms) + ": " + texts.reason;
  for (const Subject& subject : subjects_) {
    out += "\n  " + spoken(subject.where) + ": " + annotation(subject.forms);
    out += subject.defined ? " = " + std::string(name_of(subject.type)) +
                                 sizes_text(subject.begin, subject.rank)
                           : " = undefined";
    if (&subject == &failed) out += "  <- here";
  }
  throw konfig::Error(konfig::ErrorKind::type, out + "\n  bound: " + texts.bound);
}

}  // namespace kd::typing
