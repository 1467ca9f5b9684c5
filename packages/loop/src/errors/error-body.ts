/** The known fields of a provider's error body. Other fields may repeat the request. */
export interface BodySignals {
  /** The first HTTP status in a body. */
  status?: number;
  /** Types, codes, statuses and reasons, in lower case. */
  codes: Set<string>;
  /** Request parameters that the provider rejects. */
  parameters: Set<string>;
  /** Messages of the provider, outermost first. */
  messages: string[];
  /** Google's RetryInfo, such as `34.4s`. */
  retryDelay?: string;
}

type Fields = Readonly<Record<string, unknown>>;

const MAX_DEPTH = 8;
const MAX_ITEMS = 8;
const MAX_MESSAGE = 4_000;

const CODE_FIELDS = ['type', 'code', 'status', 'reason', '__type', 'error_type'];
const MESSAGE_FIELDS = ['message', 'msg', 'detail'];
/** `data` is the AI SDK's, `innererror` Azure's, `provider_specific_fields` LiteLLM's. */
const NESTED_FIELDS = ['data', 'error', 'errors', 'innererror', 'provider_specific_fields'];

export const emptyBodySignals = (): BodySignals => ({
  codes: new Set(),
  parameters: new Set(),
  messages: [],
});

/** Adds a body, or an error that a provider sent inside a stream. */
export function readBody(body: unknown, into: BodySignals, depth = 0): void {
  if (depth > MAX_DEPTH) return;
  if (typeof body === 'string') readText(body, into, depth);
  else if (Array.isArray(body)) {
    for (const item of body.slice(0, MAX_ITEMS)) readBody(item, into, depth + 1);
  } else if (isFields(body)) readFields(body, into, depth);
}

function readFields(fields: Fields, into: BodySignals, depth: number): void {
  for (const name of CODE_FIELDS) readCode(fields[name], into);
  const { param, details, metadata, response } = fields;
  // Some providers put a sentence with values of the request here.
  if (typeof param === 'string' && /^[\w.[\]]{1,64}$/.test(param)) into.parameters.add(param);
  for (const name of MESSAGE_FIELDS) readBody(fields[name], into, depth + 1);
  for (const name of NESTED_FIELDS) readBody(fields[name], into, depth + 1);
  // OpenRouter: the error of the provider behind it.
  if (isFields(metadata)) readBody(metadata['raw'], into, depth + 1);
  if (isFields(response)) readBody(response['error'], into, depth + 1);
  if (Array.isArray(details)) for (const detail of details) readDetail(detail, into);
}

/** An item of `google.rpc.Status.details`: ErrorInfo has a reason, RetryInfo a delay. */
function readDetail(detail: unknown, into: BodySignals): void {
  if (!isFields(detail)) return;
  readCode(detail['reason'], into);
  const { retryDelay } = detail;
  if (typeof retryDelay === 'string') into.retryDelay ??= retryDelay;
}

function readCode(value: unknown, into: BodySignals): void {
  if (typeof value !== 'string' && typeof value !== 'number') return;
  const status = Number(value);
  if (status >= 400 && status < 600) into.status ??= status;
  else if (typeof value === 'string' && value !== '') into.codes.add(codeName(value));
}

/** AWS qualifies its types: `com.amazon.coral.validate#ValidationException`, `ValidationException:http://…`. */
export const codeName = (value: string): string =>
  value
    .replace(/^.*#/, '')
    .replace(/:https?:.*$/, '')
    .slice(0, 100)
    .toLowerCase();

function readText(text: string, into: BodySignals, depth: number): void {
  const trimmed = text.trim();
  // A proxy's error page.
  if (trimmed === '' || trimmed.startsWith('<')) return;
  if (/^[[{]/.test(trimmed)) {
    const body = parsed(trimmed);
    if (body !== undefined) readBody(body, into, depth + 1);
    return;
  }
  const proxied = /^litellm\.(\w+): /.exec(trimmed)?.[1];
  if (proxied !== undefined) {
    into.codes.add(proxied.toLowerCase());
    const start = trimmed.indexOf('{');
    const body = start < 0 ? undefined : parsed(trimmed.slice(start, trimmed.lastIndexOf('}') + 1));
    if (body !== undefined) {
      readBody(body, into, depth + 1);
      return;
    }
  }
  into.messages.push(trimmed.slice(0, MAX_MESSAGE));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null;
