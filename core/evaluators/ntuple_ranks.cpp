#include "evaluators/ntuple_ranks.hpp"

#include <algorithm>

#include "evaluators/index_vectors.hpp"

namespace outflank {

// The ranks of a batch of games. Slot k's table begins at entry k * STRIDE of a stage; STRIDE 0:
// indices count from the stage's first entry. WIDTH 0: slots.width.
template <class Number, int WIDTH, std::size_t STRIDE>
class RankTables::Games final : public BatchAccumulator {
  public:
    Games(const RankTables& ranks, const AlignedVector<Number>& steps,
          const AlignedVector<Number>& empty, const AlignedVector<Number>& mirror)
        : ranks_(ranks),
          steps_(steps.data()),
          empty_(empty.data()),
          mirror_(mirror.data()),
          indices_(2 * GAMES_IN_BATCH * ranks.width_) {}

    RankScale scale() const override { return ranks_.scale_; }

    void open(std::size_t game, const Board& board) override {
        Number* for_black = indices_.data() + place(game, Colour::black);
        Number* for_white = indices_.data() + place(game, Colour::white);
        std::copy_n(empty_, width(), for_black);
        for (Bits rest = board.black | board.white; rest != 0; rest = without_lowest(rest)) {
            const int square = lowest_square(rest);
            const Number* row = steps_ + static_cast<std::size_t>(square) * width();
            const bool black = (board.black >> square & 1) != 0;
            for_each_vector([&](std::size_t k) {
                auto indices = Vector::load(for_black + k);
                black ? indices += Vector::load(row + k) : indices -= Vector::load(row + k);
                indices.store(for_black + k);
            });
        }
        for_each_vector([&](std::size_t k) {
            auto mirrored = Vector::load(mirror_ + k);
            mirrored -= Vector::load(for_black + k);
            mirrored.store(for_white + k);
        });
        discs_[game] = std::popcount(board.black | board.white);
        set_stage(game);
    }

    void ranks_after(std::span<const BatchMove> moves, bool white_as_white,
                     std::span<std::int32_t> ranks) override {
        white_as_white ? rank<true>(moves, ranks) : rank<false>(moves, ranks);
    }

    void follow(std::span<const BatchMove> moves) override {
        for (const BatchMove& made : moves) {
            const MoveSteps<Number, AT_ONCE> move(steps_, width(), made.square, made.flipped);
            Number* for_mover = indices_.data() + place(made.game, made.mover);
            Number* for_opponent = indices_.data() + place(made.game, other(made.mover));
            for_each_vector([&](std::size_t k) {
                const auto change = move.at(k);
                auto indices = Vector::load(for_mover + k);
                indices += change;
                indices.store(for_mover + k);
                indices = Vector::load(for_opponent + k);
                indices -= change;
                indices.store(for_opponent + k);
            });
            ++discs_[made.game];
            set_stage(made.game);
        }
    }

  private:
    using Vector = IndexVector<Number>;
    static constexpr std::size_t AT_ONCE = sizeof(Number) == 2 ? 6 : 4;

    std::size_t width() const { return WIDTH > 0 ? std::size_t{WIDTH} : ranks_.width_; }
    template <class Each>
    void for_each_vector(Each each) const {
        for (std::size_t k = 0; k < width(); k += Vector::NUMBERS) {
            each(k);
        }
    }
    std::size_t place(std::size_t game, Colour seen_by) const {
        return (2 * game + static_cast<std::size_t>(seen_by)) * width();
    }
    void set_stage(std::size_t game) {
        const int stage = stage_of(discs_[game] + 1, ranks_.reader_.stages());
        first_after_[game] =
            ranks_.ranks_.data() + static_cast<std::size_t>(stage) * ranks_.stage_size_;
    }
    // The indices of many moves are computed before the first look-up: both together would exceed
    // what a processor overlaps.
    template <bool WHITE_AS_WHITE>
    void rank(std::span<const BatchMove> moves, std::span<std::int32_t> ranks) const {
        alignas(64) std::array<Number, 4 * MOST_SLOTS> block;  // stays within the L1 cache
        const std::size_t rows = block.size() / width();
        for (std::size_t first = 0; first < moves.size(); first += rows) {
            const std::size_t end = std::min(first + rows, moves.size());
            Number* after = block.data();
            for (std::size_t i = first; i < end; ++i, after += width()) {
                indices_after<WHITE_AS_WHITE>(moves[i], after);
            }
            write_to_memory(block.data());
            after = block.data();
            for (std::size_t i = first; i < end; ++i, after += width()) {
                const std::uint32_t sum = look_up(first_after_[moves[i].game], after);
                const bool as_white = WHITE_AS_WHITE && moves[i].mover == Colour::white;
                ranks[i] = static_cast<std::int32_t>(as_white ? -sum : sum);
            }
        }
    }
    template <bool WHITE_AS_WHITE>
    void indices_after(const BatchMove& made, Number* after) const {
        const bool as_white = WHITE_AS_WHITE && made.mover == Colour::white;
        const Colour seen_by = as_white ? Colour::black : made.mover;
        const Number* before = indices_.data() + place(made.game, seen_by);
        const MoveSteps<Number, AT_ONCE> move(steps_, width(), made.square, made.flipped);
        for_each_vector([&](std::size_t k) {
            auto indices = Vector::load(before + k);
            as_white ? indices -= move.at(k) : indices += move.at(k);
            indices.store(after + k);
        });
    }
    std::uint32_t look_up(const std::int32_t* stage, const Number* indices) const {
        std::array<std::uint32_t, 4> sums{};  // unsigned: they may wrap on the way
        for (std::size_t k = 0; k < width(); k += sums.size()) {
            for (std::size_t j = 0; j < sums.size(); ++j) {
                sums[j] += static_cast<std::uint32_t>(stage[(k + j) * STRIDE + indices[k + j]]);
            }
        }
        return (sums[0] + sums[1]) + (sums[2] + sums[3]);
    }

    const RankTables& ranks_;
    const Number* steps_;
    const Number* empty_;
    const Number* mirror_;
    AlignedVector<Number> indices_;  // [games][2][width]: black digits for Black, for White
    std::array<int, GAMES_IN_BATCH> discs_{};
    std::array<const std::int32_t*, GAMES_IN_BATCH> first_after_{};  // the stage after a move
};

namespace {

constexpr std::size_t BLOCK_SLOTS = 16;  // the two covers of ntuple_compile.cpp
constexpr std::size_t BLOCK_ENTRIES = POWERS_OF_3[9];
constexpr std::size_t LINE_SLOTS = 32;
constexpr std::size_t LINE_ENTRIES = POWERS_OF_3[8];

}  // namespace

RankTables::RankTables(const TableReader& reader, std::span<const double> tables,
                       double largest_sum)
    : reader_(reader),
      scale_(largest_sum, 0.5 * static_cast<double>(reader.slots().count)),
      width_(static_cast<std::size_t>(reader.slots().width)),
      stage_size_(reader.stage_size()) {
    if (tables_fit(BLOCK_SLOTS, BLOCK_ENTRIES)) {
        place_apart(tables, BLOCK_SLOTS, BLOCK_ENTRIES);
    } else if (tables_fit(LINE_SLOTS, LINE_ENTRIES)) {
        place_apart(tables, LINE_SLOTS, LINE_ENTRIES);
    } else {
        ranks_.resize(tables.size());
        fill(tables.data(), ranks_.data(), tables.size());
    }
}

bool RankTables::tables_fit(std::size_t slots, std::size_t entries) const {
    const Slots& placed = reader_.slots();
    return static_cast<std::size_t>(placed.count) <= slots &&
           std::ranges::all_of(placed.tables,
                               [&](const auto& table) { return table.entries <= entries; });
}

void RankTables::place_apart(std::span<const double> tables, std::size_t width,
                             std::size_t stride) {
    const Slots& placed = reader_.slots();
    const auto used = static_cast<std::size_t>(placed.width);
    width_ = width;
    stride_ = stride;
    stage_size_ = width * stride;
    short_.steps.assign(65 * width, 0);
    short_.empty.assign(width, 0);
    short_.mirror.assign(width, 0);
    ranks_.assign(stage_size_ * static_cast<std::size_t>(reader_.stages()), 0);
    for (std::size_t k = 0; k < used; ++k) {
        const auto [first, entries] = placed.tables[k];
        for (std::size_t square = 0; square < 65; ++square) {
            short_.steps[square * width + k] =
                static_cast<std::uint16_t>(placed.steps[square * used + k]);
        }
        short_.empty[k] = static_cast<std::uint16_t>(entries / 2);
        short_.mirror[k] = static_cast<std::uint16_t>(entries - 1);
        for (std::size_t stage = 0; stage < static_cast<std::size_t>(reader_.stages()); ++stage) {
            fill(tables.data() + stage * reader_.stage_size() + first,
                 ranks_.data() + stage * stage_size_ + k * stride, entries);
        }
    }
}

void RankTables::fill(const double* from, std::int32_t* to, std::size_t count) const {
    for (std::size_t i = 0; i < count; ++i) {
        to[i] = scale_.rank(from[i]);
    }
}

std::unique_ptr<BatchAccumulator> RankTables::batch_accumulator() const {
    const auto games = [&]<class Number, int WIDTH, std::size_t STRIDE>(const auto& slots) {
        return std::unique_ptr<BatchAccumulator>(std::make_unique<Games<Number, WIDTH, STRIDE>>(
            *this, slots.steps, slots.empty, slots.mirror));
    };
    using Short = std::uint16_t;
    if (stride_ == BLOCK_ENTRIES) {
        return games.template operator()<Short, BLOCK_SLOTS, BLOCK_ENTRIES>(short_);
    }
    if (stride_ == LINE_ENTRIES) {
        return games.template operator()<Short, LINE_SLOTS, LINE_ENTRIES>(short_);
    }
    if (width_ == 48) {  // a common number, known at compile time: loops are unrolled
        return games.template operator()<Index, 48, 0>(reader_.slots());
    }
    return games.template operator()<Index, 0, 0>(reader_.slots());
}

std::size_t RankTables::bytes() const {
    return ranks_.size() * sizeof(std::int32_t) +
           (short_.steps.size() + short_.empty.size() + short_.mirror.size()) *
               sizeof(short_.steps[0]);
}

}  // namespace outflank
