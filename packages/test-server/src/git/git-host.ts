import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll } from 'vitest';
import { makeTemporaryDirectory } from '../temporary-directory.ts';
import { makeCertificate } from './certificate.ts';
import { TestGitHubApp } from './github-app.ts';
import { answerGitHub } from './github-api.ts';
import { answerGitLab } from './gitlab-api.ts';
import { serveGit } from './http-backend.ts';
import { TestRepositories } from './repositories.ts';
import { etagOf, type RestAnswer } from './rest.ts';

export type RequestPoint = 'arrived' | 'done';
type Awaitable = boolean | Promise<boolean>;

export interface TestGitHost {
  /** Host and port. */
  readonly host: string;
  /** The accepted token. */
  readonly token: string;
  readonly repositories: TestRepositories;
  /** Answered requests, oldest first. */
  readonly requests: { readonly method: string; readonly url: string; readonly status: number }[];
  /** The headers of git requests. */
  readonly gitHeaders: IncomingMessage['headers'][];
  /** The remaining rate limit of the API. A 304 costs nothing. */
  remaining: number;
  /** Paths of the API that the token may not read. */
  forbidden: RegExp | undefined;
  readonly app: TestGitHubApp;
  /** The redirect target of git requests. Undefined: no redirect. */
  redirect: ((url: string) => string | undefined) | undefined;
  /**
   * Called when a request arrives, and after it has taken effect but before the response. Return false to close the
   * connection; a request that has just arrived then has no effect.
   */
  onRequest:
    | ((request: { method: string; url: string }, at: RequestPoint) => Awaitable)
    | undefined;
  /** The path of its self-signed certificate. */
  readonly certificate: string;
}

/**
 * A Git host over HTTPS with the APIs of GitHub and GitLab. This process trusts its certificate. It stops at the end of
 * the test file.
 */
export async function startGitHost(token: string): Promise<TestGitHost> {
  const folder = await makeTemporaryDirectory();
  const { key, cert, file } = await makeCertificate(folder);
  setDefaultCACertificates([...getCACertificates('default'), cert]);
  const repositories = new TestRepositories(folder);
  const server = createServer({ key, cert }, (incoming, outgoing) => {
    answer(incoming, outgoing).catch(() => outgoing.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  afterAll(async () => {
    server.closeAllConnections();
    server.close();
    await rm(folder, { recursive: true, force: true });
  });
  const host: TestGitHost = {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    token,
    repositories,
    requests: [],
    gitHeaders: [],
    remaining: 5000,
    forbidden: undefined,
    app: new TestGitHubApp(),
    redirect: undefined,
    onRequest: undefined,
    certificate: file,
  };
  return host;

  async function answer(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const { method = '', url = '' } = incoming;
    outgoing.once('finish', () => host.requests.push({ method, url, status: outgoing.statusCode }));
    if (!(await continues(incoming, 'arrived'))) return void outgoing.destroy();
    if (url.startsWith('/api/')) return await answerApi(incoming, outgoing);
    host.gitHeaders.push(incoming.headers);
    const location = host.redirect?.(url);
    if (location !== undefined) {
      outgoing.writeHead(301, { location, 'set-cookie': 'session=theirs' }).end();
      return;
    }
    const [, given = ''] = /^Basic (.+)$/.exec(incoming.headers.authorization ?? '') ?? [];
    const [, password = ''] = Buffer.from(given, 'base64').toString().split(/:(.*)/s);
    if (password !== token && !mayUseGit(password, url)) {
      outgoing.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end(`not ${password}`);
      return;
    }
    outgoing.setHeader('set-cookie', 'session=theirs');
    await serveGit(folder, incoming, outgoing, () => continues(incoming, 'done'));
  }

  /** Whether a token of the app allows this Git request. */
  function mayUseGit(secret: string, url: string): boolean {
    const [, repository = ''] = /^\/([^/]+\/[^/]+?)(?:\.git)?\//.exec(url) ?? [];
    const { repositories, permissions } = host.app.tokenOf(secret) ?? {};
    if (repositories?.includes(repository) !== true) return false;
    return !url.includes('git-receive-pack') || permissions?.['contents'] === 'write';
  }

  async function continues({ method = '', url = '' }: IncomingMessage, at: RequestPoint) {
    return (await host.onRequest?.({ method, url }, at)) ?? true;
  }

  async function answerApi(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const { method = '', headers } = incoming;
    const url = new URL(incoming.url ?? '', `https://${host.host}`);
    const content = await text(incoming);
    const body = (content === '' ? {} : JSON.parse(content)) as Record<string, unknown>;
    const prefix = url.pathname.startsWith('/api/v4')
      ? '/api/v4'
      : url.pathname.startsWith('/api/v3')
        ? '/api/v3'
        : '/api';
    const path = url.pathname.slice(prefix.length);
    const { status, body: said, headers: more } = await apiAnswer();
    if (!(await continues(incoming, 'done'))) return void outgoing.destroy();
    const etag = etagOf(said);
    const isKnown = method === 'GET' && status === 200 && headers['if-none-match'] === etag;
    if (!isKnown && host.remaining > 0) host.remaining -= 1;
    outgoing.writeHead(isKnown ? 304 : status, {
      ...more,
      etag,
      'content-type': 'application/json',
      'x-ratelimit-remaining': String(host.remaining),
      'x-ratelimit-reset': String(Math.floor(Date.now() / 1000) + 600),
    });
    outgoing.end(isKnown ? undefined : JSON.stringify(said));

    async function apiAnswer(): Promise<RestAnswer> {
      if (headers['user-agent'] === undefined)
        return { status: 403, body: { message: 'Request forbidden by administrative rules.' } };
      const asked = { method, path, query: url.searchParams, body };
      const ofApp =
        prefix === '/api/v4' ? undefined : host.app.answer(asked, headers.authorization);
      if (ofApp !== undefined) return ofApp;
      const given = headers.authorization?.replace('Bearer ', '') ?? '';
      const installed = host.app.tokenOf(given);
      if (given !== token && installed === undefined)
        return { status: 401, body: { message: 'Bad credentials' } };
      const refusal = installed && host.app.refusal(installed, asked);
      if (refusal !== undefined) return refusal;
      if (host.remaining === 0)
        return { status: 403, body: { message: 'API rate limit exceeded' } };
      if (host.forbidden?.test(path) === true)
        return {
          status: 403,
          body: { message: 'Resource not accessible by personal access token' },
        };
      const base = `https://${host.host}${prefix}`;
      return prefix === '/api/v4'
        ? await answerGitLab(repositories, asked, base)
        : await answerGitHub(repositories, asked, base);
    }
  }
}
