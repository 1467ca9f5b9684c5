import { RequestError } from '@agentclientprotocol/sdk';
import { ChatdProblem } from '@chatd/client';
import { CommandFailed } from '../command-failed.ts';
import { explain } from '../command-line/explain.ts';
import { EXIT } from '../exit-codes.ts';

const CODES = { auth: -32_000, notFound: -32_002, params: -32_602, internal: -32_603 } as const;

/** An error in the form of the protocol, with a message for the user. */
export function requestError(error: unknown): RequestError {
  if (error instanceof RequestError) return error;
  const { message, hint } = explain(error);
  const text = hint === undefined ? message : `${message} ${hint}`;
  return new RequestError(CODES[categoryOf(error)], text);
}

function categoryOf(error: unknown): keyof typeof CODES {
  if (isUnauthenticated(error)) return 'auth';
  if (!(error instanceof ChatdProblem)) return 'internal';
  if (error.status === 404) return 'notFound';
  return error.status === 400 || error.status === 422 ? 'params' : 'internal';
}

/** There is no token, or the server refuses it. */
export const isUnauthenticated = (error: unknown): boolean =>
  (error instanceof ChatdProblem && error.status === 401) ||
  (error instanceof CommandFailed && error.exitCode === EXIT.refused);

export const hasCode = (error: unknown, ...codes: readonly string[]): boolean =>
  error instanceof ChatdProblem && codes.includes(error.code);
