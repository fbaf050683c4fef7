#include "konfig/docs.h"

#include <map>
#include <mutex>
#include <string>

namespace konfig {

namespace {

struct Table {
  std::mutex mutex;
  std::map<std::pair<std::string, std::string>, std::string_view> docs;
};
Table& table() {
  static auto* t = new Table;  // never destroyed: used until the program ends
  return *t;
}

}  // namespace

bool register_field_docs(
    std::string_view cpp_type_name,
    std::initializer_list<std::pair<std::string_view, std::string_view>> docs) {
  auto& t = table();
  std::lock_guard lock(t.mutex);
  for (auto& [field, doc] : docs) {
    t.docs[{std::string(cpp_type_name), std::string(field)}] = doc;
  }
  return true;
}

std::string_view field_doc(const Type& type, std::string_view field) {
  auto& t = table();
  std::lock_guard lock(t.mutex);
  auto it = t.docs.find({std::string(type.name), std::string(field)});
  return it == t.docs.end() ? std::string_view() : it->second;
}

}  // namespace konfig
