// Records into batches.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "kd/core/tree.h"

#include "kd/core/dtype_name.h"

namespace kd::data {

// Each element stacked along a new first dimension; of texts, one a record, a list of texts.
// Records of one structure; an Error names the element that differs.
Tree stack(std::span<const Tree> records);
// With zeros (and empty texts) behind, up to n rows.
Tree pad_rows(const Tree& batch, std::int64_t n);

// What a batch looks like: its tensors without values (on the device `meta`), its texts empty.
Tree spec_of(const Tree& tree);
// The spec of a batch of n records of this spec.
Tree batched_spec(const Tree& record, std::int64_t n);
// {"image": "float32[256 28 28 1]"}, a line for each element.
std::string spec_text(const Tree& spec);
using kd::spec_text;  // of a tensor

}  // namespace kd::data
