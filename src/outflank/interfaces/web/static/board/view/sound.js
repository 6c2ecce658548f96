// A short click for each move, made on the spot; off until it is wanted.

let context = null;

export function click(flipped = 1) {
  try {
    context ??= new AudioContext();
    const now = context.currentTime, tone = context.createOscillator(), volume = context.createGain();
    tone.type = "triangle";
    tone.frequency.setValueAtTime(420 + 30 * Math.min(flipped, 10), now);
    tone.frequency.exponentialRampToValueAtTime(140, now + 0.08);
    volume.gain.setValueAtTime(0.25, now);
    volume.gain.exponentialRampToValueAtTime(0.001, now + 0.12);
    tone.connect(volume).connect(context.destination);
    tone.start(now);
    tone.stop(now + 0.13);
  } catch {
    // A browser without sound plays none.
  }
}
