import type { Dialect } from '../dialect.ts';
import { serverSentEvents } from '../wire.ts';
import { assemble } from './assemble.ts';
import { DONE, encode } from './encode.ts';
import { errorBody, errorEvents, failure } from './errors.ts';
import { learn } from './learn.ts';
import { frame } from './part.ts';
import { validate } from './validate.ts';

/** Vercel AI Gateway: prompts and stream parts of the AI SDK, for models of many vendors. */
export const gateway: Dialect = {
  api: 'gateway',
  basePath: '/v4/ai',
  carries: new Set(['text', 'reasoning', 'tool-call', 'web-search', 'file', 'raw', 'gate']),
  wire: serverSentEvents,
  closing: [DONE],
  serves: ({ method, path }) => method === 'POST' && path === '/v4/ai/language-model',
  wantsStream: ({ headers }) => headers['ai-language-model-streaming'] === 'true',
  authorize({ headers }, key) {
    const given = headers['authorization'];
    const known = key === undefined ? given?.startsWith('Bearer ') : given === `Bearer ${key}`;
    return known === true && headers['ai-gateway-auth-method'] === 'api-key'
      ? undefined
      : failure('bad-key');
  },
  validate,
  encode,
  frame,
  assemble,
  learn,
  errorBody,
  failure,
  errorEvents,
};
