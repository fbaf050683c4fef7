// What the commands about launched experiments share: their arguments, tables and JSON.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "cli/completer.h"
#include "cli/launch_view.h"
#include "konfig/value.h"
#include "kxm/address.h"
#include "kxm/find_run.h"
#include "kxm/state.h"

namespace cli {

// "17", "17/3" or "17/3/train"; a UsageError for any other text.
kxm::Address address_of(const std::string& text);
// The state, to look at: nothing is changed.
kxm::State open_state();

// ---- As people read it ----
std::string state_text(kxm::JobState state);  // coloured
std::string time_text(double seconds);        // "2026-11-18 00:14:03"; "" for 0
// Of a path below the current folder the part from there on.
std::string path_text(const std::string& path);
// Why an attempt ended as it did: "exit code 3".
std::string why_text(const kxm::AttemptRow& attempt);
// What went wrong although the last attempt ran: "the disk was full, so its log may be cut"; else
// "".
std::string warning_of(const kxm::JobRow& job);
std::filesystem::path log_of(const std::string& attempt_folder);
// How long it ran, or has run by now; the time between attempts does not count, and that of an
// attempt whose end nobody saw is not known. Jobs of a unit that ran together count once.
double seconds_of(const kxm::AttemptRow& attempt);
double seconds_of(const kxm::JobRow& job);
double seconds_of(const kxm::UnitRow& unit);

// ---- As programs read it: docs/kxm.md lists the keys ----
konfig::Dict to_dict(const kxm::Counts& counts);
konfig::Dict to_dict(const kxm::ExperimentRow& experiment);
konfig::Dict to_dict(const kxm::ExperimentRow& experiment, const std::vector<kxm::UnitRow>& units);
konfig::Dict to_dict(const kxm::UnitRow& unit, int xid);
konfig::Dict to_dict(const kxm::JobRow& job);

// ---- Completion ----
std::vector<Candidate> experiments(const Typing& typing);  // "17", "17/3"
std::vector<Candidate> runs(const Typing& typing);         // folders as well

}  // namespace cli
