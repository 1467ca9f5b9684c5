import type { Json } from '@chatd/protocol';

const BYTES_PER_TOKEN = 3;
const SMALLEST = 16 * 1024;
const WHEN_UNKNOWN = 64 * 1024;

/** A third of the context, in bytes. */
export function resultBudget(contextLimit: number | undefined): number {
  if (contextLimit === undefined) return WHEN_UNKNOWN;
  return Math.max(SMALLEST, Math.floor(contextLimit / 3) * BYTES_PER_TOKEN);
}

/** Keeps two thirds of the budget from the head and one third from the tail, with a marker in between. */
export function cutText(text: string, budget: number): string {
  // A UTF-16 unit takes at most three bytes, so most texts fit without encoding them.
  if (text.length * 3 <= budget) return text;
  const size = Buffer.byteLength(text);
  if (size <= budget) return text;
  const headBytes = Math.floor((budget * 2) / 3);
  const tailBytes = Math.floor(budget / 3);
  // Only the ends are encoded. Each unit has at least one byte, so these slices contain all characters to keep.
  const begin = Buffer.from(text.slice(0, headBytes + 2));
  const end = Buffer.from(text.slice(-tailBytes - 1));
  const headEnd = startOfCharacter(begin, headBytes);
  const tailStart = startOfCharacter(end, end.length - tailBytes);
  const cut = size - headEnd - (end.length - tailStart);
  const head = begin.toString('utf8', 0, headEnd);
  const tail = end.toString('utf8', tailStart);
  return `${head}\n[… ${cut} of ${size} bytes were cut here …]\n${tail}`;
}

const isContinuation = (byte: number | undefined) => byte !== undefined && (byte & 0xc0) === 0x80;

function startOfCharacter(bytes: Buffer, index: number): number {
  let at = index;
  while (isContinuation(bytes[at])) at++;
  return at;
}

/** A JSON value over the budget becomes text, which is cut. */
export function cutResult(result: Json, budget: number): Json {
  if (typeof result === 'string') return cutText(result, budget);
  const text = JSON.stringify(result);
  const cut = cutText(text, budget);
  return cut === text ? result : cut;
}
