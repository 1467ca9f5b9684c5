import type { HighlightResponse, HighlightRequest, Highlights } from './tokens.ts';

/** A grammar that takes longer is stuck in its patterns: the worker is terminated and the piece stays plain. */
const LONGEST_MS = 10_000;
const REMEMBERED = 300;

type Wanted = Omit<HighlightRequest, 'id'>;
interface Job {
  readonly request: HighlightRequest;
  readonly answer: (highlights: Highlights) => void;
}

const known = new Map<string, Highlights>();
const waiting: Job[] = [];
let worker: Worker | undefined;
let current: Job | undefined;
let deadline: ReturnType<typeof setTimeout> | undefined;
let lastId = 0;

/** Highlights code in a worker, one piece at a time, the latest request first. */
export function requestHighlights(wanted: Wanted): Promise<Highlights> {
  const key = `${wanted.language}\0${wanted.after}\0${wanted.text}`;
  const remembered = known.get(key);
  if (remembered !== undefined) return Promise.resolve(remembered);
  const { promise, resolve } = Promise.withResolvers<Highlights>();
  lastId += 1;
  waiting.push({
    request: { ...wanted, id: lastId },
    answer(highlights) {
      remember(key, highlights);
      resolve(highlights);
    },
  });
  work();
  return promise;
}

function work(): void {
  if (current !== undefined) return;
  // The latest request is the visible one.
  current = waiting.pop();
  if (current === undefined) return;
  worker ??= start();
  worker.postMessage(current.request);
  deadline = setTimeout(giveUp, LONGEST_MS);
}

function start(): Worker {
  const made = new Worker(new URL('./worker.ts', import.meta.url), {
    type: 'module',
    name: 'highlights',
  });
  made.addEventListener('message', ({ data }: MessageEvent<HighlightResponse>) => {
    if (data.id === current?.request.id) settle(data.highlights);
  });
  made.addEventListener('error', giveUp);
  return made;
}

function giveUp(): void {
  worker?.terminate();
  worker = undefined;
  settle([]);
}

function settle(highlights: Highlights): void {
  clearTimeout(deadline);
  const done = current;
  current = undefined;
  done?.answer(highlights);
  work();
}

function remember(key: string, highlights: Highlights): void {
  known.set(key, highlights);
  const [oldest] = known.keys();
  if (known.size > REMEMBERED && oldest !== undefined) known.delete(oldest);
}
