import { randomUUID } from 'node:crypto';
import { QUEUE_LIMIT } from '@chatd/protocol';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Fence } from '../../src/chat/fence.ts';
import type { NewMessage } from '../../src/chat/writes.ts';
import { listVersions } from '../../src/store/queries/messages/versions.ts';
import { uuidv7 } from '../../src/store/uuid.ts';
import { calls, execute, results, says, TestStore, text } from '@chatd/test-server/database';

const store = await TestStore.open();
const FAILURE = { kind: 'generic', message: 'It broke.', retryable: false } as const;

/** A chat with a runner that can commit step after step. */
async function running() {
  const { id } = await store.create();
  let fence: Fence = await store.take(id);
  return {
    id,
    get fence() {
      return fence;
    },
    async commit(...messages: NewMessage[]) {
      const done = await store.runner.commitStep(id, fence, { messages, attempt: 0 });
      fence = { ...fence, history_version: done.history_version };
      return done;
    },
    send: (value: string, behavior?: 'queue' | 'steer' | 'interrupt') =>
      store.client.send(id, store.message(value, behavior)),
    queue: async () => (await store.queue(id)).map(({ content }) => words(content)),
  };
}

/** A chat that waits for these calls to be answered. */
async function awaiting(kinds: Record<string, 'dynamic' | 'approval' | 'question'>) {
  const chat = await running();
  await chat.commit(calls(...Object.keys(kinds)));
  await store.runner.requireAction(chat.id, chat.fence, kinds, 60_000);
  return chat;
}

const fork = async (chatId: string, messageId: number) =>
  await store.database.transaction(async (tx) =>
    store.creation.fork(
      await store.read(chatId),
      messageId,
      { id: uuidv7(), owner_id: store.owner },
      tx,
    ),
  );

/** Sets the clock of this process back, until the end of the test. The database has its own clock. */
function setClockBack(): void {
  vi.setSystemTime(Date.now() - 3_600_000);
  onTestFinished(() => void vi.useRealTimers());
}

const words = (content: readonly { type: string }[]) =>
  content.map((part) => ('text' in part ? String(part.text) : part.type)).join(' ');

describe('the queue', () => {
  test('interrupting messages wait before steering ones, and these before ordinary ones', async () => {
    const chat = await running();
    await chat.send('q1');
    await chat.send('s1', 'steer');
    await chat.send('q2');
    await chat.send('s2', 'steer');
    await chat.send('i1', 'interrupt');
    await chat.send('i2', 'interrupt');
    expect(await chat.queue()).toEqual(['i1', 'i2', 's1', 's2', 'q1', 'q2']);
    await store.runner.finishInterruption(chat.id, chat.fence, { messages: [], attempt: 0 });
    expect(await store.story(chat.id)).toEqual([
      'user: first',
      'user: i1',
      'user: i2',
      'user: s1',
      'user: s2',
    ]);
    expect(await chat.queue()).toEqual(['q1', 'q2']);
  });

  test('at the end of a turn, one ordinary message is delivered with the id it had in the queue', async () => {
    const chat = await running();
    const { queued } = await chat.send('q1');
    await chat.send('q2');
    const { status, messages } = await store.runner.finishTurn(chat.id, chat.fence);
    expect(status).toBe('running');
    expect(messages).toMatchObject([{ role: 'user', queued_message_id: queued?.id }]);
    expect(await chat.queue()).toEqual(['q2']);
  });

  test('holds 20 messages and refuses the next', async () => {
    const chat = await running();
    for (let n = 0; n < QUEUE_LIMIT; n += 1) await chat.send(`${n}`);
    await expect(chat.send('too many')).rejects.toMatchObject({ code: 'queue_full' });
    await store.client.deleteQueued(chat.id, (await store.queue(chat.id))[3]!.id);
    await chat.send('fits again');
    expect((await chat.queue()).at(-1)).toBe('fits again');
  });

  test('a message can be edited, moved, and made to steer', async () => {
    const chat = await running();
    for (const name of ['a', 'b', 'c']) await chat.send(name);
    const [, , c] = await store.queue(chat.id);
    const edit = { id: c!.id, content: null, position: null, busy_behavior: null };
    const { queued } = await store.client.editQueued(chat.id, { ...edit, content: text('C') });
    expect(queued?.content).toEqual(text('C'));
    expect(await chat.queue()).toEqual(['a', 'b', 'C']);
    await store.client.editQueued(chat.id, { ...edit, position: 1 });
    expect(await chat.queue()).toEqual(['a', 'C', 'b']);
    await store.client.editQueued(chat.id, { ...edit, busy_behavior: 'steer' });
    expect(await chat.queue()).toEqual(['C', 'a', 'b']);
    await chat.commit(says('step'));
    expect(await chat.queue()).toEqual(['a', 'b']);
  });

  test('a promoted message interrupts the turn and is delivered before all other queued messages', async () => {
    const chat = await running();
    for (const name of ['a', 'b']) await chat.send(name);
    await chat.send('s', 'steer');
    const b = (await store.queue(chat.id)).at(-1)!;
    await store.client.promoteQueued(chat.id, b.id);
    expect(await chat.queue()).toEqual(['b', 's', 'a']);
    await store.runner.finishInterruption(chat.id, chat.fence, { messages: [], attempt: 0 });
    expect(await store.story(chat.id)).toEqual(['user: first', 'user: b', 'user: s']);
  });

  test('the model settings of a queued message apply to the chat once the message is delivered', async () => {
    const chat = await running();
    await store.client.send(chat.id, { ...store.message('q'), reasoning_effort: 'high' });
    expect((await store.read(chat.id)).reasoning_effort).toBeNull();
    await store.runner.finishTurn(chat.id, chat.fence);
    expect((await store.read(chat.id)).reasoning_effort).toBe('high');
  });
});

const stop = (id: string, fence: Fence) =>
  store.runner.finishInterruption(id, fence, { messages: [], attempt: 0 });

describe('an interruption', () => {
  test('is remembered until the next turn begins', async () => {
    const chat = await running();
    await store.client.interrupt(chat.id);
    await stop(chat.id, chat.fence);
    expect(await store.read(chat.id)).toMatchObject({ status: 'waiting', interrupted: true });
    await chat.send('go on');
    expect(await store.read(chat.id)).toMatchObject({ status: 'running', interrupted: false });
  });

  test('is not remembered if a message interrupted the turn', async () => {
    const chat = await running();
    await chat.send('i', 'interrupt');
    await stop(chat.id, chat.fence);
    expect(await store.read(chat.id)).toMatchObject({ status: 'running', interrupted: false });
  });
});

describe('steering', () => {
  test('a steering message waits while calls are open and is delivered with their results', async () => {
    const chat = await running();
    await chat.send('careful', 'steer');
    await chat.commit(calls('a'));
    expect(await chat.queue()).toEqual(['careful']);
    await chat.commit(results('a'));
    expect(await store.story(chat.id)).toEqual([
      'user: first',
      'assistant: call(a)',
      'tool: result(a)',
      'user: careful',
    ]);
    // A steering message is marked, because it belongs to the current turn.
    const metas = (await store.history(chat.id)).map(({ meta }) => meta);
    expect(metas).toEqual([null, null, null, { steered: true }]);
  });
});

describe('dynamic tool calls', () => {
  test('the client must answer all of them, each once', async () => {
    const { id } = await awaiting({ a: 'dynamic', b: 'dynamic' });
    const submit = (...ids: string[]) =>
      store.client.submitToolResults(
        id,
        ids.map((tool_call_id) => ({ tool_call_id, output: 'ok' })),
      );
    for (const ids of [['a'], ['a', 'b', 'c'], ['a', 'b', 'a'], ['x']]) {
      await expect(submit(...ids)).rejects.toMatchObject({ code: 'tool_results_mismatch' });
    }
    await expect(submit('x')).rejects.toThrow('Missing: a, b. Unknown or duplicate: x.');
    // Results are stored in the order of the calls.
    await submit('b', 'a');
    expect((await store.story(id)).at(-1)).toBe('tool: result(a) result(b)');
    await expect(submit('a', 'b')).rejects.toMatchObject({ code: 'not_waiting_for_tools' });
  });

  test('a steering message is delivered with the results', async () => {
    const { id, send } = await awaiting({ a: 'dynamic' });
    await send('left', 'steer');
    await send('later');
    await store.client.submitToolResults(id, [{ tool_call_id: 'a', output: 1, is_error: true }]);
    expect((await store.story(id)).slice(2)).toEqual(['tool: error(a)', 'user: left']);
    expect(await store.read(id)).toMatchObject({ status: 'running', queue_length: 1 });
  });

  test('an interrupting message cancels them and is delivered right after their results', async () => {
    const { id, send } = await awaiting({ a: 'dynamic', b: 'approval' });
    const { messages } = await send('forget it', 'interrupt');
    expect(messages.map(({ role }) => role)).toEqual(['tool', 'user']);
    expect((await store.story(id)).slice(2)).toEqual([
      'tool: error(a) error(b)',
      'user: forget it',
    ]);
    expect(await store.read(id)).toMatchObject({ status: 'running', open_calls: [] });
  });

  test('with a question also open, the chat keeps waiting for the user, without a deadline', async () => {
    const { id } = await awaiting({ a: 'dynamic', b: 'question' });
    expect((await store.read(id)).action_deadline).not.toBeNull();
    await store.client.submitToolResults(id, [{ tool_call_id: 'a', output: 1 }]);
    expect(await store.read(id)).toMatchObject({
      status: 'requires_action',
      open_calls: [{ tool_call_id: 'b', kind: 'question' }],
      action_deadline: null,
    });
    await expect(store.runner.expireAction(id)).rejects.toMatchObject({ code: 'not_runnable' });
    await expect(
      store.client.submitToolResults(id, [{ tool_call_id: 'b', output: 1 }]),
    ).rejects.toMatchObject({ code: 'not_waiting_for_tools' });
  });

  test("the deadline uses the database's clock, and only dynamic calls expire", async () => {
    const chat = await running();
    await chat.commit(calls('a', 'b'));
    await store.runner.requireAction(chat.id, chat.fence, { a: 'dynamic', b: 'question' }, 0);
    setClockBack();
    await store.runner.expireAction(chat.id);
    expect((await store.story(chat.id)).at(-1)).toBe('tool: error(a)');
    expect((await store.read(chat.id)).open_calls).toMatchObject([{ tool_call_id: 'b' }]);
  });

  test('before the deadline nothing expires', async () => {
    setClockBack();
    const { id } = await awaiting({ a: 'dynamic' });
    await expect(store.runner.expireAction(id)).rejects.toMatchObject({ code: 'not_runnable' });
  });
});

describe('errors', () => {
  test('a failed turn keeps its queue; the next message is queued last, and open calls are canceled', async () => {
    const chat = await running();
    await chat.commit(calls('a'));
    await chat.send('q1');
    await store.runner.fail(chat.id, chat.fence, FAILURE);
    expect(await store.read(chat.id)).toMatchObject({ status: 'error', last_error: FAILURE });
    const { queued, messages } = await chat.send('q2');
    expect(messages.map(({ role }) => role)).toEqual(['tool', 'user']);
    expect(words(queued?.content ?? [])).toBe('q2');
    expect((await store.story(chat.id)).slice(2)).toEqual(['tool: error(a)', 'user: q1']);
    expect(await store.read(chat.id)).toMatchObject({ status: 'running', last_error: null });
  });

  test('a retry is recorded and cleared by the next attempt', async () => {
    const chat = await running();
    await store.runner.beginAttempt(chat.id, chat.fence, 1);
    const retry = {
      attempt: 1,
      delay_ms: 2000,
      retrying_at: '2026-01-01T00:00:02.000Z',
      kind: 'overloaded' as const,
      retryable: true,
      provider: 'demo',
      error: 'overloaded',
    };
    const recorded = await store.runner.recordRetry(chat.id, chat.fence, retry);
    expect(await store.read(chat.id)).toMatchObject({
      retry,
      retry_version: recorded.snapshot_version,
    });
    await store.runner.beginAttempt(chat.id, chat.fence, 2);
    expect(await store.read(chat.id)).toMatchObject({ retry: null, attempt: 2 });
    await expect(store.runner.beginAttempt(chat.id, chat.fence, 2)).rejects.toMatchObject({
      code: 'obsolete',
    });
  });
});

describe('an edit', () => {
  test('drops later messages, clears the queue, and makes work in progress obsolete', async () => {
    const chat = await running();
    await chat.commit(says('answer'));
    await chat.send('q');
    const fence = chat.fence;
    const [first, answer] = await store.history(chat.id);
    const edit = {
      content: text('edited'),
      model_config_id: null,
      reasoning_effort: null,
      created_by: store.owner,
    };
    const { chat: row, edited, dropped } = await store.client.editMessage(chat.id, first!.id, edit);
    expect(edited).toMatchObject({ id: first!.id, content: text('edited') });
    expect(dropped).toEqual([answer!.id]);
    expect(row.reset_version).toBe(row.history_version);
    expect(await store.story(chat.id)).toEqual(['user: edited']);
    expect(await chat.queue()).toEqual([]);
    await expect(
      store.runner.commitStep(chat.id, fence, { messages: [says('late')], attempt: 0 }),
    ).rejects.toMatchObject({ code: 'obsolete' });
    // The runner keeps the chat and continues with the new history.
    await store.runner.commitStep(
      chat.id,
      { ...fence, history_version: row.history_version },
      { messages: [says('new')], attempt: 0 },
    );
    expect(await store.story(chat.id)).toEqual(['user: edited', 'assistant: new']);
  });

  test('of an answer, a hidden message, or an unknown message is refused', async () => {
    const chat = await running();
    const { messages } = await chat.commit(says('answer'), {
      role: 'user',
      content: text('summary'),
      hidden: true,
    });
    const edit = {
      content: text('x'),
      model_config_id: null,
      reasoning_effort: null,
      created_by: null,
    };
    const [answer, summary] = messages;
    await expect(store.client.editMessage(chat.id, answer!.id, edit)).rejects.toMatchObject({
      code: 'not_a_user_message',
    });
    for (const id of [summary!.id, 999_999_999]) {
      await expect(store.client.editMessage(chat.id, id, edit)).rejects.toMatchObject({
        code: 'not_found',
      });
    }
  });
});

const SAME = { model_config_id: null, reasoning_effort: null };
const versions = async (id: string) => await store.database.query(listVersions, { chat_id: id });
/** Answers the last message and ends the turn. */
const answer = async (id: string, said: string) => {
  const fence = await store.take(id);
  await store.runner.commitStep(id, fence, {
    messages: [says(said)],
    attempt: 0,
    next: 'finish_turn',
  });
};
const edit = (id: string, messageId: number, said: string) =>
  store.client.editMessage(id, messageId, store.message(said));

describe('versions', () => {
  test('an answer is regenerated, and each version can be continued', async () => {
    const { id } = await store.create();
    await answer(id, 'one');
    const [question, first] = await store.history(id);
    // The id of an answer also identifies its question.
    const { dropped } = await store.client.regenerate(id, first!.id, SAME);
    expect(dropped).toEqual([first!.id]);
    await answer(id, 'two');
    expect(await store.story(id)).toEqual(['user: first', 'assistant: two']);
    const [one, two] = await versions(id);
    expect([one, two]).toMatchObject([
      { after_id: question!.id, is_current: false, message_id: first!.id, text: 'one' },
      { after_id: question!.id, is_current: true, text: 'two' },
    ]);
    await store.client.selectVersion(id, one!.id);
    await store.client.send(id, store.message('more'));
    await answer(id, 'continued');
    const continued = ['user: first', 'assistant: one', 'user: more', 'assistant: continued'];
    expect(await store.story(id)).toEqual(continued);
    expect((await store.history(id))[1]).toEqual(first);
    await store.client.selectVersion(id, two!.id);
    expect(await store.story(id)).toEqual(['user: first', 'assistant: two']);
    await store.client.selectVersion(id, one!.id);
    expect(await store.story(id)).toEqual(continued);
  });

  test('an edited message does not share the answers of its original', async () => {
    const { id } = await store.create();
    await answer(id, 'one');
    const [question] = await store.history(id);
    await store.client.regenerate(id, question!.id, SAME);
    await answer(id, 'two');
    await edit(id, question!.id, 'edited');
    await answer(id, 'three');
    // The edited message keeps its id and has only one answer.
    const atEdit = await versions(id);
    expect(atEdit.map(({ after_id, is_current }) => [after_id, is_current])).toEqual([
      [0, false],
      [0, true],
    ]);
    await store.client.selectVersion(id, atEdit[0]!.id);
    expect(await store.story(id)).toEqual(['user: first', 'assistant: two']);
    expect((await versions(id)).map(({ after_id }) => after_id)).toEqual([
      0,
      0,
      question!.id,
      question!.id,
    ]);
  });

  test('a version that was replaced while running is interrupted, with its calls canceled', async () => {
    const chat = await awaiting({ c1: 'approval', c2: 'dynamic' });
    const [question] = await store.history(chat.id);
    await store.client.regenerate(chat.id, question!.id, SAME);
    await answer(chat.id, 'two');
    const [one] = await versions(chat.id);
    const { chat: row } = await store.client.selectVersion(chat.id, one!.id);
    expect(row).toMatchObject({ status: 'waiting', interrupted: true, open_calls: [] });
    expect(await store.story(chat.id)).toEqual([
      'user: first',
      'assistant: call(c1) call(c2)',
      'tool: error(c1) error(c2)',
    ]);
  });

  test('regenerating an answer that has not begun adds no version', async () => {
    const { id } = await store.create();
    await answer(id, 'one');
    const [question] = await store.history(id);
    await store.client.regenerate(id, question!.id, SAME);
    await store.client.regenerate(id, question!.id, SAME);
    expect((await versions(id)).map(({ is_current }) => is_current)).toEqual([false, true]);
  });

  test('the previous answer can be selected after the new one has failed', async () => {
    const { id } = await store.create();
    await answer(id, 'one');
    const [question] = await store.history(id);
    await store.client.regenerate(id, question!.id, SAME);
    await store.runner.fail(id, await store.take(id), FAILURE);
    const [one, two] = await versions(id);
    const { chat } = await store.client.selectVersion(id, one!.id);
    expect(chat).toMatchObject({ status: 'waiting', last_error: null });
    expect(await store.story(id)).toEqual(['user: first', 'assistant: one']);
    await store.client.selectVersion(id, two!.id);
    expect(await store.story(id)).toEqual(['user: first']);
  });

  test('clients that branch concurrently each add a version', async () => {
    const { id } = await store.create();
    await answer(id, 'one');
    const [question] = await store.history(id);
    const edits = ['a', 'b', 'c', 'd'].map((said) => edit(id, question!.id, said));
    await Promise.all([...edits, store.client.regenerate(id, question!.id, SAME)]);
    const all = await versions(id);
    const atStart = all.filter(({ after_id }) => after_id === 0);
    const texts = atStart.map((version) => String(version.text));
    expect(texts.toSorted((a, b) => a.localeCompare(b))).toEqual(['a', 'b', 'c', 'd', 'first']);
    expect(atStart.filter(({ is_current }) => is_current)).toHaveLength(1);
  });

  test('a message that is not in the history, or a version of another chat, is not found', async () => {
    const { id } = await store.create();
    await answer(id, 'one');
    const [question, first] = await store.history(id);
    await store.client.regenerate(id, question!.id, SAME);
    await expect(store.client.regenerate(id, first!.id, SAME)).rejects.toMatchObject({
      code: 'not_found',
    });
    await answer(id, 'two');
    const [one] = await versions(id);
    const other = await store.create();
    await answer(other.id, 'one');
    await expect(store.client.selectVersion(other.id, one!.id)).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  test('deleting a chat deletes all its versions', async () => {
    const { id } = await store.create();
    await answer(id, 'one');
    const [question] = await store.history(id);
    await store.client.regenerate(id, question!.id, SAME);
    await answer(id, 'two');
    const [one] = await versions(id);
    const left = async () =>
      await execute(store.url, `SELECT id FROM version_messages WHERE version_id = ${one!.id}`);
    expect(await left()).toHaveLength(1);
    await execute(store.url, `DELETE FROM chats WHERE id = '${id}'`);
    expect(await left()).toEqual([]);
  });
});

describe('compaction', () => {
  test('is recorded if there is something to summarize, and completed by the step that summarizes', async () => {
    const chat = await running();
    await chat.commit(says('answer'));
    await store.runner.finishTurn(chat.id, chat.fence);
    await store.client.requestCompaction(chat.id);
    expect(await store.read(chat.id)).toMatchObject({
      status: 'running',
      compaction_requested: true,
    });
    const fence = await store.take(chat.id);
    const { history_version } = await store.runner.commitStep(chat.id, fence, {
      messages: [{ role: 'user', content: text('so far'), hidden: true }],
      attempt: 0,
      compacted: true,
    });
    expect((await store.read(chat.id)).compaction_requested).toBe(false);
    await store.runner.finishTurn(chat.id, { ...fence, history_version });
    await expect(store.client.requestCompaction(chat.id)).rejects.toMatchObject({
      code: 'nothing_to_compact',
    });
  });
});

/** What the loop commits for a summary: its call and result, which clients see, and the summary itself. */
const summary: NewMessage[] = [
  {
    role: 'assistant',
    content: [{ type: 'tool-call', tool_call_id: 's', tool_name: 'chat_summarized', args: {} }],
  },
  {
    role: 'tool',
    content: [{ type: 'tool-result', tool_call_id: 's', tool_name: 'chat_summarized', result: {} }],
  },
  { role: 'user', content: text('so far'), hidden: true },
];

test.each([
  ['an empty', []],
  ['a non-empty', ['q']],
])('a summary is committed while calls are open, with %s queue', async (_, queue) => {
  const chat = await running();
  const { messages } = await chat.commit(calls('a'));
  for (const name of queue) await chat.send(name);
  await chat.commit(...summary);
  expect((await store.read(chat.id)).open_calls).toMatchObject([{ tool_call_id: 'a' }]);
  const copy = await fork(chat.id, messages[0]!.id + 2);
  expect((await store.story(copy.id)).at(-1)).toBe('tool: error(a)');
  await chat.commit(results('a'));
  expect((await store.read(chat.id)).open_calls).toEqual([]);
});

describe('a fork', () => {
  test('copies the history up to a message and cancels calls that have no result there', async () => {
    const chat = await running();
    const { messages } = await chat.commit(calls('a', 'b'));
    await chat.commit(results('a', 'b'));
    const copy = await fork(chat.id, messages[0]!.id);
    expect(copy).toMatchObject({ status: 'waiting', parent_chat_id: null, open_calls: [] });
    expect(await store.story(copy.id)).toEqual([
      'user: first',
      'assistant: call(a) call(b)',
      'tool: error(a) error(b)',
    ]);
    expect(await store.story(chat.id)).toHaveLength(3);
  });

  test('at an unknown message is refused', async () => {
    const chat = await running();
    await expect(fork(chat.id, 999_999_999)).rejects.toMatchObject({ code: 'unknown_message' });
  });
});

describe('a chat with subagents', () => {
  test('is archived and deleted as a whole or not at all', async () => {
    const parent = await running();
    const child = await store.create({ parent: { id: parent.id, root_chat_id: null } });
    const grandchild = await store.create({ parent: { id: child.id, root_chat_id: parent.id } });
    expect(grandchild).toMatchObject({ parent_chat_id: child.id, root_chat_id: parent.id });
    await store.runner.finishTurn(parent.id, parent.fence);
    for (const command of [
      () => store.client.setArchived(parent.id, true),
      () => store.client.delete(parent.id),
    ]) {
      await expect(command()).rejects.toMatchObject({ code: 'chat_active' });
    }
    expect(await store.read(parent.id)).toMatchObject({ archived: false, deleted_at: null });
    for (const { id } of [child, grandchild]) {
      await store.runner.finishTurn(id, await store.take(id));
    }
    await expect(store.client.setArchived(child.id, true)).rejects.toMatchObject({
      code: 'not_a_root_chat',
    });
    await store.client.setArchived(parent.id, true);
    for (const { id } of [parent, child, grandchild]) {
      expect((await store.read(id)).archived).toBe(true);
    }
  });
});

describe('change notifications', () => {
  test('report every committed change with its version, and no change that was rolled back', async () => {
    const chat = await running();
    const heard = () => store.changes.filter(({ id }) => id === chat.id);
    const before = heard().length;
    const tx = await store.database.begin();
    await store.client.send(chat.id, store.message('x'), tx);
    expect(heard()).toHaveLength(before);
    await tx.rollback();
    expect(heard()).toHaveLength(before);
    const { chat: row } = await store.client.send(chat.id, store.message('x'));
    expect(heard().slice(before)).toEqual([
      {
        command: 'send_queue',
        id: chat.id,
        owner_id: store.owner,
        status: 'running',
        snapshot_version: row.snapshot_version,
      },
    ]);
  });
});

describe('unread', () => {
  test('a failed turn is unread until its last message is marked', async () => {
    const chat = await running();
    const unread = async () => {
      const { reply_version, read_version } = await store.read(chat.id);
      return reply_version > read_version;
    };
    await store.runner.fail(chat.id, chat.fence, FAILURE);
    expect(await unread()).toBe(true);
    const [first] = await store.history(chat.id);
    await store.client.markRead(chat.id, first!.id);
    expect(await unread()).toBe(false);
  });

  test('an answer is unread until it or a later message is marked as read', async () => {
    const chat = await running();
    const unread = async () => {
      const { reply_version, read_version } = await store.read(chat.id);
      return reply_version > read_version;
    };
    expect(await unread()).toBe(false);
    const { messages } = await chat.commit(says('answer'));
    expect(await unread()).toBe(true);
    const [first] = await store.history(chat.id);
    await store.client.markRead(chat.id, first!.id);
    expect(await unread()).toBe(true);
    await store.client.markRead(chat.id, messages[0]!.id);
    expect(await unread()).toBe(false);
    await expect(store.client.markRead(chat.id, 999_999_999)).rejects.toMatchObject({
      code: 'unknown_message',
    });
  });
});

describe('content that PostgreSQL cannot store', () => {
  test('is replaced in the output of models and tools, and never blocks a chat', async () => {
    const chat = await running();
    const nasty = 'a\0b\uD800c\\u0000';
    const { messages } = await chat.commit({
      role: 'assistant',
      content: [{ type: 'text', text: nasty }],
      meta: { ['k\0']: '\uDC00' },
    });
    const stored = (await store.history(chat.id)).at(-1)!;
    expect(stored.content).toEqual(text('a\uFFFDb\uFFFDc\\u0000'));
    expect(stored.meta).toEqual({ 'k\uFFFD': '\uFFFD' });
    expect(messages[0]!.content).toEqual(stored.content);
    await store.runner.fail(chat.id, chat.fence, { ...FAILURE, message: 'bad \0 byte' });
    expect((await store.read(chat.id)).last_error?.message).toBe('bad \uFFFD byte');
  });

  test('a text too large for the search index is stored in full', async () => {
    const chat = await running();
    const long = Array.from({ length: 400_000 }, (_, n) => `w${n}`).join(' ');
    await chat.commit(says(long));
    expect((await store.history(chat.id)).at(-1)!.content).toEqual(text(long));
  });
});

test('a chat that does not exist is refused as not found', async () => {
  await expect(store.client.interrupt(randomUUID())).rejects.toMatchObject({ code: 'not_found' });
});
