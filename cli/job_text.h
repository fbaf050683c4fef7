// A job of an experiment for people: its command line, its attempts and their logs.
#pragma once

#include <string>

#include "kxm/state.h"

namespace cli {

std::string job_text(const kxm::JobRow& job);

}  // namespace cli
