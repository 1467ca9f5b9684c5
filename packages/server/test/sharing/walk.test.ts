import { randomUUID } from 'node:crypto';
import { API_PREFIX, type RouteName } from '@chatd/protocol';
import { startTestServer } from '@chatd/test-server';
import { dump, execute } from '@chatd/test-server/database';
import { afterAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { FACE_ROUTES, type FaceRouteName } from '../../src/http/faces.ts';
import type { A2A_METHODS } from '../../src/http/a2a.ts';
import { allRoutes, routeInputs } from '../http/route-inputs.ts';
import { CLIENTS, type McpClient } from '../mcp-server/clients.ts';
import { Database } from '../../src/store/database.ts';
import { inState } from '../store/state-fixtures.ts';
import { eventStream } from '../stream/clients.ts';

/**
 * What each kind of caller gets from a route. `in`: the call is authorized. The request has a stray query parameter, which
 * is refused right after authorization, so that no call has an effect.
 */
const CALLERS = [
  'owner',
  'editor',
  'viewer',
  'group_viewer',
  'removed_editor',
  'removed_member',
  'stranger',
  'auditor',
  'link',
  'expired',
  'admin',
] as const;
type CallerName = (typeof CALLERS)[number];
type Outcome = 'in' | 'role' | 'scope' | 'admin' | 'none' | 'expired';
type Row = Readonly<Record<CallerName, Outcome>>;

const everyone = (outcome: Outcome): Row => ({
  owner: outcome,
  editor: outcome,
  viewer: outcome,
  group_viewer: outcome,
  removed_editor: outcome,
  removed_member: outcome,
  stranger: outcome,
  auditor: outcome,
  link: 'scope',
  expired: 'expired',
  admin: outcome,
});

/** Only the owner knows that it exists. */
const PRIVATE: Row = { ...everyone('none'), owner: 'in' };
/** Only the owner and admins know that it exists. */
const ADMINISTERED: Row = { ...PRIVATE, admin: 'in' };
const GUESTS = { editor: 'role', viewer: 'role', group_viewer: 'role' } as const;
const OWNER: Row = { ...PRIVATE, ...GUESTS };
const EDITOR: Row = { ...OWNER, editor: 'in' };
const VIEWER: Row = { ...EDITOR, viewer: 'in', group_viewer: 'in' };
const LINK: Row = { ...VIEWER, link: 'in' };
const SHARING: Row = { ...OWNER, admin: 'in' };
const USER: Row = everyone('in');
const ADMIN: Row = { ...everyone('admin'), admin: 'in' };
const AUDITOR: Row = { ...ADMIN, auditor: 'in' };
const OPEN: Row = { ...USER, link: 'in', expired: 'in' };

/** Every route. A missing one does not compile. */
const EXPECTED: Readonly<Record<RouteName, Row>> = {
  createChat: USER,
  listChats: USER,
  getChat: LINK,
  updateChat: OWNER,
  deleteChat: OWNER,
  // A deleted chat exists for its owner only.
  restoreChat: PRIVATE,
  markChatRead: VIEWER,
  regenerateTitle: OWNER,
  interruptChat: EDITOR,
  submitToolResults: EDITOR,
  compactChat: EDITOR,
  forkChat: OWNER,
  getChatCost: OWNER,
  exportChat: VIEWER,
  getChatSharing: SHARING,
  replaceChatSharing: SHARING,
  listParticipants: LINK,
  listMessages: LINK,
  sendMessage: EDITOR,
  editMessage: EDITOR,
  regenerateAnswer: EDITOR,
  listVersions: VIEWER,
  selectVersion: EDITOR,
  updateQueuedMessage: EDITOR,
  deleteQueuedMessage: EDITOR,
  promoteQueuedMessage: EDITOR,
  decideApprovals: EDITOR,
  answerQuestion: EDITOR,
  streamChat: LINK,
  watchChats: USER,
  streamUi: VIEWER,
  sendUiMessages: EDITOR,
  runAgUi: EDITOR,
  runAgUiThread: USER,
  getChatDiff: VIEWER,
  listCheckpoints: VIEWER,
  getCheckpointDiff: VIEWER,
  restoreCheckpoint: EDITOR,
  getChatContext: OWNER,
  refreshChatContext: OWNER,
  getDesktop: VIEWER,
  startDesktop: EDITOR,
  openDesktop: VIEWER,
  listDebugEntries: ADMIN,
  deleteDebugEntries: ADMIN,

  listGitConnections: USER,
  createGitConnection: USER,
  deleteGitConnection: PRIVATE,
  getChatGit: VIEWER,
  waitForGitChange: VIEWER,
  pushChatGit: OWNER,
  createPullRequest: OWNER,

  listWorkspaces: USER,
  createWorkspace: USER,
  getWorkspace: VIEWER,
  startWorkspace: EDITOR,
  stopWorkspace: OWNER,
  deleteWorkspace: OWNER,
  listWorkspaceFiles: VIEWER,
  getWorkspaceFile: VIEWER,
  writeWorkspaceFile: EDITOR,
  downloadWorkspaceFiles: VIEWER,
  searchWorkspaceFiles: VIEWER,
  listPorts: EDITOR,
  createPreview: OWNER,
  listTerminals: EDITOR,
  openTerminal: EDITOR,

  listFiles: USER,
  uploadFile: USER,
  getFile: LINK,
  deleteFile: OWNER,

  listWebhooks: USER,
  createWebhook: USER,
  getWebhook: ADMINISTERED,
  updateWebhook: ADMINISTERED,
  deleteWebhook: ADMINISTERED,
  rotateWebhookSecret: ADMINISTERED,
  testWebhook: ADMINISTERED,
  listWebhookDeliveries: ADMINISTERED,
  redeliverWebhookEvent: ADMINISTERED,
  redeliverWebhookEvents: ADMINISTERED,
  getNotifications: USER,
  updateNotifications: USER,
  createPushSubscription: USER,
  deletePushSubscription: PRIVATE,

  listProjects: USER,
  createProject: USER,
  getProject: PRIVATE,
  updateProject: PRIVATE,
  deleteProject: PRIVATE,

  listTriggers: USER,
  createTrigger: USER,
  previewTrigger: USER,
  getTrigger: ADMINISTERED,
  updateTrigger: PRIVATE,
  deleteTrigger: ADMINISTERED,
  runTrigger: PRIVATE,
  listTriggerRuns: ADMINISTERED,

  signIn: OPEN,
  signOut: OPEN,
  getMe: USER,
  changePassword: USER,
  listTokens: USER,
  createToken: USER,
  deleteToken: PRIVATE,
  getSignInMethods: OPEN,
  listIdentities: USER,
  connectIdentity: USER,
  startCliLogin: OPEN,
  approveCliLogin: USER,
  createCliLoginCode: USER,
  finishCliLogin: OPEN,
  getApprovals: USER,
  updateApprovals: USER,
  testApprovals: USER,
  getUsage: USER,
  getMySpend: USER,
  listGroups: USER,

  listUsers: ADMIN,
  createUser: ADMIN,
  getUser: ADMIN,
  updateUser: ADMIN,
  deleteUser: ADMIN,
  interruptUser: ADMIN,
  listUserTokens: ADMIN,
  deleteUserToken: ADMIN,
  createSignInLink: ADMIN,
  getSpend: ADMIN,
  createGroup: ADMIN,
  getGroup: ADMIN,
  updateGroup: ADMIN,
  deleteGroup: ADMIN,
  listGroupMembers: ADMIN,
  updateGroupMembers: ADMIN,
  listAuditEvents: AUDITOR,
  exportAuditEvents: AUDITOR,
  getSettings: ADMIN,
  updateSettings: ADMIN,

  // Admins manage these, and users see what they may use: the handlers decide.
  listProviders: USER,
  createProvider: ADMIN,
  getProvider: ADMIN,
  updateProvider: ADMIN,
  deleteProvider: ADMIN,
  testProvider: ADMIN,
  setOwnKey: USER,
  deleteOwnKey: USER,
  listModelConfigs: USER,
  createModelConfig: ADMIN,
  getModelConfig: ADMIN,
  updateModelConfig: ADMIN,
  deleteModelConfig: ADMIN,
  testModelConfig: ADMIN,
  listModels: ADMIN,
  listMcpServers: USER,
  createMcpServer: ADMIN,
  getMcpServer: ADMIN,
  updateMcpServer: ADMIN,
  deleteMcpServer: ADMIN,
  testMcpServer: ADMIN,
  signInToMcpServer: USER,
  finishMcpSignIn: USER,
  signOutOfMcpServer: USER,
  listTemplates: USER,
  createTemplate: ADMIN,
  getTemplate: ADMIN,
  updateTemplate: ADMIN,
  deleteTemplate: ADMIN,
  listMachines: ADMIN,
  createMachine: ADMIN,
  connectMachine: OPEN,
  getMachine: ADMIN,
  updateMachine: ADMIN,
  rotateMachineToken: ADMIN,
  deleteMachine: ADMIN,
};

/** The paths of other protocols. Requests with a body name the chat in it. */
const FACES: Readonly<Record<FaceRouteName, Row>> = {
  createResponse: OWNER,
  getResponse: OWNER,
  deleteResponse: OWNER,
  cancelResponse: OWNER,
  listInputItems: OWNER,
  createConversation: USER,
  getConversation: OWNER,
  updateConversation: OWNER,
  deleteConversation: OWNER,
  listItems: OWNER,
  getItem: OWNER,
  listModels: USER,
  getModel: USER,
  createCompletion: USER,
  getCompletion: OWNER,
  deleteCompletion: OWNER,
  mcp: USER,
  a2a: USER,
};

const SENT = { messageId: 'x', role: 'ROLE_USER', parts: [{ text: 'x' }] };
const configuration = { returnImmediately: true };

/** The methods of A2A, with their parameters for a chat. */
const METHODS: Readonly<
  Record<
    keyof typeof A2A_METHODS,
    { row: Row; params: (chat_id: string, task_id: string) => object }
  >
> = {
  SendMessage: {
    row: EDITOR,
    params: (contextId) => ({ message: { ...SENT, contextId }, configuration }),
  },
  SendStreamingMessage: {
    row: VIEWER,
    // The task needs no input, which is refused after its stream was opened.
    params: (_, taskId) => ({ message: { ...SENT, taskId } }),
  },
  GetTask: { row: VIEWER, params: (_, id) => ({ id }) },
  ListTasks: { row: VIEWER, params: (contextId) => ({ contextId }) },
  CancelTask: { row: VIEWER, params: (_, id) => ({ id }) },
  SubscribeToTask: { row: VIEWER, params: (_, id) => ({ id }) },
  CreateTaskPushNotificationConfig: { row: USER, params: () => ({}) },
  GetTaskPushNotificationConfig: { row: USER, params: () => ({}) },
  ListTaskPushNotificationConfigs: { row: USER, params: () => ({}) },
  DeleteTaskPushNotificationConfig: { row: USER, params: () => ({}) },
  GetExtendedAgentCard: { row: USER, params: () => ({}) },
};

/** The tools of the MCP server, with their arguments for a chat. */
const TOOLS: Readonly<Record<string, { row: Row; args?: (chat_id: string) => object }>> = {
  start_chat: { row: USER, args: () => ({ message: 'x' }) },
  send_message: { row: EDITOR, args: (chat_id) => ({ chat_id, message: 'x' }) },
  wait_for_chat: { row: VIEWER, args: (chat_id) => ({ chat_id, timeout_seconds: 1 }) },
  read_chat: { row: VIEWER },
  list_chats: { row: USER, args: () => ({}) },
  interrupt_chat: { row: EDITOR },
  answer_question: {
    row: EDITOR,
    args: (chat_id) => ({ chat_id, tool_call_id: 'c', text: 'x' }),
  },
};

const OUTCOMES: Readonly<Record<string, Outcome>> = {
  '400 unknown_field': 'in',
  '400 invalid_query': 'in',
  '403 role_required': 'role',
  '403 insufficient_scope': 'scope',
  '403 admin_required': 'admin',
  '404 not_found': 'none',
  '401 token_expired': 'expired',
};

const server = await startTestServer();
const { admin, owner, stranger, store, as } = server;
const inputs = await routeInputs(server);
const { chatId } = inputs.chat;

const userNamed = async (name: string, role: 'member' | 'auditor' = 'member') => {
  const { id } = await admin.ok('createUser', {
    body: { username: `${name.replace('_', '-')}-${randomUUID().slice(0, 8)}`, role },
  });
  const { token } = await admin.ok('createToken', { body: { name: 'walk', user_id: id } });
  return { id, client: as(token) };
};
const [editor, viewer, groupViewer, removedEditor, removedMember, auditor] = await Promise.all([
  userNamed('editor'),
  userNamed('viewer'),
  userNamed('group_viewer'),
  userNamed('removed_editor'),
  userNamed('removed_member'),
  userNamed('auditor', 'auditor'),
]);

await admin.ok('updateSettings', { body: { allow_chat_links: true } });
const group = await admin.ok('createGroup', { body: { name: 'Walkers' } });
const members = (change: object) =>
  admin.ok('updateGroupMembers', { params: { group_id: group.id }, body: change });
await members({ add: [groupViewer.id, removedMember.id] });

// The chat uses the workspace and the file.
const params = { chat_id: chatId };
await owner.ok('updateChat', {
  params,
  body: { workspace_id: String(inputs.owned['workspace_id']) },
});
await owner.ok('sendMessage', {
  params,
  body: { content: [{ type: 'file', file_id: inputs.file.id }] },
});
const grants = [
  { user_id: editor.id, role: 'editor' },
  { user_id: viewer.id, role: 'viewer' },
  { group_id: group.id, role: 'viewer' },
];
const removed = { user_id: removedEditor.id, role: 'editor' };
await admin.ok('replaceChatSharing', { params, body: { grants: [...grants, removed], link: {} } });
await members({ remove: [removedMember.id] });
const { link } = await admin.ok('replaceChatSharing', {
  params,
  body: { grants, link: { renew: true } },
});
const expired = await admin.ok('createToken', {
  body: { name: 'expired', user_id: store.owner, expires_at: '2999-01-01T00:00:00Z' },
});
await execute(
  server.databaseUrl,
  `UPDATE tokens SET expires_at = now() - interval '1 s' WHERE id = '${expired.id}'`,
);

const clients: Readonly<Record<CallerName, typeof owner>> = {
  owner,
  editor: editor.client,
  viewer: viewer.client,
  group_viewer: groupViewer.client,
  removed_editor: removedEditor.client,
  removed_member: removedMember.client,
  stranger,
  auditor: auditor.client,
  link: as(link?.url?.split('#')[1] ?? ''),
  expired: as(expired.token),
  admin,
};

test('every route has an expectation, and every expectation a route', () => {
  expect(Object.keys(EXPECTED).sort()).toEqual(allRoutes.map(([name]) => name).sort());
});

test.each(allRoutes)('%s authorizes the expected callers', async (name, route) => {
  const input = inputs.inputFor(name, route);
  const got = await Promise.all(
    CALLERS.map(async (caller) => {
      const path = route.path.replaceAll(/\{(\w+)\}/g, (_, id: string) =>
        String(input.params?.[id]),
      );
      const { status, text } = await clients[caller].send(
        route.method.toUpperCase(),
        `${API_PREFIX}${path}?stray=1`,
        input,
      );
      const refusal = `${status} ${(JSON.parse(text) as { code: string }).code}`;
      return [caller, OUTCOMES[refusal] ?? refusal] as const;
    }),
  );
  expect(Object.fromEntries(got)).toEqual(EXPECTED[name]);
});

/** By the code of a refusal. Any other response means that the call was authorized. */
const REFUSALS: Readonly<Record<string, Outcome>> = {
  not_found: 'none',
  role_required: 'role',
  insufficient_scope: 'scope',
  admin_required: 'admin',
  token_expired: 'expired',
  // The code of the OpenAI API.
  invalid_api_key: 'expired',
};

/**
 * Makes a call as every caller, first those without access, who must not change anything. `attempt` returns the code of
 * the refusal.
 */
async function walk(row: Row, attempt: (caller: CallerName) => Promise<string | undefined>) {
  const outcomes: Partial<Record<CallerName, Outcome>> = {};
  const tryAs = async (caller: CallerName) => {
    outcomes[caller] = REFUSALS[(await attempt(caller)) ?? ''] ?? 'in';
  };
  const before = await dump(server.databaseUrl);
  await Promise.all(CALLERS.filter((caller) => row[caller] !== 'in').map(tryAs));
  expect(await dump(server.databaseUrl)).toBe(before);
  for (const caller of CALLERS.filter((caller) => row[caller] === 'in')) await tryAs(caller);
  expect(outcomes).toEqual(row);
}

/** A chat whose turn has ended, shared like the first one. */
async function sharedChat() {
  const { chatId: id, firstMessageId } = await inState(store, 'waiting');
  await admin.ok('replaceChatSharing', { params: { chat_id: id }, body: { grants } });
  const hex = id.replaceAll('-', '');
  const turn = `${hex}m${firstMessageId}`;
  const ids = {
    response: `resp_${turn}`,
    completion: `chatcmpl-${turn}`,
    task: `${id}-m${firstMessageId}`,
  };
  return { id, conversation: `conv_${hex}`, item: `msg_${firstMessageId}`, ...ids };
}

const PING = { jsonrpc: '2.0', id: 1, method: 'ping' };
const bodyOf = (name: FaceRouteName, conversation: string): object | undefined => {
  const bodies: Partial<Record<FaceRouteName, object>> = {
    createResponse: { input: 'x', conversation, background: true },
    createConversation: {},
    updateConversation: { metadata: { changed: 'yes' } },
    // Refused after the authorization, because no worker runs the turn.
    createCompletion: { model: 'missing', messages: [{ role: 'user', content: 'x' }] },
    mcp: PING,
    a2a: PING,
  };
  return bodies[name] ?? (FACE_ROUTES[name].method === 'POST' ? {} : undefined);
};

/** The code of an A2A refusal, which may come with HTTP 200. Streams contain no refusal. */
function refusalOfA2a(text: string): string | undefined {
  if (!text.startsWith('{')) return undefined;
  const { error } = JSON.parse(text) as {
    error?: { data: [{ reason: string; metadata?: { code: string } }] };
  };
  const [info] = error?.data ?? [];
  return info?.reason === 'TASK_NOT_FOUND' ? 'not_found' : info?.metadata?.code;
}

/** The code of a refusal in the form of the protocol. */
function refusalIn(name: FaceRouteName, status: number, text: string): string | undefined {
  if (status < 400) return undefined;
  expect(status, text).toBeLessThan(500);
  if (name === 'a2a') return refusalOfA2a(text);
  const { error } = JSON.parse(text) as { error: { code: string; data: { code: string } } };
  if (name === 'mcp') {
    expect(JSON.parse(text)).toMatchObject({ jsonrpc: '2.0', error: { code: -32_000 } });
    return error.data.code;
  }
  expect(Object.keys(error).sort()).toEqual(['code', 'message', 'param', 'type']);
  return error.code;
}

test.each(Object.keys(FACE_ROUTES) as FaceRouteName[])(
  '%s of another protocol authorizes the expected callers',
  async (name) => {
    const chat = await sharedChat();
    const { method, path } = FACE_ROUTES[name];
    const ids: Readonly<Record<string, string>> = {
      '/v1/responses': chat.response,
      '/v1/conversations': chat.conversation,
      '/v1/chat/completions': chat.completion,
      '/v1/models': 'default',
    };
    const address = path
      .replace(/^(.*)\/:id(\{.*\})?/, (_, above: string) => `${above}/${ids[above] ?? ''}`)
      .replace(':item', chat.item);
    const body = bodyOf(name, chat.conversation);
    await walk(FACES[name], async (caller) => {
      const input = {
        ...(body && { body }),
        headers: { accept: 'application/json, text/event-stream' },
      };
      const { status, text } = await clients[caller].send(method, address, input);
      return refusalIn(name, status, text);
    });
  },
);

test.each(Object.entries(METHODS))(
  '%s of A2A authorizes the expected callers',
  async (method, { row, params }) => {
    const { id, task } = await sharedChat();
    await walk(row, async (caller) => {
      const body = { jsonrpc: '2.0', id: 1, method, params: params(id, task) };
      const { text } = await clients[caller].send('POST', FACE_ROUTES.a2a.path, { body });
      return refusalOfA2a(text);
    });
  },
);

describe('the MCP server', () => {
  const connected = new Map<CallerName, McpClient>();
  afterAll(() => Promise.all([...connected.values()].map((client) => client.close())));
  const connect = async (caller: CallerName) => {
    const known = connected.get(caller);
    if (known !== undefined) return known;
    const token = clients[caller].headers['authorization']?.replace('Bearer ', '') ?? '';
    const client = await CLIENTS['the client at 2026-07-28']?.(server.url, token);
    if (client === undefined) throw new Error('There is no such client.');
    connected.set(caller, client);
    return client;
  };
  /** The client shows only the status of a refused path, and only the text of a refused resource. */
  const SHOWN = {
    'HTTP 401': 'token_expired',
    'HTTP 403': 'insufficient_scope',
    'Not found': 'not_found',
  };
  const codeIn = (text: string) =>
    Object.entries(SHOWN).find(([shown]) => text.includes(shown))?.[1] ??
    Object.keys(REFUSALS).find((code) => text.includes(code));
  /** A caller that the path refuses cannot connect. */
  const attemptWith =
    (work: (client: McpClient) => Promise<string | undefined>) =>
    async (caller: CallerName): Promise<string | undefined> => {
      try {
        return await work(await connect(caller));
      } catch (error) {
        const code = codeIn(String(error));
        if (code === undefined) throw error;
        return code;
      }
    };

  test('has an expectation for every tool', async () => {
    expect((await (await connect('owner')).tools()).sort()).toEqual(Object.keys(TOOLS).sort());
  });

  test.each(Object.entries(TOOLS))(
    '%s authorizes the expected callers',
    async (name, { row, args }) => {
      const { id: chat_id } = await sharedChat();
      const input = args?.(chat_id) ?? { chat_id };
      const attempt = attemptWith(async (client) => {
        const { isError, content } = await client.call(name, { ...input });
        return isError === true ? codeIn(JSON.stringify(content)) : undefined;
      });
      await walk(row, attempt);
    },
  );

  test('shows chats as resources to callers with access', async () => {
    const { id } = await sharedChat();
    const attempt = attemptWith(async (client) => {
      await client.read(`chatd://chats/${id}`);
      return undefined;
    });
    await walk(VIEWER, attempt);
  });
});

test('sending a message and opening a stream take two statements each, for a guest and for the owner', async () => {
  const query = vi.spyOn(Database.prototype, 'query');
  onTestFinished(() => query.mockRestore());
  /** The statements that ran, without cached ones and those of timers. */
  const ran = () =>
    query.mock.calls
      .map(([{ name }]) => name)
      .filter((name) => /^(find-chat-for|send-to-idle-chat|look-at-chat)$/.test(name));
  for (const caller of ['owner', 'editor'] as const) {
    const { id: chat_id } = await sharedChat();
    query.mockClear();
    await clients[caller].ok('sendMessage', { params: { chat_id }, body: { content: 'x' } });
    expect(ran(), caller).toEqual(['find-chat-for', 'send-to-idle-chat']);
    query.mockClear();
    const stream = await eventStream(clients[caller], `/chats/${chat_id}/stream`);
    await stream.received.until(({ events }) => events.some(({ type }) => type === 'status'));
    expect(ran(), caller).toEqual(['find-chat-for', 'look-at-chat']);
    stream.close();
  }
});

test('no audit event contains a secret of the callers', async () => {
  const rows = await execute<{ event: string }>(
    server.databaseUrl,
    'SELECT audit_events::text AS event FROM audit_events',
  );
  const text = rows.map(({ event }) => event).join('\n');
  expect(text).toContain('chat.share');
  const secrets = Object.values(clients).map(({ headers }) =>
    String(headers['authorization']).replace('Bearer ', ''),
  );
  expect(new Set(secrets).size).toBe(CALLERS.length);
  for (const secret of secrets) expect(text.includes(secret)).toBe(false);
});
