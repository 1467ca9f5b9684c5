import type { CallName } from './call.ts';

/** Operations by namespace: `client.chats.get` calls `getChat`. */
export const NAMESPACES = {
  chats: {
    create: 'createChat',
    list: 'listChats',
    get: 'getChat',
    update: 'updateChat',
    delete: 'deleteChat',
    restore: 'restoreChat',
    markRead: 'markChatRead',
    regenerateTitle: 'regenerateTitle',
    interrupt: 'interruptChat',
    submitToolResults: 'submitToolResults',
    decideApprovals: 'decideApprovals',
    answerQuestion: 'answerQuestion',
    compact: 'compactChat',
    fork: 'forkChat',
    cost: 'getChatCost',
    export: 'exportChat',
    diff: 'getChatDiff',
    context: 'getChatContext',
    refreshContext: 'refreshChatContext',
    desktop: 'getDesktop',
    messages: 'listMessages',
    send: 'sendMessage',
    edit: 'editMessage',
  },
  queue: {
    update: 'updateQueuedMessage',
    delete: 'deleteQueuedMessage',
    promote: 'promoteQueuedMessage',
  },
  debug: { list: 'listDebugEntries', delete: 'deleteDebugEntries' },
  files: { list: 'listFiles', upload: 'uploadFile', download: 'getFile', delete: 'deleteFile' },
  models: {
    list: 'listModelConfigs',
    create: 'createModelConfig',
    get: 'getModelConfig',
    update: 'updateModelConfig',
    delete: 'deleteModelConfig',
    test: 'testModelConfig',
    offered: 'listModels',
  },
  providers: {
    list: 'listProviders',
    create: 'createProvider',
    get: 'getProvider',
    update: 'updateProvider',
    delete: 'deleteProvider',
    test: 'testProvider',
    setOwnKey: 'setOwnKey',
    deleteOwnKey: 'deleteOwnKey',
  },
  mcpServers: {
    list: 'listMcpServers',
    create: 'createMcpServer',
    get: 'getMcpServer',
    update: 'updateMcpServer',
    delete: 'deleteMcpServer',
    test: 'testMcpServer',
    signIn: 'signInToMcpServer',
    finishSignIn: 'finishMcpSignIn',
    signOut: 'signOutOfMcpServer',
  },
  templates: {
    list: 'listTemplates',
    create: 'createTemplate',
    get: 'getTemplate',
    update: 'updateTemplate',
    delete: 'deleteTemplate',
  },
  workspaces: {
    list: 'listWorkspaces',
    create: 'createWorkspace',
    get: 'getWorkspace',
    start: 'startWorkspace',
    stop: 'stopWorkspace',
    delete: 'deleteWorkspace',
    files: 'listWorkspaceFiles',
    readFile: 'getWorkspaceFile',
    searchFiles: 'searchWorkspaceFiles',
    terminals: 'listTerminals',
  },
  me: {
    get: 'getMe',
    changePassword: 'changePassword',
    spend: 'getMySpend',
    approvals: 'getApprovals',
    updateApprovals: 'updateApprovals',
    testApprovals: 'testApprovals',
  },
  session: { signIn: 'signIn', signOut: 'signOut' },
  users: {
    list: 'listUsers',
    create: 'createUser',
    get: 'getUser',
    update: 'updateUser',
    delete: 'deleteUser',
    interrupt: 'interruptUser',
    tokens: 'listUserTokens',
    revokeToken: 'deleteUserToken',
    createSignInLink: 'createSignInLink',
    spend: 'getSpend',
  },
  tokens: { list: 'listTokens', create: 'createToken', delete: 'deleteToken' },
  settings: { get: 'getSettings', update: 'updateSettings' },
  usage: { get: 'getUsage' },
} as const satisfies Readonly<Record<string, Readonly<Record<string, CallName>>>>;

type Namespaces = typeof NAMESPACES;

type Named = {
  [N in keyof Namespaces]: Namespaces[N][keyof Namespaces[N]];
}[keyof Namespaces];

/** Does not compile if an operation is missing above; the error names it. */
export type NoCallIsMissing<Missing extends never = Exclude<CallName, Named>> = Missing;
