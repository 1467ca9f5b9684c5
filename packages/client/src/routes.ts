import type { EventStream, Media, Route, RouteName, Routes } from '@chatd/protocol';

/**
 * What a caller has to know of a call besides where it goes: `media` answers with bytes, `events` goes on, and of a
 * `secret` one the server keeps nothing, so that it cannot be repeated safely.
 */
type Trait<R extends Route> = R extends { readonly secret: true }
  ? 'secret'
  : Extract<R['answers'][keyof R['answers']], EventStream> extends never
    ? Extract<R['answers'][keyof R['answers']], Media> extends never
      ? never
      : 'media'
    : 'events';

type Row<R extends Route> = [Trait<R>] extends [never]
  ? readonly [method: R['method'], path: R['path']]
  : readonly [method: R['method'], path: R['path'], trait: Trait<R>];

export type AnyRow = readonly [
  method: Route['method'],
  path: string,
  trait?: 'secret' | 'media' | 'events',
];

/**
 * Where every call of the API goes. The protocol's own table holds schemas, which clients need not carry; this one
 * does not compile unless it says the same.
 */
export const ROUTES: { readonly [Name in RouteName]: Row<Routes[Name]> } = {
  createChat: ['post', '/chats'],
  listChats: ['get', '/chats'],
  getChat: ['get', '/chats/{chat_id}'],
  updateChat: ['patch', '/chats/{chat_id}'],
  deleteChat: ['delete', '/chats/{chat_id}'],
  restoreChat: ['post', '/chats/{chat_id}/restore'],
  markChatRead: ['post', '/chats/{chat_id}/read'],
  regenerateTitle: ['post', '/chats/{chat_id}/title/regenerate'],
  interruptChat: ['post', '/chats/{chat_id}/interrupt'],
  submitToolResults: ['post', '/chats/{chat_id}/tool-results'],
  compactChat: ['post', '/chats/{chat_id}/compact'],
  forkChat: ['post', '/chats/{chat_id}/fork'],
  getChatCost: ['get', '/chats/{chat_id}/cost'],
  exportChat: ['get', '/chats/{chat_id}/export', 'media'],
  listMessages: ['get', '/chats/{chat_id}/messages'],
  sendMessage: ['post', '/chats/{chat_id}/messages'],
  editMessage: ['patch', '/chats/{chat_id}/messages/{message_id}'],
  updateQueuedMessage: ['patch', '/chats/{chat_id}/queue/{queued_message_id}'],
  deleteQueuedMessage: ['delete', '/chats/{chat_id}/queue/{queued_message_id}'],
  promoteQueuedMessage: ['post', '/chats/{chat_id}/queue/{queued_message_id}/promote'],
  decideApprovals: ['post', '/chats/{chat_id}/approvals'],
  answerQuestion: ['post', '/chats/{chat_id}/answers'],
  getApprovals: ['get', '/users/me/approvals'],
  updateApprovals: ['patch', '/users/me/approvals'],
  streamChat: ['get', '/chats/{chat_id}/stream', 'events'],
  watchChats: ['get', '/watch', 'events'],
  listDebugEntries: ['get', '/chats/{chat_id}/debug'],
  deleteDebugEntries: ['delete', '/chats/{chat_id}/debug'],
  uploadFile: ['post', '/files'],
  getFile: ['get', '/files/{file_id}', 'media'],
  deleteFile: ['delete', '/files/{file_id}'],
  getUsage: ['get', '/usage'],
  getMySpend: ['get', '/users/me/spend'],
  getSpend: ['get', '/users/{user_id}/spend'],
  signIn: ['post', '/session', 'secret'],
  signOut: ['delete', '/session'],
  getMe: ['get', '/users/me'],
  changePassword: ['patch', '/users/me', 'secret'],
  listUsers: ['get', '/users'],
  createUser: ['post', '/users', 'secret'],
  updateUser: ['patch', '/users/{user_id}'],
  deleteUser: ['delete', '/users/{user_id}'],
  createSignInLink: ['post', '/users/{user_id}/sign-in-link', 'secret'],
  listTokens: ['get', '/tokens'],
  createToken: ['post', '/tokens', 'secret'],
  deleteToken: ['delete', '/tokens/{token_id}'],
  listProviders: ['get', '/providers'],
  createProvider: ['post', '/providers', 'secret'],
  getProvider: ['get', '/providers/{provider_id}'],
  updateProvider: ['patch', '/providers/{provider_id}', 'secret'],
  deleteProvider: ['delete', '/providers/{provider_id}'],
  testProvider: ['post', '/providers/{provider_id}/test', 'secret'],
  setOwnKey: ['post', '/providers/{provider_id}/key', 'secret'],
  deleteOwnKey: ['delete', '/providers/{provider_id}/key'],
  listModelConfigs: ['get', '/model-configs'],
  createModelConfig: ['post', '/model-configs'],
  getModelConfig: ['get', '/model-configs/{model_config_id}'],
  updateModelConfig: ['patch', '/model-configs/{model_config_id}'],
  deleteModelConfig: ['delete', '/model-configs/{model_config_id}'],
  testModelConfig: ['post', '/model-configs/{model_config_id}/test', 'secret'],
  listModels: ['get', '/models'],
  getSettings: ['get', '/settings'],
  updateSettings: ['patch', '/settings'],
  listTemplates: ['get', '/templates'],
  createTemplate: ['post', '/templates'],
  getTemplate: ['get', '/templates/{template_id}'],
  updateTemplate: ['patch', '/templates/{template_id}'],
  deleteTemplate: ['delete', '/templates/{template_id}'],
  listWorkspaces: ['get', '/workspaces'],
  createWorkspace: ['post', '/workspaces'],
  getWorkspace: ['get', '/workspaces/{workspace_id}'],
  startWorkspace: ['post', '/workspaces/{workspace_id}/start'],
  stopWorkspace: ['post', '/workspaces/{workspace_id}/stop'],
  deleteWorkspace: ['delete', '/workspaces/{workspace_id}'],
  getChatDiff: ['get', '/chats/{chat_id}/diff'],
  refreshChatContext: ['post', '/chats/{chat_id}/context/refresh'],
  listMcpServers: ['get', '/mcp-servers'],
  createMcpServer: ['post', '/mcp-servers', 'secret'],
  getMcpServer: ['get', '/mcp-servers/{mcp_server_id}'],
  updateMcpServer: ['patch', '/mcp-servers/{mcp_server_id}', 'secret'],
  deleteMcpServer: ['delete', '/mcp-servers/{mcp_server_id}'],
  testMcpServer: ['post', '/mcp-servers/{mcp_server_id}/test', 'secret'],
  signInToMcpServer: ['post', '/mcp-servers/{mcp_server_id}/sign-in', 'secret'],
  finishMcpSignIn: ['post', '/mcp-servers/{mcp_server_id}/sign-in/finish', 'secret'],
  signOutOfMcpServer: ['delete', '/mcp-servers/{mcp_server_id}/sign-in'],
};
