import type { Dialect } from '../dialect.ts';
import { assemble } from './assemble.ts';
import { authorize } from './authorize.ts';
import { frame } from './chunk.ts';
import { encode } from './encode.ts';
import { errorBody, errorEvents, failure } from './errors.ts';
import { learn } from './learn.ts';
import { methodOf } from './model.ts';
import { validate } from './validate.ts';
import { serverSentEvents } from '../wire.ts';

/** Google's generateContent, streaming with `alt=sse`. */
export const google: Dialect = {
  api: 'google',
  basePath: '/v1beta',
  carries: new Set(['text', 'reasoning', 'tool-call', 'web-search', 'file', 'raw', 'gate']),
  wire: serverSentEvents,
  closing: [],
  serves: (request) => request.method === 'POST' && methodOf(request) !== undefined,
  wantsStream: (request) => methodOf(request) === 'streamGenerateContent',
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
