// Who plays a side: a person, a level, or a player at a depth that is chosen.
// A level is a player as `outflank` names it, so that `outflank rate` can rate it.

export const LEVELS = [
  { words: "takes as many discs as it can", player: "disc-difference", limits: { depth: 1 } },
  { words: "likes corners", player: "standard-heuristic", limits: { depth: 1 } },
  { words: "looks two moves ahead", player: "standard-heuristic", limits: { depth: 2 } },
  { words: "a first learned player", player: "all-2", limits: { depth: 1 } },
  { words: "counts the last squares", player: "all-2", limits: { depth: 3, solve: 8 } },
  { words: "looks four moves ahead", player: "iago", limits: { depth: 4, solve: 8 } },
  { words: "knows every pattern", player: "all-rounder", limits: { depth: 1, solve: 8 } },
  { words: "club player", player: "all-rounder", limits: { depth: 3, solve: 10 } },
  { words: "very strong", player: "all-rounder", limits: { depth: 6, solve: 14, book: true } },
  { words: "as strong as it gets", player: "all-rounder", limits: { time: 4, solve: 20, book: true } },
].map((level, i) => ({ ...level, id: `level-${i + 1}`, name: `Level ${i + 1}` }));

export const DEFAULT_LEVEL = "level-3";

/** How deep a chosen player looks. */
export const STRENGTHS = [
  { id: "1", name: "1 ply, as in the league", limits: { depth: 1 } },
  { id: "2", name: "2 plies", limits: { depth: 2 } },
  { id: "4", name: "4 plies, solves the last 10 squares", limits: { depth: 4, solve: 10 } },
  { id: "6", name: "6 plies, solves the last 14 squares", limits: { depth: 6, solve: 14 } },
  { id: "1s", name: "1 second per move", limits: { time: 1, solve: 18 } },
  { id: "5s", name: "5 seconds per move", limits: { time: 5, solve: 20 } },
];

const CLOCK_SHARE = 1 / 20; // of the time that is left, for one move
const LEAST_SECONDS = 0.05;

export class Opponents {
  /** The players of the page: {id, name, note, file, view, tuning, isHouse}; levels need the house's own. */
  constructor(players) {
    this.players = new Map(players.map((player) => [player.id, player]));
    this.levels = LEVELS.filter((level) => this.players.has(level.player));
    this.listed = players.filter((player) => player.isListed);
  }

  get fallback() {
    const level = this.levels.find(({ id }) => id === DEFAULT_LEVEL) ?? this.levels.at(-1);
    return level?.id ?? (this.listed.length ? `player-${this.listed[0].id}` : "you");
  }

  knows(id) {
    return id === "you" || this.levels.some((level) => level.id === id) || this.isPlayer(id);
  }

  /** Who plays, of a link that may name one side alone: the other is a person, or else the usual opponent. Null if unknown. */
  sides({ black, white }) {
    const facing = (id) => (id === "you" ? this.fallback : "you");
    const found = { black: black ?? (white && facing(white)), white: white ?? (black && facing(black)) };
    return [found.black, found.white].every((id) => id && this.knows(id)) ? found : null;
  }

  /** A strength that exists. */
  strength(id) {
    return STRENGTHS.some((one) => one.id === id) ? id : STRENGTHS[0].id;
  }

  isPlayer(id) {
    return id.startsWith("player-") && this.players.has(id.slice(7));
  }

  name(id) {
    if (id === "you") return "You";
    return this.levels.find((level) => level.id === id)?.name ?? this.players.get(id.slice(7))?.name ?? "?";
  }

  words(id) {
    return this.levels.find((level) => level.id === id)?.words ?? "";
  }

  /** What a side's opponent thinks with: the player's id and its limits, within the time left on its clock. */
  thinking(id, strength, secondsLeft = Infinity) {
    const level = this.levels.find((one) => one.id === id);
    const player = level?.player ?? id.slice(7);
    const limits = { ...(level?.limits ?? (STRENGTHS.find((one) => one.id === strength) ?? STRENGTHS[0]).limits) };
    const most = Math.max(LEAST_SECONDS, secondsLeft * CLOCK_SHARE);
    if (limits.time) limits.time = Math.min(limits.time, most);
    return { player, ...limits };
  }

  /** The options of a select: a person, the levels, the players. */
  fill(select, chosen) {
    const option = (value, text) => Object.assign(document.createElement("option"), { value, textContent: text });
    const group = (label, options) => {
      const found = Object.assign(document.createElement("optgroup"), { label });
      found.append(...options);
      return found;
    };
    select.replaceChildren(option("you", "You"));
    if (this.levels.length) select.append(group("Levels", this.levels.map(({ id, name, words }) => option(id, `${name}: ${words}`))));
    if (this.listed.length) select.append(group("Players", this.listed.map(({ id, name, note }) => option(`player-${id}`, note ? `${name} (${note})` : name))));
    select.value = chosen;
  }
}
