/*
 * All viewers run in one separate process, so that their CPU time is known. It reads the streams to watch as a line of
 * JSON from stdin and writes the result as a line to stdout.
 */
import { Agent, request } from 'node:http';
import { createInterface } from 'node:readline';
import { monotonicMs } from './clock.ts';
import { type Delays, Histogram } from './histogram.ts';

export interface Assignment {
  readonly viewers: readonly { readonly url: string; readonly remote: boolean }[];
  readonly token: string;
  /** Earlier deltas belong to the warm-up. */
  readonly countAfterMs: number;
}

export interface Sightings {
  readonly local: Delays;
  readonly remote: Delays;
  /** Deltas in committed messages, and those among them that were not received live. */
  readonly deltas: number;
  readonly committed: number;
  readonly finished: number;
  readonly failures: readonly string[];
}

const agent = new Agent({ keepAlive: true, maxSockets: 5000 });
const local = new Histogram();
const remote = new Histogram();
const failures: string[] = [];
let deltas = 0;
let committed = 0;
let finished = 0;

/** Searches events as text: parsing them would make this the busiest process of the run. */
const SAID = /<(\d+\.\d+)>/g;

function watch(url: string, delays: Histogram, { token, countAfterMs }: Assignment): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const options = { agent, headers: { authorization: `Bearer ${token}` } };
  let live = 0;
  const sent = request(url, options, (response) => {
    let rest = '';
    response.setEncoding('utf8');
    response.on('data', (piece: string) => {
      const now = monotonicMs();
      const text = rest + piece;
      const end = text.lastIndexOf('\n\n') + 2;
      rest = text.slice(end);
      for (const event of text.slice(0, end).split('\n\n')) {
        if (event.includes('"type":"message_part"')) {
          for (const [, at] of event.matchAll(SAID)) {
            live += 1;
            if (now > countAfterMs) delays.add(now - Number(at));
          }
        } else if (event.includes('"type":"message"') && event.includes('"role":"assistant"')) {
          // Deltas that did not arrive live arrive with the committed message.
          const said = [...event.matchAll(SAID)].length;
          deltas += said;
          committed += said - live;
          live = 0;
        } else if (event.includes('"status":"waiting"')) {
          finished += 1;
          sent.destroy();
          resolve();
        } else if (event.includes('"type":"error"')) failures.push(event);
      }
    });
    response.once('close', resolve);
  });
  sent.on('error', (error) => {
    failures.push(String(error));
    resolve();
  });
  sent.end();
  return promise;
}

const lines = createInterface({ input: process.stdin });
for await (const line of lines) {
  const assignment = JSON.parse(line) as Assignment;
  await Promise.all(
    assignment.viewers.map(({ url, remote: far }) => watch(url, far ? remote : local, assignment)),
  );
  const seen: Sightings = {
    local: local.summary(),
    remote: remote.summary(),
    deltas,
    committed,
    finished,
    failures: failures.slice(0, 5),
  };
  process.stdout.write(`${JSON.stringify(seen)}\n`);
  process.exit(0);
}
