//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Parses the script of a scenario, which describes one race; see
// promotion/testdata/README.md. The verbs are in
// test_util/hotrap_scenario_test_base.h.

#pragma once

#include <algorithm>
#include <fstream>
#include <iterator>
#include <regex>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "util/string_util.h"

namespace ROCKSDB_NAMESPACE {

// Returns the numbers of "k3" or "k3..k6" as a range with an exclusive end; an
// empty range if `word` is neither.
inline std::pair<int, int> ScenarioKeys(const std::string& word) {
  static const std::regex kKeys("k([0-9]{1,2})(\\.\\.k([0-9]{1,2}))?");
  std::smatch match;
  if (!std::regex_match(word, match, kKeys)) {
    return {0, 0};
  }
  return {std::stoi(match[1]), 1 + std::stoi(match[match[3].matched ? 3 : 1])};
}

// THREAD: VERB ARGUMENT... [stops at PLACE | waits] [-> RESULT]
struct ScenarioCommand {
  std::string where;  // file:line
  std::string thread;
  std::string verb;  // empty if the line has none
  std::vector<std::string> args;
  std::string place;
  bool waits = false;
  std::string result = "ok";

  // `signature` has one word per argument: "keys", "level", "word" for any
  // word, or a literal word.
  bool Fits(const std::string& signature) const {
    const std::vector<std::string> kinds = signature.empty()
                                               ? std::vector<std::string>()
                                               : StringSplit(signature, ' ');
    bool fits = args.size() == kinds.size();
    for (size_t i = 0; fits && i < args.size(); i++) {
      if (kinds[i] == "keys") {
        const auto [begin, end] = ScenarioKeys(args[i]);
        fits = begin < end;
      } else if (kinds[i] == "level") {
        fits = args[i].size() == 1 && args[i] >= "0" && args[i] <= "4";
      } else {
        fits = kinds[i] == "word" || kinds[i] == args[i];
      }
    }
    return fits;
  }
};

// Returns an empty list if there is no such file.
inline std::vector<ScenarioCommand> ReadScenario(const std::string& path) {
  std::vector<ScenarioCommand> commands;
  std::ifstream file(path);
  std::string line;
  for (int number = 1; std::getline(file, line); number++) {
    std::istringstream stream(line.substr(0, line.find('#')));
    std::vector<std::string> words{std::istream_iterator<std::string>(stream),
                                   std::istream_iterator<std::string>()};
    if (words.empty()) {
      continue;
    }
    ScenarioCommand command;
    command.where = path + ":" + std::to_string(number);
    // Parse from the end, since the arguments are what remains.
    const auto ends_with = [&](const std::vector<std::string>& tail) {
      return words.size() > tail.size() &&
             std::equal(tail.begin(), tail.end(),
                        words.end() - tail.size() - 1);
    };
    if (ends_with({"->"})) {
      command.result = words.back();
      words.resize(words.size() - 2);
    }
    if (ends_with({"stops", "at"})) {
      command.place = words.back();
      words.resize(words.size() - 3);
    } else if (!words.empty() && words.back() == "waits") {
      command.waits = true;
      words.pop_back();
    }
    if (words.size() >= 2 && words[0].back() == ':') {
      command.thread = words[0].substr(0, words[0].size() - 1);
      command.verb = words[1];
      command.args.assign(words.begin() + 2, words.end());
    }
    commands.push_back(command);
  }
  return commands;
}

}  // namespace ROCKSDB_NAMESPACE
