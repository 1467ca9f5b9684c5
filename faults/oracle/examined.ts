import type { Acknowledged } from '../clients/conversation.ts';
import type { Viewer } from '../clients/viewer.ts';
import { type StoredChat, type StoredMessage, toolResults } from './records.ts';

/** The number of things that the oracle examined. */
export interface Examined {
  readonly chats: number;
  /** Acknowledged. */
  readonly messages: number;
  /** Received by viewers. */
  readonly events: number;
  /** Of tools. */
  readonly calls: number;
  /** Due times, deliveries and webhook events. */
  readonly deliveries: number;
  /** Calls whose outcome is reported as unknown, which is allowed. */
  readonly unknown: number;
}

export const NOTHING: Examined = {
  chats: 0,
  messages: 0,
  events: 0,
  calls: 0,
  deliveries: 0,
  unknown: 0,
};

/** Results that leave open whether the call had its effect. */
const UNKNOWN =
  /outcome of this call is unknown|unknown whether the command was run|is offline|connection to the machine .* was lost/;

export const isUnknownOutcome = (result: unknown): boolean => UNKNOWN.test(JSON.stringify(result));

export function countExamined(
  chats: readonly StoredChat[],
  messages: readonly StoredMessage[],
  acknowledged: readonly Acknowledged[],
  viewers: readonly Viewer[],
): Examined {
  const results = toolResults(messages);
  return {
    ...NOTHING,
    chats: chats.length,
    messages: acknowledged.length,
    events: viewers.reduce((sum, { view }) => sum + view.events, 0),
    calls: results.length,
    unknown: results.filter(({ is_error, result }) => is_error === true && isUnknownOutcome(result))
      .length,
  };
}

export const addExamined = (one: Examined, other: Examined): Examined => ({
  chats: one.chats + other.chats,
  messages: one.messages + other.messages,
  events: one.events + other.events,
  calls: one.calls + other.calls,
  deliveries: one.deliveries + other.deliveries,
  unknown: one.unknown + other.unknown,
});
