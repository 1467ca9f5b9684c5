import type { IncomingMessage } from 'node:http';

/* The HTTP contract of all compared programs; see the README of the peers. */

export const SYSTEM_PROMPT =
  'You are a helpful assistant. Use the add tool when you need arithmetic.';

export interface ContractBody {
  readonly chat: string;
  readonly text: string;
  readonly n: number;
  readonly size: number;
}

export async function readJson(request: IncomingMessage): Promise<ContractBody> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  return JSON.parse(Buffer.concat(pieces).toString()) as ContractBody;
}

export function required(name: string): string {
  const value = process.env[name];
  if (value === undefined || value === '') throw new Error(`${name} is not set`);
  return value;
}

/** A fixed sequence of generated words with realistic frequencies, so that the database compresses them like text. */
const LETTERS = 'etaoinshrdlucmfwypvbgkjqxz';
const VOCABULARY_SIZE = 4000;
let state = 12_345;
function random(): number {
  state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7f_ff_ff_ff;
  return state / 0x7f_ff_ff_ff;
}
const skewed = (size: number) => Math.floor(random() * random() * size);
const word = () =>
  Array.from({ length: 3 + Math.floor(random() * 7) }, () => LETTERS[skewed(LETTERS.length)]).join(
    '',
  );
const VOCABULARY = Array.from({ length: VOCABULARY_SIZE }, word);

/** `n` messages of `size` characters, alternating between user and assistant. */
export function pastMessages(
  n: number,
  size: number,
): { role: 'user' | 'assistant'; text: string }[] {
  return Array.from({ length: n }, (_, index) => {
    let text = `m${index}`;
    while (text.length < size) text += ` ${VOCABULARY[skewed(VOCABULARY_SIZE)]}`;
    return { role: index % 2 === 0 ? 'user' : 'assistant', text: text.slice(0, size) };
  });
}
