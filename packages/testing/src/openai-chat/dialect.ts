import type { Dialect } from '../dialect.ts';
import { authorise } from '../openai/authorise.ts';
import { errorBody, failure } from '../openai/errors.ts';
import { assemble } from './assemble.ts';
import { DONE, frame } from './chunk.ts';
import { encode } from './encode.ts';
import { validate } from './validate.ts';
import { serverSentEvents } from '../wire.ts';

/** OpenAI Chat Completions. Its models keep their reasoning to themselves. */
export const openaiChat: Dialect = {
  api: 'openai-chat',
  basePath: '/v1',
  carries: new Set(['text', 'tool-call', 'raw', 'gate']),
  wire: serverSentEvents,
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
