import type { Part } from '@chatd/protocol';
import { expect } from 'vitest';
import type { StreamedEvent } from '../../src/index.ts';

type LivePart = Extract<StreamedEvent, { type: 'message_part' }>;

/** Merges deltas, so that streams with different batching compare equal. Checks that none is missing. */
export function merged(events: readonly StreamedEvent[]): unknown[] {
  const said: unknown[] = [];
  let last: LivePart | undefined;
  for (const event of events) {
    if (event.type !== 'message_part') {
      const { cursor: _, ...rest } = event;
      said.push(rest);
      last = undefined;
      continue;
    }
    const before: number = last !== undefined && sameEpisode(last, event) ? last.seq : 0;
    expect(event.from_seq ?? event.seq, 'no live part is lost or repeated').toBe(before + 1);
    const joined = last !== undefined && before > 0 ? joinedPart(last.part, event.part) : undefined;
    const { history_version, attempt, role } = event;
    if (joined !== undefined) said.pop();
    const part = joined ?? event.part;
    said.push({ type: 'message_part', history_version, attempt, role, part });
    last = { ...event, part };
  }
  return said;
}

const sameEpisode = (some: LivePart, other: LivePart) =>
  some.history_version === other.history_version && some.attempt === other.attempt;

function joinedPart(some: Part, other: Part): Part | undefined {
  if (some.type === 'text' && other.type === 'text') {
    return { ...some, text: some.text + other.text };
  }
  if (some.type === 'reasoning' && other.type === 'reasoning') {
    return { ...some, text: some.text + other.text };
  }
  if (some.type === 'tool-call' && other.type === 'tool-call') {
    const same = some.tool_call_id === other.tool_call_id;
    if (!same || some.args_delta === undefined || other.args_delta === undefined) return undefined;
    return { ...some, args_delta: some.args_delta + other.args_delta };
  }
  return undefined;
}
