import type { Dialect } from '../dialect.ts';
import { authorise } from '../openai/authorise.ts';
import { errorBody, failure } from '../openai/errors.ts';
import { assemble } from './assemble.ts';
import { DONE, frame } from './chunk.ts';
import { encode } from './encode.ts';
import { validate } from './validate.ts';

/** OpenAI Chat Completions, which many other services speak as well. */
export const openaiChat: Dialect = {
  api: 'openai-chat',
  basePath: '/v1',
  carries: new Set(['text', 'reasoning', 'tool-call', 'raw', 'gate']),
  closing: [DONE],
  serves: ({ method, path }) => method === 'POST' && path === '/v1/chat/completions',
  wantsStream: ({ body }) => body['stream'] === true,
  authorise,
  validate,
  encode,
  frame,
  assemble,
  learn() {
    // Nothing that this API hands out has to come back.
  },
  errorBody,
  failure,
  errorEvents: (refusal) => [{ type: 'event', data: errorBody(refusal), part: false }],
};
