// How a command prints what it found: --format=.
#pragma once

namespace cli {

enum class Format { text, json };  // for people; for programs

}  // namespace cli
