import { API_PREFIX } from '@chatd/protocol';

/** Response headers that scripts of other origins can read. */
const EXPOSED = [
  'content-disposition',
  'idempotency-replayed',
  'ratelimit',
  'ratelimit-policy',
  'retry-after',
  'x-request-id',
  'x-vercel-ai-ui-message-stream',
].join(', ');

const REQUEST_HEADERS = [
  'authorization',
  'content-type',
  'idempotency-key',
  'last-event-id',
  'user-agent',
  // Of the clients of OpenAI.
  'openai-organization',
  'openai-project',
  ...['arch', 'lang', 'os', 'package-version', 'retry-count', 'runtime', 'runtime-version'].map(
    (name) => `x-stainless-${name}`,
  ),
  'x-stainless-helper-method',
  'x-stainless-timeout',
].join(', ');

/** The API, and that of OpenAI. */
export const CROSS_ORIGIN_PREFIXES = [API_PREFIX, '/v1'] as const;

const PREFLIGHT_SECONDS = '600';

/** The parts of a request that CORS depends on. */
export interface CrossOriginRequest {
  readonly method: string;
  readonly path: string;
  header(name: string): string | undefined;
}

/** `https://app.example.org` or `http://localhost:3000`; undefined if the text is not an origin. */
export function parseOrigin(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !['http:', 'https:'].includes(url.protocol)) return undefined;
  return [url.origin, `${url.origin}/`].includes(text.toLowerCase()) ? url.origin : undefined;
}

/**
 * CORS headers of the API for the allowed origins. Their pages must authenticate with tokens: cookies are never allowed
 * across origins, so a page of another origin has no rights of a signed-in user.
 */
export class AllowedOrigins {
  readonly #origins: ReadonlySet<string>;

  constructor(origins: readonly string[]) {
    this.#origins = new Set(origins);
  }

  /** For every response, errors included: without them the page cannot read the error. */
  headersFor(request: CrossOriginRequest): Readonly<Record<string, string>> {
    if (this.#origins.size === 0 || !isApi(request.path)) return {};
    const origin = request.header('origin');
    if (origin === undefined || !this.#origins.has(origin)) return { vary: 'Origin' };
    return {
      vary: 'Origin',
      'access-control-allow-origin': origin,
      'access-control-expose-headers': EXPOSED,
    };
  }

  /** The response headers for a preflight request of an allowed origin. Undefined for any other request. */
  preflight(request: CrossOriginRequest): Readonly<Record<string, string>> | undefined {
    const requestedMethod = request.header('access-control-request-method');
    if (request.method !== 'OPTIONS' || requestedMethod === undefined || !isApi(request.path))
      return;
    if (!this.#origins.has(request.header('origin') ?? '')) return;
    return {
      'access-control-allow-methods': 'GET, HEAD, POST, PUT, PATCH, DELETE',
      'access-control-allow-headers': REQUEST_HEADERS,
      'access-control-max-age': PREFLIGHT_SECONDS,
    };
  }
}

const isApi = (path: string) =>
  CROSS_ORIGIN_PREFIXES.some((prefix) => path.startsWith(`${prefix}/`));
