import type { StreamedEvent } from '@chatd/client';
import { expect, test } from 'vitest';
import { TurnRecord } from './outcome.ts';

const event = (fields: object) =>
  ({ chat_id: 'c', cursor: '1', ...fields }) as unknown as StreamedEvent;
const status = (name: string) => event({ type: 'status', status: name });
const answer = (more: object = {}) =>
  event({
    type: 'message',
    message: { id: 2, role: 'assistant', content: [{ type: 'text', text: 'Half' }], ...more },
  });

function outcomeOf(...events: StreamedEvent[]): string {
  const record = new TurnRecord();
  for (const each of events) record.take(each);
  return record.outcome(false).outcome;
}

test('a turn that ended by itself succeeded', () => {
  expect(outcomeOf(status('running'), answer(), status('waiting'))).toBe('ok');
});

test('an interrupted turn is recognized, even if its status was never seen', () => {
  expect(outcomeOf(status('running'), status('interrupting'), status('waiting'))).toBe(
    'interrupted',
  );
  expect(outcomeOf(status('running'), answer({ cut_off: 'interrupted' }), status('waiting'))).toBe(
    'interrupted',
  );
  expect(outcomeOf(status('running'), answer({ cut_off: 'length' }), status('waiting'))).toBe('ok');
});
