/* The client of the compared programs: runs conversations and checks their answers. */
import { randomBytes } from 'node:crypto';
import { Agent, request } from 'node:http';
import { DELTAS } from './script.ts';

export interface ProviderStats {
  readonly requests: number;
  /** Received. */
  readonly bytes: number;
  readonly cpuSeconds: number;
}

/** Characters of an earlier message. */
export const MESSAGE_SIZE = 200;
const CONCURRENT_SEEDS = 4;
/** Without data. The slowest program takes minutes for long histories. */
const REQUEST_TIMEOUT_MS = 600_000;
const EXPECTED = DELTAS.join('');

const agent = new Agent({ keepAlive: true, maxSockets: 512 });

function post(url: string, body: object, onText?: (text: string) => void): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const options = {
    method: 'POST',
    agent,
    headers: { 'content-type': 'application/json' },
    timeout: REQUEST_TIMEOUT_MS,
  };
  const sent = request(url, options, (response) => {
    let text = '';
    response.setEncoding('utf8');
    response.on('data', (piece: string) => {
      text += piece;
      onText?.(text);
    });
    response.on('error', reject);
    response.on('end', () => {
      if ((response.statusCode ?? 500) < 300) resolve(text);
      else reject(new Error(`${url} returned ${response.statusCode}: ${text.slice(0, 300)}`));
    });
  });
  sent.on('timeout', () => sent.destroy(new Error(`${url} timed out`)));
  sent.on('error', reject);
  sent.end(JSON.stringify(body));
  return promise;
}

/** Runs one turn and returns the milliseconds to its first text. Rejects an incomplete answer. */
export async function converse(url: string, chat: string): Promise<number> {
  const start = performance.now();
  let firstText = 0;
  const stream = await post(`${url}/chat`, { chat, text: 'please add numbers' }, (text) => {
    if (firstText === 0 && text.includes('"t":')) firstText = performance.now() - start;
  });
  const said = stream
    .split('\n\n')
    .filter((event) => event.startsWith('data: '))
    .map((event) => (JSON.parse(event.slice('data: '.length)) as { t: string }).t)
    .join('');
  if (said !== EXPECTED || !stream.includes('event: done')) {
    throw new Error(`incomplete answer: ${stream.slice(0, 300)}`);
  }
  return firstText;
}

/** Names of new chats with `history` earlier messages each. */
export async function newChats(url: string, count: number, history: number): Promise<string[]> {
  const prefix = randomBytes(6).toString('hex');
  const chats = Array.from({ length: count }, (_, index) => `${prefix}-${index}`);
  if (history > 0) {
    const seed = (chat: string) => post(`${url}/seed`, { chat, n: history, size: MESSAGE_SIZE });
    await concurrently(CONCURRENT_SEEDS, chats, seed);
  }
  return chats;
}

/** After a failure, starts no more work, and rejects when the running work has ended. */
export async function concurrently<Item, Value>(
  concurrency: number,
  items: readonly Item[],
  work: (item: Item) => Promise<Value>,
): Promise<Value[]> {
  const values: Value[] = [];
  const errors: unknown[] = [];
  const rest = items.values();
  const worker = async () => {
    for (const item of rest) {
      if (errors.length > 0) return;
      try {
        values.push(await work(item));
      } catch (error) {
        errors.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, items.length) }, worker));
  if (errors.length > 0) throw errors[0];
  return values;
}
