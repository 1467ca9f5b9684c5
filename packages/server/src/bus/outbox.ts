import type { PacketWriter, Text } from './packet.ts';

export interface Batch {
  readonly packets: readonly { readonly channel: string; readonly text: string }[];
  readonly channels: readonly string[];
  readonly messages: number;
  /** There is enough for another full batch. */
  readonly full: boolean;
}

/** Messages that wait to be sent. When it is full, the oldest are dropped, and their channels get a note about it. */
export class Outbox {
  readonly #limit: number;
  readonly #writer: PacketWriter;
  readonly #lost = new Set<string>();
  #waiting: (Text & { readonly channel: string })[] = [];
  #head = 0;
  #bytes = 0;

  constructor(limit: number, writer: PacketWriter) {
    this.#limit = limit;
    this.#writer = writer;
  }

  get empty(): boolean {
    return this.#head === this.#waiting.length && this.#lost.size === 0;
  }

  /** Returns the number of dropped messages. */
  put(channel: string, text: string): number {
    const bytes = Buffer.byteLength(text);
    if (bytes > this.#limit) {
      this.#lost.add(channel);
      return 1;
    }
    this.#waiting.push({ channel, text, bytes });
    this.#bytes += bytes;
    let dropped = 0;
    while (this.#bytes > this.#limit) {
      const oldest = this.#shift();
      if (oldest === undefined) break;
      this.#lost.add(oldest.channel);
      dropped += 1;
    }
    return dropped;
  }

  /** All pieces of a message are in one batch, whatever its size. */
  take(packetBytes: number, batchBytes: number): Batch {
    const byChannel = new Map<string, Text[]>([...this.#lost].map((channel) => [channel, []]));
    let messages = 0;
    for (let bytes = 0; bytes < batchBytes; messages += 1) {
      const message = this.#shift();
      if (message === undefined) break;
      bytes += message.bytes;
      const texts = byChannel.get(message.channel);
      if (texts === undefined) byChannel.set(message.channel, [message]);
      else texts.push(message);
    }
    const packets = [...byChannel].flatMap(([channel, texts]) =>
      [
        ...(this.#lost.has(channel) ? [this.#writer.gap()] : []),
        ...this.#writer.pack(texts, packetBytes),
      ].map((text) => ({ channel, text })),
    );
    this.#lost.clear();
    return {
      packets,
      channels: [...byChannel.keys()],
      messages,
      full: this.#bytes >= batchBytes,
    };
  }

  /** The batch may have arrived, so it is not sent again: messages arrive at most once. */
  failed(batch: Batch): void {
    for (const channel of batch.channels) this.#lost.add(channel);
  }

  #shift(): (Text & { readonly channel: string }) | undefined {
    const message = this.#waiting[this.#head];
    if (message === undefined) return undefined;
    this.#head += 1;
    this.#bytes -= message.bytes;
    if (this.#head === this.#waiting.length || this.#head > 10_000) {
      this.#waiting = this.#waiting.slice(this.#head);
      this.#head = 0;
    }
    return message;
  }
}
