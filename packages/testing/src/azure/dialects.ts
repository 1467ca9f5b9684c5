import type { Api } from '../api.ts';
import type { Dialect } from '../dialect.ts';
import { openaiChat } from '../openai-chat/dialect.ts';
import { openaiResponses } from '../openai-responses/dialect.ts';
import { errorEvents as responsesErrorEvents } from '../openai-responses/errors.ts';
import { authorize } from './authorize.ts';
import { filtered } from './content-filter.ts';
import { errorBody, failure } from './errors.ts';
import { pathOf, versionFault } from './place.ts';

/** An OpenAI API as served by Azure: with other paths, authentication and errors. */
function onAzure(api: Api, dialect: Dialect, path: string): Dialect {
  return {
    ...dialect,
    api,
    basePath: '/openai/v1',
    serves: (request) => request.method === 'POST' && pathOf(request) === path,
    authorize,
    validate: (request, issued) =>
      versionFault(request) ??
      // With a deployment, the path determines the model.
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
