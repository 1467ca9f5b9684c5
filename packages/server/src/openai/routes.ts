import type { RequiredScope, RouteName } from '@chatd/protocol';

interface OpenAiRoute {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly scope: RequiredScope;
  /** Costs as much as this route. */
  readonly costs: RouteName;
}

/** The paths of OpenAI clients are below this one. */
export const OPENAI_PREFIX = '/v1';

const read = { method: 'GET', scope: 'read', costs: 'getChat' } as const;
const query = { ...read, costs: 'listVersions' } as const;
const start = { method: 'POST', scope: ['write', 'read'], costs: 'createChat' } as const;
const change = { method: 'POST', scope: ['write', 'read'], costs: 'listVersions' } as const;
const remove = { method: 'DELETE', scope: 'write', costs: 'listVersions' } as const;

/** The API of OpenAI, over chats: responses, conversations, chat completions and models. */
export const OPENAI_ROUTES = {
  createResponse: { ...start, path: '/v1/responses' },
  getResponse: { ...read, costs: 'streamChat', path: '/v1/responses/:id' },
  deleteResponse: { ...remove, path: '/v1/responses/:id' },
  cancelResponse: { ...change, path: '/v1/responses/:id/cancel' },
  listInputItems: { ...query, path: '/v1/responses/:id/input_items' },
  createConversation: { ...start, path: '/v1/conversations' },
  getConversation: { ...read, path: '/v1/conversations/:id' },
  updateConversation: { ...change, path: '/v1/conversations/:id' },
  deleteConversation: { ...remove, path: '/v1/conversations/:id' },
  listItems: { ...read, path: '/v1/conversations/:id/items' },
  getItem: { ...read, path: '/v1/conversations/:id/items/:item' },
  listModels: { ...read, path: '/v1/models' },
  getModel: { ...read, path: '/v1/models/:id{.+}' },
  createCompletion: { ...start, path: '/v1/chat/completions' },
  getCompletion: { ...query, path: '/v1/chat/completions/:id' },
  deleteCompletion: { ...remove, path: '/v1/chat/completions/:id' },
} as const satisfies Readonly<Record<string, OpenAiRoute>>;

export type OpenAiRouteName = keyof typeof OPENAI_ROUTES;
