/** The shortest part of a secret that is taken for one. */
const WINDOW = 8;
const HIDDEN = '[hidden]';

/**
 * Secrets that this process knows, to be removed from whatever gets out: whoever decrypts one, or reads it from the
 * environment, adds it here first. They are never forgotten: what was a key yesterday may still turn up in an error.
 */
export class SecretValues {
  readonly #whole = new Set<string>();
  readonly #windows = new Set<string>();
  /** By hash of a window whether it can be one of ours: most text is passed over without a look-up. */
  readonly #filter = new Uint8Array(1 << 16);

  add(value: string): void {
    if (value.length < WINDOW || this.#whole.has(value)) return;
    this.#whole.add(value);
    for (let at = 0; at + WINDOW <= value.length; at++) {
      const window = value.slice(at, at + WINDOW);
      this.#windows.add(window);
      this.#filter[bucketOf(hashOf(window, 0))] = 1;
    }
  }

  /** Without the secrets themselves. For text that must stay true otherwise, such as the output of a tool. */
  hide(text: string): string {
    if (!this.#mayHold(text)) return text;
    return [...this.#whole]
      .toSorted((a, b) => b.length - a.length)
      .reduce((rest, value) => rest.replaceAll(value, HIDDEN), text);
  }

  /** Without any part of a secret that is long enough to be told. For logs, errors and what providers say. */
  hideParts(text: string): string {
    let shown = '';
    let from = 0;
    for (const [start, end] of this.#matches(text)) {
      shown += text.slice(from, start) + HIDDEN;
      from = end;
    }
    return from === 0 ? text : shown + text.slice(from);
  }

  #mayHold(text: string): boolean {
    return !this.#matches(text).next().done;
  }

  /** Stretches of the text of which every window is a window of a secret. */
  *#matches(text: string): Generator<readonly [start: number, end: number]> {
    if (this.#windows.size === 0 || text.length < WINDOW) return;
    let start = -1;
    let end = -1;
    let hash = hashOf(text, 0);
    for (let at = 0; ; at++) {
      if (this.#filter[bucketOf(hash)] === 1 && this.#windows.has(text.slice(at, at + WINDOW))) {
        if (start >= 0 && at > end) {
          yield [start, end];
          start = at;
        }
        if (start < 0) start = at;
        end = at + WINDOW;
      }
      if (at + WINDOW >= text.length) break;
      hash = rolled(hash, text.charCodeAt(at), text.charCodeAt(at + WINDOW));
    }
    if (start >= 0) yield [start, end];
  }
}

/** All of this process, so that nobody can forget to pass them on. */
export const knownSecrets = new SecretValues();

const BASE = 16_777_619;
const LEAVING = Array.from({ length: WINDOW }).reduce<number>((power) => Math.imul(power, BASE), 1);

function hashOf(text: string, from: number): number {
  let hash = 0;
  for (let at = from; at < from + WINDOW; at++) {
    hash = (Math.imul(hash, BASE) + text.charCodeAt(at)) | 0;
  }
  return hash;
}

const rolled = (hash: number, leaving: number, coming: number) =>
  (Math.imul(hash, BASE) + coming - Math.imul(LEAVING, leaving)) | 0;

const bucketOf = (hash: number) => (hash ^ (hash >>> 16)) & 0xff_ff;
