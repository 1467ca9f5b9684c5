import {
  ProtocolError,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  SseError,
} from '@modelcontextprotocol/client';
import { UrlNotAllowed } from '../providers/fetch/url-check.ts';
import { knownSecrets } from '../secrets/secret-values.ts';
import { type McpFailureDetails, McpFailure } from './mcp-failure.ts';

const SHOWN = 500;

/** Errors before the request was sent: the server has not acted on it. */
const NOT_REACHED: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused',
  ENOTFOUND: 'its host name does not exist',
  EAI_AGAIN: 'its host name cannot be resolved at the moment',
  EHOSTUNREACH: 'its host is unreachable',
  ENETUNREACH: 'its network is unreachable',
  UND_ERR_CONNECT_TIMEOUT: 'its host does not respond',
  ENOENT: 'its command was not found',
  EACCES: 'its command is not executable',
};

/** Explains any error of the SDK or the network. The message starts with `doing`. */
export function explain(error: unknown, server: string, doing: string): McpFailure {
  if (error instanceof McpFailure) return error;
  const say = (what: string, more: McpFailureDetails = {}) =>
    new McpFailure(`${doing}: ${what}.`, { ...more, cause: error });
  const refusal = causeOf(error, (one) => one instanceof UrlNotAllowed);
  if (refusal !== undefined) return say(sentence(refusal.message), { harmless: true, lost: true });
  const status = httpStatus(error);
  if (status !== undefined) return ofStatus(status, error, say);
  if (error instanceof ProtocolError) return say(`${server} says: ${sentence(error.message)}`);
  if (error instanceof SdkError) {
    if (error.code === SdkErrorCode.ConnectionClosed) {
      return say('the connection was closed before the response', { lost: true, unsure: true });
    }
    if (error.code === SdkErrorCode.RequestTimeout) {
      return say('it did not respond in time', { unsure: true });
    }
  }
  // The client is disconnected: nothing was sent.
  if (error instanceof Error && error.message === 'Not connected') {
    return say('the connection was closed', { harmless: true, lost: true });
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
      return say('authentication failed (HTTP 401). Check its auth', all);
    case 403:
      return say('access was denied (HTTP 403). Check its auth', all);
    // A restarted server does not know the session. The next connection starts a new one.
    case 400:
    case 404:
      return say(`HTTP ${status}: ${sentence(deepest(error))}`, all);
    default:
      return say(`HTTP ${status}: ${sentence(deepest(error))}`, {
        unsure: status >= 500,
      });
  }
}

function httpStatus(error: unknown): number | undefined {
  if (error instanceof SdkHttpError) return error.status;
  if (!(error instanceof SseError)) return undefined;
  return error.code !== undefined && error.code >= 100 ? error.code : undefined;
}

/** Network errors are wrapped in others. */
function causeOf(error: unknown, fits: (one: Error) => boolean, depth = 0): Error | undefined {
  if (!(error instanceof Error) || depth > 4) return undefined;
  if (fits(error)) return error;
  const inner: unknown[] =
    error instanceof AggregateError ? [...error.errors, error.cause] : [error.cause];
  return inner.map((one) => causeOf(one, fits, depth + 1)).find((one) => one !== undefined);
}

/** The older transport reports the status only in its message. */
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

/** On one line, shortened, without secrets and without the final period. */
const sentence = (text: string): string =>
  knownSecrets
    .hideParts(text)
    .replaceAll(/\s+/g, ' ')
    .trim()
    .replace(/^MCP error -?\d+: /, '')
    .replace(/\.$/, '')
    .slice(0, SHOWN);
