import { randomUUID } from 'node:crypto';
import { UNKNOWN_OUTCOME } from '@chatd/loop';
import type { ChatEvent, Message, QueuedMessage } from '@chatd/protocol';
import { beforeEach, expect, test } from 'vitest';
import type { MessageOutcome } from '../../../../faults/clients/conversation.ts';
import type { Viewer } from '../../../../faults/clients/viewer.ts';
import { View } from '../../../../faults/clients/view.ts';
import { type Plan, formatPlan } from '../../../../faults/deployment/plan.ts';
import { Witness } from '../../../../faults/deployment/witness.ts';
import type { Evidence } from '../../../../faults/oracle/evidence.ts';
import { countExamined } from '../../../../faults/oracle/examined.ts';
import { CHECKS, runChecks } from '../../../../faults/oracle/oracle.ts';
import { createTestDatabase, execute, TestStore, text } from '@chatd/test-server/database';

/* Manipulates a correct run to violate each rule of the oracle. */

const { url } = await createTestDatabase();
const store = await TestStore.open(url);
const witness = new Witness(url);
await witness.install();

const PLAN: Plan = { id: 'm-1', steps: [{ call: { tool: 'count' } }, { chunks: 1 }] };
let evidence: Evidence;
let view: View;
let chatId: string;

/** A turn with one tool call, its effect, and a viewer who received all events. */
beforeEach(async () => {
  await execute(url, 'TRUNCATE chats, witness.moves CASCADE');
  ({ id: chatId } = await store.create({ content: text(formatPlan(PLAN)) }));
  let fence = await store.take(chatId);
  const { runner } = store;
  const about = { tool_call_id: 'c', tool_name: 'count' };
  await runner.beginAttempt(chatId, fence, 1);
  const called = await runner.commitStep(chatId, fence, {
    attempt: 1,
    messages: [
      {
        role: 'assistant',
        content: [...text('re:m-1/0 '), { type: 'tool-call', ...about, args: {} }],
      },
    ],
  });
  fence = { ...fence, history_version: called.history_version };
  const counted = await runner.commitStep(chatId, fence, {
    attempt: 0,
    messages: [
      { role: 'tool', content: [{ type: 'tool-result', ...about, result: { counted: 'm-1/0' } }] },
    ],
  });
  fence = { ...fence, history_version: counted.history_version };
  await runner.beginAttempt(chatId, fence, 1);
  const answered = await runner.commitStep(chatId, fence, {
    attempt: 1,
    messages: [{ role: 'assistant', content: text('re:m-1/1 ') }],
  });
  await runner.finishTurn(chatId, { ...fence, history_version: answered.history_version });

  view = new View();
  const messages = (await store.history(chatId)).map((row): Message => ({
    id: row.id,
    chat_id: chatId,
    role: row.role,
    created_at: '',
    content: row.content as Message['content'],
  }));
  const about_chat = { chat_id: chatId, cursor: '' };
  for (const message of messages) view.apply({ type: 'message', message, ...about_chat }, 0);
  view.apply({ type: 'status', status: 'waiting', ...about_chat }, 0);
  evidence = {
    records: witness,
    api: {
      get: () => Promise.resolve({ messages, has_more: false }),
    } as unknown as Evidence['api'],
    acknowledged: [{ ...PLAN, chatId, at: 0 }],
    viewers: [{ chatId, view, refusals: [] } as unknown as Viewer],
    effects: (['begin', 'end'] as const).map((what) => ({ key: 'm-1/0', what, pid: 1, at: 0 })),
    rejectedPrompts: [],
    progress: 1,
  };
});

test('a correct run has no problems', async () => {
  expect(await runChecks(evidence)).toEqual([]);
});

test('problems have the kind of their rule', async () => {
  await execute(url, `DELETE FROM messages WHERE id = ${last}`);
  const kinds = (await runChecks(evidence)).map(({ kind }) => kind);
  expect(new Set(kinds)).toEqual(new Set(['lost']));
});

const examine = async () =>
  countExamined(
    await witness.chats(undefined),
    await witness.messages(undefined),
    evidence.acknowledged,
    evidence.viewers,
  );

test('examined items are counted, including calls with an unknown outcome', async () => {
  const { events } = view;
  expect(events).toBeGreaterThan(0);
  const examined = { chats: 1, messages: 1, events, calls: 1, deliveries: 0, unknown: 0 };
  expect(await examine()).toEqual(examined);
  await execute(url, result(UNKNOWN_OUTCOME));
  expect(await examine()).toEqual({ ...examined, unknown: 1 });
  // A successful result may contain the same text.
  await execute(url, result(UNKNOWN_OUTCOME, false));
  expect(await examine()).toEqual(examined);
});

const loseMessage = `DELETE FROM messages WHERE role = 'user'`;
const loseAnswers = `DELETE FROM messages WHERE role = 'assistant'`;
const last = `(SELECT max(id) FROM messages)`;
const copyOf = (which: string) =>
  `INSERT INTO messages (chat_id, role, revision, content, base_version, attempt, runner_id)
   SELECT chat_id, role, revision + 1, content, base_version, attempt, runner_id FROM messages WHERE ${which}`;

test.each<[keyof typeof CHECKS, string, string]>([
  ['acknowledgedStored', 'a message was lost', loseMessage],
  ['acknowledgedOnce', 'a message is stored twice', copyOf(`role = 'user'`)],
  ['stepsAnswered', 'an answer was lost', `DELETE FROM messages WHERE id = ${last}`],
  ['answeredOnce', 'an answer is stored twice', copyOf(`id = ${last}`)],
  ['callsHaveResults', 'a call has no result', `DELETE FROM messages WHERE role = 'tool'`],
  ['oneResultPerCall', 'a call has two results', copyOf(`role = 'tool'`)],
  ['versionsIncreaseByOne', 'a version decreased', `UPDATE chats SET snapshot_version = 1`],
  ['versionsIncreaseByOne', 'a version was skipped', `UPDATE chats SET snapshot_version = 1000`],
  ['oneCommitPerAttempt', 'an attempt was committed twice', copyOf(`id = ${last}`)],
  [
    'onlyOwnerCommits',
    'another runner committed',
    `UPDATE messages SET runner_id = gen_random_uuid() WHERE id = ${last}`,
  ],
  ['viewsMatchDatabase', 'a message was not shown', copyOf(`id = ${last}`)],
  ['viewsMatchDatabase', 'a message is missing', `DELETE FROM messages WHERE id = ${last}`],
  ['viewsMatchDatabase', 'the status differs', `UPDATE chats SET status = 'error'`],
  ['noStuckChats', 'a chat still runs', `UPDATE chats SET status = 'running'`],
  ['noFailedChats', 'a chat failed', `UPDATE chats SET status = 'error'`],
  ['enoughTurns', 'no turn ended', `TRUNCATE witness.moves`],
])('%s detects: %s', async (check, _, manipulation) => {
  await execute(url, manipulation);
  expect(await CHECKS[check](evidence)).not.toEqual([]);
});

test('repeated and missing effects are detected', async () => {
  const [begin, end] = evidence.effects;
  const twice = { ...evidence, effects: [begin!, begin!, end!] };
  expect(await CHECKS.effectsAtMostOnce(twice)).toHaveLength(1);
  expect(await CHECKS.resultsHaveEffects({ ...evidence, effects: [begin!] })).toHaveLength(1);
});

const partOf = (seq: number): ChatEvent => ({
  type: 'message_part',
  role: 'assistant',
  part: { type: 'text', text: 'x' },
  chat_id: chatId,
  cursor: '',
  history_version: 9,
  attempt: 1,
  seq,
});

test('stream violations and rejected prompts are detected', async () => {
  view.apply({ type: 'preview_reset', chat_id: chatId, cursor: '' }, 0);
  expect(await CHECKS.eventsOnce(evidence)).toHaveLength(1);
  expect(await CHECKS.eventsReceived(evidence)).toEqual([]);
  view.apply(partOf(1), 0);
  view.apply(partOf(3), 0);
  expect(await CHECKS.eventsReceived(evidence)).toHaveLength(1);
  view.apply(partOf(3), 0);
  expect(await CHECKS.eventsOnce(evidence)).toHaveLength(2);
  expect(await CHECKS.eventsValid(evidence)).toEqual([]);
  const refused = { chatId, view, refusals: ['429 Too many streams.'] } as unknown as Viewer;
  expect(await CHECKS.eventsValid({ ...evidence, viewers: [refused] })).toHaveLength(1);
  expect(await CHECKS.validPrompts({ ...evidence, rejectedPrompts: [{}] })).toHaveLength(1);
});

test('only the given chats are checked', async () => {
  await execute(url, copyOf(`role = 'tool'`));
  expect(await CHECKS.oneResultPerCall({ ...evidence, chats: [randomUUID()] })).toEqual([]);
  expect(await CHECKS.oneResultPerCall({ ...evidence, chats: [chatId] })).toHaveLength(1);
});

test.each<[keyof typeof CHECKS, MessageOutcome, string, string | undefined]>([
  ['removedAbsent', 'removed', 'the message is stored', loseAnswers],
  ['removedAbsent', 'removed', 'its answer is stored', loseMessage],
  ['removedAbsent', 'rejected', 'the message is stored', loseAnswers],
  ['removedAbsent', 'rejected', 'its answer is stored', loseMessage],
  ['answeredOnce', 'interrupted', 'an answer is stored twice', copyOf(`id = ${last}`)],
  ['acknowledgedOnce', 'unknown', 'a message is stored twice', copyOf(`role = 'user'`)],
  ['answeredOnce', 'unknown', 'an answer is stored twice', copyOf(`id = ${last}`)],
  ['acknowledgedStored', 'interrupted', 'a message was lost', loseMessage],
])('%s detects for the outcome %s: %s', async (check, outcome, _, manipulation) => {
  const [message] = evidence.acknowledged;
  if (manipulation !== undefined) await execute(url, manipulation);
  const found = await CHECKS[check]({ ...evidence, acknowledged: [{ ...message!, outcome }] });
  expect(found).not.toEqual([]);
});

test('an interrupted message may have no answer', async () => {
  await execute(url, `DELETE FROM messages WHERE id = ${last}`);
  const [message] = evidence.acknowledged;
  const cut = { ...evidence, acknowledged: [{ ...message!, outcome: 'interrupted' as const }] };
  expect(await CHECKS.stepsAnswered(cut)).toEqual([]);
  expect(await CHECKS.answeredOnce(cut)).toEqual([]);
});

test('an edited user message is not a second commit', async () => {
  await execute(
    url,
    `UPDATE messages SET revision = 1000, base_version = 1, attempt = 1, runner_id = gen_random_uuid()
      WHERE role = 'user'`,
  );
  expect(await CHECKS.oneCommitPerAttempt(evidence)).toEqual([]);
  expect(await CHECKS.onlyOwnerCommits(evidence)).toEqual([]);
});

test('a stored result that differs from the submitted one is detected', async () => {
  const [message] = evidence.acknowledged;
  const submitting = (output: unknown, outcome: MessageOutcome = 'answered') => ({
    ...evidence,
    acknowledged: [{ ...message!, outcome, submitted: [{ tool_call_id: 'c', output }] }],
  });
  expect(await CHECKS.submittedResultsStored(submitting({ counted: 'm-1/0' }))).toEqual([]);
  expect(await CHECKS.submittedResultsStored(submitting('another'))).toHaveLength(1);
  expect(await CHECKS.submittedResultsStored(submitting('another', 'removed'))).toEqual([]);
});

const result = (value: unknown, is_error = true) =>
  `UPDATE messages SET content = '${JSON.stringify([
    { type: 'tool-result', tool_call_id: 'c', tool_name: 'count', result: value, is_error },
  ])}' WHERE role = 'tool'`;

test('a call that ran despite a denial, or before it was allowed, is detected', async () => {
  const [message] = evidence.acknowledged;
  const deciding = (decision: 'allow' | 'deny', at: number): Evidence => ({
    ...evidence,
    acknowledged: [{ ...message!, decisions: [{ tool_call_id: 'c', key: 'm-1/0', decision, at }] }],
  });
  const { decisionsRespected: check } = CHECKS;
  expect(await check(deciding('allow', 0))).toEqual([]);
  expect(await check(deciding('allow', 1))).toEqual([expect.stringContaining('before')]);
  // The call ran, and its result does not report the denial.
  expect(await check(deciding('deny', 0))).toHaveLength(2);
  const forbidden = { ...evidence, acknowledged: [{ ...message!, forbidden: ['m-1/0'] }] };
  expect(await check(forbidden)).toHaveLength(1);
  await execute(url, result('The call was not run: the user denied it.'));
  expect(await check({ ...deciding('deny', 0), effects: [] })).toEqual([]);
  // An allowed call must succeed or report an unknown outcome.
  expect(await check(deciding('allow', 0))).toHaveLength(1);
  await execute(url, result('The outcome of this call is unknown: its process stopped.'));
  expect(await check(deciding('allow', 0))).toEqual([]);
});

test('messages processed out of queue order are detected', async () => {
  const [first] = evidence.acknowledged;
  const second = { ...first!, id: 'm-2' };
  await execute(
    url,
    `INSERT INTO messages (chat_id, role, revision, content, created_at)
     SELECT chat_id, role, revision + 1, '${JSON.stringify(text(formatPlan(second)))}', created_at
       FROM messages WHERE role = 'user'`,
  );
  const found = (one: object, other: object) =>
    CHECKS.queueOrder({
      ...evidence,
      acknowledged: [
        { ...first!, ...one },
        { ...second, ...other },
      ],
    });
  expect(await found({}, { after: 'm-1' })).toEqual([]);
  expect(await found({ after: 'm-2' }, {})).toEqual(['m-1 ran before m-2']);
  expect(await found({}, { promotedAt: Date.now() + 1000 })).toEqual([]);
  expect(await found({}, { promotedAt: 0 })).toEqual(['m-1 ran before m-2, which was promoted']);
});

test('a non-empty queue of an idle chat is detected', async () => {
  const waiting = { id: 1 } as unknown as QueuedMessage;
  view.apply({ type: 'queue_update', queued_messages: [waiting], chat_id: chatId, cursor: '' }, 0);
  expect(await CHECKS.viewsMatchDatabase(evidence)).toHaveLength(1);
});

const reportOf = (id: string) =>
  `INSERT INTO messages (chat_id, role, revision, content)
   VALUES ('${id}', 'assistant', 2, '[{"type": "text", "text": "re:m-agent/0 "}]')`;

test('subagents that are missing, duplicated, or unfinished are detected', async () => {
  const agent: Plan = { id: 'm-agent', steps: [{ chunks: 1 }] };
  const spawning = (outcome: MessageOutcome): Evidence => ({
    ...evidence,
    acknowledged: [
      {
        id: 'm-1',
        steps: [{ call: { tool: 'spawn_agent', args: { prompt: formatPlan(agent) } } }],
        chatId,
        at: 0,
        outcome,
      },
    ],
  });
  const start = async () => {
    const { id } = await store.create({ content: text(formatPlan(agent)) });
    await execute(
      url,
      `UPDATE chats SET parent_chat_id = '${chatId}', root_chat_id = '${chatId}' WHERE id = '${id}'`,
    );
    return id;
  };
  expect(await CHECKS.subagentsFinish(spawning('answered'))).toHaveLength(1);
  expect(await CHECKS.subagentsFinish(spawning('interrupted'))).toEqual([]);
  const first = await start();
  expect(await CHECKS.subagentsFinish(spawning('answered'))).toHaveLength(1);
  await execute(url, reportOf(first));
  expect(await CHECKS.subagentsFinish(spawning('answered'))).toEqual([]);
  expect(await CHECKS.subagentsRunOnce(spawning('answered'))).toEqual([]);
  await execute(url, reportOf(first));
  expect(await CHECKS.subagentsRunOnce(spawning('removed'))).toHaveLength(1);
  await start();
  expect(await CHECKS.subagentsRunOnce(spawning('interrupted'))).toHaveLength(1);
});
