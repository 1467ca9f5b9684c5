import { Refused } from './refused.ts';
import type { OpenCall } from './row.ts';
import type { NewMessage } from './writes.ts';

type Said = Pick<NewMessage, 'content'>;

/** Calls of a message that are ours to answer: what the provider executes, it answers itself. */
function callsIn(message: Said): OpenCall[] {
  return message.content.flatMap((part) =>
    part.type === 'tool-call' && part.provider_executed !== true
      ? [{ tool_call_id: part.tool_call_id, tool_name: part.tool_name, kind: null }]
      : [],
  );
}

function answersIn(message: Said): string[] {
  return message.content.flatMap((part) =>
    part.type === 'tool-result' && part.provider_executed !== true ? [part.tool_call_id] : [],
  );
}

/** What a step does to the calls before it, for a statement that does not know them. */
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
    throw new Refused('invalid_request', 'A tool call is answered twice.');
  }
  return {
    answered: answers.filter((id) => !made.some((call) => call.tool_call_id === id)),
    opened: made.filter((call) => !answers.includes(call.tool_call_id)),
  };
}

/**
 * The calls that are open after these messages. Every call has exactly one result: a result for a call that is
 * not open is refused, and so is a new response while calls of the last one are open.
 */
export function openAfter(
  open: readonly OpenCall[],
  messages: readonly Said[],
): readonly OpenCall[] {
  let calls = [...open];
  for (const message of messages) {
    const opened = callsIn(message);
    if (opened.length > 0 && calls.length > 0) {
      throw new Refused('invalid_request', 'The calls of the last response are still open.');
    }
    calls.push(...opened);
    for (const id of answersIn(message)) {
      if (!calls.some((call) => call.tool_call_id === id)) {
        throw new Refused('invalid_request', `There is no open tool call ${id} to answer.`);
      }
      calls = calls.filter((call) => call.tool_call_id !== id);
    }
  }
  return calls;
}

export const CANCELLED = 'tool call was cancelled before it produced a result';
export const INTERRUPTED = 'tool call was interrupted before it produced a result';

/** The message that answers calls which nobody will answer any more; none when none is open. */
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
