import { ProviderError } from '../errors/provider-error.ts';
import { type Split, type Splitter, SPLITTERS } from './split.ts';

/** If no event ends within this much text, the format is unknown. */
const MAX_CARRY = 4 * 1024 * 1024;
/** The most that the reader may have to buffer of one line. A line can contain a whole file. */
const MAX_LINE = 96 * 1024 * 1024;
/** Number of events to examine for detecting the dialect. */
const MAX_GUESSES = 50;

/**
 * Merges adjacent deltas of the same text within one network read. The merged event has the head of the first event,
 * all bodies, and the tail of the last; everything else passes unchanged.
 */
export class DeltaMerger {
  #carry = '';
  #separator: string | undefined;
  #splitter: Splitter | undefined;
  #guesses = 0;
  #passThrough = false;
  #line = 0;

  /** The text up to the last complete event. */
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
      message: `A line of the provider's response exceeded ${MAX_LINE / 1024 / 1024} MiB. Choose another model.`,
    });
  }

  /** The rest at the end of the stream. */
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
