// One case of the area data, and how its kind is run.
#pragma once

#include <string>
#include <vector>

#include "kd/core/tree.h"
#include "tests/golden/numbers.h"
#include "tests/golden/tensors.h"

namespace golden {

struct DataCase {
  std::string name, api;
  const konfig::Dict& args;
  const konfig::Dict& inputs;
  const konfig::Dict& outputs;  // the reference's
  Tolerance tolerance;
  const Tensors& tensors;
};

// What differs; nothing when all is well.

// By the first part of the name.
Problems run_philox(const DataCase& c);
Problems run_in_memory(const DataCase& c);
Problems run_index_shuffle(const DataCase& c);
Problems run_grain(const DataCase& c);
Problems run_transforms(const DataCase& c);
Problems run_tf_transforms(const DataCase& c);
Problems run_files(const DataCase& c);
Problems run_events(const DataCase& c);

// ---- For handlers.

// Whole numbers, also as decimal text where they have more than 63 bits.
std::uint64_t unsigned_of(const konfig::Value& value);
std::vector<std::uint64_t> unsigned_list(const konfig::Value& list);
// None when the argument is missing or null.
std::optional<std::int64_t> integer_or_none(const konfig::Dict& args, const char* name);
bool flag_of(const konfig::Dict& args, const char* name, bool otherwise);

// An input: a stored tensor, or plain data.
kd::Tree input_of(const DataCase& c, const konfig::Value& value);
kd::Tree inputs_of(const DataCase& c);

// Adds to `problems` when ours is not what the reference has.
void expect_same(Problems& problems, const std::string& what, const konfig::Value& ours,
                 const konfig::Value& wanted);
void expect_tree(Problems& problems, const std::string& what, const kd::Tree& ours,
                 const konfig::Value& wanted, const DataCase& c);

konfig::List list_of(const std::vector<std::int64_t>& values);

}  // namespace golden
