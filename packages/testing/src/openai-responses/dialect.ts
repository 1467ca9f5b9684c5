import type { Dialect } from '../dialect.ts';
import { authorize } from '../openai/authorize.ts';
import { errorBody, failure } from '../openai/errors.ts';
import { assemble } from './assemble.ts';
import { encode } from './encode.ts';
import { errorEvents } from './errors.ts';
import { frame } from './event.ts';
import { learn } from './learn.ts';
import { validate } from './validate.ts';
import { serverSentEvents } from '../wire.ts';

/** OpenAI Responses. */
export const openaiResponses: Dialect = {
  api: 'openai-responses',
  basePath: '/v1',
  carries: new Set(['text', 'reasoning', 'tool-call', 'web-search', 'file', 'raw', 'gate']),
  wire: serverSentEvents,
  closing: [],
  serves: ({ method, path }) => method === 'POST' && path === '/v1/responses',
  wantsStream: ({ body }) => body['stream'] === true,
  authorize,
  validate,
  encode,
  frame,
  assemble,
  learn,
  errorBody,
  failure,
  errorEvents,
};
