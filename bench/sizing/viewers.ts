/* Viewers in a process of their own. A line on stdin is a list of streams to open; a line on stdout says that all are. */
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
    else reject(new Error(`${url} answers ${response.statusCode}`));
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
