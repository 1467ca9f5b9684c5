/*
 * A provider that streams deltas at a fixed rate. Each delta contains the time it was written, so that viewers can
 * compute the latency.
 */
import { createServer, type ServerResponse } from 'node:http';
import { monotonicMs } from './clock.ts';

const [port = '0', everyMs = '50', forSeconds = '30'] = process.argv.slice(2);
const deltas = Math.round((Number(forSeconds) * 1000) / Number(everyMs));

const chunk = (delta: object, finish: string | null = null) =>
  `data: ${JSON.stringify({
    id: 'load',
    object: 'chat.completion.chunk',
    created: 0,
    model: 'paced',
    choices: [{ index: 0, delta, finish_reason: finish }],
  })}\n\n`;

function answer(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.write(chunk({ role: 'assistant', content: '' }));
  let said = 0;
  // A random start offset keeps the chats out of step.
  setTimeout(
    () => {
      const timer = setInterval(() => {
        said += 1;
        if (said <= deltas) {
          response.write(chunk({ content: `<${monotonicMs().toFixed(2)}> ` }));
          return;
        }
        clearInterval(timer);
        response.write(chunk({}, 'stop'));
        response.end('data: [DONE]\n\n');
      }, Number(everyMs));
      response.once('close', () => clearInterval(timer));
    },
    Math.random() * Number(everyMs),
  );
}

createServer((request, response) => {
  request.resume().once('end', () => answer(response));
}).listen(Number(port), '127.0.0.1');
