import { createHash } from 'node:crypto';

export interface RestRequest {
  readonly method: string;
  /** Without the prefix of the API. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: Record<string, unknown>;
}

export interface RestAnswer {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Record<string, string>;
}

export const rest = (body: unknown, status = 200): RestAnswer => ({ status, body });

/** One page of a list, with the link to the next. */
export function paged(all: readonly unknown[], { path, query }: RestRequest, base: string) {
  const size = Math.min(Number(query.get('per_page') ?? 20), 100);
  const page = Number(query.get('page') ?? 1);
  const next = new URLSearchParams(query);
  next.set('page', String(page + 1));
  const hasMore = all.length > page * size;
  return {
    status: 200,
    body: all.slice((page - 1) * size, page * size),
    headers: hasMore ? { link: `<${base}${path}?${next.toString()}>; rel="next"` } : {},
  };
}

export const etagOf = (body: unknown): string =>
  `W/"${createHash('sha256').update(JSON.stringify(body)).digest('hex')}"`;
