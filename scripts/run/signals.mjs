const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];
const listeners = new Set();
let received;

/** Somebody wants us to end. Thrown where work can be undone, so that nothing is left behind. */
export class Interrupted extends Error {
  constructor(signal) {
    super(`Interrupted by ${signal}.`);
    this.signal = signal;
  }
}

/** From here on a signal does not end us by itself: what is under way is wound up first. */
export function holdSignals() {
  for (const signal of SIGNALS) process.on(signal, receive);
}

function receive(signal) {
  received ??= signal;
  for (const listener of listeners) listener(signal);
}

export function throwIfInterrupted() {
  if (received !== undefined) throw new Interrupted(received);
}

/** Returns how to stop listening. */
export function onSignal(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Ends this process as the signal would have, so that whoever waits for it can tell. */
export function endBy(signal) {
  for (const held of SIGNALS) process.off(held, receive);
  process.kill(process.pid, signal);
}
