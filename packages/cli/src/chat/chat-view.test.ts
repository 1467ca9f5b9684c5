import type { StreamedEvent } from '@chatd/client';
import { expect, test } from 'vitest';
import { plain } from '../output/style.ts';
import { ChatView } from './chat-view.ts';

const page = { width: 80, style: plain };
const event = (fields: object) =>
  ({ chat_id: 'c', cursor: '1', ...fields }) as unknown as StreamedEvent;
const status = (name: string) => event({ type: 'status', status: name });

test('a turn that was stopped says so, also when the stop was over before its status was seen', () => {
  const view = new ChatView(() => 0);
  const printed = [
    status('waiting'),
    status('running'),
    event({
      type: 'message',
      message: {
        id: 2,
        role: 'assistant',
        content: [{ type: 'text', text: 'Half an answer' }],
        cut_off: 'interrupted',
      },
    }),
    status('waiting'),
  ].flatMap((each) => view.take(each, page));
  expect(printed.join('\n')).toContain('Half an answer');
  expect(printed.at(-1)).toMatch(/^stopped · .* out$/);
});
