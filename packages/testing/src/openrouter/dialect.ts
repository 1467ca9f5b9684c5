import type { Dialect } from '../dialect.ts';
import { openaiChat } from '../openai-chat/dialect.ts';
import { encode } from './encode.ts';
import { errorBody, errorEvents, failure } from './errors.ts';
import { learn } from './learn.ts';
import { validate } from './validate.ts';

/** OpenRouter: Chat Completions with reasoning that can be sent back, cache marks and cost. */
export const openrouter: Dialect = {
  ...openaiChat,
  api: 'openrouter',
  basePath: '/api/v1',
  carries: new Set(['text', 'reasoning', 'tool-call', 'web-search', 'raw', 'gate']),
  serves: ({ method, path }) => method === 'POST' && path === '/api/v1/chat/completions',
  authorize({ headers }, key) {
    const given = headers['authorization'];
    const known = key === undefined ? given?.startsWith('Bearer ') : given === `Bearer ${key}`;
    return known === true ? undefined : failure('bad-key');
  },
  validate,
  encode,
  learn,
  errorBody,
  failure,
  errorEvents,
};
