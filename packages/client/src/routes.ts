import type { EventStream, Media, Route, RouteName, Routes } from '@chatd/protocol';

/**
 * What has to be known of a call besides where it goes: it takes JSON (`body`) or raw `bytes`, a `query`, the server
 * keeps nothing of it, so that it cannot be repeated safely (`secret`), it answers with bytes (`media`), or goes on
 * (`events`).
 */
export type Trait = 'body' | 'bytes' | 'query' | 'secret' | 'media' | 'events';

type Shape<R extends Route> = R['answers'][keyof R['answers']];

type Row<R extends Route> = readonly [
  method: R['method'],
  path: R['path'],
  ...(R extends { readonly body: infer Body } ? (Body extends Media ? ['bytes'] : ['body']) : []),
  ...(R extends { readonly query: unknown } ? ['query'] : []),
  ...(R extends { readonly secret: true } ? ['secret'] : []),
  ...([Extract<Shape<R>, Media>] extends [never] ? [] : ['media']),
  ...([Extract<Shape<R>, EventStream>] extends [never] ? [] : ['events']),
];

export type AnyRow = readonly [method: Route['method'], path: string, ...traits: Trait[]];

/**
 * Where every call of the API goes. The protocol's own table holds schemas, which clients need not carry; this one
 * does not compile unless it says the same.
 */
export const ROUTES: { readonly [Name in RouteName]: Row<Routes[Name]> } = {
  createChat: ['post', '/chats', 'body'],
  listChats: ['get', '/chats', 'query'],
  getChat: ['get', '/chats/{chat_id}'],
  updateChat: ['patch', '/chats/{chat_id}', 'body'],
  deleteChat: ['delete', '/chats/{chat_id}'],
  restoreChat: ['post', '/chats/{chat_id}/restore'],
  markChatRead: ['post', '/chats/{chat_id}/read', 'body'],
  regenerateTitle: ['post', '/chats/{chat_id}/title/regenerate'],
  interruptChat: ['post', '/chats/{chat_id}/interrupt'],
  submitToolResults: ['post', '/chats/{chat_id}/tool-results', 'body'],
  compactChat: ['post', '/chats/{chat_id}/compact'],
  forkChat: ['post', '/chats/{chat_id}/fork', 'body'],
  getChatCost: ['get', '/chats/{chat_id}/cost'],
  exportChat: ['get', '/chats/{chat_id}/export', 'query', 'media'],
  listMessages: ['get', '/chats/{chat_id}/messages', 'query'],
  sendMessage: ['post', '/chats/{chat_id}/messages', 'body'],
  editMessage: ['patch', '/chats/{chat_id}/messages/{message_id}', 'body'],
  updateQueuedMessage: ['patch', '/chats/{chat_id}/queue/{queued_message_id}', 'body'],
  deleteQueuedMessage: ['delete', '/chats/{chat_id}/queue/{queued_message_id}'],
  promoteQueuedMessage: ['post', '/chats/{chat_id}/queue/{queued_message_id}/promote'],
  decideApprovals: ['post', '/chats/{chat_id}/approvals', 'body'],
  answerQuestion: ['post', '/chats/{chat_id}/answers', 'body'],
  getApprovals: ['get', '/users/me/approvals'],
  updateApprovals: ['patch', '/users/me/approvals', 'body'],
  streamChat: ['get', '/chats/{chat_id}/stream', 'query', 'events'],
  watchChats: ['get', '/watch', 'query', 'events'],
  listDebugEntries: ['get', '/chats/{chat_id}/debug', 'query'],
  deleteDebugEntries: ['delete', '/chats/{chat_id}/debug'],
  uploadFile: ['post', '/files', 'bytes', 'query'],
  getFile: ['get', '/files/{file_id}', 'media'],
  deleteFile: ['delete', '/files/{file_id}'],
  getUsage: ['get', '/usage', 'query'],
  getMySpend: ['get', '/users/me/spend'],
  getSpend: ['get', '/users/{user_id}/spend'],
  signIn: ['post', '/session', 'body', 'secret'],
  signOut: ['delete', '/session'],
  getMe: ['get', '/users/me'],
  changePassword: ['patch', '/users/me', 'body', 'secret'],
  listUsers: ['get', '/users', 'query'],
  createUser: ['post', '/users', 'body', 'secret'],
  updateUser: ['patch', '/users/{user_id}', 'body'],
  deleteUser: ['delete', '/users/{user_id}'],
  createSignInLink: ['post', '/users/{user_id}/sign-in-link', 'secret'],
  listTokens: ['get', '/tokens', 'query'],
  createToken: ['post', '/tokens', 'body', 'secret'],
  deleteToken: ['delete', '/tokens/{token_id}'],
  listProviders: ['get', '/providers'],
  createProvider: ['post', '/providers', 'body', 'secret'],
  getProvider: ['get', '/providers/{provider_id}'],
  updateProvider: ['patch', '/providers/{provider_id}', 'body', 'secret'],
  deleteProvider: ['delete', '/providers/{provider_id}'],
  testProvider: ['post', '/providers/{provider_id}/test', 'secret'],
  setOwnKey: ['post', '/providers/{provider_id}/key', 'body', 'secret'],
  deleteOwnKey: ['delete', '/providers/{provider_id}/key'],
  listModelConfigs: ['get', '/model-configs'],
  createModelConfig: ['post', '/model-configs', 'body'],
  getModelConfig: ['get', '/model-configs/{model_config_id}'],
  updateModelConfig: ['patch', '/model-configs/{model_config_id}', 'body'],
  deleteModelConfig: ['delete', '/model-configs/{model_config_id}'],
  testModelConfig: ['post', '/model-configs/{model_config_id}/test', 'secret'],
  listModels: ['get', '/models', 'query'],
  getSettings: ['get', '/settings'],
  updateSettings: ['patch', '/settings', 'body'],
  listTemplates: ['get', '/templates'],
  createTemplate: ['post', '/templates', 'body'],
  getTemplate: ['get', '/templates/{template_id}'],
  updateTemplate: ['patch', '/templates/{template_id}', 'body'],
  deleteTemplate: ['delete', '/templates/{template_id}'],
  listWorkspaces: ['get', '/workspaces', 'query'],
  createWorkspace: ['post', '/workspaces', 'body'],
  getWorkspace: ['get', '/workspaces/{workspace_id}'],
  startWorkspace: ['post', '/workspaces/{workspace_id}/start'],
  stopWorkspace: ['post', '/workspaces/{workspace_id}/stop'],
  deleteWorkspace: ['delete', '/workspaces/{workspace_id}'],
  listWorkspaceFiles: ['get', '/workspaces/{workspace_id}/files', 'query'],
  getWorkspaceFile: ['get', '/workspaces/{workspace_id}/files/content', 'query', 'media'],
  searchWorkspaceFiles: ['get', '/workspaces/{workspace_id}/files/search', 'query'],
  getChatDiff: ['get', '/chats/{chat_id}/diff'],
  getChatContext: ['get', '/chats/{chat_id}/context'],
  refreshChatContext: ['post', '/chats/{chat_id}/context/refresh'],
  listMcpServers: ['get', '/mcp-servers'],
  createMcpServer: ['post', '/mcp-servers', 'body', 'secret'],
  getMcpServer: ['get', '/mcp-servers/{mcp_server_id}'],
  updateMcpServer: ['patch', '/mcp-servers/{mcp_server_id}', 'body', 'secret'],
  deleteMcpServer: ['delete', '/mcp-servers/{mcp_server_id}'],
  testMcpServer: ['post', '/mcp-servers/{mcp_server_id}/test', 'secret'],
  signInToMcpServer: ['post', '/mcp-servers/{mcp_server_id}/sign-in', 'secret'],
  finishMcpSignIn: ['post', '/mcp-servers/{mcp_server_id}/sign-in/finish', 'body', 'secret'],
  signOutOfMcpServer: ['delete', '/mcp-servers/{mcp_server_id}/sign-in'],
};

export const has = ([, , ...traits]: AnyRow, trait: Trait) => traits.includes(trait);
