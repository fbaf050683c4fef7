// Every field of a component has a comment, which is its help text.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "kd/kd.h"
#include "konfig/docs.h"
#include "konfig/registry.h"
#include "konfig/type.h"
#include "kxm/job.h"
#include "test_paths.h"
#include "tools/declarations.h"
#include "tools/layers.h"

namespace {

// The types that headers declare; those of a single source have no help texts of fields.
std::set<std::string> declared_types() {
  std::set<std::string> out;
  for (auto& [file, text] : layers::read_tree(KD_SOURCE_DIR)) {
    if (!file.ends_with(".h") || layers::part_of(file).empty() || layers::is_test(file)) continue;
    for (auto& declared : components::scan_declarations(text).components) out.insert(declared.type);
  }
  return out;
}

// What changes nothing says so in the words that a run looks for. The launcher has its own remarks.
TEST(FieldDocs, WhatHasNoEffectBeginsWithThat) {
  for (const konfig::Symbol* symbol : konfig::all_symbols()) {
    if (!symbol->type || symbol->type->name.starts_with("kxm::")) continue;
    for (auto& field : symbol->type->fields) {
      if (konfig::type_of<kxm::Job>().find(field.name)) continue;
      const std::string doc(konfig::field_doc(*symbol->type, field.name));
      for (const char* words : {"accepted", "without effect", "without meaning", "not used"}) {
        EXPECT_EQ(doc.find(words), doc.npos) << symbol->type->name << "::" << field.name;
      }
    }
  }
}

TEST(FieldDocs, EveryFieldHasAComment) {
  const std::set<std::string> declared = declared_types();
  std::set<std::string> without;
  int fields = 0;
  for (const konfig::Symbol* symbol : konfig::all_symbols()) {
    if (!symbol->type || !declared.contains(std::string(symbol->type->name))) continue;
    for (auto& field : symbol->type->fields) {
      ++fields;
      if (!konfig::field_doc(*symbol->type, field.name).empty()) continue;
      without.insert(std::string(symbol->type->name) + "::" + std::string(field.name));
    }
  }
  EXPECT_GT(fields, 1000);
  EXPECT_THAT(without, testing::IsEmpty()) << "write a comment beside or above the field";
}

}  // namespace
