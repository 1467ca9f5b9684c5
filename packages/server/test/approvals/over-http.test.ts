import { tool } from '@chatd/loop';
import { answer, startFakeProvider, text as says, toolCall } from '@chatd/testing';
import { afterAll, expect, test } from 'vitest';
import { z } from 'zod';
import { startTestServer } from '@chatd/test-server';
import { eventStream } from '../stream/clients.ts';
import { eventually } from '@chatd/test-server/eventually';

const effects: string[] = [];
const note = tool({
  name: 'note',
  input: z.strictObject({ text: z.string() }),
  idempotent: false,
  run({ text }) {
    effects.push(text);
    return `noted ${text}`;
  },
});

const provider = await startFakeProvider({ api: 'anthropic' });
afterAll(() => provider.close());
const { admin, owner, stranger } = await startTestServer(
  { concurrency: 4, secretKey: 'a-secret-key-of-the-tests' },
  { tools: [note] },
);
const { id: provider_id } = await admin.ok('createProvider', {
  body: { type: 'anthropic', name: 'Fake', base_url: provider.url, api_key: 'sk-ant-any-key' },
});
const { id: model_config_id } = await admin.ok('createModelConfig', {
  body: { provider_id, model: 'claude-sonnet-4-5', display_name: 'Claude', context_limit: 200_000 },
});

const dynamic_tools = [{ name: 'locate', description: 'Where the user is' }];
const create = async (over = {}) => {
  const body = { content: 'Go', title: 'Test', model_config_id, ...over };
  return (await owner.ok('createChat', { body })).id;
};
const arrives = (chat_id: string, status: string) =>
  eventually(async () =>
    expect(await owner.ok('getChat', { params: { chat_id } })).toMatchObject({ status }),
  );
const results = async (chat_id: string) =>
  Object.fromEntries(
    (await owner.ok('listMessages', { params: { chat_id } })).messages
      .flatMap(({ content }) => content)
      .flatMap((part) => (part.type === 'tool-result' ? [[part.tool_call_id, part.result]] : [])),
  ) as Record<string, unknown>;

test('one response mixes server tools, client tools, approvals, and questions over the API', async () => {
  await admin.ok('updateSettings', {
    body: { approvals: [{ pattern: 'note(*careful*)', action: 'ask' }] },
  });
  provider.answer(
    answer([
      toolCall('note', { text: 'free' }, { id: 'free' }),
      toolCall('note', { text: 'careful 1' }, { id: 'c1' }),
      toolCall('note', { text: 'careful 2' }, { id: 'c2' }),
      toolCall('locate', {}, { id: 'd1' }),
      toolCall('locate', {}, { id: 'd2' }),
      toolCall('ask_user_question', { question: 'Which?' }, { id: 'q' }),
    ]),
    answer([says('All there.')]),
  );
  const chat_id = await create({ dynamic_tools });
  const params = { chat_id };
  const stream = await eventStream(owner, `/chats/${chat_id}/stream`);
  const asked = () =>
    stream.received.events
      .filter(({ type }) => type === 'action_required')
      .map(({ tool_calls }) =>
        (tool_calls as { tool_call_id: string; kind: string }[]).map(
          ({ tool_call_id, kind }) => `${kind} ${tool_call_id}`,
        ),
      );
  await stream.received.until(() => asked().length > 0);
  expect(asked()).toEqual([
    ['approval c1', 'approval c2', 'dynamic d1', 'dynamic d2', 'question q'],
  ]);
  expect(effects).toEqual(['free']);
  expect(await results(chat_id)).toEqual({ free: 'noted free' });

  const output = { city: 'Lisbon' };
  // The client submits all of its results at once, and none for approvals and questions.
  const one = { results: [{ tool_call_id: 'd1', output }] };
  expect(await owner.refusal('submitToolResults', { params, body: one })).toBe(
    '400 tool_results_mismatch',
  );
  const both = { results: ['d1', 'd2'].map((tool_call_id) => ({ tool_call_id, output })) };
  await owner.ok('submitToolResults', { params, body: both });
  expect(await owner.refusal('submitToolResults', { params, body: both })).toBe(
    '409 not_waiting_for_tools',
  );

  const decide = (decisions: unknown[]) => ({ params, body: { decisions } });
  await owner.ok('decideApprovals', decide([{ tool_call_id: 'c1', decision: 'allow' }]));
  expect(
    await owner.refusal('decideApprovals', decide([{ tool_call_id: 'c1', decision: 'deny' }])),
  ).toBe('409 not_waiting_for_you');
  await owner.ok('answerQuestion', { params, body: { tool_call_id: 'q', answer: 'That one.' } });
  expect(
    await owner.refusal('answerQuestion', { params, body: { tool_call_id: 'q', answer: 'No.' } }),
  ).toBe('409 not_waiting_for_you');
  // Viewers see the remaining calls.
  await stream.received.until(() => asked().at(-1)?.join() === 'approval c2');

  await owner.ok('decideApprovals', decide([{ tool_call_id: 'c2', decision: 'deny' }]));
  await arrives(chat_id, 'waiting');
  stream.close();
  expect(effects).toEqual(['free', 'careful 1']);
  expect(await results(chat_id)).toMatchObject({
    c1: 'noted careful 1',
    c2: expect.stringContaining('denied'),
    d1: output,
    d2: output,
    q: 'That one.',
  });
  expect(provider.rejected).toEqual([]);
});

test('a user reads and replaces their own rules, which other users do not see', async () => {
  expect(await owner.ok('getApprovals')).toEqual({ approvals: [] });
  const approvals = [{ pattern: 'execute(git *)', action: 'allow' as const }];
  expect(await owner.ok('updateApprovals', { body: { approvals } })).toEqual({ approvals });
  expect(await owner.ok('getApprovals')).toEqual({ approvals });
  expect(await stranger.ok('getApprovals')).toEqual({ approvals: [] });
  expect(
    await owner.refusal('updateApprovals', {
      body: { approvals: [{ pattern: '', action: 'ask' }] },
    }),
  ).toBe('400 invalid_body');
  await owner.ok('updateApprovals', { body: { approvals: [] } });
});

test("rules can be tested before they are saved, and members do not see the deployment's rules", async () => {
  const deny = [{ pattern: 'execute(rm *)', action: 'deny' }];
  const call = { tool_name: 'execute', args: { command: 'rm -r x' } };
  expect(await owner.ok('testApprovals', { body: call })).toEqual({
    action: 'allow',
    decided_by: null,
    pattern: null,
  });
  expect(
    await owner.ok('testApprovals', {
      body: { ...call, approvals: [{ pattern: 'execute', action: 'ask' }] },
    }),
  ).toEqual({ action: 'ask', decided_by: 'own', pattern: 'execute' });
  expect(
    await admin.ok('testApprovals', { body: { ...call, deployment_approvals: deny } }),
  ).toEqual({ action: 'deny', decided_by: 'deployment', pattern: 'execute(rm *)' });
  const body = { ...call, deployment_approvals: deny };
  expect(await owner.refusal('testApprovals', { body })).toBe('403 admin_required');
  await admin.ok('updateSettings', { body: { approvals: deny } });
  expect(await owner.ok('testApprovals', { body: call })).toEqual({
    action: 'deny',
    decided_by: 'deployment',
    pattern: null,
  });
  await admin.ok('updateSettings', { body: { approvals: [] } });
});

test('accepting a plan over the API ends plan mode', async () => {
  provider.answer(
    answer([toolCall('propose_plan', { plan: '1. Note it.' }, { id: 'p' })]),
    answer([toolCall('note', { text: 'planned' }, { id: 'n' })]),
    answer([says('Noted.')]),
  );
  const chat_id = await create({ plan_mode: true });
  const params = { chat_id };
  await arrives(chat_id, 'requires_action');
  expect(
    await owner.refusal('answerQuestion', { params, body: { tool_call_id: 'p', answer: 'ok' } }),
  ).toBe('400 invalid_answer');
  await owner.ok('answerQuestion', {
    params,
    body: { tool_call_id: 'p', answer: { accepted: true, text: 'Quickly.' } },
  });
  await arrives(chat_id, 'waiting');
  expect((await owner.ok('getChat', { params })).plan_mode).toBe(false);
  expect(effects).toContain('planned');
});

test('a subagent is a chat of the owner, linked to its parent', async () => {
  provider.answer(answer([toolCall('spawn_agent', { prompt: 'Help' }, { id: 's' })]));
  provider.answerWith(() => answer([says('Done.')]));
  const chat_id = await create();
  await arrives(chat_id, 'waiting');
  const { agent_id } = (await results(chat_id))['s'] as { agent_id: string };
  await arrives(agent_id, 'waiting');
  expect(await owner.ok('getChat', { params: { chat_id: agent_id } })).toMatchObject({
    parent_chat_id: chat_id,
    root_chat_id: chat_id,
    agent_type: 'general',
    title: 'Help',
    model_config_id,
  });
  expect(await stranger.refusal('getChat', { params: { chat_id: agent_id } })).toBe(
    '404 not_found',
  );
});
