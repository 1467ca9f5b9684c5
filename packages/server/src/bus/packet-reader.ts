import type { Json } from '@chatd/protocol';
import { readPacket } from './packet.ts';

/** A sender that died within a message leaves its pieces; of so many senders at a time they are kept. */
const PARTIAL_MESSAGES = 32;

export type Reading = { readonly messages: readonly Json[] } | { readonly gap: true };

const NOTHING: Reading = { messages: [] };

/** Makes messages of packets again. Those of one sender on one channel come in order. */
export class PacketReader {
  readonly #self: string;
  readonly #partial = new Map<string, string[]>();

  constructor(self: string) {
    this.#self = self;
  }

  /** Throws on what is no packet. */
  read(channel: string, text: string): Reading {
    // The broker sends us what we said ourselves; whom it concerns here has it already.
    if (text.startsWith(this.#self)) return NOTHING;
    const packet = readPacket(text);
    if (packet === undefined) throw new Error('not a packet of chatd');
    const { kind, body } = packet;
    const key = `${channel} ${packet.sender}`;
    switch (kind) {
      case 'messages':
        return { messages: JSON.parse(body) as Json[] };
      case 'gap':
        this.#partial.delete(key);
        return { gap: true };
      case 'first':
        this.#begin(key, body);
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

  #begin(key: string, body: string): void {
    this.#partial.delete(key);
    this.#partial.set(key, [body]);
    const [oldest] = this.#partial.keys();
    if (this.#partial.size > PARTIAL_MESSAGES && oldest !== undefined) {
      this.#partial.delete(oldest);
    }
  }
}
