// Matching shapes with their specs. Specs of variable length are tried longest first, over all
// tensors of a call together; bindings are only ever appended, so that a failed try is cut off.
#include "kd/typing/scope.h"

#include <algorithm>

namespace kd::typing {

namespace {

constinit thread_local Scope* innermost = nullptr;

// Right-aligned, each size is 1 or that of the target.
bool broadcasts_to(const std::int64_t* sizes, std::uint32_t count, const std::int64_t* target,
                   std::uint32_t target_count) {
  if (count > target_count) return false;
  for (std::uint32_t i = 1; i <= count; ++i) {
    std::int64_t size = sizes[count - i];
    if (size != 1 && size != target[target_count - i]) return false;
  }
  return true;
}

}  // namespace

Scope::Scope(FunctionName name, const void* object, FieldOf field)
    : name_(name), object_(object), field_(field), outer_(innermost) {
  innermost = this;
}

Scope::~Scope() { innermost = outer_; }

Scope* Scope::current() { return innermost; }

void Scope::add(std::span<const Form> forms, const Tensor& tensor, Where where) {
  Subject subject{.forms = forms,
                  .form = forms.data(),
                  .where = where,
                  .defined = tensor.defined(),
                  .type = c10::ScalarType::Undefined,
                  .begin = static_cast<std::uint32_t>(sizes_.size()),
                  .rank = 0};
  if (subject.defined) {
    auto sizes = tensor.sizes();
    subject.type = tensor.scalar_type();
    subject.rank = static_cast<std::uint32_t>(sizes.size());
    sizes_.append(sizes.begin(), sizes.end());
  }
  subjects_.push_back(subject);
}

void Scope::check(bool last) {
  last_ = last;
  if (!match(checked_)) explain();
  checked_ = subjects_.size();
  for (Binding& binding : bindings_) binding.weak = false;
}

void Scope::restore(const Mark& mark) {
  bindings_.resize(mark.bindings);
  sizes_.resize(mark.sizes);
  pending_.resize(mark.pending);
}

// Keeps the failure that came furthest: the others were only tries.
bool Scope::fail(Reason reason, std::size_t subject, std::size_t dim, std::size_t axis,
                 std::size_t count) {
  auto narrow = [](std::size_t n) { return static_cast<std::uint32_t>(n); };
  auto before = std::pair(failure_.subject, failure_.axis);
  if (failure_.reason == Reason::none || std::pair(narrow(subject), narrow(axis)) > before) {
    failure_ = {reason, narrow(subject), narrow(dim), narrow(axis), narrow(count)};
    if (texts_) *texts_ = {reason_text(), bound_text()};
  }
  return false;
}

bool Scope::match(std::size_t s) {
  if (s == subjects_.size()) return settle();
  const Mark before = mark();
  for (const Form& form : subjects_[s].forms) {
    subjects_[s].form = &form;
    if (match_start(s) && match(s, 0, 0)) return true;
    restore(before);
  }
  return false;
}

bool Scope::match(std::size_t s, std::size_t d, std::size_t axis) {
  const Subject& subject = subjects_[s];
  const Spec& spec = *subject.form->spec;
  if (d == spec.dims) {
    return axis == subject.rank ? match(s + 1) : fail(Reason::rank, s, d, axis);
  }
  std::size_t least = 0;  // axes of the dims to the right
  bool fixed = true;
  for (std::size_t i = d + 1; i < spec.dims; ++i) {
    least += spec.dim[i].least();
    fixed = fixed && !spec.dim[i].variable();
  }
  std::size_t left = subject.rank - axis;
  if (left < least + spec.dim[d].least()) return fail(Reason::rank, s, d, axis);
  return spec.dim[d].many ? match_many(s, d, axis, left - least, fixed)
                          : match_one(s, d, axis, left - least);
}

bool Scope::match_start(std::size_t s) {
  const Subject& subject = subjects_[s];
  if (!subject.defined) return fail(Reason::undefined, s, 0, 0);
  if (!accepts(subject.form->elements, subject.type)) return fail(Reason::type, s, 0, 0);
  std::size_t least = 0;
  bool fixed = true;
  const Spec& spec = *subject.form->spec;
  for (std::size_t i = 0; i < spec.dims; ++i) {
    least += spec.dim[i].least();
    fixed = fixed && !spec.dim[i].variable();
  }
  bool fits = fixed ? subject.rank == least : subject.rank >= least;
  return fits || fail(Reason::rank, s, 0, 0);
}

bool Scope::match_one(std::size_t s, std::size_t d, std::size_t axis, std::size_t most) {
  const Subject& subject = subjects_[s];
  const Dim& dim = subject.form->spec->dim[d];
  Mark before = mark();
  if (most > 0) {
    if (fits(s, d, axis)) {
      if (match(s, d + 1, axis + 1)) return true;
    } else {
      fail(Reason::size, s, d, axis);
    }
    restore(before);
  }
  if (!dim.optional) return false;
  if (dim.name.size) {
    std::string_view name = subject.form->spec->of(dim.name);
    const Binding* known = find(name, false);
    if (known && !known->absent) return fail(Reason::absent, s, d, axis);
    bindings_.push_back({name, false, true, false, 0, 0});
  }
  if (match(s, d + 1, axis)) return true;
  restore(before);
  return false;
}

bool Scope::match_many(std::size_t s, std::size_t d, std::size_t axis, std::size_t most,
                       bool only_most) {
  const Subject& subject = subjects_[s];
  const Dim& dim = subject.form->spec->dim[d];
  std::string_view name = subject.form->spec->of(dim.name);
  Mark before = mark();
  for (std::size_t count = most;; --count) {
    auto begin = static_cast<std::uint32_t>(subject.begin + axis);
    if (dim.unchecked || bind_many(dim, name, begin, static_cast<std::uint32_t>(count))) {
      if (match(s, d + 1, axis + count)) return true;
    } else {
      fail(Reason::dims, s, d, axis, count);
    }
    restore(before);
    if (only_most || count <= dim.least()) return false;
  }
}

bool Scope::fits(std::size_t s, std::size_t d, std::size_t axis) {
  std::int64_t size = sizes_[subjects_[s].begin + axis];
  const Spec& spec = *subjects_[s].form->spec;
  const Dim& dim = spec.dim[d];
  if (dim.unchecked) return true;
  if (dim.name.size) return bind_one(dim, spec.of(dim.name), size);
  Value value = evaluate(spec, dim, size);
  if (value == Value::unknown) {
    pending_.push_back({static_cast<std::uint32_t>(s), static_cast<std::uint32_t>(d),
                        static_cast<std::uint32_t>(axis)});
  }
  return value != Value::impossible;
}

bool Scope::bind_one(const Dim& dim, std::string_view name, std::int64_t size) {
  const Binding* known = find(name, false);
  if (known && known->absent) return false;
  if (known && !known->weak) return sizes_[known->begin] == size || (dim.broadcast && size == 1);
  if (known && dim.broadcast && size == 1) return true;
  bind(name, false, dim.broadcast && size == 1, static_cast<std::uint32_t>(sizes_.size()), 1);
  sizes_.push_back(size);
  return true;
}

bool Scope::bind_many(const Dim& dim, std::string_view name, std::uint32_t begin,
                      std::uint32_t count) {
  const Binding* known = find(name, true);
  if (!known) {
    bind(name, true, dim.broadcast, begin, count);
    return true;
  }
  const std::int64_t* sizes = sizes_.data() + begin;
  const std::int64_t* bound = sizes_.data() + known->begin;
  if (!known->weak) {
    return dim.broadcast ? broadcasts_to(sizes, count, bound, known->count)
                         : std::equal(sizes, sizes + count, bound, bound + known->count);
  }
  if (!dim.broadcast) {
    if (!broadcasts_to(bound, known->count, sizes, count)) return false;
    bind(name, true, false, begin, count);
    return true;
  }
  // Both may grow: the sizes they broadcast to together.
  std::uint32_t longest = std::max(count, known->count);
  auto merged = static_cast<std::uint32_t>(sizes_.size());
  std::uint32_t other = known->begin, other_count = known->count;
  sizes_.resize(merged + longest, 1);
  for (std::uint32_t i = 1; i <= longest; ++i) {
    std::int64_t a = i <= count ? sizes_[begin + count - i] : 1;
    std::int64_t b = i <= other_count ? sizes_[other + other_count - i] : 1;
    if (a != b && a != 1 && b != 1) return false;
    sizes_[merged + longest - i] = a == 1 ? b : a;
  }
  bind(name, true, true, merged, longest);
  return true;
}

const Scope::Binding* Scope::find(std::string_view name, bool many) const {
  for (std::size_t i = bindings_.size(); i-- > 0;) {
    const Binding& binding = bindings_[i];
    if (binding.many == many && binding.name == name) return &binding;
  }
  return nullptr;
}

bool Scope::settle() {
  for (const Pending& pending : pending_) {
    const Subject& subject = subjects_[pending.subject];
    Value value = evaluate(*subject.form->spec, subject.form->spec->dim[pending.dim],
                           sizes_[subject.begin + pending.axis]);
    if (value == Value::known || (value == Value::unknown && !last_)) continue;
    failure_ = {};  // nothing comes further: every axis has its dim
    return fail(value == Value::unknown ? Reason::unknown : Reason::size, pending.subject,
                pending.dim, pending.axis);
  }
  return true;
}

}  // namespace kd::typing
