#include "evaluators/league_text.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <string>

#if defined(__APPLE__)
#include <xlocale.h>

#include <cerrno>
#include <cstdlib>
#endif

namespace outflank {
namespace {

#if defined(__APPLE__)
// As std::from_chars, which Apple's library has for integers only.
std::from_chars_result number_in(const char* first, const char* last, double& number) {
    const std::string text(first, last);
    const bool is_decimal = text.find_first_of("xX") == std::string::npos && text[0] != '+';
    char* end = nullptr;
    errno = 0;
    number = strtod_l(text.c_str(), &end, nullptr);  // nullptr: the C locale
    if (!is_decimal || end == text.c_str()) {
        return {first, std::errc::invalid_argument};
    }
    const bool is_out = errno == ERANGE && (number == 0 || std::isinf(number));
    return {first + (end - text.c_str()), is_out ? std::errc::result_out_of_range : std::errc{}};
}
std::from_chars_result number_in(const char* first, const char* last, std::int64_t& number) {
    return std::from_chars(first, last, number);
}
#else
template <class Number>
std::from_chars_result number_in(const char* first, const char* last, Number& number) {
    return std::from_chars(first, last, number);
}
#endif

constexpr std::string_view BETWEEN = " \t\n\v\f\r,;";
constexpr std::string_view NOT_IN_A_NUMBER = " \t\n\v\f\r,;{}";
// Far above any network; they keep a wrong number from being read as a count. See CompileLimits for
// the bounds on memory and time.
constexpr std::int64_t MOST_TABLES = 1'000'000;
constexpr std::int64_t MOST_PLACEMENTS = 1'000'000;

std::string quoted(std::string_view token) {
    std::string printable = "'";
    for (const char c : token.substr(0, 40)) {
        printable += c >= ' ' && c <= '~' ? c : '?';
    }
    return printable + "'";
}

// The numbers of a text one after another, with their positions.
class Numbers {
  public:
    explicit Numbers(std::string_view text) : text_(text) {
        for (skip_to_number(); at_ < text_.size(); skip_to_number()) {
            ++count_;
            at_ = std::min(text_.find_first_of(NOT_IN_A_NUMBER, at_), text_.size());
        }
        if (open_ > 0) {
            fail("a brace is not closed; the file may have been cut off", text_.size());
        }
        at_ = 0;
    }

    std::size_t count() const { return count_; }

    // `what` is called only for an error.
    template <class What>
    std::int64_t whole(std::int64_t least, std::int64_t most, What what) {
        const auto [number, error, token] = next<std::int64_t>(what, "a whole number");
        if (error != std::errc{} || number < least || number > most) {
            fail(what() + " should be within " + std::to_string(least) + ".." +
                     std::to_string(most) + ", got " + std::string(token.substr(0, 40)),
                 start_);
        }
        return number;
    }

    template <class What>
    double weight(What what) {
        const auto [number, error, token] = next<double>(what, "a number");
        if (error != std::errc{} || !std::isfinite(number)) {
            fail(what() + " is " + std::string(token.substr(0, 40)) +
                     "; weights must be finite numbers that fit a double",
                 start_);
        }
        return number;
    }

    void end(const std::string& what) {
        if (taken_ < count_) {
            skip_to_number();
            fail(what + " ends before this; " + std::to_string(count_ - taken_) +
                     " numbers are left over",
                 at_);
        }
    }

    [[noreturn]] void fail(const std::string& message, std::size_t at) const {
        const std::string_view before = text_.substr(0, at);
        const auto line = 1 + std::count(before.begin(), before.end(), '\n');
        const std::size_t newline = before.rfind('\n');
        const std::size_t column = newline == std::string_view::npos ? at + 1 : at - newline;
        outflank::fail<LeagueTextError>("line " + std::to_string(line) + ", column " +
                                        std::to_string(column) + ": " + message);
    }
    [[noreturn]] void fail_here(const std::string& message) const { fail(message, start_); }

  private:
    template <class Number>
    struct Parsed {
        Number number;
        std::errc error;  // none, or out of range
        std::string_view token;
    };

    template <class Number, class What>
    Parsed<Number> next(What what, const char* kind) {
        const std::string_view token = take(what);
        // from_chars does not accept a plus sign.
        const bool plus = token.size() > 1 && token[0] == '+' && token[1] != '-';
        const char* const last = token.data() + token.size();
        Number number = 0;
        const auto [end, error] = number_in(token.data() + (plus ? 1 : 0), last, number);
        if (end != last || error == std::errc::invalid_argument) {
            fail(what() + " should be " + kind + ", not " + quoted(token), start_);
        }
        return {number, error, token};
    }

    template <class What>
    std::string_view take(What what) {
        skip_to_number();
        start_ = at_;
        if (at_ == text_.size()) {
            fail("the file ends where " + what() + " should be; it may have been cut off", at_);
        }
        at_ = std::min(text_.find_first_of(NOT_IN_A_NUMBER, at_), text_.size());
        ++taken_;
        return text_.substr(start_, at_ - start_);
    }

    void skip_to_number() {
        for (; at_ < text_.size(); ++at_) {
            const char c = text_[at_];
            if (c == '{') {
                ++open_;
            } else if (c == '}') {
                if (--open_ < 0) {
                    fail("a brace is closed that was not opened", at_);
                }
            } else if (BETWEEN.find(c) == std::string_view::npos) {
                return;
            }
        }
    }

    std::string_view text_;
    std::size_t at_ = 0;
    std::size_t start_ = 0;  // of the number last taken
    std::size_t count_ = 0;
    std::size_t taken_ = 0;
    std::int64_t open_ = 0;  // braces
};

std::vector<std::uint8_t> parse_placement(Numbers& numbers, int length, const std::string& table) {
    std::vector<std::uint8_t> squares;
    Bits seen = 0;
    for (int i = 0; i < length; ++i) {
        const auto square =
            static_cast<int>(numbers.whole(0, 63, [&] { return table + ": a square"; }));
        if ((seen & bit(square)) != 0) {
            numbers.fail_here(table + ": a tuple names square " + std::to_string(square) +
                              " twice");
        }
        seen |= bit(square);
        squares.push_back(static_cast<std::uint8_t>(square));
    }
    return squares;
}

void parse_table(Numbers& numbers, const std::string& name, LeagueText& parsed) {
    const auto length = static_cast<int>(
        numbers.whole(1, LONGEST_TUPLE, [&] { return name + ": the tuple length"; }));
    const std::int64_t placements =
        numbers.whole(1, MOST_PLACEMENTS, [&] { return name + ": the number of placements"; });
    parsed.placements += static_cast<std::size_t>(placements);
    if (parsed.placements > Slots::MOST) {
        numbers.fail_here("a network has at most " + std::to_string(Slots::MOST) + " placements");
    }
    TupleTable& table = parsed.tables.emplace_back(TupleTable{length, {}});
    for (std::int64_t i = 0; i < placements; ++i) {
        table.placements.push_back(parse_placement(numbers, length, name));
    }
    const std::uint32_t count = table.weight_count();
    for (std::uint32_t i = 1; i <= count; ++i) {
        parsed.weights.push_back(numbers.weight([&] {
            return name + ": a weight (number " + std::to_string(i) + " of " +
                   std::to_string(count) + ")";
        }));
    }
}

}  // namespace

LeagueText parse_league_text(std::string_view text) {
    Numbers numbers(text);
    LeagueText parsed;
    if (numbers.count() == 0) {
        numbers.fail("there are no numbers in this file", 0);
    }
    if (numbers.count() == 64) {
        for (int i = 1; i <= 64; ++i) {
            parsed.weights.push_back(numbers.weight([&] {
                return "a weight of the piece counter (number " + std::to_string(i) + " of 64)";
            }));
        }
        return parsed;
    }
    const std::int64_t tables =
        numbers.whole(1, MOST_TABLES, [] { return std::string("the number of tables"); });
    for (std::int64_t number = 1; number <= tables; ++number) {
        parse_table(numbers, "table " + std::to_string(number), parsed);
    }
    numbers.end("the last table");
    return parsed;
}

}  // namespace outflank
