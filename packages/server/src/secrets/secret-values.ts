/** The shortest part of a secret that is redacted. */
const WINDOW = 8;
const HIDDEN = '[hidden]';

/**
 * The secrets known to this process, to be redacted from output. Code that decrypts a secret or reads one from the
 * environment must add it here first. They are not removed before they are worthless: an old key can still appear in an error.
 */
export class SecretValues {
  readonly #whole = new Set<string>();
  readonly #windows = new Set<string>();
  /** Filter by hash: whether a window of text may be part of a secret. Most text is skipped without a lookup. */
  readonly #filter = new Uint8Array(1 << 16);

  add(value: string): void {
    if (value.length < WINDOW || this.#whole.has(value)) return;
    this.#whole.add(value);
    this.#index(value);
  }

  /** For secrets that are valid for a short time, and no longer are. */
  remove(values: readonly string[]): void {
    const isKnown = values.map((value) => this.#whole.delete(value)).includes(true);
    if (!isKnown) return;
    this.#windows.clear();
    this.#filter.fill(0);
    for (const value of this.#whole) this.#index(value);
  }

  #index(value: string): void {
    for (let at = 0; at + WINDOW <= value.length; at++) {
      const window = value.slice(at, at + WINDOW);
      this.#windows.add(window);
      this.#filter[bucketOf(hashOf(window, 0))] = 1;
    }
  }

  /** Redacts whole secrets only. For text that must otherwise stay exact, such as tool output. */
  hide(text: string): string {
    if (!this.#mayHold(text)) return text;
    return [...this.#whole]
      .toSorted((a, b) => b.length - a.length)
      .reduce((rest, value) => rest.replaceAll(value, HIDDEN), text);
  }

  /** Redacts every sufficiently long part of a secret. For logs, errors and provider messages. */
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

  /** Ranges of the text in which every window is part of a secret. */
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

/** Shared by the whole process. */
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
