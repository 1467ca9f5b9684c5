import type { Json } from '@chatd/protocol';
import { readPacket } from './packet.ts';

/** Max senders with an incomplete message. A sender that died within a message leaves its pieces. */
const PARTIAL_MESSAGES = 32;
/** Max senders and channels whose sequence is tracked. */
const SENDERS = 1000;

export type Reading = { readonly messages: readonly Json[] } | { readonly gap: true };

const NOTHING: Reading = { messages: [] };

/** Reassembles messages from packets. Packets of one sender on one channel arrive in order. */
export class PacketReader {
  readonly #self: string;
  readonly #partial = new Map<string, string[]>();
  readonly #latest = new Map<string, number>();

  constructor(self: string) {
    this.#self = self;
  }

  /** Throws on malformed packets. */
  read(channel: string, text: string): Reading {
    // Our own message: subscribers of this process have it already.
    if (text.startsWith(this.#self)) return NOTHING;
    const packet = readPacket(text);
    if (packet === undefined) throw new Error('not a packet of chatd');
    const { kind, number, body } = packet;
    const key = `${channel} ${packet.sender}`;
    // A batch of a dropped connection can still arrive, after those of the next one.
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
        // The beginning was sent before we listened.
        if (pieces === undefined) return NOTHING;
        this.#partial.delete(key);
        return { messages: [JSON.parse(`${pieces.join('')}${body}`) as Json] };
      }
    }
  }

  /** After a reconnect, incomplete messages are never completed. */
  forget(): void {
    this.#partial.clear();
  }
}

/** A map that keeps the newest entries. */
function keep<Value>(map: Map<string, Value>, key: string, value: Value, most: number): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > most && oldest !== undefined) map.delete(oldest);
}
