// A clock for both sides, if one is wanted: each has its minutes for the whole game.

const TICK = 200; // milliseconds

export class Clock {
  /** `onTick()` redraws; `onFlag(colour)` is called once, when a side has used its time. */
  constructor(onTick, onFlag) {
    Object.assign(this, { onTick, onFlag, left: null, running: null, since: 0 });
    setInterval(() => this.tick(), TICK);
  }

  /** Minutes per side; 0 is no clock. */
  reset(minutes) {
    this.left = minutes ? { black: minutes * 60_000, white: minutes * 60_000 } : null;
    this.running = null;
    this.onTick();
  }

  /** Lets one side's time run, or nobody's. */
  run(colour) {
    this.settle();
    this.running = this.left ? colour : null;
  }

  settle() {
    const now = performance.now();
    if (this.running) this.left[this.running] = Math.max(0, this.left[this.running] - (now - this.since));
    this.since = now;
  }

  tick() {
    if (!this.running) return;
    this.settle();
    const flagged = this.left[this.running] <= 0 ? this.running : null;
    if (flagged) this.running = null;
    this.onTick();
    if (flagged) this.onFlag(flagged);
  }

  /** "4:05", or "" without a clock. */
  text(colour) {
    if (!this.left) return "";
    const seconds = Math.ceil(this.left[colour] / 1000);
    return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
  }

  seconds(colour) {
    return this.left ? this.left[colour] / 1000 : Infinity;
  }
}
