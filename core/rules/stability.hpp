// Discs that can never be flipped again: a bound on what the other side can still win.
#pragma once

#include "rules/position.hpp"

namespace outflank {

// Some of `owner`'s stable discs, and never an unstable one. A disc is stable along an axis if its
// line is full, if it is at the end of the line, or next to a stable disc of its owner; it is
// stable if it is so along all four axes. Edges come from a table made by trying every
// continuation.
Bits stable_discs(Bits owner, Bits other);

}  // namespace outflank
