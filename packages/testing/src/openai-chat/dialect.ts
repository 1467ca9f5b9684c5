import type { Dialect } from '../dialect.ts';
import { authorize } from '../openai/authorize.ts';
import { errorBody, failure } from '../openai/errors.ts';
import { assemble } from './assemble.ts';
import { DONE, frame } from './chunk.ts';
import { encode } from './encode.ts';
import { validate } from './validate.ts';
import { serverSentEvents } from '../wire.ts';

/** OpenAI Chat Completions. Its models do not disclose their reasoning. */
export const openaiChat: Dialect = {
  api: 'openai-chat',
  basePath: '/v1',
  carries: new Set(['text', 'tool-call', 'raw', 'gate']),
  wire: serverSentEvents,
  closing: [DONE],
  serves: ({ method, path }) => method === 'POST' && path === '/v1/chat/completions',
  wantsStream: ({ body }) => body['stream'] === true,
  authorize,
  validate,
  encode,
  frame,
  assemble,
  learn() {
    // This API issues no values that must be sent back.
  },
  errorBody,
  failure,
  errorEvents: (refusal) => [{ type: 'event', data: errorBody(refusal), part: false }],
};
