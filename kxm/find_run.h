// The folder of a run, however people name it: by its path, or by the number it was launched with.
// "runs/a" is itself where it exists, "17/3" is the folder of unit 3 of experiment 17, "17" that of
// its only unit.
//
// What exists under that name wins; "xid:17/3" is always the unit.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "kxm/address.h"
#include "kxm/state.h"

namespace kxm {

// The text as it is if there is such a file or folder, or if it is no address. An Error if it is an
// address of nothing, of several units or of a unit without a folder.
std::string find_run(const std::string& text);
// The same for an address. Without a unit's number it means the only unit.
std::string find_run(const Address& address);
// For a folder that may be new: the text as it is, unless it names a unit that was launched.
std::string find_run_or_new(const std::string& text);

// The same in this state, again and again: for plans, which may outlive it.
std::function<std::string(const Address&)> run_finder(const State& state);

// An Error names the nearest ones if there is no such experiment.
ExperimentRow find_experiment(const State& state, int xid);
// The unit that the address names, or the only one. An Error if there are several, or no such unit.
UnitRow find_unit(const State& state, const Address& address);
// Its job of the address's name; an Error, with those there are, if it has none.
const JobRow& find_job(const UnitRow& unit, const Address& address);

// The number of the experiment whose folder this is; nothing if it is another folder.
std::optional<int> experiment_in(const std::filesystem::path& folder);

}  // namespace kxm
