import type { PlainApi } from '../observe.ts';
import { NOTES_TOKEN } from '../notes-server.ts';
import { MODEL_KEY, type ScriptedModel } from '../scripted-model.ts';
import { until, untilMessages, untilStatus } from './until.ts';

export interface StoryContext {
  readonly admin: PlainApi;
  readonly member: PlainApi;
  readonly model: ScriptedModel;
  readonly begin: (name: string, content: string, more?: object) => Promise<string>;
  readonly say: (chat: string, content: string) => Promise<unknown>;
}

interface Created {
  readonly id: string;
}

/** What chats use besides their model, and chats that wait for a user. */
export async function tellBelongings(context: StoryContext, notesUrl: string): Promise<void> {
  await tellMcpServer(context, notesUrl);
  await tellWorkspace(context);
  await tellOwnKey(context);
  await tellQuestions(context);
}

async function tellMcpServer({ admin, member, begin }: StoryContext, url: string): Promise<void> {
  const { id } = await admin.post<Created>('/mcp-servers', {
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

async function tellWorkspace({ admin, member, begin, say }: StoryContext): Promise<void> {
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

/** A provider without a key of the deployment: users add their own. */
async function tellOwnKey({ admin, member, model, begin }: StoryContext): Promise<void> {
  const provider = await admin.post<Created>('/providers', {
    type: 'anthropic',
    name: 'Keys of users',
    base_url: model.provider.url,
    allow_user_keys: true,
  });
  const { id } = await admin.post<Created>('/model-configs', {
    provider_id: provider.id,
    model: 'claude-haiku-4-5',
    display_name: 'With a key of your own',
    context_limit: 200_000,
  });
  await member.post(`/providers/${provider.id}/key`, { api_key: MODEL_KEY });
  const chat = await begin('own-key', 'say paid by myself', { model_config_id: id });
  await untilStatus(member, chat, 'waiting');
}

async function tellQuestions({ member, begin }: StoryContext): Promise<void> {
  const question = { question: 'Which one?', options: [{ label: 'zebra' }, { label: 'okapi' }] };
  const asks = await begin('question', `call ask_user_question ${JSON.stringify(question)}`);
  await untilStatus(member, asks, 'requires_action');
  const plan = await begin('plan', 'call propose_plan {"plan":"Count the stripes."}', {
    plan_mode: true,
  });
  await untilStatus(member, plan, 'requires_action');
}

/** A user who has reached the spend limit. The limit is 0, so that it also applies in the next month. */
export async function tellSpender(admin: PlainApi): Promise<{ token: string; chat: string }> {
  const user = await admin.post<Created>('/users', { username: 'grace', role: 'member' });
  const { token } = await admin.post<{ token: string }>('/tokens', {
    name: 'of a spender',
    user_id: user.id,
  });
  const spender = admin.as(token);
  const { id: chat } = await spender.post<Created>('/chats', {
    content: 'say spent',
    title: 'Spent',
  });
  await untilStatus(spender, chat, 'waiting');
  await admin.call('PATCH', `/users/${user.id}`, { spend_limit_micros: 0 });
  // Until the limit has reached every part of the server.
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

/** A running subagent, and a parent chat that waits for it. */
export async function tellSupervisor({ member, model, begin, say }: StoryContext): Promise<void> {
  const chat = await begin('supervisor', 'call spawn_agent {"prompt":"hold and report"}');
  await untilStatus(member, chat, 'waiting');
  await model.held(4);
  await say(chat, 'call wait_agent {}');
  await untilMessages(member, chat, 6);
}
