// TreeRef: any value seen as a tree, without copying it. Everything in kontext works on it.
//
//   TreeRef batch = my_batch;                 // a struct, std::map, ConfigDict, Value, ...
//   batch.child("image").as<Image>();
//
// Structs, standard containers and konfig values are trees already. Another type becomes one by a
// specialisation of TreeTraits with those of these members that make sense for it:
//
//   template <>
//   struct kontext::TreeTraits<Table> {
//     static TreeRef item(const Table& t, const Part& part);                // t[0], t[1:, ...]
//     static TreeRef attribute(const Table& t, std::string_view name);      // t.T
//     // Containers, whose parts are children:
//     static constexpr Shape shape = Shape::map;
//     static bool each(const Table& t, const Visit& visit);                 // children, in order
//     static void set(Table& t, const Part& part, const TreeRef& value);    // t[part] = value
//     // Conversions:
//     static konfig::Value value(const Table& t);
//     static void assign(Table& to, const TreeRef& from);                   // from another type
//   };
//
// `item` and `attribute` give `TreeRef::of(part_of_t)`, `TreeRef::own(new_value)` or, for "no such
// part", `{}`.
#pragma once

// IWYU pragma: begin_exports
#include "kontext/tree_konfig.h"
#include "kontext/tree_record.h"
#include "kontext/tree_ref.h"
#include "kontext/tree_std.h"
#include "kontext/tree_wrappers.h"
// IWYU pragma: end_exports
