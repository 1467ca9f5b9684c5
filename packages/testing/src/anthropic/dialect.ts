import type { Dialect } from '../dialect.ts';
import { assemble } from './assemble.ts';
import { authorize } from './authorize.ts';
import { encode } from './encode.ts';
import { errorBody, errorEvents, failure } from './errors.ts';
import { frame } from './event.ts';
import { learn } from './learn.ts';
import { validate } from './validate.ts';
import { serverSentEvents } from '../wire.ts';

/** Anthropic Messages. */
export const anthropic: Dialect = {
  api: 'anthropic',
  basePath: '/v1',
  carries: new Set(['text', 'reasoning', 'tool-call', 'web-search', 'raw', 'gate']),
  wire: serverSentEvents,
  closing: [],
  serves: ({ method, path }) => method === 'POST' && path === '/v1/messages',
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
