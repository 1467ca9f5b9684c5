import type { ChatEvent, Json, Message, Part } from '@chatd/protocol';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { markOf } from '../../markdown/citation.ts';
import type { ChatStore as Store } from './chat-store.ts';
import type { Frames } from './frames.ts';
import type { Piece } from './pieces.ts';

/** Stubs of the page: no server, and frames on demand. */
const wanted: (() => void)[] = [];
const frames: Frames = {
  request: (run) => wanted.push(run),
  cancel: () => wanted.splice(0),
};
const frame = () => {
  const [run] = wanted.splice(0);
  run?.();
};
const settle = () => {
  while (wanted.length > 0) frame();
};

let store: Store;
beforeEach(async () => {
  vi.stubGlobal('location', { href: 'http://chatd.test/' });
  vi.stubGlobal('addEventListener', () => undefined);
  vi.stubGlobal('removeEventListener', () => undefined);
  vi.stubGlobal(
    'WebSocket',
    class {
      addEventListener() {}
      close() {}
    },
  );
  const { ChatStore } = await import('./chat-store.ts');
  const clock = { now: () => 5000, after: () => () => undefined };
  store = new ChatStore('c', clock, frames);
});
afterEach(() => {
  store.close();
  vi.unstubAllGlobals();
});

type SentEvent = ChatEvent extends infer Event
  ? Event extends ChatEvent
    ? Omit<Event, 'chat_id' | 'cursor'>
    : never
  : never;
const hear = (event: SentEvent) => store.hear({ chat_id: 'c', cursor: 'x', ...event });
let seq = 0;
const part = (content: Part, role: 'assistant' | 'tool' = 'assistant') =>
  hear({
    type: 'message_part',
    role,
    part: content,
    history_version: 1,
    attempt: 1,
    seq: (seq += 1),
  });
const message = (id: number, role: Message['role'], content: Part[]): Message => ({
  id,
  chat_id: 'c',
  role,
  created_at: '2026-01-01T00:00:00.000Z',
  content,
});
const commit = (...args: Parameters<typeof message>) =>
  hear({ type: 'message', message: message(...args) });
const shown = (piece: Piece | undefined) =>
  piece?.kind === 'text' || piece?.kind === 'reasoning'
    ? piece.stream.groups
        .get()
        .flatMap((group) => group.blocks.get())
        .map(({ text }) => text)
        .join('')
    : undefined;

test('events are applied together in the next frame', () => {
  commit(1, 'user', [{ type: 'text', text: 'Hello' }]);
  hear({ type: 'status', status: 'running' });
  expect(store.messages.get()).toEqual([]);
  frame();
  expect(store.messages.get()).toHaveLength(1);
  expect(store.status.get()).toBe('running');
  expect(store.loaded.get()).toBe(true);
});

test('earlier messages are expected even when the first ones arrive before the status', () => {
  for (let id = 1; id <= 60; id += 1) {
    commit(id, 'user', [{ type: 'text', text: `${id}` }]);
    if (id === 30) frame();
  }
  frame();
  expect(store.older.state.get().kind).toBe('unknown');
  hear({ type: 'status', status: 'waiting' });
  frame();
  expect(store.older.state.get().kind).toBe('more');
});

test('deltas change only their own text', () => {
  part({ type: 'text', text: 'Hel' });
  frame();
  const list = store.live.list.get();
  let listChanges = 0;
  store.live.list.subscribe(() => (listChanges += 1));
  part({ type: 'text', text: 'lo, ' });
  part({ type: 'text', text: 'world' });
  settle();
  expect(listChanges).toBe(0);
  expect(store.live.list.get()).toBe(list);
  expect(shown(list[0])).toBe('Hello, world');
});

test('a committed answer replaces its preview with the same keys, parsed once', () => {
  part({ type: 'reasoning', text: 'Let me see. ' });
  part({ type: 'text', text: 'The answer is ' });
  part({ type: 'tool-call', tool_call_id: 'a', tool_name: 'add', args: {} });
  settle();
  const before = store.live.list.get();
  const committed = message(2, 'assistant', [
    { type: 'reasoning', text: 'Let me see. ' },
    { type: 'text', text: 'The answer is ' },
    { type: 'tool-call', tool_call_id: 'a', tool_name: 'add', args: {} },
  ]);
  hear({ type: 'message', message: committed });
  hear({ type: 'preview_reset' });
  frame();
  const after = store.piecesOf(committed);
  expect(after.map(({ key }) => key)).toEqual(before.map(({ key }) => key));
  expect(after[1]).toMatchObject({ stream: before[1]?.kind === 'text' ? before[1].stream : null });
  expect(store.live.isEmpty).toBe(true);
});

const source = (name: string, cited = false): Part => ({
  type: 'source',
  source_id: name,
  url: `https://${name}.example/`,
  title: name,
  ...(cited && { cited }),
});

test('a cited answer is equal live and committed: marks in the text, each source once', () => {
  const call = { tool_call_id: 's', tool_name: 'web_search', provider_executed: true };
  const found: Part[] = [
    { type: 'tool-call', ...call, args: { query: 'news' } },
    {
      type: 'tool-result',
      ...call,
      result: [{ url: 'https://a.example/' }, { url: 'https://b.example/' }],
    },
    source('a'),
    source('b'),
    { type: 'text', text: 'Rain' },
    source('b', true),
    { type: 'text', text: ', and wind.' },
    source('b', true),
  ];
  for (const piece of found) part(piece);
  settle();
  const before = store.live.list.get();
  expect(before.map(({ kind }) => kind)).toEqual(['call', 'text', 'sources']);
  expect(shown(before[1])).toBe(`Rain${markOf(1)}, and wind.${markOf(1)}`);
  expect(before[2]).toMatchObject({
    sources: [{ url: 'https://b.example/', title: 'b', number: 1 }],
  });
  const committed = message(2, 'assistant', found);
  hear({ type: 'message', message: committed });
  hear({ type: 'preview_reset' });
  frame();
  const after = store.piecesOf(committed);
  expect(after.map(({ key }) => key)).toEqual(before.map(({ key }) => key));
  // Parsed once: the committed text reuses the stream of the preview.
  expect(after[1]).toMatchObject({ stream: before[1]?.kind === 'text' ? before[1].stream : null });
  expect(after[2]).toEqual(before[2]);
});

test('the committed answer wins over a different preview', () => {
  part({ type: 'text', text: 'Half of ' });
  settle();
  const committed = message(2, 'assistant', [{ type: 'text', text: 'All of it' }]);
  hear({ type: 'message', message: committed });
  frame();
  expect(shown(store.piecesOf(committed)[0])?.trim()).toBe('All of it');
});

test('an abandoned attempt leaves nothing behind', () => {
  hear({ type: 'status', status: 'running' });
  part({ type: 'text', text: 'Wrong' });
  part({ type: 'tool-call', tool_call_id: 'a', tool_name: 'add', args_delta: '{"a' });
  frame();
  expect(store.tools.view('a')?.get().state).toBe('writing');
  hear({ type: 'preview_reset' });
  part({ type: 'text', text: 'Right' });
  settle();
  expect(store.live.list.get().map(shown)).toEqual(['Right']);
  expect(store.tools.view('a')).toBeUndefined();
});

test('a call is written, runs with output, and is done, whichever message has its result', () => {
  hear({ type: 'status', status: 'running' });
  part({ type: 'tool-call', tool_call_id: 'a', tool_name: 'execute', args_delta: '{"command"' });
  part({ type: 'tool-call', tool_call_id: 'a', tool_name: 'execute', args_delta: ':"ls"}' });
  frame();
  const view = store.tools.view('a');
  expect(view?.get()).toMatchObject({ state: 'writing', call: { args_delta: '{"command":"ls"}' } });
  const call: Part = {
    type: 'tool-call',
    tool_call_id: 'a',
    tool_name: 'execute',
    args: { command: 'ls' },
    created_at: '2026-01-01T00:00:00.000Z',
  };
  commit(2, 'assistant', [call]);
  hear({ type: 'preview_reset' });
  part(
    { type: 'tool-result', tool_call_id: 'a', tool_name: 'execute', result_delta: 'one\n' },
    'tool',
  );
  part(
    { type: 'tool-result', tool_call_id: 'a', tool_name: 'execute', result_delta: 'two\n' },
    'tool',
  );
  frame();
  expect(store.tools.view('a')).toBe(view);
  expect(view?.get()).toMatchObject({ state: 'running', result: { result_delta: 'one\ntwo\n' } });
  const result: Part = {
    type: 'tool-result',
    tool_call_id: 'a',
    tool_name: 'execute',
    result: 'one\ntwo\n',
    created_at: '2026-01-01T00:00:01.500Z',
  };
  commit(3, 'tool', [result]);
  hear({ type: 'preview_reset' });
  frame();
  expect(view?.get()).toMatchObject({ state: 'done', durationMs: 1500 });
});

test('a call without a result is awaiting or interrupted, depending on the chat', () => {
  commit(2, 'assistant', [{ type: 'tool-call', tool_call_id: 'q', tool_name: 'ask', args: {} }]);
  hear({ type: 'status', status: 'requires_action' });
  const awaited = { tool_call_id: 'q', tool_name: 'ask', args: {}, kind: 'question' as const };
  hear({ type: 'action_required', tool_calls: [awaited] });
  frame();
  expect(store.tools.view('q')?.get()).toMatchObject({ state: 'awaiting', awaited });
  hear({ type: 'status', status: 'waiting' });
  frame();
  expect(store.tools.view('q')?.get()).toMatchObject({ state: 'interrupted', awaited: undefined });
});

const at = (second: number) => `2026-01-01T00:00:${second}.000Z`;
const execution = (id: string): Part => ({
  type: 'tool-call',
  tool_call_id: id,
  tool_name: 'execute',
  args: {},
  created_at: at(10),
});
const executed = (id: string, result: Json, more: Partial<Part>): Part =>
  ({ type: 'tool-result', tool_call_id: id, tool_name: 'execute', result, ...more }) as Part;

test('decided calls wait for the others, and durations exclude the wait', () => {
  const stateOf = (id: string) => store.tools.view(id)?.get().state;
  commit(2, 'assistant', ['a', 'b', 'c'].map(execution));
  hear({ type: 'status', status: 'requires_action' });
  const decided = [
    { tool_call_id: 'a', decision: 'allow' as const },
    { tool_call_id: 'b', decision: 'deny' as const },
  ];
  const awaited = {
    tool_call_id: 'c',
    tool_name: 'execute',
    args: {},
    kind: 'approval' as const,
  };
  hear({ type: 'action_required', tool_calls: [awaited], decided });
  frame();
  expect(['a', 'b', 'c'].map(stateOf)).toEqual(['approved', 'denied', 'awaiting']);
  hear({ type: 'status', status: 'running' });
  frame();
  expect(store.tools.view('a')?.get()).toMatchObject({ state: 'running', startedAt: undefined });
  commit(3, 'tool', [
    executed('a', { exit_code: 0 }, { started_at: at(40), created_at: at(42) }),
    executed('b', 'The call was not run: the user denied it.', {
      is_error: true,
      created_at: at(42),
    }),
    executed('c', { exit_code: 2 }, { started_at: at(40), created_at: at(41) }),
  ]);
  frame();
  expect(store.tools.view('a')?.get()).toMatchObject({ state: 'done', durationMs: 2000 });
  expect(store.tools.view('b')?.get()).toMatchObject({ state: 'denied', durationMs: undefined });
  expect(store.tools.view('c')?.get()).toMatchObject({ state: 'failed', durationMs: 1000 });
});

test('an edit keeps earlier messages and never shows an empty chat', () => {
  for (const id of [1, 2, 3, 4]) commit(id, 'user', [{ type: 'text', text: `${id}` }]);
  hear({ type: 'status', status: 'waiting' });
  frame();
  const lengths: number[] = [];
  store.messages.subscribe(() => lengths.push(store.messages.get().length));
  hear({ type: 'history_reset' });
  frame();
  commit(3, 'user', [{ type: 'text', text: 'edited' }]);
  hear({ type: 'status', status: 'running' });
  frame();
  expect(store.messages.get().map(({ id }) => id)).toEqual([1, 2, 3]);
  expect(lengths).toEqual([3]);
});

test('a retry ends with the next part, an error with the next turn', () => {
  hear({ type: 'status', status: 'running' });
  hear({
    type: 'retry',
    attempt: 1,
    delay_ms: 1000,
    retrying_at: '2026-01-01T00:00:00.000Z',
    kind: 'overloaded',
    retryable: true,
    provider: 'anthropic',
    error: 'busy',
  });
  frame();
  expect(store.retry.get()?.attempt).toBe(1);
  part({ type: 'text', text: 'x' });
  frame();
  expect(store.retry.get()).toBeNull();
  hear({ type: 'error', error: { message: 'No', kind: 'auth', retryable: false } });
  hear({ type: 'status', status: 'error' });
  frame();
  expect(store.error.get()?.kind).toBe('auth');
  hear({ type: 'status', status: 'running' });
  frame();
  expect(store.error.get()).toBeNull();
});

test('the cost of a delta does not grow with the answer', () => {
  const text = 'Some words of an answer that is going on. ';
  let listChanges = 0;
  const groupChanges = { begun: 0, blocks: 0 };
  part({ type: 'text', text });
  frame();
  store.live.list.subscribe(() => (listChanges += 1));
  const piece = store.live.list.get()[0];
  const groups = piece?.kind === 'text' ? piece.stream.groups : undefined;
  groups?.subscribe(() => (groupChanges.begun += 1));
  for (let at = 0; at < 25_000; at += 1) {
    part({ type: 'text', text });
    frame();
    const blocks = groups?.get().at(-1)?.blocks.get() ?? [];
    const open = blocks.at(-1)?.text.length ?? 0;
    groupChanges.blocks = Math.max(groupChanges.blocks, blocks.length);
    // After a million characters, the next delta still parses this little.
    if (open > 4000) expect(open).toBeLessThanOrEqual(4000);
  }
  settle();
  expect(listChanges).toBe(0);
  expect(groupChanges.blocks).toBeLessThanOrEqual(12);
  expect(groupChanges.begun).toBeLessThan(400);
});
