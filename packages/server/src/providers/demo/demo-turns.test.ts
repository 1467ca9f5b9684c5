import { expect, test } from 'vitest';
import {
  type HistoryPart,
  Interrupted,
  type LiveEvent,
  MemoryHistory,
  runTurn,
  tool,
  type Tool,
  type TurnOptions,
} from '@chatd/loop';
import { ManualClock } from '@chatd/loop/testing';
import { z } from 'zod';
import { createDemo } from './index.ts';

const weather = tool({
  name: 'weather',
  description: 'The temperature in a city',
  input: z.object({ city: z.string(), unit: z.enum(['celsius', 'fahrenheit']) }),
  idempotent: true,
  run: ({ city, unit }) => ({ city, unit, degrees: 24 }),
});

const time = tool({
  name: 'local_time',
  description: 'What time it is somewhere',
  input: z.object({ timezone: z.string() }),
  idempotent: true,
  run: ({ timezone }) => `noon in ${timezone}`,
});

function chat(said: string, options: Partial<TurnOptions> = {}) {
  const history = new MemoryHistory();
  history.send(said);
  const events: LiveEvent[] = [];
  const model = createDemo({ pace: 'instant' })('demo');
  const turn = () =>
    runTurn({ model, history, publish: (event) => events.push(event), ...options });
  return { history, events, turn };
}

const partsOf = <T extends HistoryPart['type']>(history: MemoryHistory, type: T) =>
  history.messages
    .flatMap((message) => message.content)
    .filter((part): part is Extract<HistoryPart, { type: T }> => part.type === type);

const answerOf = (history: MemoryHistory) =>
  history.messages
    .filter(({ role }) => role === 'assistant')
    .flatMap(({ content }) => content)
    .map((part) => (part.type === 'text' ? part.text : ''))
    .join('');

test('hello is answered with some reasoning, a list of things to try, and usage', async () => {
  const { history, turn } = chat('hello');

  await expect(turn()).resolves.toEqual({ type: 'finished' });

  expect(answerOf(history)).toContain('fail and retry');
  expect(partsOf(history, 'reasoning')).toHaveLength(1);
  const { usage } = history.messages.at(-1) ?? {};
  expect(usage?.input_tokens).toBeGreaterThan(0);
  expect(usage?.output_tokens).toBeGreaterThan(usage?.reasoning_tokens ?? 0);
});

test('a tool is called with arguments that its schema accepts, and its result is used', async () => {
  const { history, turn } = chat('use a tool to get the weather in Oslo', {
    tools: [time, weather],
  });

  await expect(turn()).resolves.toEqual({ type: 'finished' });

  expect(partsOf(history, 'tool-call')).toMatchObject([
    { tool_name: 'weather', args: { city: 'Oslo', unit: 'celsius' } },
  ]);
  expect(partsOf(history, 'tool-result')[0]?.is_error).toBeUndefined();
  expect(answerOf(history)).toContain('"degrees": 24');
});

test('a matching tool is called even if the message does not ask for a tool', async () => {
  const { history, turn } = chat('How is the weather in Nairobi?', { tools: [time, weather] });

  await turn();

  expect(partsOf(history, 'tool-call')).toMatchObject([{ args: { city: 'Nairobi' } }]);
});

test('several tools are called in one response', async () => {
  const { history, turn } = chat('use several tools in parallel', { tools: [time, weather] });

  await expect(turn()).resolves.toEqual({ type: 'finished' });

  const [, response] = history.messages;
  expect(response?.content.filter(({ type }) => type === 'tool-call')).toHaveLength(2);
  expect(partsOf(history, 'tool-result').map((part) => part.is_error)).toEqual([
    undefined,
    undefined,
  ]);
});

test('if the message names no tool, a read-only tool with few arguments is used', async () => {
  const write = tool({
    name: 'write_file',
    input: z.object({}),
    idempotent: true,
    run: () => 'written',
  });
  const list = tool({
    name: 'list_files',
    input: z.object({ path: z.string().optional() }),
    idempotent: true,
    run: () => 'README.md',
  });
  const { history, turn } = chat('use a tool', { tools: [write, weather, list] });

  await turn();

  expect(partsOf(history, 'tool-call').map((part) => part.tool_name)).toEqual(['list_files']);
});

test('in a chat that may have no workspace, a tool that needs none is used', async () => {
  const names = ['list_files', 'process_list', 'list_templates', 'create_workspace'];
  const tools = names.map((name) =>
    tool({ name, input: z.object({}), idempotent: true, run: () => `${name} worked` }),
  );
  const { history, turn } = chat('Use a tool', { tools });

  await expect(turn()).resolves.toEqual({ type: 'finished' });

  expect(partsOf(history, 'tool-call').map((part) => part.tool_name)).toEqual(['list_templates']);
});

test('a plan is proposed, revised after a rejection, and accepted', async () => {
  const propose: Tool = {
    name: 'propose_plan',
    input: z.object({ plan: z.string() }),
    answeredBy: 'person',
  };
  const { history, turn } = chat('Make a plan', { tools: [propose] });
  const decide = async (result: string) => {
    const [call] = history.awaited;
    history.answer([{ tool_call_id: call?.tool_call_id ?? '', result }]);
    return await turn();
  };

  await expect(turn()).resolves.toMatchObject({ type: 'requires_action' });
  await expect(decide('The user rejected the plan. Revise it.')).resolves.toMatchObject({
    type: 'requires_action',
  });
  await expect(decide('The user accepted the plan.')).resolves.toEqual({ type: 'finished' });

  expect(answerOf(history)).toContain('You accepted the plan.');
  const plans = partsOf(history, 'tool-call').map(({ args }) => args);
  expect(new Set(plans.map((args) => JSON.stringify(args))).size).toBe(2);
});

test('a dynamic tool is called, and the turn continues with its result', async () => {
  const own: Tool = {
    name: 'lookup_order',
    description: 'Finds an order of the shop',
    input: {
      type: 'object',
      properties: { order_id: { type: 'integer', minimum: 1 } },
      required: ['order_id'],
    },
    answeredBy: 'client',
  };
  const { history, turn } = chat('please look up order 4711', { tools: [own] });

  const outcome = await turn();
  expect(outcome).toMatchObject({ type: 'requires_action', calls: [{ args: { order_id: 4711 } }] });
  const [call] = history.awaited;
  history.answer([{ tool_call_id: call?.tool_call_id ?? '', result: { status: 'shipped' } }]);
  await expect(turn()).resolves.toEqual({ type: 'finished' });

  expect(answerOf(history)).toContain('shipped');
});

test('a command runs if execute is available; otherwise the answer says what is missing', async () => {
  const execute = tool({
    name: 'execute',
    input: z.object({ command: z.string(), timeout: z.number().optional() }),
    idempotent: false,
    run: ({ command }) => `ran ${command}`,
  });
  const withWorkspace = chat('run `git status` please', { tools: [execute] });
  await withWorkspace.turn();
  expect(answerOf(withWorkspace.history)).toContain('ran git status');

  const without = chat('run `git status` please');
  await without.turn();
  expect(answerOf(without.history)).toContain('this chat has no workspace');
});

test('a missing workspace is created, and the command runs in it', async () => {
  let made = '';
  const create = tool({
    name: 'create_workspace',
    input: z.object({ template: z.string() }),
    idempotent: true,
    run: ({ template }) => (made = `made from ${template}`),
  });
  const execute = tool({
    name: 'execute',
    input: z.object({ command: z.string() }),
    idempotent: false,
    run({ command }) {
      if (made === '') throw new Error('There is no workspace. Use create_workspace first.');
      return `ran ${command}`;
    },
  });
  const { history, turn } = chat('run `git status` please', { tools: [create, execute] });
  await turn();
  const calls = partsOf(history, 'tool-call').map(({ tool_name, args }) => [tool_name, args]);
  expect(calls).toEqual([
    ['execute', { command: 'git status' }],
    ['create_workspace', { template: 'empty' }],
    ['execute', { command: 'git status' }],
  ]);
  expect(answerOf(history)).toContain('ran git status');
});

test('a file is written and then edited', async () => {
  const files = new Map<string, string>();
  const write = tool({
    name: 'write_file',
    input: z.object({ path: z.string(), content: z.string() }),
    idempotent: true,
    run: ({ path, content }) => {
      files.set(path, content);
      return 'written';
    },
  });
  const edit = tool({
    name: 'edit_files',
    input: z.object({
      files: z.array(
        z.object({
          path: z.string(),
          edits: z.array(z.object({ old_text: z.string(), new_text: z.string() })),
        }),
      ),
    }),
    idempotent: false,
    run: ({ files: changed }) => {
      for (const { path, edits } of changed) {
        for (const { old_text, new_text } of edits) {
          files.set(path, (files.get(path) ?? '').replace(old_text, new_text));
        }
      }
      return 'edited';
    },
  });
  const { history, turn } = chat('edit a file', { tools: [edit, write] });

  await expect(turn()).resolves.toEqual({ type: 'finished' });

  expect([...files.values()]).toEqual([expect.stringContaining('has just edited this line')]);
  expect(partsOf(history, 'tool-result').map((part) => part.result)).toEqual(['written', 'edited']);
});

test('a question is asked with its tool, and the answer is used', async () => {
  const ask: Tool = {
    name: 'ask_user_question',
    input: z.object({
      question: z.string(),
      options: z.array(z.object({ label: z.string() })).min(2),
    }),
    answeredBy: 'person',
  };
  const { history, turn } = chat('ask me a question', { tools: [weather, ask] });

  await expect(turn()).resolves.toMatchObject({
    type: 'requires_action',
    calls: [{ args: { options: [{ label: 'Blue' }, { label: 'Green' }, { label: 'Orange' }] } }],
  });
  const [call] = history.awaited;
  history.answer([{ tool_call_id: call?.tool_call_id ?? '', result: 'Green' }]);
  await turn();

  expect(answerOf(history)).toContain('You answered: Green');
});

test('failing and retrying takes three attempts, and the output of failed ones is discarded', async () => {
  const clock = new ManualClock();
  const { history, turn, events } = chat('fail and retry', { clock });

  const outcome = turn();
  await clock.waiting(1_000);
  clock.advance(1_000);
  await clock.waiting(2_000);
  clock.advance(2_000);
  await expect(outcome).resolves.toEqual({ type: 'finished' });

  expect(history.retries).toMatchObject([
    { attempt: 1, kind: 'rate_limit', status_code: 429 },
    { attempt: 2, kind: 'overloaded', status_code: 529 },
  ]);
  expect(events.filter(({ type }) => type === 'reset')).toHaveLength(2);
  expect(answerOf(history)).toMatch(/^That was the third attempt/);
});

test('a permanent failure ends the turn with a readable error, and the next message succeeds', async () => {
  const { history, turn } = chat('fail for good');

  await expect(turn()).resolves.toMatchObject({
    type: 'failed',
    error: { kind: 'generic', retryable: false, message: /failed permanently, as you asked/ },
  });
  history.send('hello');
  await expect(turn()).resolves.toEqual({ type: 'finished' });
});

test('a full context is summarized from the conversation, and the model continues', async () => {
  const { history, turn } = chat('hello', {
    settings: { context_limit: 50_000, compaction_threshold: 99 },
  });
  await turn();
  history.send('My name is Ada. Now fill the context!');

  await expect(turn()).resolves.toEqual({ type: 'finished' });

  const summary = history.messages.find(({ hidden }) => hidden === true);
  expect(summary?.content).toMatchObject([{ text: expect.stringContaining('My name is Ada.') }]);
  const last = history.messages.at(-1);
  expect(last?.content).toMatchObject([{ text: expect.stringContaining('fresh context') }]);
  expect(last?.usage?.context_limit).toBe(50_000);
  expect(history.messages.filter(({ meta }) => meta?.summary !== undefined)).toHaveLength(1);
});

test('an interrupt during the stream keeps the partial answer and ends the turn immediately', async () => {
  const clock = new ManualClock();
  const stop = new AbortController();
  const model = createDemo({ clock })('demo');
  const { history, turn, events } = chat('be slow', { clock, model, signal: stop.signal });
  const texts = () =>
    events.flatMap((e) => (e.type === 'part' && e.part.type === 'text' ? [e.part.text] : []));

  const outcome = turn();
  while (texts().length < 3) {
    await new Promise(setImmediate);
    clock.advance(250);
  }
  stop.abort(new Interrupted());
  await expect(outcome).resolves.toEqual({ type: 'interrupted' });

  expect(answerOf(history)).toBe(texts().join(''));
  expect(history.messages.at(-1)?.meta?.finish_reason).toBe('interrupted');
  expect(history.messages.at(-1)?.usage).toBeUndefined();
  expect(clock.pending).toEqual([]);
});
