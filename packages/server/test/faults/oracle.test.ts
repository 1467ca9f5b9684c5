import { randomUUID } from 'node:crypto';
import type { Message, QueuedMessage } from '@chatd/protocol';
import { beforeEach, expect, test } from 'vitest';
import type { Fate } from '../../../../faults/clients/conversation.ts';
import type { Viewer } from '../../../../faults/clients/viewer.ts';
import { View } from '../../../../faults/clients/view.ts';
import { type Plan, planText } from '../../../../faults/deployment/plan.ts';
import { Witness } from '../../../../faults/deployment/witness.ts';
import type { Evidence } from '../../../../faults/oracle/evidence.ts';
import { CHECKS, judge } from '../../../../faults/oracle/oracle.ts';
import { createTestDatabase, execute } from '../support/database.ts';
import { TestStore, text } from '../support/store.ts';

/* An oracle that never finds anything is none: a good run is falsified in every way that it should notice. */

const { url } = await createTestDatabase();
const store = await TestStore.open(url);
const witness = new Witness(url);
await witness.install();

const PLAN: Plan = { id: 'm-1', steps: [{ call: { tool: 'count' } }, { say: 1 }] };
let evidence: Evidence;
let view: View;
let chatId: string;

/** A turn with one tool call, as a runner makes it, a viewer who saw it, and the effect of the tool. */
beforeEach(async () => {
  await execute(url, 'TRUNCATE chats, witness.moves CASCADE');
  ({ id: chatId } = await store.create({ content: text(planText(PLAN)) }));
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
  const said = await runner.commitStep(chatId, fence, {
    attempt: 1,
    messages: [{ role: 'assistant', content: text('re:m-1/1 ') }],
  });
  await runner.finishTurn(chatId, { ...fence, history_version: said.history_version });

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
    witness,
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

test('a good run is a good run', async () => {
  expect(await judge(evidence)).toEqual([]);
});

const last = `(SELECT max(id) FROM messages)`;
const copyOf = (which: string) =>
  `INSERT INTO messages (chat_id, role, revision, content, base_version, attempt, runner_id)
   SELECT chat_id, role, revision + 1, content, base_version, attempt, runner_id FROM messages WHERE ${which}`;

test.each<[keyof typeof CHECKS, string, string]>([
  ['acknowledgedOnce', 'a message was lost', `DELETE FROM messages WHERE role = 'user'`],
  ['acknowledgedOnce', 'a message is there twice', copyOf(`role = 'user'`)],
  ['answeredOnce', 'an answer was lost', `DELETE FROM messages WHERE id = ${last}`],
  ['answeredOnce', 'an answer is there twice', copyOf(`id = ${last}`)],
  ['oneResultEach', 'a call has no result', `DELETE FROM messages WHERE role = 'tool'`],
  ['oneResultEach', 'a call has two results', copyOf(`role = 'tool'`)],
  ['versionsGrow', 'a version went back', `UPDATE chats SET snapshot_version = 1`],
  ['versionsGrow', 'a version was left out', `UPDATE chats SET snapshot_version = 1000`],
  ['oneCommitEach', 'an attempt was committed twice', copyOf(`id = ${last}`)],
  [
    'onlyTheOwnerCommits',
    'somebody else committed',
    `UPDATE messages SET runner_id = gen_random_uuid() WHERE id = ${last}`,
  ],
  ['shownIsStored', 'a message was not shown', copyOf(`id = ${last}`)],
  ['shownIsStored', 'a message is gone', `DELETE FROM messages WHERE id = ${last}`],
  ['shownIsStored', 'the status is another', `UPDATE chats SET status = 'error'`],
  ['nothingIsStuck', 'a chat still runs', `UPDATE chats SET status = 'running'`],
  ['nothingFailed', 'a chat failed', `UPDATE chats SET status = 'error'`],
  ['progressWasMade', 'no turn ended', `TRUNCATE witness.moves`],
])('%s notices that %s', async (check, _, falsification) => {
  await execute(url, falsification);
  expect(await CHECKS[check](evidence)).not.toEqual([]);
});

test('effects that happened twice, or never, are noticed', async () => {
  const [begin, end] = evidence.effects;
  const twice = { ...evidence, effects: [begin!, begin!, end!] };
  expect(await CHECKS.effectsAtMostOnce(twice)).toHaveLength(1);
  expect(await CHECKS.resultsAreTrue({ ...evidence, effects: [begin!] })).toHaveLength(1);
});

test('what a stream got wrong, and a prompt that was refused, are noticed', async () => {
  view.apply({ type: 'preview_reset', chat_id: chatId, cursor: '' }, 0);
  expect(await CHECKS.shownOnce(evidence)).toHaveLength(1);
  expect(await CHECKS.usablePrompts({ ...evidence, rejectedPrompts: [{}] })).toHaveLength(1);
});

test('of other chats than those that are judged nothing is said', async () => {
  await execute(url, copyOf(`role = 'tool'`));
  expect(await CHECKS.oneResultEach({ ...evidence, chats: [randomUUID()] })).toEqual([]);
  expect(await CHECKS.oneResultEach({ ...evidence, chats: [chatId] })).toHaveLength(1);
});

test.each<[keyof typeof CHECKS, Fate, string, string | undefined]>([
  ['acknowledgedOnce', 'gone', 'a message that was edited away is still there', undefined],
  ['answeredOnce', 'gone', 'what answered a message that was edited away is', undefined],
  ['acknowledgedOnce', 'refused', 'a message that was refused is there', undefined],
  ['answeredOnce', 'refused', 'what answered a message that was refused is', undefined],
  ['answeredOnce', 'cut', 'what was cut short was answered twice', copyOf(`id = ${last}`)],
  ['acknowledgedOnce', 'untold', 'a message is there twice', copyOf(`role = 'user'`)],
  ['answeredOnce', 'untold', 'an answer is there twice', copyOf(`id = ${last}`)],
  ['acknowledgedOnce', 'cut', 'a message was lost', `DELETE FROM messages WHERE role = 'user'`],
])('%s notices, where it was %s, that %s', async (check, fate, _, falsification) => {
  const [message] = evidence.acknowledged;
  if (falsification !== undefined) await execute(url, falsification);
  const found = await CHECKS[check]({ ...evidence, acknowledged: [{ ...message!, fate }] });
  expect(found).not.toEqual([]);
});

test('a message that was cut short need not have been answered', async () => {
  await execute(url, `DELETE FROM messages WHERE id = ${last}`);
  const [message] = evidence.acknowledged;
  const cut = { ...evidence, acknowledged: [{ ...message!, fate: 'cut' as const }] };
  expect(await CHECKS.answeredOnce(cut)).toEqual([]);
});

test('what the user said and edited later is no second commit, and no zombie', async () => {
  await execute(
    url,
    `UPDATE messages SET revision = 1000, base_version = 1, attempt = 1, runner_id = gen_random_uuid()
      WHERE role = 'user'`,
  );
  expect(await CHECKS.oneCommitEach(evidence)).toEqual([]);
  expect(await CHECKS.onlyTheOwnerCommits(evidence)).toEqual([]);
});

test('a result that is not the one its client was told is stored is noticed', async () => {
  const [message] = evidence.acknowledged;
  const submitting = (output: unknown, fate: Fate = 'answered') => ({
    ...evidence,
    acknowledged: [{ ...message!, fate, submitted: [{ tool_call_id: 'c', output }] }],
  });
  expect(await CHECKS.submittedIsStored(submitting({ counted: 'm-1/0' }))).toEqual([]);
  expect(await CHECKS.submittedIsStored(submitting('another'))).toHaveLength(1);
  expect(await CHECKS.submittedIsStored(submitting('another', 'gone'))).toEqual([]);
});

const result = (value: unknown, is_error = true) =>
  `UPDATE messages SET content = '${JSON.stringify([
    { type: 'tool-result', tool_call_id: 'c', tool_name: 'count', result: value, is_error },
  ])}' WHERE role = 'tool'`;

test('a call that ran although it was denied, or before it was allowed, is noticed', async () => {
  const [message] = evidence.acknowledged;
  const deciding = (decision: 'allow' | 'deny', at: number): Evidence => ({
    ...evidence,
    acknowledged: [{ ...message!, decided: [{ tool_call_id: 'c', key: 'm-1/0', decision, at }] }],
  });
  const { decisionsHold } = CHECKS;
  expect(await decisionsHold(deciding('allow', 0))).toEqual([]);
  expect(await decisionsHold(deciding('allow', 1))).toEqual([expect.stringContaining('before')]);
  // It ran, and its result does not say that it was denied.
  expect(await decisionsHold(deciding('deny', 0))).toHaveLength(2);
  const forbidden = { ...evidence, acknowledged: [{ ...message!, forbidden: ['m-1/0'] }] };
  expect(await decisionsHold(forbidden)).toHaveLength(1);
  await execute(url, result('The call was not run: the user denied it.'));
  expect(await decisionsHold({ ...deciding('deny', 0), effects: [] })).toEqual([]);
  // What was allowed ran, or its process died.
  expect(await decisionsHold(deciding('allow', 0))).toHaveLength(1);
  await execute(url, result('The outcome of this call is unknown: its process stopped.'));
  expect(await decisionsHold(deciding('allow', 0))).toEqual([]);
});

test('messages that came in another order than that of the queue are noticed', async () => {
  const [first] = evidence.acknowledged;
  const second = { ...first!, id: 'm-2' };
  await execute(
    url,
    `INSERT INTO messages (chat_id, role, revision, content, created_at)
     SELECT chat_id, role, revision + 1, '${JSON.stringify(text(planText(second)))}', created_at
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
  expect(await found({ after: 'm-2' }, {})).toEqual(['m-1 came before m-2']);
  expect(await found({}, { promotedAt: Date.now() + 1000 })).toEqual([]);
  expect(await found({}, { promotedAt: 0 })).toEqual(['m-1 came before m-2, which was promoted']);
});

test('a queue that is shown although the chat rests is noticed', async () => {
  const waiting = { id: 1 } as unknown as QueuedMessage;
  view.apply({ type: 'queue_update', queued_messages: [waiting], chat_id: chatId, cursor: '' }, 0);
  expect(await CHECKS.shownIsStored(evidence)).toHaveLength(1);
});

const reportOf = (id: string) =>
  `INSERT INTO messages (chat_id, role, revision, content)
   VALUES ('${id}', 'assistant', 2, '[{"type": "text", "text": "re:m-agent/0 "}]')`;

test('agents that were not started, started twice or did not finish are noticed', async () => {
  const agent: Plan = { id: 'm-agent', steps: [{ say: 1 }] };
  const spawning = (fate: Fate): Evidence => ({
    ...evidence,
    acknowledged: [
      {
        id: 'm-1',
        steps: [{ call: { tool: 'spawn_agent', args: { prompt: planText(agent) } } }],
        chatId,
        at: 0,
        fate,
      },
    ],
  });
  const start = async () => {
    const { id } = await store.create({ content: text(planText(agent)) });
    await execute(
      url,
      `UPDATE chats SET parent_chat_id = '${chatId}', root_chat_id = '${chatId}' WHERE id = '${id}'`,
    );
    return id;
  };
  expect(await CHECKS.agentsOnce(spawning('answered'))).toHaveLength(1);
  expect(await CHECKS.agentsOnce(spawning('cut'))).toEqual([]);
  const first = await start();
  expect(await CHECKS.agentsOnce(spawning('answered'))).toHaveLength(1);
  await execute(url, reportOf(first));
  expect(await CHECKS.agentsOnce(spawning('answered'))).toEqual([]);
  await execute(url, reportOf(first));
  expect(await CHECKS.agentsOnce(spawning('gone'))).toHaveLength(1);
  await start();
  expect(await CHECKS.agentsOnce(spawning('cut'))).toHaveLength(1);
});
