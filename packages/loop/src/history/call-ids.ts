import { createHash } from 'node:crypto';
import type { HistoryMessage } from './message.ts';

/** The limit of Chat Completions, which is the lowest. */
const MAX_LENGTH = 40;
const LEGAL = /^[a-zA-Z0-9_-]{1,40}$/;

/** Characters and length that every provider accepts. */
export function legalCallId(id: string): string {
  if (LEGAL.test(id)) return id;
  const clean = id.replace(/[^a-zA-Z0-9_-]/g, '_') || '_';
  if (clean.length <= MAX_LENGTH) return clean;
  // IDs of one server start alike, so the cut-off rest is hashed.
  const rest = createHash('sha256').update(id).digest('hex').slice(0, 12);
  return `${clean.slice(0, MAX_LENGTH - 13)}_${rest}`;
}

/** The call IDs of a growing history, as providers see them. */
export class UsedCallIds {
  readonly #used = new Set<string>();
  #last: HistoryMessage | undefined;

  of(messages: readonly HistoryMessage[]): ReadonlySet<string> {
    const seen = this.#last === undefined ? -1 : messages.lastIndexOf(this.#last);
    for (const { content } of messages.slice(seen + 1)) {
      for (const part of content) {
        if (part.type === 'tool-call') this.#used.add(legalCallId(part.tool_call_id));
      }
    }
    this.#last = messages.at(-1);
    return this.#used;
  }
}
