import { StreamableHTTPError } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { SseError } from '@modelcontextprotocol/sdk/client/sse.js';
import { ErrorCode, McpError } from '@modelcontextprotocol/sdk/types.js';
import { UrlNotAllowed } from '../providers/fetch/url-check.ts';
import { knownSecrets } from '../secrets/secret-values.ts';
import { type McpFailureDetails, McpFailure } from './mcp-failure.ts';

const SHOWN = 500;

/** Nobody was reached, so nobody has acted. */
const NOT_REACHED: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing answers at its address',
  ENOTFOUND: 'its host name is not known',
  EAI_AGAIN: 'its host name cannot be looked up now',
  EHOSTUNREACH: 'there is no way to its host',
  ENETUNREACH: 'there is no way to its network',
  UND_ERR_CONNECT_TIMEOUT: 'its host does not answer',
  ENOENT: 'its command cannot be found',
  EACCES: 'its command may not be run',
};

/** Any error of the SDK or of the network, in words. `doing` is how the sentence begins. */
export function explain(error: unknown, server: string, doing: string): McpFailure {
  if (error instanceof McpFailure) return error;
  const say = (what: string, more: McpFailureDetails = {}) =>
    new McpFailure(`${doing}: ${what}.`, { ...more, cause: error });
  const refusal = causeOf(error, (one) => one instanceof UrlNotAllowed);
  if (refusal !== undefined) return say(sentence(refusal.message), { harmless: true, lost: true });
  const status = httpStatus(error);
  if (status !== undefined) return ofStatus(status, error, say);
  if (error instanceof McpError) {
    if (is(error, ErrorCode.ConnectionClosed)) {
      return say('the connection was cut before it answered', { lost: true, unsure: true });
    }
    if (is(error, ErrorCode.RequestTimeout))
      return say('it did not answer in time', { unsure: true });
    return say(`${server} says: ${sentence(error.message)}`);
  }
  // The client has no connection any more: nothing was sent.
  if (error instanceof Error && error.message === 'Not connected') {
    return say('the connection is gone', { harmless: true, lost: true });
  }
  const notReached = causeOf(error, (one) => codeOf(one) !== undefined);
  if (notReached !== undefined) {
    return say(NOT_REACHED[codeOf(notReached) ?? ''] ?? '', { harmless: true, lost: true });
  }
  return say(sentence(deepest(error)), { lost: true, unsure: true });
}

type Say = (what: string, more?: McpFailureDetails) => McpFailure;

function ofStatus(status: number, error: unknown, say: Say): McpFailure {
  const all = { harmless: true, lost: true };
  switch (status) {
    case 401:
      return say('it does not let chatd in (HTTP 401): check its auth', all);
    case 403:
      return say('it does not allow this (HTTP 403): check its auth', all);
    // A server that was started again does not know the session; the next one is new.
    case 400:
    case 404:
      return say(`HTTP ${status}: ${sentence(deepest(error))}`, all);
    default:
      return say(`HTTP ${status}: ${sentence(deepest(error))}`, {
        unsure: status >= 500,
      });
  }
}

const is = (error: McpError, code: ErrorCode): boolean => error.code === (code as number);

function httpStatus(error: unknown): number | undefined {
  const has = error instanceof StreamableHTTPError || error instanceof SseError;
  return has && error.code !== undefined && error.code >= 100 ? error.code : undefined;
}

/** Errors of the network come wrapped in others. */
function causeOf(error: unknown, fits: (one: Error) => boolean, depth = 0): Error | undefined {
  if (!(error instanceof Error) || depth > 4) return undefined;
  if (fits(error)) return error;
  const inner: unknown[] =
    error instanceof AggregateError ? [...error.errors, error.cause] : [error.cause];
  return inner.map((one) => causeOf(one, fits, depth + 1)).find((one) => one !== undefined);
}

/** The older transport has only words for what happened. */
function codeOf(error: Error): string | undefined {
  if ('code' in error && typeof error.code === 'string' && error.code in NOT_REACHED) {
    return error.code;
  }
  if (!(error instanceof SseError)) return undefined;
  return Object.keys(NOT_REACHED).find((code) => error.message.includes(code));
}

function deepest(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  return cause instanceof Error && cause.message !== '' ? deepest(cause) : error.message;
}

/** Short, on one line, without a secret in it and without its full stop. */
const sentence = (text: string): string =>
  knownSecrets
    .hideParts(text)
    .replaceAll(/\s+/g, ' ')
    .trim()
    .replace(/^MCP error -?\d+: /, '')
    .replace(/\.$/, '')
    .slice(0, SHOWN);
