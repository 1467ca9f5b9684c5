import { APICallError } from '@ai-sdk/provider';
import { type BodySignals, codeName, emptyBodySignals, readBody } from './error-body.ts';

/** Everything an error and its causes say. */
export interface Signals extends BodySignals {
  /** Error names, and codes of Node such as ECONNRESET, in lower case. */
  localCodes: Set<string>;
  /** Messages of local errors: network, HTTP client, AI SDK. */
  localMessages: string[];
  headers: Record<string, string>;
}

const MAX_DEPTH = 6;

export function readSignals(error: unknown): Signals {
  const signals: Signals = {
    ...emptyBodySignals(),
    localCodes: new Set(),
    localMessages: [],
    headers: {},
  };
  let current: unknown = error;
  for (let depth = 0; depth < MAX_DEPTH && current !== undefined && current !== null; depth++) {
    readOne(current, signals);
    current = typeof current === 'object' ? (current as { cause?: unknown }).cause : undefined;
  }
  const type = signals.headers['x-amzn-errortype'];
  if (type !== undefined) signals.codes.add(codeName(type));
  return signals;
}

function readOne(error: unknown, signals: Signals): void {
  if (!(error instanceof Error)) {
    if (typeof error === 'object') readStatus(error as Record<string, unknown>, signals);
    // Errors inside a stream arrive as data, in the provider's format.
    readBody(error, signals);
    return;
  }
  const fields = error as Error & Record<string, unknown>;
  signals.localCodes.add(error.name.toLowerCase());
  if (!isMadeUp(fields)) readStatus(fields, signals);
  if (QUOTING.has(error.name)) {
    readBody(fields['value'], signals);
  } else if (typeof fields['statusCode'] === 'number') {
    readAnswer(error, fields, signals);
  } else {
    if (typeof fields['code'] === 'string') signals.localCodes.add(fields['code'].toLowerCase());
    signals.localMessages.push(error.message);
  }
}

/** AI SDK errors whose message quotes unparsable input: only their name is used. */
const QUOTING = new Set([
  'AI_JSONParseError',
  'AI_TypeValidationError',
  'AI_InvalidResponseDataError',
]);

/** The AI SDK's gateway reports a broken connection as a 500, although there was no response. */
const isMadeUp = ({ name, cause }: Error): boolean =>
  name === 'GatewayResponseError' &&
  APICallError.isInstance(cause) &&
  cause.statusCode === undefined;

function readStatus(fields: Readonly<Record<string, unknown>>, signals: Signals): void {
  const status = [fields['statusCode'], fields['status'], fields['code']]
    .map(Number)
    .find((code) => code >= 400 && code < 600);
  if (status !== undefined) signals.status ??= status;
}

/** An HTTP error response, without the fields that repeat the request. */
function readAnswer(
  error: Error,
  fields: Readonly<Record<string, unknown>>,
  signals: Signals,
): void {
  const { type, data, response, responseBody } = fields;
  readBody({ message: error.message, type, data, response }, signals);
  readBody(asJson(responseBody), signals);
  if (!APICallError.isInstance(error)) return;
  for (const [name, value] of Object.entries(error.responseHeaders ?? {})) {
    signals.headers[name.toLowerCase()] ??= value;
  }
}

/** A body that is not JSON is ignored: it may be a proxy's error page or an echo of the request. */
function asJson(body: unknown): unknown {
  if (typeof body !== 'string') return undefined;
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
