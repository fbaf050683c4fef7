// Key fields are bound to the parameters of a member function by their order, and C++ does not know
// the names of parameters. The text does: a function that takes two keys in another order than the
// fields have would get each other's values.
//
//   struct Blend : kd::nn::Module<Blend> {
//     kd::Key first = "batch.a";
//     kd::Key second = "batch.b";
//     kd::Tensor call(const kd::Tensor& second, const kd::Tensor& first) const ...   // refused
//   };
#pragma once

#include <string>
#include <string_view>

namespace loader {

// "12: Blend::call takes 'second' before 'first' ..." with the line in front, or "" when every
// struct in the text keeps the order of its keys.
std::string wrong_key_order(std::string_view source);

}  // namespace loader
