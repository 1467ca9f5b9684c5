import { randomUUID } from 'node:crypto';
import { type Route, type RouteName, routes } from '@chatd/protocol';
import { toJson } from '../../src/store/json.ts';
import { putGitConnection } from '../../src/store/queries/git.ts';
import { replacePushSubscription } from '../../src/store/queries/outbox/push.ts';
import { insertWebhook } from '../../src/store/queries/outbox/webhooks.ts';
import { insertWorkspace } from '../../src/store/queries/workspaces.ts';
import { uuidv7 } from '../../src/store/uuid.ts';
import { inState } from '../store/state-fixtures.ts';
import type { Input, TestServer } from '@chatd/test-server';

export const allRoutes = Object.entries(routes) as [RouteName, Route][];

export const idsIn = ({ path }: Route): string[] =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '');

const RUN = { threadId: 't', runId: 'r', messages: [{ id: 'x', role: 'user', content: 'x' }] };

/** An input for every route, about existing resources of the owner of the server's store. */
export async function routeInputs({ admin, owner, store }: TestServer) {
  const chat = await inState(store, 'running+queue');
  const deleted = await inState(store, 'deleted');
  const file = await owner.ok('uploadFile', {
    query: { name: 'a.txt' },
    raw: 'private',
    headers: { 'content-type': 'text/plain' },
  });
  const token = await owner.ok('createToken', { body: { name: 'mine' } });

  // It accepts no user keys, so it does not exist for members.
  const provider = await admin.ok('createProvider', {
    body: { type: 'openai-compatible', name: 'theirs', base_url: 'http://127.0.0.1:1/v1' },
  });
  const { model_configs: configs } = await admin.ok('listModelConfigs');

  const [workspace] = await store.database.query(insertWorkspace, {
    id: uuidv7(),
    owner_id: store.owner,
    name: 'theirs',
    template_id: '00000000-0000-7000-8000-000000000003',
    template_name: 'empty',
    definition: toJson({ driver: 'host' }),
    host_id: randomUUID(),
    host_name: 'here',
    made_by_call: null,
  });

  // It is disabled, so it does not exist for members.
  const mcpServer = await admin.ok('createMcpServer', {
    body: { name: 'theirs', transport: 'http', url: 'http://127.0.0.1:1/mcp', enabled: false },
  });

  const machine = await admin.ok('createMachine', { body: { name: 'theirs' } });

  const group = await admin.ok('createGroup', { body: { name: 'theirs' } });

  const project = await owner.ok('createProject', { body: { name: 'theirs' } });

  const [gitConnection] = await store.database.query(putGitConnection, {
    id: uuidv7(),
    owner_id: store.owner,
    kind: 'other',
    host: 'git.example.com',
    username: 'git',
    account: null,
    author_name: 'theirs',
    author_email: 'theirs@example.com',
    repositories: null,
    secrets: 'sealed',
  });
  const webhookId = uuidv7();
  await store.database.query(insertWebhook, {
    id: webhookId,
    owner_id: store.owner,
    url: 'http://127.0.0.1:1/',
    events: ['chat.waiting'],
    labels: toJson({}),
    enabled: false,
    secrets: '',
  });
  const subscription = await store.database.query(replacePushSubscription, {
    id: uuidv7(),
    user_id: store.owner,
    endpoint_hash: Buffer.from('theirs'),
    secrets: '',
    user_agent: 'theirs',
  });

  const trigger = await owner.ok('createTrigger', {
    body: { kind: 'schedule', name: 'theirs', cron: '0 0 1 1 *', prompt: 'x' },
  });

  /** IDs of existing resources of the owner. */
  const owned: Record<string, string | number> = {
    chat_id: chat.chatId,
    message_id: chat.firstMessageId,
    queued_message_id: chat.queuedId,
    version_id: 1,
    checkpoint_id: randomUUID(),
    file_id: file.id,
    token_id: token.id,
    user_id: store.owner,
    provider_id: provider.id,
    model_config_id: configs[0]?.id ?? '',
    workspace_id: workspace?.id ?? '',
    template_id: '00000000-0000-7000-8000-000000000003',
    mcp_server_id: mcpServer.id,
    machine_id: machine.id,
    port: 5173,
    project_id: project.id,
    group_id: group.id,
    git_connection_id: gitConnection?.id ?? '',
    webhook_id: webhookId,
    delivery_id: 1,
    push_subscription_id: subscription[0]?.id ?? '',
    trigger_id: trigger.id,
  };

  /** Valid bodies. */
  const bodies: Partial<Record<RouteName, unknown>> = {
    createChat: { content: 'x' },
    createProject: { name: 'x' },
    updateProject: { name: 'x' },
    createTrigger: { kind: 'schedule', name: 'x', cron: '0 0 1 1 *', prompt: 'x' },
    updateTrigger: { name: 'x' },
    previewTrigger: {},
    runTrigger: {},
    updateChat: { title: 'taken over' },
    replaceChatSharing: { grants: [] },
    markChatRead: { message_id: chat.firstMessageId },
    submitToolResults: { results: [{ tool_call_id: 'c1', output: 1 }] },
    decideApprovals: { decisions: [{ tool_call_id: 'c1', decision: 'allow' }] },
    answerQuestion: { tool_call_id: 'c1', answer: 'x' },
    updateApprovals: { approvals: [] },
    testApprovals: { tool_name: 'execute' },
    forkChat: { message_id: chat.firstMessageId },
    sendMessage: { content: 'x' },
    editMessage: { content: 'x' },
    regenerateAnswer: {},
    restoreCheckpoint: {},
    updateQueuedMessage: { content: 'x' },
    sendUiMessages: {
      messages: [{ id: 'x', role: 'user', parts: [{ type: 'text', text: 'x' }] }],
    },
    runAgUi: RUN,
    runAgUiThread: RUN,
    createUser: { username: 'somebody' },
    updateUser: { role: 'admin' },
    interruptUser: {},
    updateSettings: { system_prompt: 'x' },
    createProvider: { type: 'anthropic', name: 'x' },
    updateProvider: { name: 'x' },
    setOwnKey: { api_key: 'a-key-of-my-own' },
    createModelConfig: { provider_id: provider.id, model: 'x', context_limit: 1000 },
    updateModelConfig: { display_name: 'x' },
    createTemplate: { name: 'x', driver: 'host' },
    updateTemplate: { name: 'x' },
    createWebhook: { url: 'http://127.0.0.1:1/', events: ['chat.waiting'] },
    updateWebhook: { enabled: false },
    updateNotifications: { failed: true },
    createPushSubscription: {
      endpoint: 'http://127.0.0.1:1/',
      keys: { p256dh: 'x'.repeat(87), auth: 'x'.repeat(22) },
    },
    createGroup: { name: 'x' },
    updateGroup: { name: 'x' },
    updateGroupMembers: { add: [] },
    createMachine: { name: 'x' },
    updateMachine: { draining: true },
    createWorkspace: { template_id: '00000000-0000-7000-8000-000000000003' },
    createMcpServer: { name: 'x', transport: 'http', url: 'http://127.0.0.1:1/mcp' },
    updateMcpServer: { name: 'x' },
    connectIdentity: {},
    createGitConnection: { host: 'localhost:1', token: 'a-token-of-mine' },
    pushChatGit: {},
    createPullRequest: { title: 'x' },
    finishMcpSignIn: { code: 'x', state: 'x' },
  };

  /** The first ID in the path is the owned resource. Later IDs are parts of it. */
  const paramsFor = (name: RouteName, route: Route, missing: boolean): Input['params'] =>
    Object.fromEntries(
      idsIn(route).map((id, index) => {
        if (missing && index === 0) return [id, randomUUID()];
        return [id, name === 'restoreChat' ? deleted.chatId : (owned[id] ?? '')];
      }),
    );

  const inputFor = (name: RouteName, route: Route, missing = false): Input => {
    const body = bodies[name];
    return {
      params: paramsFor(name, route, missing) ?? {},
      ...(body !== undefined && { body }),
    };
  };

  return { chat, file, token, owned, bodies, inputFor };
}
