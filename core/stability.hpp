// Discs that can never be turned again: a bound on what the other side can still win.
#pragma once

#include "position.hpp"

namespace outflank {

// Some of `owner`'s stable discs; never one that is not stable. Stable along an axis is a disc on
// a full line, at the end of the line, or beside an own stable disc; stable is a disc that is so
// along all four axes. Edges are looked up: there every continuation was tried.
Bits stable_discs(Bits owner, Bits other);

}  // namespace outflank
