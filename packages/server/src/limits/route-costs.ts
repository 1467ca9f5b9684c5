import { FILE_BYTES_LIMIT, type RouteName } from '@chatd/protocol';

/** Each kind of request has its own slots, so that one kind never waits for another. */
export type PoolName =
  | 'turn'
  | 'stream'
  | 'query'
  | 'transfer'
  | 'workspace'
  | 'outbound'
  | 'password';

export interface Cost {
  /** Points of the rate limit. */
  readonly points: number;
  readonly pool: PoolName;
}

/** A request before its body is read. */
export interface PricedRequest {
  /** The parameters as they were sent. */
  readonly query: Readonly<Record<string, unknown>>;
  readonly exchange: {
    /** Undefined: the client does not announce the size of the body. */
    readonly contentLength?: number | undefined;
  };
}

/** Null: no limit, because the route accesses a bounded number of rows by index. */
type RouteCost = Cost | null | ((request: PricedRequest) => Cost | null);

/** Starts a turn, or adds one to the queue of a chat. */
export const TURN: Cost = { points: 10, pool: 'turn' };
/** Opens a stream. The slot is free again when it is open; open streams have their own limit. */
const STREAM: Cost = { points: 0, pool: 'stream' };
const SEARCH: Cost = { points: 20, pool: 'query' };
const REPORT: Cost = { points: 20, pool: 'query' };
/** Reads or copies a whole chat. */
const WHOLE_CHAT: Cost = { points: 10, pool: 'query' };
/** Reads all chats of the user if few match. */
const FILTERED_LIST: Cost = { points: 1, pool: 'query' };
const CHAT_FILTERS = ['status', 'label', 'model_config_id', 'workspace_id'];
/** Adds up the sizes of all files of the user. */
const FILE_LIST: Cost = { points: 1, pool: 'query' };
/** Reads the senders of all messages. */
const PARTICIPANT_LIST: Cost = { points: 1, pool: 'query' };
/** Reads the first message of each version. */
const VERSION_LIST: Cost = { points: 1, pool: 'query' };
/** The database writes a file twice: to its log, and to its table. */
const UPLOAD = ({ exchange: { contentLength = FILE_BYTES_LIMIT } }: PricedRequest): Cost => ({
  points: 5 + 5 * Math.ceil(contentLength / 1024 ** 2),
  pool: 'transfer',
});
const DOWNLOAD: Cost = { points: 1, pool: 'transfer' };
/** Runs programs on the machine of a workspace. */
const WORKSPACE_PROGRAM: Cost = { points: 5, pool: 'workspace' };
const WORKSPACE_READ: Cost = { points: 1, pool: 'workspace' };
/** Each holds a file in memory. */
const WORKSPACE_WRITE: Cost = { points: 2, pool: 'workspace' };
/** Calls a provider or an MCP server. */
const OUTBOUND: Cost = { points: 10, pool: 'outbound' };
/** Hashes a password. */
const PASSWORD: Cost = { points: 10, pool: 'password' };
/** For admins only. Cheap, because a script may create many users. */
const ACCOUNT: Cost = { points: 1, pool: 'password' };

/** The cost of every route. A route that is missing does not compile. */
export const ROUTE_COSTS: { readonly [Name in RouteName]: RouteCost } = {
  signIn: PASSWORD,
  signOut: null,
  getMe: null,
  getUser: null,
  changePassword: PASSWORD,
  listUsers: null,
  createUser: ACCOUNT,
  updateUser: ACCOUNT,
  deleteUser: WHOLE_CHAT,
  interruptUser: WHOLE_CHAT,
  listUserTokens: null,
  deleteUserToken: null,
  createSignInLink: null,
  listTokens: null,
  createToken: null,
  deleteToken: null,
  getSignInMethods: null,
  listIdentities: null,
  connectIdentity: PASSWORD,
  startCliLogin: null,
  approveCliLogin: null,
  createCliLoginCode: null,
  finishCliLogin: null,

  listGroups: null,
  createGroup: null,
  getGroup: null,
  updateGroup: null,
  deleteGroup: null,
  listGroupMembers: null,
  updateGroupMembers: null,

  listWebhooks: null,
  createWebhook: OUTBOUND,
  getWebhook: null,
  updateWebhook: OUTBOUND,
  deleteWebhook: WHOLE_CHAT,
  rotateWebhookSecret: null,
  testWebhook: OUTBOUND,
  listWebhookDeliveries: null,
  redeliverWebhookEvent: null,
  redeliverWebhookEvents: WHOLE_CHAT,
  getNotifications: null,
  updateNotifications: null,
  createPushSubscription: OUTBOUND,
  deletePushSubscription: null,

  createChat: TURN,
  listChats: ({ query }) =>
    query['q'] !== undefined
      ? SEARCH
      : query['min_cost_micros'] !== undefined
        ? REPORT
        : CHAT_FILTERS.some((name) => query[name] !== undefined)
          ? FILTERED_LIST
          : null,
  getChat: null,
  updateChat: null,
  deleteChat: null,
  restoreChat: null,
  markChatRead: null,
  regenerateTitle: OUTBOUND,
  interruptChat: null,
  submitToolResults: null,
  compactChat: TURN,
  forkChat: WHOLE_CHAT,
  getChatCost: null,
  exportChat: WHOLE_CHAT,

  getChatSharing: null,
  replaceChatSharing: null,
  listParticipants: PARTICIPANT_LIST,

  listProjects: null,
  createProject: null,
  getProject: null,
  updateProject: null,
  deleteProject: WHOLE_CHAT,

  listMessages: null,
  sendMessage: TURN,
  editMessage: TURN,
  regenerateAnswer: TURN,
  listVersions: VERSION_LIST,
  selectVersion: WHOLE_CHAT,
  updateQueuedMessage: null,
  deleteQueuedMessage: null,
  promoteQueuedMessage: null,
  decideApprovals: null,
  answerQuestion: null,
  getApprovals: null,
  updateApprovals: null,
  testApprovals: null,

  streamChat: STREAM,
  watchChats: STREAM,
  streamUi: STREAM,
  sendUiMessages: TURN,
  runAgUi: TURN,
  runAgUiThread: TURN,

  listTriggers: null,
  createTrigger: null,
  previewTrigger: null,
  getTrigger: null,
  updateTrigger: null,
  deleteTrigger: WHOLE_CHAT,
  runTrigger: TURN,
  listTriggerRuns: null,

  listDebugEntries: WHOLE_CHAT,
  deleteDebugEntries: WHOLE_CHAT,

  listFiles: FILE_LIST,
  uploadFile: UPLOAD,
  getFile: DOWNLOAD,
  deleteFile: null,

  getUsage: REPORT,
  getMySpend: null,
  getSpend: null,

  getSettings: null,
  updateSettings: null,
  listProviders: null,
  createProvider: null,
  getProvider: null,
  updateProvider: null,
  deleteProvider: null,
  testProvider: OUTBOUND,
  setOwnKey: null,
  deleteOwnKey: null,
  listModelConfigs: null,
  createModelConfig: null,
  getModelConfig: null,
  updateModelConfig: null,
  deleteModelConfig: null,
  testModelConfig: OUTBOUND,
  listModels: null,

  listMcpServers: null,
  createMcpServer: null,
  getMcpServer: null,
  updateMcpServer: null,
  deleteMcpServer: null,
  testMcpServer: OUTBOUND,
  signInToMcpServer: OUTBOUND,
  finishMcpSignIn: OUTBOUND,
  signOutOfMcpServer: OUTBOUND,

  listTemplates: null,
  listAuditEvents: REPORT,
  exportAuditEvents: REPORT,
  createTemplate: null,
  getTemplate: null,
  updateTemplate: null,
  deleteTemplate: null,
  listMachines: null,
  createMachine: null,
  connectMachine: null,
  getMachine: null,
  updateMachine: null,
  rotateMachineToken: null,
  deleteMachine: null,
  listWorkspaces: null,
  createWorkspace: WORKSPACE_PROGRAM,
  getWorkspace: null,
  startWorkspace: WORKSPACE_PROGRAM,
  stopWorkspace: null,
  deleteWorkspace: null,
  getChatDiff: WORKSPACE_PROGRAM,
  listGitConnections: null,
  createGitConnection: OUTBOUND,
  deleteGitConnection: null,
  getChatGit: WORKSPACE_PROGRAM,
  waitForGitChange: null,
  pushChatGit: WORKSPACE_PROGRAM,
  createPullRequest: WORKSPACE_PROGRAM,
  listCheckpoints: WORKSPACE_READ,
  getCheckpointDiff: WORKSPACE_PROGRAM,
  restoreCheckpoint: WORKSPACE_PROGRAM,
  getChatContext: WORKSPACE_READ,
  refreshChatContext: null,
  listWorkspaceFiles: WORKSPACE_READ,
  getWorkspaceFile: WORKSPACE_READ,
  searchWorkspaceFiles: WORKSPACE_PROGRAM,
  writeWorkspaceFile: WORKSPACE_WRITE,
  downloadWorkspaceFiles: WORKSPACE_PROGRAM,
  listPorts: WORKSPACE_PROGRAM,
  createPreview: null,
  startDesktop: WORKSPACE_PROGRAM,
  listTerminals: null,
  openTerminal: null,
  getDesktop: null,
  openDesktop: null,
};

/** Whether requests to the route can be refused with 429. */
export const hasCost = (name: RouteName): boolean => ROUTE_COSTS[name] !== null;

export function costOf(name: RouteName, request: PricedRequest): Cost | null {
  const cost = ROUTE_COSTS[name];
  return typeof cost === 'function' ? cost(request) : cost;
}
