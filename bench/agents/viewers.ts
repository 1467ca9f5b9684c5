/*
 * All viewers, in a process of their own. Each line on stdin is an audience; the line on stdout that answers it contains
 * the delivery delays.
 */
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { monotonicMs } from '../load/clock.ts';
import { type Delays, Histogram } from '../load/histogram.ts';

export interface Audience {
  /** One viewer each. */
  readonly viewers: readonly Viewer[];
  /** Viewers start evenly within this time. */
  readonly startMs: number;
  /** Deltas received in between count. */
  readonly fromMs: number;
  readonly untilMs: number;
}

/** A POST request that starts an agent and returns its stream. */
interface Viewer {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface Sighting extends Delays {
  /** Deltas of all streams, also outside the measured time. */
  readonly deltas: number;
  readonly failures: readonly string[];
}

/** Far above the duration of a turn. An overloaded program can take longer. */
const TIMEOUT_MS = 45_000;
/** Each delta contains the time at which the provider wrote it. */
const DELTA = /<(\d+\.\d+)>/g;

/** Reads the socket as text: parsing HTTP and JSON would make this the busiest process of the run. */
function view(
  { url, headers, body }: Viewer,
  see: (writtenMs: number, nowMs: number) => void,
): Promise<string | undefined> {
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  const { hostname, port, pathname } = new URL(url);
  const all = {
    ...headers,
    host: `${hostname}:${port}`,
    connection: 'close',
    'content-length': body.length,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  const socket = connect(Number(port), hostname);
  socket.setEncoding('latin1');
  socket.write(`POST ${pathname} HTTP/1.1\r\n${lines.join('')}\r\n${body}`);
  let rest = '';
  let last = 0;
  socket.once('data', (head: string) => {
    if (!/^HTTP\/1\.1 20[01] /.test(head)) resolve(`${url}: ${head}`);
  });
  socket.on('data', (piece: string) => {
    const now = monotonicMs();
    const text = rest + piece;
    for (const [, time] of text.matchAll(DELTA)) {
      const written = Number(time);
      // The committed message repeats the text.
      if (written <= last) continue;
      last = written;
      see(written, now);
    }
    const open = text.lastIndexOf('<');
    rest = open > text.lastIndexOf('>') ? text.slice(open) : '';
  });
  socket.once('error', (error) => resolve(String(error)));
  const timer = setTimeout(() => {
    resolve(`${url}: the stream did not end`);
    socket.destroy();
  }, TIMEOUT_MS);
  socket.once('close', () => {
    clearTimeout(timer);
    resolve(undefined);
  });
  return promise;
}

async function watch({ viewers, startMs, fromMs, untilMs }: Audience): Promise<Sighting> {
  const delays = new Histogram();
  let deltas = 0;
  const see = (writtenMs: number, nowMs: number) => {
    deltas += 1;
    if (nowMs >= fromMs && nowMs < untilMs) delays.add(nowMs - writtenMs);
  };
  const ends = await Promise.all(
    viewers.map(async (viewer, index) => {
      await sleep((index / viewers.length) * startMs);
      return await view(viewer, see);
    }),
  );
  const failures = ends.filter((end) => end !== undefined).slice(0, 5);
  return { ...delays.summary(), deltas, failures };
}

for await (const line of createInterface({ input: process.stdin })) {
  process.stdout.write(`${JSON.stringify(await watch(JSON.parse(line) as Audience))}\n`);
}
