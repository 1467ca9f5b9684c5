import { APPROVAL_RULES_LIMIT } from '@chatd/protocol';
import { expect, test } from 'vitest';
import { changeApprovals, loadApprovals } from '../../src/store/approvals.ts';
import type { Awaited } from '../../src/chat/transitions/require-action.ts';
import type { NewMessage } from '../../src/chat/writes.ts';
import { readChatSnapshot } from '../../src/store/queries/chats/snapshot.ts';
import { results, TestStore } from '@chatd/test-server/database';

const store = await TestStore.open();
const { approvals } = store;

const call = (id: string, tool_name = 'execute', args = {}) => ({
  type: 'tool-call' as const,
  tool_call_id: id,
  tool_name,
  args,
});

/** A chat that waits for these calls. */
async function asking(
  awaited: Awaited,
  content: NewMessage['content'] = Object.keys(awaited).map((id) => call(id)),
) {
  const { id, owner_id } = await store.create();
  const fence = await store.take(id);
  const response: NewMessage = { role: 'assistant', content };
  const { history_version } = await store.runner.commitStep(id, fence, {
    messages: [response],
    attempt: 0,
  });
  await store.runner.requireAction(id, { ...fence, history_version }, awaited, 60_000);
  return { id, owner_id };
}

const allow = (tool_call_id: string) => ({ tool_call_id, decision: 'allow' as const });
const deny = (tool_call_id: string) => ({ tool_call_id, decision: 'deny' as const });

test('a decision is recorded on its call, and the last one resumes the chat', async () => {
  const chat = await asking({ a: 'approval', b: 'approval' });
  await approvals.decide(chat, [allow('a')]);
  expect(await store.read(chat.id)).toMatchObject({
    status: 'requires_action',
    open_calls: [{ tool_call_id: 'a', decision: 'allow' }, { tool_call_id: 'b' }],
  });
  await approvals.decide(chat, [deny('b')]);
  expect(await store.read(chat.id)).toMatchObject({
    status: 'running',
    open_calls: [{ decision: 'allow' }, { decision: 'deny' }],
  });
});

test('the first of two decisions on a call counts, and a request without effect is refused', async () => {
  const chat = await asking({ a: 'approval', b: 'approval' });
  await approvals.decide(chat, [allow('a')]);
  await expect(approvals.decide(chat, [deny('a')])).rejects.toMatchObject({
    code: 'not_waiting_for_you',
  });
  await approvals.decide(chat, [deny('a'), deny('b')]);
  expect((await store.read(chat.id)).open_calls).toMatchObject([
    { decision: 'allow' },
    { decision: 'deny' },
  ]);
});

test('of concurrent decisions, exactly one counts per call', async () => {
  const chat = await asking({ a: 'approval', b: 'question' });
  const tries = await Promise.allSettled(
    Array.from({ length: 6 }, (_, n) =>
      approvals.decide(chat, [n % 2 === 0 ? allow('a') : deny('a')]),
    ),
  );
  expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
});

test('a chat waits for tool results, approvals, and answers', async () => {
  const chat = await asking({ a: 'approval', d: 'dynamic', q: 'question' });
  const deadline = (await store.read(chat.id)).action_deadline;
  expect(deadline).not.toBeNull();
  await approvals.answer(chat.id, 'q', { selected: ['red'] });
  expect(await store.read(chat.id)).toMatchObject({
    status: 'requires_action',
    action_deadline: deadline,
  });
  await approvals.decide(chat, [allow('a')]);
  await store.client.submitToolResults(chat.id, [{ tool_call_id: 'd', output: 1 }]);
  expect(await store.read(chat.id)).toMatchObject({
    status: 'running',
    action_deadline: null,
    open_calls: [{ tool_call_id: 'a', decision: 'allow' }],
  });
});

test('after the tool results, approvals and answers do not expire', async () => {
  const chat = await asking({ d: 'dynamic', q: 'question' });
  await store.client.submitToolResults(chat.id, [{ tool_call_id: 'd', output: 1 }]);
  expect(await store.read(chat.id)).toMatchObject({
    status: 'requires_action',
    action_deadline: null,
  });
});

test('tool results cannot answer a question or an approval', async () => {
  const chat = await asking({ a: 'approval', d: 'dynamic' });
  await expect(
    store.client.submitToolResults(chat.id, [
      { tool_call_id: 'd', output: 1 },
      { tool_call_id: 'a', output: 1 },
    ]),
  ).rejects.toMatchObject({ code: 'tool_results_mismatch' });
  await expect(approvals.answer(chat.id, 'a', 'yes')).rejects.toMatchObject({
    code: 'not_waiting_for_you',
  });
  await expect(approvals.decide(chat, [allow('d')])).rejects.toMatchObject({
    code: 'not_waiting_for_you',
  });
});

test('a steering message joins after the allowed call has run', async () => {
  const chat = await asking({ a: 'approval' });
  await store.client.send(chat.id, store.message('Hurry', 'steer'));
  await approvals.decide(chat, [allow('a')]);
  expect(await store.story(chat.id)).toEqual(['user: first', 'assistant: call(a)']);
  const fence = await store.take(chat.id);
  await store.runner.beginTools(chat.id, fence, ['a']);
  await store.runner.commitStep(chat.id, fence, { messages: [results('a')], attempt: 0 });
  expect(await store.story(chat.id)).toEqual([
    'user: first',
    'assistant: call(a)',
    'tool: result(a)',
    'user: Hurry',
  ]);
});

test('a remembered decision applies to the command or path, or else to the tool, in one chat or in all', async () => {
  const chat = await asking({ a: 'approval', b: 'approval', c: 'approval', d: 'approval' }, [
    call('a', 'execute', { command: 'ls *.ts' }),
    call('b', 'write_file', { path: 'x', content: 'y' }),
    call('c', 'execute', { command: 'rm -r x' }),
    call('d', 'edit_files', { files: [] }),
  ]);
  await approvals.decide(chat, [{ ...allow('a'), remember: 'always' }]);
  await approvals.decide(chat, [
    { ...deny('a'), remember: 'always' },
    { ...deny('b'), remember: 'always' },
    allow('c'),
    { ...allow('d'), remember: 'chat' },
  ]);
  expect(await loadApprovals(store.database, chat.owner_id)).toEqual([
    { pattern: 'execute(ls \\*.ts)', action: 'allow' },
    { pattern: 'write_file(x)', action: 'deny' },
    { pattern: `chat:${chat.id} edit_files`, action: 'allow' },
  ]);
});

test('a decision that is too long to remember is refused and decides nothing', async () => {
  const chat = await asking({ a: 'approval' }, [
    call('a', 'execute', { command: 'x'.repeat(3000) }),
  ]);
  await expect(approvals.decide(chat, [{ ...allow('a'), remember: 'chat' }])).rejects.toMatchObject(
    {
      code: 'invalid_request',
    },
  );
  expect((await store.read(chat.id)).status).toBe('requires_action');
});

test('rules beyond the limit are not added, and nothing is decided', async () => {
  const chat = await asking({ a: 'approval' }, [call('a', 'execute', { command: 'make' })]);
  const rules = Array.from({ length: APPROVAL_RULES_LIMIT }, (_, n) => ({
    pattern: `tool_${n}`,
    action: 'ask' as const,
  }));
  await changeApprovals(store.database, chat.owner_id, rules);
  await expect(
    approvals.decide(chat, [{ ...allow('a'), remember: 'always' }]),
  ).rejects.toMatchObject({ code: 'invalid_request' });
  expect(await loadApprovals(store.database, chat.owner_id)).toEqual(rules);
  expect((await store.read(chat.id)).status).toBe('requires_action');
  await changeApprovals(store.database, chat.owner_id, []);
});

test('an accepted plan ends plan mode, a rejected one does not', async () => {
  const plan = [call('p', 'propose_plan', { plan: 'Do it.' })];
  const chat = await asking({ p: 'question' }, plan);
  await store.client.update(chat.id, { plan_mode: true });
  await expect(approvals.answer(chat.id, 'p', 'fine')).rejects.toMatchObject({
    code: 'invalid_answer',
  });
  await approvals.answer(chat.id, 'p', { accepted: false, text: 'Smaller.' });
  expect(await store.read(chat.id)).toMatchObject({ status: 'running', plan_mode: true });

  const other = await asking({ p: 'question' }, plan);
  await store.client.update(other.id, { plan_mode: true });
  await approvals.answer(other.id, 'p', { accepted: true });
  expect(await store.read(other.id)).toMatchObject({ status: 'running', plan_mode: false });
});

test('an interrupt cancels pending approvals and questions', async () => {
  const chat = await asking({ a: 'approval', q: 'question' });
  await approvals.decide(chat, [allow('a')]);
  await store.client.interrupt(chat.id);
  expect((await store.story(chat.id)).at(-1)).toBe('tool: error(a) error(q)');
});

test('a pending call is shown with its arguments even after a summary', async () => {
  const { id } = await store.create();
  const fence = await store.take(id);
  const commit = async (version: number, ...messages: NewMessage[]) =>
    (
      await store.runner.commitStep(
        id,
        { ...fence, history_version: version },
        { messages, attempt: 0 },
      )
    ).history_version;
  const asked = await commit(fence.history_version, {
    role: 'assistant',
    content: [call('a', 'execute', { command: 'make' })],
  });
  const summarised = await commit(
    asked,
    { role: 'assistant', content: [call('s', 'chat_summarized')] },
    results('s'),
  );
  await store.runner.requireAction(
    id,
    { ...fence, history_version: summarised },
    { a: 'approval' },
    0,
  );
  const [look] = await store.database.query(readChatSnapshot, {
    chat_id: id,
    after_id: null,
    after_queue_version: 0,
    after_reset_version: 0,
    limit: 1,
    with_newest: false,
  });
  expect(look?.asking).toMatchObject([{ tool_call_id: 'a', args: { command: 'make' } }]);
});
