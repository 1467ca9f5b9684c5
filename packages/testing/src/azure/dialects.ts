import type { Api } from '../api.ts';
import type { Dialect } from '../dialect.ts';
import { openaiChat } from '../openai-chat/dialect.ts';
import { openaiResponses } from '../openai-responses/dialect.ts';
import { errorEvents as responsesErrorEvents } from '../openai-responses/errors.ts';
import { authorise } from './authorise.ts';
import { filtered } from './content-filter.ts';
import { errorBody, failure } from './errors.ts';
import { pathOf, versionFault } from './place.ts';

/** An API of OpenAI's as Azure serves it: at other paths, with another key and other errors. */
function onAzure(api: Api, dialect: Dialect, path: string): Dialect {
  return {
    ...dialect,
    api,
    basePath: '/openai/v1',
    serves: (request) => request.method === 'POST' && pathOf(request) === path,
    authorise,
    validate: (request, issued) =>
      versionFault(request) ??
      // Behind a deployment the model is told by the path.
      dialect.validate({ ...request, body: { model: 'deployed', ...request.body } }, issued),
    errorBody,
    failure,
  };
}

export const azureResponses: Dialect = {
  ...onAzure('azure-responses', openaiResponses, '/responses'),
  errorEvents: responsesErrorEvents,
};

export const azureChat: Dialect = {
  ...onAzure('azure-chat', openaiChat, '/chat/completions'),
  encode: (answer, context) => filtered(openaiChat.encode(answer, context)),
  errorEvents: (refusal) => [{ type: 'event', data: errorBody(refusal), part: false }],
};
