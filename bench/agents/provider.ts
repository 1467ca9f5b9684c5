/*
 * A provider that streams deltas at a fixed rate. Each delta contains the time at which it was written, so that viewers
 * can compute the delay. It writes to the sockets directly, because it shares its core with the viewers and must not be
 * the bottleneck.
 */
import { createServer, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { monotonicMs } from '../load/clock.ts';

const [port = '0', rate = '25', seconds = '10'] = process.argv.slice(2);
const DELTAS = Math.round(Number(rate) * Number(seconds));
const EVERY_MS = 1000 / Number(rate);

const event = (delta: object, finish: string | null = null) =>
  `data: ${JSON.stringify({
    id: 'agents',
    object: 'chat.completion.chunk',
    created: 0,
    model: 'paced',
    choices: [{ index: 0, delta, finish_reason: finish }],
  })}\n\n`;
const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;
const [BEFORE = '', AFTER = ''] = event({ content: '<TIME> ' }).split('TIME');

interface Stream {
  readonly response: ServerResponse;
  readonly socket: Socket;
  left: number;
  dueMs: number;
}

const streams = new Set<Stream>();

function write(stream: Stream): void {
  stream.dueMs += EVERY_MS;
  if (stream.left > 0) {
    stream.left -= 1;
    stream.socket.write(chunk(`${BEFORE}${monotonicMs().toFixed(3)}${AFTER}`), 'latin1');
    return;
  }
  streams.delete(stream);
  stream.response.write(event({}, 'stop'));
  stream.response.end('data: [DONE]\n\n');
}

/** A late tick writes all deltas that are due, so that the rate holds. */
setInterval(() => {
  const now = monotonicMs();
  for (const stream of streams) if (stream.dueMs <= now) write(stream);
}, 1);

function start(response: ServerResponse): void {
  const { socket } = response;
  if (socket === null) return;
  socket.setNoDelay();
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.write(event({ role: 'assistant', content: '' }));
  // A random offset keeps the agents out of step.
  const dueMs = monotonicMs() + 5 + Math.random() * EVERY_MS;
  const stream: Stream = { response, socket, left: DELTAS, dueMs };
  streams.add(stream);
  response.once('close', () => streams.delete(stream));
}

const server = createServer((request, response) => {
  request.resume().once('end', () => start(response));
});
// Longer than any pause between two measurements, so that no connection is closed on reuse.
server.keepAliveTimeout = 3_600_000;
server.listen(Number(port), '127.0.0.1');
