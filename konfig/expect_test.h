// What tests share: checks of errors.
#pragma once

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <string_view>

#include "konfig/error.h"

namespace konfig {

// What the Error that `f` throws says; "" when there is none.
template <class F>
std::string error_of(F&& f) {
  try {
    f();
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

// `f` throws an Error of this kind whose text contains all parts.
template <class F>
void expect_error(ErrorKind kind, std::initializer_list<std::string_view> parts, F&& f) {
  try {
    f();
    ADD_FAILURE() << "no error; expected one of kind " << to_string(kind);
  } catch (const Error& e) {
    EXPECT_EQ(to_string(e.kind()), to_string(kind)) << e.what();
    for (std::string_view part : parts) {
      EXPECT_NE(std::string_view(e.what()).find(part), std::string_view::npos)
          << "no `" << part << "` in: " << e.what();
    }
  }
}

// `f` throws an Error whose text starts with the place.
template <class F>
void expect_error_at(ErrorKind kind, std::string_view place, F&& f) {
  try {
    f();
    ADD_FAILURE() << "no error; expected one of kind " << to_string(kind);
  } catch (const Error& e) {
    EXPECT_EQ(to_string(e.kind()), to_string(kind)) << e.what();
    EXPECT_TRUE(std::string_view(e.what()).starts_with(place)) << e.what();
  }
}

}  // namespace konfig
