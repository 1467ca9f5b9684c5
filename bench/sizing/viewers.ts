/* Viewers in a separate process. It reads the streams to open as a line from stdin and writes a line when all are open. */
import { Agent, request } from 'node:http';
import { createInterface } from 'node:readline';

export interface Audience {
  readonly urls: readonly string[];
  readonly token: string;
}

const agent = new Agent({ keepAlive: true, maxSockets: 10_000 });

function open(url: string, token: string): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  request(url, { agent, headers: { authorization: `Bearer ${token}` } }, (response) => {
    response.resume();
    if (response.statusCode === 200) response.once('data', () => resolve());
    else reject(new Error(`${url} returned ${response.statusCode}`));
  })
    .once('error', reject)
    .end();
  return promise;
}

for await (const line of createInterface({ input: process.stdin })) {
  const { urls, token } = JSON.parse(line) as Audience;
  await Promise.all(urls.map((url) => open(url, token)));
  process.stdout.write('open\n');
}
