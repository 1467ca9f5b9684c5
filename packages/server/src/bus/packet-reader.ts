import type { Json } from '@chatd/protocol';
import { readPacket } from './packet.ts';

/** A sender that died within a message leaves its pieces; of so many senders at a time they are kept. */
const PARTIAL_MESSAGES = 32;
/** Of so many senders and channels it is known where they are. */
const SENDERS = 1000;

export type Reading = { readonly messages: readonly Json[] } | { readonly gap: true };

const NOTHING: Reading = { messages: [] };

/** Makes messages of packets again. Those of one sender on one channel come in order. */
export class PacketReader {
  readonly #self: string;
  readonly #partial = new Map<string, string[]>();
  readonly #latest = new Map<string, number>();

  constructor(self: string) {
    this.#self = self;
  }

  /** Throws on what is no packet. */
  read(channel: string, text: string): Reading {
    // The broker sends us what we said ourselves; whom it concerns here has it already.
    if (text.startsWith(this.#self)) return NOTHING;
    const packet = readPacket(text);
    if (packet === undefined) throw new Error('not a packet of chatd');
    const { kind, number, body } = packet;
    const key = `${channel} ${packet.sender}`;
    // A batch of a connection that its sender has given up may still get through, after those of the next one.
    if (number <= (this.#latest.get(key) ?? 0)) return NOTHING;
    keep(this.#latest, key, number, SENDERS);
    switch (kind) {
      case 'messages':
        return { messages: JSON.parse(body) as Json[] };
      case 'gap':
        this.#partial.delete(key);
        return { gap: true };
      case 'first':
        keep(this.#partial, key, [body], PARTIAL_MESSAGES);
        return NOTHING;
      case 'next':
        this.#partial.get(key)?.push(body);
        return NOTHING;
      case 'last': {
        const pieces = this.#partial.get(key);
        // Its beginning was sent before we listened.
        if (pieces === undefined) return NOTHING;
        this.#partial.delete(key);
        return { messages: [JSON.parse(`${pieces.join('')}${body}`) as Json] };
      }
    }
  }

  /** After a break what came before it does not continue. */
  forget(): void {
    this.#partial.clear();
  }
}

/** The newest ones, so many. */
function keep<Value>(map: Map<string, Value>, key: string, value: Value, most: number): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > most && oldest !== undefined) map.delete(oldest);
}
