import { Refused } from './refused.ts';
import type { OpenCall } from './row.ts';
import type { NewMessage } from './writes.ts';

type Said = Pick<NewMessage, 'content'>;

/** Arguments that describe a call, most descriptive first. */
const DESCRIPTIVE = ['command', 'path', 'url', 'query', 'pattern', 'prompt'];
const DETAIL_LENGTH = 80;
/** Characters that are looked at, with all white space. */
const SEEN_LENGTH = 400;

/** The argument that describes a call best, on one line. */
function detailOf(args: unknown): Pick<OpenCall, 'detail'> {
  if (typeof args !== 'object' || args === null) return {};
  const given = args as Readonly<Record<string, unknown>>;
  const value = DESCRIPTIVE.map((name) => given[name]).find((each) => typeof each === 'string');
  if (typeof value !== 'string') return {};
  // PostgreSQL stores neither null characters nor half surrogate pairs.
  const line = value
    .slice(0, SEEN_LENGTH)
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .toWellFormed()
    .trim();
  if (line === '') return {};
  const points = Array.from(line);
  const cut = points.length > DETAIL_LENGTH || value.length > SEEN_LENGTH;
  return { detail: cut ? `${points.slice(0, DETAIL_LENGTH - 1).join('')}…` : line };
}

/** The calls of a message, except those that the provider executes. */
function callsIn(message: Said): OpenCall[] {
  return message.content.flatMap((part) =>
    part.type === 'tool-call' && part.provider_executed !== true
      ? [
          {
            tool_call_id: part.tool_call_id,
            tool_name: part.tool_name,
            kind: null,
            ...detailOf(part.args),
          },
        ]
      : [],
  );
}

function answersIn(message: Said): string[] {
  return message.content.flatMap((part) =>
    part.type === 'tool-result' && part.provider_executed !== true ? [part.tool_call_id] : [],
  );
}

/** What a step does to open calls. Calls that it makes and answers itself are left out. */
export interface CallsDelta {
  /** Calls of earlier messages that are answered here. */
  readonly answered: readonly string[];
  /** Calls made here that stay open. */
  readonly opened: readonly OpenCall[];
}

export function callsDelta(messages: readonly Said[]): CallsDelta {
  const made = messages.flatMap(callsIn);
  const answers = messages.flatMap(answersIn);
  if (new Set(answers).size !== answers.length) {
    throw new Refused('invalid_request', 'A tool call has two results.');
  }
  return {
    answered: answers.filter((id) => !made.some((call) => call.tool_call_id === id)),
    opened: made.filter((call) => !answers.includes(call.tool_call_id)),
  };
}

/**
 * The open calls after a step. Every call gets exactly one result: a result for a call that is not open is refused, and
 * so are new calls while others are open. The statement `commit-steps` does the same in SQL.
 */
export function openAfter(
  open: readonly OpenCall[],
  messages: readonly Said[],
): readonly OpenCall[] {
  const { answered, opened } = callsDelta(messages);
  const unknown = answered.find((id) => !open.some((call) => call.tool_call_id === id));
  if (unknown !== undefined) {
    throw new Refused('invalid_request', `Tool call ${unknown} is not open.`);
  }
  if (opened.length > 0 && open.length > 0) {
    throw new Refused('invalid_request', 'The calls of the last response are still open.');
  }
  return [...open.filter((call) => !answered.includes(call.tool_call_id)), ...opened];
}

export const CANCELLED = 'tool call was cancelled before it produced a result';
export const INTERRUPTED = 'tool call was interrupted before it produced a result';

/** A message with an error result for each open call. */
export function unanswered(
  open: readonly OpenCall[],
  why: typeof CANCELLED | typeof INTERRUPTED,
  at: Date,
): NewMessage[] {
  if (open.length === 0) return [];
  return [
    {
      role: 'tool',
      content: open.map((call) => ({
        type: 'tool-result',
        tool_call_id: call.tool_call_id,
        tool_name: call.tool_name,
        result: why,
        is_error: true,
        created_at: at.toISOString(),
      })),
    },
  ];
}

/** The call waits for a client or a user. */
export const isAwaited = ({ kind, decision }: OpenCall): boolean =>
  kind !== null && decision === undefined;
