const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];
const listeners = new Set();
let received;

/** A signal was received. Thrown where cleanup is possible. */
export class Interrupted extends Error {
  constructor(signal) {
    super(`Interrupted by ${signal}.`);
    this.signal = signal;
  }
}

/** From now on, signals do not end the process immediately, so that it can clean up. */
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

/** Returns a function that removes the listener. */
export function onSignal(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Ends this process with the signal, so that its parent sees it. */
export function endBy(signal) {
  for (const held of SIGNALS) process.off(held, receive);
  process.kill(process.pid, signal);
}
