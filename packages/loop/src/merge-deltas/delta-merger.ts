import { ProviderError } from '../errors/provider-error.ts';
import { type Split, type Splitter, SPLITTERS } from './split.ts';

/** Without an event's end in so much text this is no event stream that we know. */
const MAX_CARRY = 4 * 1024 * 1024;
/** What the reader behind us may have to keep of one line. A line can hold a whole file. */
const MAX_LINE = 96 * 1024 * 1024;
/** So many events are looked at to find out whose dialect it is. */
const MAX_GUESSES = 50;

/**
 * Merges adjacent pieces of the same text in what one network read brought. The merged event is the
 * first one's head, all bodies, and the last one's tail; everything else goes through untouched.
 */
export class DeltaMerger {
  #carry = '';
  #separator: string | undefined;
  #splitter: Splitter | undefined;
  #guesses = 0;
  #passThrough = false;
  #line = 0;

  /** The text as far as it is safe to hand on: whole events. */
  push(text: string): string {
    if (this.#passThrough) return this.#bounded(text);
    const all = this.#carry + text;
    this.#separator ??= separatorOf(all);
    const end = this.#separator === undefined ? -1 : all.lastIndexOf(this.#separator);
    if (this.#separator === undefined || end === -1) {
      this.#carry = all;
      if (all.length <= MAX_CARRY) return '';
      this.#passThrough = true;
      return this.end();
    }
    const complete = all.slice(0, end + this.#separator.length);
    this.#carry = all.slice(complete.length);
    return this.#merge(complete, this.#separator);
  }

  #bounded(text: string): string {
    const lineStart = text.lastIndexOf('\n') + 1;
    this.#line = text.length - lineStart + (lineStart === 0 ? this.#line : 0);
    if (this.#line <= MAX_LINE) return text;
    throw new ProviderError({
      kind: 'generic',
      message: `A line of the provider's answer exceeded ${MAX_LINE / 1024 / 1024} MiB and was stopped. Choose another model.`,
    });
  }

  /** What is left when the stream ends. */
  end(): string {
    const rest = this.#carry;
    this.#carry = '';
    return rest;
  }

  #merge(complete: string, separator: string): string {
    let out = '';
    let pending: Split | undefined;
    let start = 0;
    while (start < complete.length) {
      const end = complete.indexOf(separator, start);
      const event = complete.slice(start, end);
      start = end + separator.length;
      const split = this.#split(event);
      if (split !== undefined && pending !== undefined && split.key === pending.key) {
        pending.body += split.body;
        pending.tail = split.tail;
        continue;
      }
      if (pending !== undefined) out += pending.head + pending.body + pending.tail + separator;
      pending = split;
      if (split === undefined) out += event + separator;
    }
    if (pending !== undefined) out += pending.head + pending.body + pending.tail + separator;
    return out;
  }

  #split(event: string): Split | undefined {
    if (this.#splitter !== undefined) return this.#splitter(event);
    if (this.#guesses >= MAX_GUESSES) return undefined;
    this.#guesses++;
    for (const splitter of SPLITTERS) {
      const split = splitter(event);
      if (split === undefined) continue;
      this.#splitter = splitter;
      return split;
    }
    return undefined;
  }
}

function separatorOf(text: string): string | undefined {
  const lf = text.indexOf('\n\n');
  const crlf = text.indexOf('\r\n\r\n');
  if (lf === -1 && crlf === -1) return undefined;
  return crlf !== -1 && (lf === -1 || crlf < lf) ? '\r\n\r\n' : '\n\n';
}
