import { type HistoryMessage, next, openStep, toolIndex } from '@chatd/loop';
import * as fc from 'fast-check';
import { afterEach, expect, test } from 'vitest';
import { turnProgress } from '../../../loop/src/history/turn-progress.ts';
import { mayCompactForOverflow } from '../../../loop/src/next.ts';
import { promptView } from '../../../loop/src/prompt/view.ts';
import { insertMessages } from '../../src/store/queries/messages/write.ts';
import { messageRecords } from '../../src/store/queries/messages/records.ts';
import { HistoryCache } from '../../src/worker/history-cache.ts';
import { asNewMessage } from '../../src/worker/history-rows.ts';
import { DEMO_MODEL, execute, TestStore } from '@chatd/test-server/database';

/*
 * A worker that takes a chat over reads only the part of its history that no summary replaces. The loop must see the
 * same in that part as in the whole history: the same prompt, the same progress of the turn and the same next step.
 */
const HISTORIES = process.env['CHATD_TEST_ALL'] === '1' ? 5_000 : 500;
const seed = Number(process.env['CHATD_TEST_SEED'] ?? Date.now() % 2 ** 31);

const store = await TestStore.open();
afterEach(() => execute(store.url, 'TRUNCATE chats CASCADE'));

const SPOKEN = { provider: 'anthropic.messages', model: 'claude' };
const CONFIG = {
  tools: toolIndex([{ name: 'client', description: '', input: {}, answeredBy: 'client' }]),
  max_steps: 6,
  compaction_threshold: 70,
  context_limit: 100,
};

type Move =
  | { kind: 'send' | 'steer' | 'overflow' }
  | { kind: 'answer'; most: number; interrupted: boolean }
  | { kind: 'respond'; calls: number; full: boolean }
  | {
      kind: 'summarize';
      source: 'automatic' | 'manual' | 'overflow';
      fails: boolean;
      last: boolean;
    };

const move: fc.Arbitrary<Move> = fc.oneof(
  { weight: 3, arbitrary: fc.constant<Move>({ kind: 'send' }) },
  { weight: 2, arbitrary: fc.constant<Move>({ kind: 'steer' }) },
  { weight: 1, arbitrary: fc.constant<Move>({ kind: 'overflow' }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('respond' as const),
      calls: fc.nat({ max: 3 }),
      full: fc.boolean(),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('answer' as const),
      most: fc.integer({ min: 1, max: 3 }),
      interrupted: fc.boolean(),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('summarize' as const),
      source: fc.constantFrom('automatic', 'manual', 'overflow'),
      fails: fc.boolean(),
      last: fc.boolean(),
    }),
  },
);

/** The messages that a move adds. None if the loop or the chat does not allow the move. */
function added(messages: readonly HistoryMessage[], given: Move): HistoryMessage[] {
  const name = `m${messages.length}`;
  const text = [{ type: 'text' as const, text: name }];
  const open = openStep(messages)?.calls ?? [];
  if (given.kind === 'answer') {
    const answered = open.slice(0, given.most);
    if (answered.length === 0) return [];
    const content = answered.map(({ tool_call_id, tool_name }) => ({
      type: 'tool-result' as const,
      tool_call_id,
      tool_name,
      result: name,
    }));
    const meta = { ...SPOKEN, ...(given.interrupted && { interrupted: true }) };
    return [{ role: 'tool', content, meta }];
  }
  if (given.kind === 'summarize') return summarized(messages, name, given);
  if (open.length > 0) return [];
  switch (given.kind) {
    case 'send':
      return [{ role: 'user', content: text }];
    case 'steer':
      return [{ role: 'user', content: text, meta: { steered: true } }];
    case 'overflow':
      return [compactionCall(name, 'overflow')];
    case 'respond': {
      const calls = Array.from({ length: given.calls }, (_, index) => ({
        type: 'tool-call' as const,
        tool_call_id: `${name}-${index}`,
        tool_name: index === 0 ? 'client' : 'add',
        args: {},
      }));
      return [
        {
          role: 'assistant',
          content: [...text, ...calls],
          usage: { input_tokens: given.full ? 90 : 10 },
          meta: { ...SPOKEN, finish_reason: calls.length > 0 ? 'tool-calls' : 'stop' },
        },
      ];
    }
  }
}

type Summarize = Extract<Move, { kind: 'summarize' }>;

function summarized(
  messages: readonly HistoryMessage[],
  name: string,
  { source, fails, last }: Summarize,
): HistoryMessage[] {
  const result: HistoryMessage = {
    role: 'tool',
    content: [
      { type: 'tool-result', tool_call_id: name, tool_name: 'chat_summarized', result: {} },
    ],
    meta: { compaction: { source }, provider: 'openai.chat', model: 'gpt' },
  };
  const mark = { source, after_finish: last, ...turnProgress(messages) };
  const summary: HistoryMessage = {
    role: 'user',
    hidden: true,
    content: [{ type: 'text', text: name }],
    meta: { summary: mark },
  };
  return [compactionCall(name, source), result, ...(fails ? [] : [summary])];
}

const compactionCall = (id: string, source: Summarize['source']): HistoryMessage => ({
  role: 'assistant',
  content: [
    { type: 'tool-call', tool_call_id: id, tool_name: 'chat_summarized', args: { source } },
  ],
  meta: { compaction: { source } },
});

/** All that the loop derives from a history. */
const seenByTheLoop = (messages: readonly HistoryMessage[]) => ({
  prompt: promptView(messages),
  progress: turnProgress(messages),
  next: next({ messages, chat: {} }, CONFIG),
  requested: next({ messages, chat: { compaction_requested: true } }, CONFIG),
  mayCompact: mayCompactForOverflow(messages),
});

const SUMMARY: Move = { kind: 'summarize', source: 'automatic', fails: false, last: false };

/** Always included: the model has not answered two messages, and one or two summaries follow them. */
const EXAMPLES: [Move[], number][] = [
  [[{ kind: 'steer' }, SUMMARY], 0],
  [[{ kind: 'steer' }, SUMMARY, { kind: 'steer' }, SUMMARY], 0],
];

const content = (value: string) => [{ type: 'text' as const, text: value }];

test(`the loop sees the same in ${HISTORIES} partially read histories as in the whole ones (seed ${seed})`, async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(move, { minLength: 1, maxLength: 25, size: 'max' }),
      fc.nat(),
      async (moves, cut) => {
        const whole: HistoryMessage[] = [{ role: 'user', content: content('first') }];
        for (const given of moves) whole.push(...added(whole, given));
        const { id } = await store.create({ content: content('first') });
        const chat = { ...(await store.read(id)), history_version: 2 };
        const { json } = messageRecords(
          whole.slice(1).map((message) => asNewMessage(message, DEMO_MODEL)),
        );
        await store.database.query(insertMessages, {
          chat_id: id,
          revision: 2,
          messages: json,
        });

        const { messages } = await new HistoryCache().read(store.database, chat);
        expect(seenByTheLoop(messages)).toEqual(seenByTheLoop(whole));

        // A worker that ran the chat before reads only what came since.
        const ids = (await store.history(id)).map((row) => row.id);
        const known = 1 + (cut % whole.length);
        const cache = new HistoryCache();
        cache.keep(id, {
          version: 1,
          lastId: ids[known - 1] ?? 0,
          messages: whole.slice(0, known),
        });
        const resumed = await cache.read(store.database, chat);
        expect(seenByTheLoop(resumed.messages)).toEqual(seenByTheLoop(whole));
      },
    ),
    { numRuns: HISTORIES, seed, examples: EXAMPLES },
  );
}, 3_600_000);
