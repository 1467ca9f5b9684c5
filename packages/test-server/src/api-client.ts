import { request as httpRequest } from 'node:http';
import {
  API_PREFIX,
  isEventStream,
  isMedia,
  isTwoWay,
  Problem,
  type Route,
  type RouteName,
  type Routes,
  routes,
} from '@chatd/protocol';
import { expect } from 'vitest';
import type { z } from 'zod';
import { refusalsOf } from '../../server/src/http/openapi/refusals.ts';

export interface Input {
  readonly params?: Readonly<Record<string, string | number>>;
  readonly query?: Readonly<Record<string, string | number | boolean>> | string;
  readonly body?: unknown;
  /** Sent unchanged, instead of a JSON body. */
  readonly raw?: string | Buffer | ReadableStream;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

type BodyOf<R extends Route> = {
  [Status in keyof R['answers'] & number]: R['answers'][Status] extends z.ZodType
    ? z.output<R['answers'][Status]>
    : undefined;
}[keyof R['answers'] & number];

/** An API client that checks every response against the route table, including the absence of unknown fields. */
export class ApiClient {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;

  constructor(url: string, headers: Readonly<Record<string, string>>) {
    this.url = url;
    this.headers = headers;
  }

  /** The body of a successful response. Throws on an error response. */
  async ok<Name extends RouteName>(name: Name, input: Input = {}): Promise<BodyOf<Routes[Name]>> {
    const reply = await this.call(name, input);
    if (reply.status >= 400) throw new Error(`${name}: ${reply.status} ${reply.text}`);
    const body: unknown =
      reply.text !== '' && reply.headers.get('content-type') === 'application/json'
        ? JSON.parse(reply.text)
        : undefined;
    return body as BodyOf<Routes[Name]>;
  }

  /** The problem of an error response. Throws on success. */
  async refused(name: RouteName, input: Input = {}): Promise<Problem & { headers: Headers }> {
    const reply = await this.call(name, input);
    if (reply.status < 400)
      throw new Error(`${name} was not refused: ${reply.status} ${reply.text}`);
    return { ...Problem.parse(JSON.parse(reply.text)), headers: reply.headers };
  }

  /** `STATUS code` of an error response. */
  async refusal(name: RouteName, input: Input = {}): Promise<string> {
    const { status, code } = await this.refused(name, input);
    return `${status} ${code}`;
  }

  async call(name: RouteName, input: Input = {}): Promise<Reply> {
    const route: Route = routes[name];
    const reply = await this.send(route.method.toUpperCase(), pathFor(route, input), input);
    conforms(name, route, reply);
    return reply;
  }

  async send(method: string, path: string, input: Input = {}): Promise<Reply> {
    const body = input.raw ?? (input.body === undefined ? undefined : JSON.stringify(input.body));
    const response = await fetch(`${this.url}${path}`, {
      method,
      redirect: 'manual',
      headers: {
        ...this.headers,
        ...(input.body !== undefined && { 'content-type': 'application/json' }),
        ...input.headers,
      },
      ...(body !== undefined && { body: body as NonNullable<RequestInit['body']>, duplex: 'half' }),
    });
    return {
      status: response.status,
      headers: response.headers,
      text: await response.text(),
    };
  }
}

export function pathFor(route: Route, { params = {}, query = {} }: Input): string {
  const path = route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(params[name]));
  const search =
    typeof query === 'string'
      ? query
      : new URLSearchParams(
          Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
        ).toString();
  return `${API_PREFIX}${path}${search === '' ? '' : `?${search}`}`;
}

function conforms(name: RouteName, route: Route, { status, headers, text }: Reply): void {
  expect(status, `${name}: the server failed, see its log`).not.toBe(500);
  expect(headers.get('x-request-id'), name).toMatch(/^[\w-]{36}$/);
  expect(headers.get('x-content-type-options'), name).toBe('nosniff');
  if (status >= 400) return problemConforms(name, status, headers, text);
  expect(Object.keys(route.answers), `${name} ${text}`).toContain(String(status));
  const shape = route.answers[status];
  if (shape === null || shape === undefined) {
    expect(text, name).toBe('');
  } else if (route.csv && headers.get('content-type') === 'text/csv; charset=utf-8') {
    expect(text, name).toMatch(/\r\n$/);
  } else if (!isMedia(shape) && !isEventStream(shape) && !isTwoWay(shape)) {
    expect(headers.get('content-type'), name).toBe('application/json');
    const body: unknown = JSON.parse(text);
    // Parsing drops unknown fields, so this also checks that there are none.
    expect(shape.parse(body), name).toEqual(body);
  }
}

function problemConforms(name: RouteName, status: number, headers: Headers, text: string): void {
  expect(headers.get('content-type'), name).toBe('application/problem+json');
  const problem: unknown = JSON.parse(text);
  const { code, status: said } = Problem.parse(problem);
  expect(Problem.parse(problem), name).toEqual(problem);
  expect(said, name).toBe(status);
  expect(refusalsOf(name), `${name}: ${text}`).toContain(code);
}

/** For headers that `fetch` does not allow. */
export async function rawRequest(
  url: string,
  options: { method?: string; path: string; headers: Record<string, string>; body?: string },
): Promise<{ status: number; headers: Record<string, unknown>; text: string }> {
  const { hostname, port } = new URL(url);
  const { promise, resolve, reject } = Promise.withResolvers<{
    status: number;
    headers: Record<string, unknown>;
    text: string;
  }>();
  const request = httpRequest(
    {
      hostname,
      port,
      method: options.method ?? 'GET',
      path: options.path,
      headers: options.headers,
    },
    (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => (text += chunk));
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text }),
      );
    },
  );
  request.on('error', reject);
  request.end(options.body);
  return await promise;
}
