import type { PlainApi } from '../observe.ts';
import { NOTES_TOKEN } from '../notes-server.ts';
import { MODEL_KEY, type ScriptedModel } from '../scripted-model.ts';
import { until, untilMessages, untilStatus } from './until.ts';

export interface Teller {
  readonly admin: PlainApi;
  readonly member: PlainApi;
  readonly model: ScriptedModel;
  readonly begin: (name: string, content: string, more?: object) => Promise<string>;
  readonly say: (chat: string, content: string) => Promise<unknown>;
}

interface Made {
  readonly id: string;
}

/** What chats use besides their model, and the people whom they wait for. */
export async function tellBelongings(teller: Teller, notesUrl: string): Promise<void> {
  await tellMcpServer(teller, notesUrl);
  await tellWorkspace(teller);
  await tellOwnKey(teller);
  await tellQuestions(teller);
}

async function tellMcpServer({ admin, member, begin }: Teller, url: string): Promise<void> {
  const { id } = await admin.post<Made>('/mcp-servers', {
    name: 'notes',
    transport: 'http',
    url,
    auth: { type: 'bearer', token: NOTES_TOKEN },
  });
  const withNotes = { mcp_server_ids: [id] };
  await untilStatus(member, await begin('mcp', 'call notes__look {}', withNotes), 'waiting');
  const asks = await begin('mcp-approval', 'call notes__add {"text":"stripes"}', withNotes);
  await untilStatus(member, asks, 'requires_action');
}

async function tellWorkspace({ admin, member, begin, say }: Teller): Promise<void> {
  await admin.post('/templates', {
    name: 'notebook',
    driver: 'host',
    description: 'A folder with a note',
    setup:
      'echo "$WRITTEN before the upgrade" > note.txt; git init -q; git add .; git commit -qm first',
    env: { WRITTEN: 'written' },
  });
  const chat = await begin('workspace', 'call create_workspace {"template":"notebook"}');
  await untilStatus(member, chat, 'waiting');
  await say(chat, 'call execute {"command":"echo changed by an agent >> note.txt"}');
  await untilStatus(member, chat, 'waiting');
  const { workspaces } = await member.get<{ workspaces: { status: string }[] }>('/workspaces');
  if (workspaces[0]?.status !== 'ready') throw new Error('there is no workspace');
}

/** A provider that has no key but its users'. */
async function tellOwnKey({ admin, member, model, begin }: Teller): Promise<void> {
  const provider = await admin.post<Made>('/providers', {
    type: 'anthropic',
    name: 'Keys of users',
    base_url: model.provider.url,
    allow_user_keys: true,
  });
  const { id } = await admin.post<Made>('/model-configs', {
    provider_id: provider.id,
    model: 'claude-haiku-4-5',
    display_name: 'With a key of your own',
    context_limit: 200_000,
  });
  await member.post(`/providers/${provider.id}/key`, { api_key: MODEL_KEY });
  const chat = await begin('own-key', 'say paid by myself', { model_config_id: id });
  await untilStatus(member, chat, 'waiting');
}

async function tellQuestions({ member, begin }: Teller): Promise<void> {
  const question = { question: 'Which one?', options: [{ label: 'zebra' }, { label: 'okapi' }] };
  const asks = await begin('question', `call ask_user_question ${JSON.stringify(question)}`);
  await untilStatus(member, asks, 'requires_action');
  const plan = await begin('plan', 'call propose_plan {"plan":"Count the stripes."}', {
    plan_mode: true,
  });
  await untilStatus(member, plan, 'requires_action');
}

/** One who may spend nothing more. The limit is the least there is: the next month does not help. */
export async function tellSpender(admin: PlainApi): Promise<{ token: string; chat: string }> {
  const user = await admin.post<Made>('/users', { username: 'grace', role: 'member' });
  const { token } = await admin.post<{ token: string }>('/tokens', {
    name: 'of a spender',
    user_id: user.id,
  });
  const spender = admin.as(token);
  const { id: chat } = await spender.post<Made>('/chats', { content: 'say spent', title: 'Spent' });
  await untilStatus(spender, chat, 'waiting');
  await admin.call('PATCH', `/users/${user.id}`, { spend_limit_micros: 0 });
  // Until every part of the server has heard of the limit.
  await until('the limit holds', async () => {
    await spender.post(`/chats/${chat}/messages`, { content: 'say one more' });
    const { status } = await settled(spender, chat);
    return status === 'error';
  });
  return { token, chat };
}

async function settled(api: PlainApi, chat: string): Promise<{ status: string }> {
  let found = { status: 'running' };
  await until(`the chat ${chat} rests`, async () => {
    found = await api.get<{ status: string }>(`/chats/${chat}`);
    return found.status !== 'running';
  });
  return found;
}

/** An agent in the middle of its work, whose chat does nothing but wait for it. */
export async function tellSupervisor({ member, model, begin, say }: Teller): Promise<void> {
  const chat = await begin('supervisor', 'call spawn_agent {"prompt":"hold and report"}');
  await untilStatus(member, chat, 'waiting');
  await model.held(4);
  await say(chat, 'call wait_agent {}');
  await untilMessages(member, chat, 6);
}
