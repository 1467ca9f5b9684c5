/*
 * A provider controlled by the last user message: `say 1600` responds with that many characters at once, `add` calls a
 * tool first, and `speak` streams words at a fixed rate. `GET /said` returns the number of words sent, which is below the
 * target on a busy machine.
 */
import { createServer, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';

const [port = '0', everyMs = '50', forSeconds = '30'] = process.argv.slice(2);
const deltas = Math.round((Number(forSeconds) * 1000) / Number(everyMs));
/** Word frequencies follow natural language, because they determine the size of the search index. */
const VOCABULARY = Array.from({ length: 5000 }, () => Math.random().toString(36).slice(2, 8));
const word = () => `${VOCABULARY[Math.floor(VOCABULARY.length * Math.random() ** 3)]} `;
let said = 0;

interface Asked {
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
}

const chunk = (delta: object, finish: string | null = null, usage?: object) =>
  `data: ${JSON.stringify({
    id: 'sizing',
    object: 'chat.completion.chunk',
    created: 0,
    model: 'sizing',
    choices: [{ index: 0, delta, finish_reason: finish }],
    ...(usage && { usage }),
  })}\n\n`;

const USAGE = { prompt_tokens: 500, completion_tokens: 400, total_tokens: 900 };

function end(response: ServerResponse, finish: string): void {
  response.write(chunk({}, finish, USAGE));
  response.end('data: [DONE]\n\n');
}

function speak(response: ServerResponse): void {
  let left = deltas;
  const timer = setInterval(() => {
    left -= 1;
    if (left >= 0) {
      said += 1;
      response.write(chunk({ content: word() }));
      return;
    }
    clearInterval(timer);
    end(response, 'stop');
  }, Number(everyMs));
  response.once('close', () => clearInterval(timer));
}

function answer({ messages }: Asked, response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.write(chunk({ role: 'assistant', content: '' }));
  const last = messages.at(-1);
  const asked = JSON.stringify(messages.findLast(({ role }) => role === 'user')?.content ?? '');
  const [, characters] = /say (\d+)/.exec(asked) ?? [];
  if (asked.includes('add') && last?.role === 'user') {
    const call = { name: 'add', arguments: '{"a":2,"b":3}' };
    response.write(
      chunk({
        tool_calls: [{ index: 0, id: crypto.randomUUID(), type: 'function', function: call }],
      }),
    );
    end(response, 'tool_calls');
  } else if (characters !== undefined) {
    const size = Number(characters);
    const words = Array.from({ length: Math.ceil(size / 5) }, word).join('');
    response.write(chunk({ content: words.slice(0, size) }));
    end(response, 'stop');
  } else {
    // A random start offset keeps the chats out of step.
    setTimeout(speak, Math.random() * Number(everyMs), response);
  }
}

createServer((request, response) => {
  if (request.url === '/said') response.end(String(said));
  else void text(request).then((body) => answer(JSON.parse(body) as Asked, response));
}).listen(Number(port), '127.0.0.1');
