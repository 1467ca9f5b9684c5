import { createHmac, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface FakeGitHub {
  readonly url: string;
  /** Comments of each issue, oldest first. */
  readonly comments: ReadonlyMap<number, readonly string[]>;
  /** Requests that GitHub would refuse. */
  readonly refused: readonly string[];
  /** Comments on an issue. The webhook is delivered twice, as GitHub may do. Returns the statuses. */
  comment(issue: number, body: string, by?: 'User' | 'Bot'): Promise<number[]>;
  close(): Promise<void>;
}

const respond = (response: ServerResponse, status: number, value: unknown) =>
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));

const PATH = /^\/repos\/acme\/shop\/issues\/(\d+)\/comments$/;

/** The part of the GitHub API that the relay uses. Refuses everything else. */
export async function startFakeGitHub(options: {
  readonly token: string;
  readonly secret: string;
  readonly hookUrl: () => string;
  /** Whether the next post fails. */
  readonly isDown?: () => boolean;
}): Promise<FakeGitHub> {
  const comments = new Map<number, string[]>();
  const refused: string[] = [];
  const add = (issue: number, body: string) =>
    comments.set(issue, [...(comments.get(issue) ?? []), body]);

  const server = createServer((request, response) => {
    void (async () => {
      const { pathname } = new URL(request.url ?? '', 'http://localhost');
      const issue = Number(PATH.exec(pathname)?.[1]);
      const isKnown =
        request.headers.authorization === `Bearer ${options.token}` &&
        request.headers.accept === 'application/vnd.github+json' &&
        comments.has(issue);
      const body = await text(request);
      if (!isKnown) {
        refused.push(`${request.method} ${request.url}`);
        return respond(response, 404, { message: 'Not Found' });
      }
      if (request.method === 'GET') {
        return respond(
          response,
          200,
          comments.get(issue)?.map((one) => ({ body: one })),
        );
      }
      if (options.isDown?.() === true) return respond(response, 502, { message: 'Server Error' });
      add(issue, String((JSON.parse(body) as { body: unknown }).body));
      return respond(response, 201, { id: 1 });
    })();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    comments,
    refused,
    async comment(issue, text, type = 'User') {
      add(issue, text);
      const body = JSON.stringify({
        action: 'created',
        issue: { number: issue, title: 'Broken link' },
        comment: { body: text, user: { login: 'ada', type } },
        repository: { full_name: 'acme/shop' },
      });
      const hash = createHmac('sha256', options.secret).update(body).digest('hex');
      const headers = {
        'content-type': 'application/json',
        'x-github-event': 'issue_comment',
        'x-github-delivery': randomUUID(),
        'x-hub-signature-256': `sha256=${hash}`,
      };
      const statuses: number[] = [];
      for (let times = 0; times < 2; times += 1) {
        const response = await fetch(options.hookUrl(), { method: 'POST', headers, body });
        statuses.push(response.status);
      }
      return statuses;
    },
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
