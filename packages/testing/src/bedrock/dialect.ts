import type { Dialect } from '../dialect.ts';
import { assemble } from './assemble.ts';
import { authorize } from './authorize.ts';
import { encode } from './encode.ts';
import { errorBody, errorEvents, errorHeaders, failure } from './errors.ts';
import { eventStream } from './event-stream.ts';
import { frame } from './event.ts';
import { learn } from './learn.ts';
import { methodOf } from './model.ts';
import { validate } from './validate.ts';

/** Amazon Bedrock Converse, with Claude. */
export const bedrock: Dialect = {
  api: 'bedrock',
  basePath: '',
  carries: new Set(['text', 'reasoning', 'tool-call', 'raw', 'gate']),
  wire: eventStream,
  closing: [],
  serves: (request) => request.method === 'POST' && methodOf(request) !== undefined,
  wantsStream: (request) => methodOf(request) === 'converse-stream',
  authorize,
  validate,
  encode,
  streamHeaders: (answer, { ids }) => ({
    'x-amzn-requestid': answer?.responseId ?? ids('request'),
  }),
  frame,
  assemble,
  learn,
  errorBody,
  errorHeaders,
  failure,
  errorEvents,
};
