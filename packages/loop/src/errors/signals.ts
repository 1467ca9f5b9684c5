import { APICallError } from '@ai-sdk/provider';

/** Everything an error says, gathered from it and from what caused it. */
export interface Signals {
  status?: number;
  /** Messages, codes and names, in lower case. */
  text: string;
  headers: Record<string, string>;
  isMissingKey: boolean;
}

const MAX_DEPTH = 6;

export function readSignals(error: unknown): Signals {
  const words: string[] = [];
  const signals: Signals = { text: '', headers: {}, isMissingKey: false };
  let current: unknown = error;
  for (let depth = 0; depth < MAX_DEPTH && current !== undefined && current !== null; depth++) {
    readOne(current, signals, words);
    current = typeof current === 'object' ? (current as { cause?: unknown }).cause : undefined;
  }
  signals.text = words.join('\n').toLowerCase();
  return signals;
}

/** The AI SDK's gateway calls a connection that broke a 500: nobody answered that. */
const isMadeUp = ({ name, cause }: Record<string, unknown>): boolean =>
  name === 'GatewayResponseError' &&
  APICallError.isInstance(cause) &&
  cause.statusCode === undefined;

function readOne(error: unknown, signals: Signals, words: string[]): void {
  if (typeof error === 'string') {
    words.push(error);
    return;
  }
  if (typeof error !== 'object' || error === null) return;
  const fields = error as Record<string, unknown>;
  for (const key of ['name', 'message', 'code', 'type', 'param', 'raw'] as const) {
    if (typeof fields[key] === 'string') words.push(fields[key]);
  }
  if (fields['name'] === 'AI_LoadAPIKeyError') signals.isMissingKey = true;
  if (signals.status === undefined && !isMadeUp(fields)) {
    const status = [fields['statusCode'], fields['status'], fields['code']]
      .map(Number)
      .find((code) => code >= 400 && code < 600);
    if (status !== undefined) signals.status = status;
  }
  if (APICallError.isInstance(error)) {
    if (error.responseBody !== undefined) words.push(error.responseBody.slice(0, 8_192));
    for (const [name, value] of Object.entries(error.responseHeaders ?? {})) {
      signals.headers[name.toLowerCase()] ??= value;
    }
  }
  // Errors inside a stream arrive as data: the provider's own shape, at most two levels deep. What the model's
  // own provider said stands in OpenRouter's metadata.
  for (const key of ['data', 'error', 'metadata'] as const) {
    const inner = fields[key];
    if (typeof inner === 'string') words.push(inner);
    else if (typeof inner === 'object' && inner !== null) readOne(inner, signals, words);
  }
}
