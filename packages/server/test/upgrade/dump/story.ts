import { PlainApi } from '../observe.ts';
import { MODEL_KEY, type ScriptedModel } from '../scripted-model.ts';
import { tellBelongings, tellSpender, tellSupervisor } from './belongings-story.ts';
import { untilMessages, untilStatus as until } from './until.ts';

export interface Told {
  readonly member: PlainApi;
  readonly chats: Record<string, string>;
  readonly files: string[];
  /** A user who has reached the spend limit, and one of their chats. */
  readonly spender?: { readonly token: string; readonly chat: string };
}

export const PASSWORD = { username: 'ada', password: 'correct horse battery staple' };

interface Chat {
  readonly id: string;
  readonly status: string;
}

/** Creates a user with a password. Returns a client with a token of that user. */
export async function createMember(admin: PlainApi): Promise<PlainApi> {
  const user = await admin.post<{ id: string }>('/users', { ...PASSWORD, role: 'member' });
  const { token } = await admin.post<{ token: string }>('/tokens', {
    name: 'of a script',
    user_id: user.id,
  });
  return new PlainApi(admin.url, token);
}

export async function uploadFile({ url, token }: PlainApi): Promise<string> {
  const response = await fetch(`${url}/api/v1/files?name=notes.txt`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'text/plain' },
    body: 'Notes that were there before the upgrade.\n',
  });
  if (response.status !== 201) throw new Error(`${response.status} ${await response.text()}`);
  return ((await response.json()) as { id: string }).id;
}

/** Creates a chat in each state that a version with a worker supports, named after the state. */
export async function tellStory(
  admin: PlainApi,
  model: ScriptedModel,
  notesUrl: string,
): Promise<Told> {
  await configure(admin, model);
  const member = await createMember(admin);
  const files = [await uploadFile(member)];
  const chats: Record<string, string> = {};
  const begin = async (name: string, content: unknown, more: object = {}, by = member) => {
    const chat = await by.post<Chat>('/chats', { content, title: `The chat ${name}`, ...more });
    chats[name] = chat.id;
    return chat.id;
  };
  const say = (id: string, content: string, more: object = {}) =>
    member.post(`/chats/${id}/messages`, { content, ...more });

  const answered = await begin('answered', 'say the quick brown zebra', {
    labels: { kind: 'plain' },
    system_prompt: 'Be brief.',
  });
  await until(member, answered, 'waiting');
  await say(answered, 'think about stripes');
  await until(member, answered, 'waiting');
  await member.call('PATCH', `/chats/${answered}`, { pin_order: 1 });
  await begin('of-the-admin', 'say this is mine', {}, admin);

  await until(member, await begin('tools', 'call count {"key":"before","ms":1}'), 'waiting');
  const withFile = await begin('file', [
    { type: 'file', file_id: files[0] },
    { type: 'text', text: 'say I have read it' },
  ]);
  await until(member, withFile, 'waiting');

  const edited = await begin('edited', 'say first wording');
  await until(member, edited, 'waiting');
  await say(edited, 'say to be dropped');
  await until(member, edited, 'waiting');
  await edit(member, edited, 'say second wording');
  await until(member, edited, 'waiting');

  const compacted = await begin('compacted', 'say one');
  for (const words of ['say two', 'say three', 'call count {"key":"compacted","ms":1}']) {
    await until(member, compacted, 'waiting');
    await say(compacted, words);
  }
  await until(member, compacted, 'waiting');
  await member.post(`/chats/${compacted}/compact`);
  await until(member, compacted, 'waiting');
  await say(compacted, 'say after the summary');
  await until(member, compacted, 'waiting');

  await until(member, await begin('failed', 'fail'), 'error');
  const archived = await begin('archived', 'say put away');
  await until(member, archived, 'waiting');
  await member.call('PATCH', `/chats/${archived}`, { archived: true });
  const deleted = await begin('deleted', 'say throw away');
  await until(member, deleted, 'waiting');
  await member.call('DELETE', `/chats/${deleted}`);

  const { id: forked } = await member.post<Chat>(`/chats/${answered}/fork`, {
    message_id: await firstMessage(member, answered),
  });
  chats['forked'] = forked;

  await tellAgents(member, chats, begin);
  const dynamic = await begin('dynamic', 'call look_up {"word":"zebra"}', {
    dynamic_tools: [
      {
        name: 'look_up',
        description: 'Looks a word up in the program of the client',
        input_schema: { type: 'object', properties: { word: { type: 'string' } } },
      },
    ],
  });
  await until(member, dynamic, 'requires_action');
  await until(
    member,
    await begin('approval', 'call tick {"key":"asked","ms":1}'),
    'requires_action',
  );

  const context = { admin, member, model, begin, say };
  await tellBelongings(context, notesUrl);
  const spender = await tellSpender(admin);

  const interrupted = await begin('interrupted', 'hold and be stopped');
  await model.held(1);
  await member.post(`/chats/${interrupted}/interrupt`);
  await until(member, interrupted, 'waiting');

  await begin('running', 'hold until it is killed');
  const queued = await begin('queued', 'hold while others wait');
  await say(queued, 'say I had to wait', { busy_behavior: 'queue' });
  await say(queued, 'say I may go first', { busy_behavior: 'steer' });
  await begin('in-a-tool', 'call count {"key":"killed","ms":600000}');
  await model.held(3);
  await untilMessages(member, chats['in-a-tool'] ?? '', 2);
  await tellSupervisor(context);
  return { member, chats, files, spender };
}

async function configure(admin: PlainApi, model: ScriptedModel): Promise<void> {
  const provider = await admin.post<{ id: string }>('/providers', {
    type: 'anthropic',
    name: 'Scripted',
    base_url: model.provider.url,
    api_key: MODEL_KEY,
  });
  await admin.post('/model-configs', {
    provider_id: provider.id,
    model: 'claude-sonnet-4-5',
    display_name: 'Scripted',
    context_limit: 200_000,
    price: { input: 3_000_000, output: 15_000_000 },
    is_default: true,
  });
  await admin.call('PATCH', '/settings', {
    system_prompt: 'You are a test.',
    approvals: ['tick', 'notes__add'].map((pattern) => ({ pattern, action: 'ask' })),
  });
  await admin.call('PATCH', '/users/me/approvals', {
    approvals: [{ pattern: 'count', action: 'allow' }],
  });
}

/** A chat with a subagent that has finished. */
async function tellAgents(
  member: PlainApi,
  chats: Record<string, string>,
  begin: (name: string, content: string) => Promise<string>,
): Promise<void> {
  const parent = await begin('parent', 'call spawn_agent {"prompt":"say found by the subagent"}');
  await until(member, parent, 'waiting');
  const { messages } = await member.get<{ messages: { content: Part[] }[] }>(
    `/chats/${parent}/messages`,
  );
  const agent = messages
    .flatMap(({ content }) => content)
    .map(({ result }) => result?.agent_id)
    .find((id) => id !== undefined);
  if (agent === undefined) throw new Error('the agent was not started');
  chats['subagent'] = agent;
  await until(member, agent, 'waiting');
}

interface Part {
  readonly type: string;
  readonly result?: { readonly agent_id?: string };
}

async function firstMessage(api: PlainApi, chat: string): Promise<number> {
  const { messages } = await api.get<{ messages: { id: number }[] }>(`/chats/${chat}/messages`);
  return messages[0]?.id ?? 0;
}

async function edit(api: PlainApi, chat: string, content: string): Promise<void> {
  const message = await firstMessage(api, chat);
  await api.call('PATCH', `/chats/${chat}/messages/${message}`, { content });
}
