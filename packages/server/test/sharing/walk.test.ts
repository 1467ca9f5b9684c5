import { randomUUID } from 'node:crypto';
import { API_PREFIX, type RouteName } from '@chatd/protocol';
import { startTestServer } from '@chatd/test-server';
import { execute } from '@chatd/test-server/database';
import { expect, test } from 'vitest';
import { allRoutes, routeInputs } from '../http/route-inputs.ts';

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

/** Every route: one that is missing does not compile, and fails. */
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
  getChatDiff: VIEWER,
  getChatContext: OWNER,
  refreshChatContext: OWNER,
  getDesktop: VIEWER,
  startDesktop: EDITOR,
  openDesktop: VIEWER,
  listDebugEntries: ADMIN,
  deleteDebugEntries: ADMIN,

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

  listProjects: USER,
  createProject: USER,
  getProject: PRIVATE,
  updateProject: PRIVATE,
  deleteProject: PRIVATE,

  signIn: OPEN,
  signOut: OPEN,
  getMe: USER,
  changePassword: USER,
  listTokens: USER,
  createToken: USER,
  deleteToken: PRIVATE,
  getSignInMethods: OPEN,
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

  // These are the admins', and users see what they may use: the handlers decide.
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

test.each(allRoutes)('%s lets in those it should', async (name, route) => {
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
