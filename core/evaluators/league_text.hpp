// The Othello League's text format: n-tuple networks and weighted piece counters as plain numbers.
//
// Numbers in ASCII, separated by white space; commas and semicolons count as white space. Braces
// may group them and must be balanced. Number of tables; then for each table: tuple length n,
// number of placements m, m lists of n different squares (0..63, row by row), and the 3^n weights
// that the placements share. A piece counter is 64 numbers.
#pragma once

#include <stdexcept>
#include <string_view>

#include "evaluators/ntuple_network.hpp"

namespace outflank {

// What is wrong with a text, and where: "line 3, column 14: ...".
class LeagueTextError : public std::invalid_argument {
  public:
    using std::invalid_argument::invalid_argument;
};

struct LeagueText {
    std::vector<TupleTable> tables;  // none: a piece counter
    std::size_t placements = 0;      // of all tables
    std::vector<double> weights;     // table after table, or 64
};

// Takes memory in proportion to the text, whatever numbers it contains.
LeagueText parse_league_text(std::string_view text);

}  // namespace outflank
