#include "konfig/copy_fields.h"

#include "konfig/error.h"

namespace konfig::detail {

std::vector<SharedField> shared_fields(const Type& from, const Type& to) {
  std::vector<SharedField> out;
  for (const Field& field : from.fields) {
    const Field* other = to.find(field.name);
    if (!other) continue;
    if (!other->type().is(field.type())) {
      throw Error(ErrorKind::type,
                  std::string(field.name) + ": cannot be copied: " +
                      std::string(field.type().name) + " in " + std::string(from.name) + ", " +
                      std::string(other->type().name) + " in " + std::string(to.name));
    }
    out.push_back({field.offset, other->offset, field.type().assign});
  }
  return out;
}

void copy_fields(const std::vector<SharedField>& fields, const void* from, void* to) {
  for (const SharedField& field : fields) {
    field.assign(at_offset(to, field.to), at_offset(from, field.from));
  }
}

}  // namespace konfig::detail
