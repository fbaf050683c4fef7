// Jobs that live though no launcher and no record says so.
#pragma once

#include <string>

#include "kxm/state.h"

namespace kxm {

// Whether it was asked to stop and has not ended yet.
bool is_stopping(const JobRow& job);

// Which process of an experiment still runs on this machine, and how to end it; "" if none does.
// Told are trainings that no launcher started and, where the records are gone, jobs by their
// tokens: a job has its own in its environment.
std::string live_text(const State& state, int xid);

}  // namespace kxm
