import { randomBytes } from 'node:crypto';

/*
 * What travels between processes, as text: the sender (12 characters), what it is (one), a number that grows, a line
 * feed, the body. No two packets are equal: PostgreSQL would send equal ones of a transaction only once.
 */
export type PacketKind = keyof typeof KINDS;

const KINDS = {
  /** Some messages, as a JSON array. */
  messages: 'm',
  /** The JSON of a message that is too large for one packet, in pieces. */
  first: 'f',
  next: 'n',
  last: 'l',
  /** Messages of the sender were lost before this. */
  gap: 'g',
} as const;

const KIND_OF = new Map<string, PacketKind>(
  Object.entries(KINDS).map(([kind, letter]) => [letter, kind as PacketKind]),
);

const SENDER_LENGTH = 12;
/** Of a header and the brackets around messages, at most. */
const OVERHEAD = SENDER_LENGTH + 1 + 11 + 1 + 2;

export const newSender = (): string => randomBytes(SENDER_LENGTH / 2).toString('hex');

export interface Packet {
  readonly sender: string;
  readonly kind: PacketKind;
  readonly number: number;
  readonly body: string;
}

/** Undefined when it is nothing of ours. */
export function readPacket(text: string): Packet | undefined {
  const kind = KIND_OF.get(text.charAt(SENDER_LENGTH));
  const end = text.indexOf('\n');
  const number = Number.parseInt(text.slice(SENDER_LENGTH + 1, end), 36);
  if (kind === undefined || end <= SENDER_LENGTH || Number.isNaN(number)) return undefined;
  return { sender: text.slice(0, SENDER_LENGTH), kind, number, body: text.slice(end + 1) };
}

/** A message as JSON, and its size in UTF-8. */
export interface Text {
  readonly text: string;
  readonly bytes: number;
}

export class PacketWriter {
  readonly sender: string;
  #count = 0;

  constructor(sender: string) {
    this.sender = sender;
  }

  gap(): string {
    return this.#packet('gap', '');
  }

  /** As few packets as the limit allows, in the order of the messages. */
  pack(messages: readonly Text[], limit: number): string[] {
    const room = limit - OVERHEAD;
    const packets: string[] = [];
    let texts: string[] = [];
    let used = 0;
    const close = () => {
      if (texts.length > 0) packets.push(this.#packet('messages', `[${texts.join(',')}]`));
      texts = [];
      used = 0;
    };
    for (const { text, bytes } of messages) {
      if (used + bytes + 1 > room) close();
      if (bytes + 1 > room) {
        packets.push(...this.#pieces(text, room));
      } else {
        texts.push(text);
        used += bytes + 1;
      }
    }
    close();
    return packets;
  }

  #pieces(text: string, room: number): string[] {
    const pieces = split(Buffer.from(text), room);
    return pieces.map((piece, index) => {
      if (index === 0) return this.#packet('first', piece);
      return this.#packet(index === pieces.length - 1 ? 'last' : 'next', piece);
    });
  }

  #packet(kind: PacketKind, body: string): string {
    this.#count += 1;
    return `${this.sender}${KINDS[kind]}${this.#count.toString(36)}\n${body}`;
  }
}

/** Between characters: half of one would not survive the way. */
function split(bytes: Buffer, room: number): string[] {
  const pieces: string[] = [];
  for (let start = 0; start < bytes.length;) {
    let end = Math.min(start + room, bytes.length);
    while (end < bytes.length && isWithinCharacter(bytes[end])) end -= 1;
    pieces.push(bytes.toString('utf8', start, end));
    start = end;
  }
  return pieces;
}

const isWithinCharacter = (byte: number | undefined) => byte !== undefined && byte >> 6 === 0b10;
