// The dims of one call: which name stands for which size. Used by kd/typing/checked.h.
#pragma once

#include <c10/util/SmallVector.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kd/core/tensor.h"
#include "kd/typing/annotated.h"
#include "kd/typing/dtype.h"
#include "kd/typing/spec.h"

namespace kd::typing {

// Which function is called; taken apart only for messages.
struct FunctionName {
  std::string_view text;
  bool of_member = false;  // "&my::Mlp::call" rather than "my::loss"
};

// A whole-number field of the object whose member is called.
using FieldOf = std::optional<std::int64_t> (*)(const void* object, std::string_view name);

// Which value a tensor is, or is part of.
struct Where {
  int argument = 0;  // from 1; 0 is the result
  int item = -1;     // within a list, tuple or tree
  std::string_view field = {};
};
inline constexpr int kBodyValue = -1;  // as Where::argument: a value checked within the function

// Allocates only when a call has very many dims, or when it fails.
class Scope {
 public:
  Scope(FunctionName name, const void* object, FieldOf field);
  ~Scope();
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;
  // The innermost call under way in this thread, or nullptr.
  static Scope* current();

  // `forms` must live on: those of a type do.
  void add(std::span<const Form> forms, const Tensor& tensor, Where where);
  // Checks what was added since the last time; an Error tells all when it does not fit. With
  // `last`, every expression must have a value by now.
  void check(bool last);
  // The same for a value of the function's own, which is then forgotten.
  template <class F>
  void check_body(F&& add_all) {
    std::size_t before = subjects_.size();
    add_all(*this);
    check(false);
    subjects_.resize(before);
    checked_ = before;
  }
  // The sizes that the dims of a spec stand for by now; an Error when one has none.
  std::vector<std::int64_t> shape(const Spec& spec) const;

 private:
  struct Subject {
    std::span<const Form> forms;
    const Form* form;  // the one that is tried, or fits
    Where where;
    bool defined;
    c10::ScalarType type;
    std::uint32_t begin, rank;  // its sizes, in sizes_
  };
  // The last one of a name counts. `weak`: from #c; may still grow.
  struct Binding {
    std::string_view name;
    bool many, absent, weak;
    std::uint32_t begin, count;
  };
  struct Pending {  // an expression that waits for a name
    std::uint32_t subject, dim, axis;
  };
  struct Mark {
    std::size_t bindings, sizes, pending;
  };
  enum class Reason : std::uint8_t { none, type, undefined, rank, size, dims, absent, unknown };
  struct Failure {
    Reason reason = Reason::none;
    std::uint32_t subject = 0, dim = 0, axis = 0, count = 0;  // of a spec, and the axes it met
  };
  enum class Value : std::uint8_t { known, unknown, impossible };

  bool match(std::size_t subject);
  bool match(std::size_t subject, std::size_t dim, std::size_t axis);
  bool match_start(std::size_t subject);
  bool match_one(std::size_t subject, std::size_t dim, std::size_t axis, std::size_t most);
  bool match_many(std::size_t subject, std::size_t dim, std::size_t axis, std::size_t most,
                  bool only_most);
  bool fits(std::size_t subject, std::size_t dim, std::size_t axis);
  bool bind_one(const Dim& dim, std::string_view name, std::int64_t size);
  bool bind_many(const Dim& dim, std::string_view name, std::uint32_t begin, std::uint32_t count);
  bool settle();
  const Binding* find(std::string_view name, bool many) const;
  void bind(std::string_view name, bool many, bool weak, std::uint32_t begin, std::uint32_t count) {
    bindings_.push_back({name, many, false, weak, begin, count});
  }
  // Whether one of the alternatives of a dim has this size; `unknown` when a name is missing.
  Value evaluate(const Spec& spec, const Dim& dim, std::int64_t size) const;
  Value run(const Spec& spec, std::size_t first, std::size_t end, std::int64_t& out) const;
  Value load(const Spec& spec, const Step& step, std::int64_t& out) const;
  Mark mark() const { return {bindings_.size(), sizes_.size(), pending_.size()}; }
  void restore(const Mark& mark);
  bool fail(Reason reason, std::size_t subject, std::size_t dim, std::size_t axis,
            std::size_t count = 1);

  [[noreturn]] void explain();
  std::string reason_text() const;
  std::string expected_text(const Spec& spec, const Dim& dim) const;
  std::string bound_text() const;
  std::string sizes_text(std::uint32_t begin, std::uint32_t count) const;

  FunctionName name_;
  const void* object_;
  FieldOf field_;
  Scope* outer_;
  std::size_t checked_ = 0;  // subjects that fitted
  bool last_ = false;
  Failure failure_;
  // Filled when an error is explained: texts that are true only at the moment of the failure.
  struct Texts {
    std::string reason, bound;
  };
  Texts* texts_ = nullptr;
  c10::SmallVector<Subject, 8> subjects_;
  c10::SmallVector<Binding, 16> bindings_;
  c10::SmallVector<Pending, 4> pending_;
  c10::SmallVector<std::int64_t, 64> sizes_;
};

}  // namespace kd::typing
