/*
 * The contract of all compared programs: one request runs a turn and streams its text. A program calls `serve` and reads
 * its settings from the environment:
 *
 *     PEER_PORT     the port on 127.0.0.1
 *     PROVIDER_URL  the base URL of the provider, ending in /v1
 *     DATABASE_URL  its own empty PostgreSQL database
 *     PEER_DATA     its own empty directory
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

export const SYSTEM_PROMPT =
  'You are a helpful assistant. Use the add tool when you need arithmetic.';

/** Above the number of model calls in any turn. */
export const MAX_STEPS = 40;

/** The number of database connections of each program that has a pool. */
export const POOL_SIZE = 10;

interface Program {
  /** Runs one turn in a chat, which its first message creates. Calls `emit` with each text delta. */
  readonly turn: (chat: string, text: string, emit: (delta: string) => void) => Promise<void>;
  /** Stores `n` earlier messages of `size` characters. */
  readonly seed: (chat: string, n: number, size: number) => Promise<void>;
  /** The processes that store the data, if it is not in PostgreSQL. */
  readonly storePids?: readonly number[];
  readonly stop?: () => Promise<void>;
}

interface ContractBody {
  readonly chat: string;
  readonly text: string;
  readonly n: number;
  readonly size: number;
}

/**
 * Serves the contract:
 *
 * - `GET /` returns `storePids`.
 * - `POST /chat` with `chat` and `text` returns an event stream: `data: {"t": "…"}` for each delta, and `event: done`
 *   when the turn is stored.
 * - `POST /seed` with `chat`, `n` and `size` stores earlier messages.
 */
export function serve({ turn, seed, storePids = [], stop }: Program): void {
  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.method === 'GET') {
      response.end(JSON.stringify({ storePids }));
      return;
    }
    const { chat, text, n, size } = await readJson(request);
    if (request.url === '/seed') {
      await seed(chat, n, size);
      response.end('ok');
      return;
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    await turn(chat, text, (t) => response.write(`data: ${JSON.stringify({ t })}\n\n`));
    response.end('event: done\ndata: {}\n\n');
  };
  const server = createServer((request, response) => {
    respond(request, response).catch((error: unknown) => {
      console.error(error);
      response.destroy();
    });
  });
  // Longer than any pause between two measurements, so that no connection is closed on reuse.
  server.keepAliveTimeout = 3_600_000;
  server.listen(Number(required('PEER_PORT')), '127.0.0.1');
  process.once('SIGTERM', () => void Promise.resolve(stop?.()).then(() => process.exit(0)));
}

async function readJson(request: IncomingMessage): Promise<ContractBody> {
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
): { role: 'user' | 'assistant'; content: string }[] {
  return Array.from({ length: n }, (_, index) => {
    let content = `m${index}`;
    while (content.length < size) content += ` ${VOCABULARY[skewed(VOCABULARY_SIZE)]}`;
    return { role: index % 2 === 0 ? 'user' : 'assistant', content: content.slice(0, size) };
  });
}
