import type { ColourAnswer, ColourRequest, Colours } from './tokens.ts';

/** A grammar that takes longer is stuck in its patterns: the worker is terminated and the piece stays plain. */
const LONGEST_MS = 10_000;
const REMEMBERED = 300;

type Wanted = Omit<ColourRequest, 'id'>;
interface Job {
  readonly request: ColourRequest;
  readonly answer: (colours: Colours) => void;
}

const known = new Map<string, Colours>();
const waiting: Job[] = [];
let worker: Worker | undefined;
let current: Job | undefined;
let deadline: ReturnType<typeof setTimeout> | undefined;
let lastId = 0;

/** Highlights code in a worker, one piece at a time, the latest request first. */
export function askForColours(wanted: Wanted): Promise<Colours> {
  const key = `${wanted.language}\0${wanted.after}\0${wanted.text}`;
  const remembered = known.get(key);
  if (remembered !== undefined) return Promise.resolve(remembered);
  const { promise, resolve } = Promise.withResolvers<Colours>();
  lastId += 1;
  waiting.push({
    request: { ...wanted, id: lastId },
    answer(colours) {
      remember(key, colours);
      resolve(colours);
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
    name: 'colours',
  });
  made.addEventListener('message', ({ data }: MessageEvent<ColourAnswer>) => {
    if (data.id === current?.request.id) settle(data.colours);
  });
  made.addEventListener('error', giveUp);
  return made;
}

function giveUp(): void {
  worker?.terminate();
  worker = undefined;
  settle([]);
}

function settle(colours: Colours): void {
  clearTimeout(deadline);
  const done = current;
  current = undefined;
  done?.answer(colours);
  work();
}

function remember(key: string, colours: Colours): void {
  known.set(key, colours);
  const [oldest] = known.keys();
  if (known.size > REMEMBERED && oldest !== undefined) known.delete(oldest);
}
