import type { FailureKind } from '../dialect.ts';
import type { JsonObject } from '../json.ts';
import type { Refusal } from '../refusal.ts';
import { failure as openaiFailure } from '../openai/errors.ts';

/** Errors of Azure's gateway, and errors that it words differently. */
const FAILURES: Partial<Record<FailureKind, Refusal>> = {
  'rate-limit': {
    status: 429,
    message:
      'Requests to the Creates a model response Operation under Azure OpenAI API have exceeded call rate limit of your current OpenAI S0 pricing tier. Please retry after 3 seconds.',
    code: '429',
    headers: { 'retry-after': '3', 'retry-after-ms': '3000' },
  },
  'bad-key': {
    status: 401,
    message:
      'Access denied due to invalid subscription key or wrong API endpoint. Make sure to provide a valid key for an active subscription and use a correct regional API endpoint for your resource.',
    code: '401',
  },
  forbidden: {
    status: 403,
    message: 'Access denied due to Virtual Network/Firewall rules.',
    code: '403',
  },
  'unknown-model': {
    status: 404,
    message:
      'The API deployment for this resource does not exist. If you created the deployment within the last 5 minutes, please wait a moment and try again.',
    code: 'DeploymentNotFound',
  },
  'content-filter': {
    status: 400,
    message:
      "The response was filtered due to the prompt triggering Azure OpenAI's content management policy. Please modify your prompt and retry.",
    param: 'prompt',
    code: 'content_filter',
  },
};

export function failure(kind: FailureKind): Refusal {
  return FAILURES[kind] ?? openaiFailure(kind);
}

/** Azure puts the reason of a filtered prompt into an inner error. */
export function errorBody({ status, message, param, code }: Refusal): JsonObject {
  const filtered = code === 'content_filter';
  return {
    error: {
      code: code ?? String(status),
      message,
      type: null,
      param: param ?? null,
      ...(filtered && {
        status,
        innererror: {
          code: 'ResponsibleAIPolicyViolation',
          content_filter_result: { violence: { filtered: true, severity: 'high' } },
        },
      }),
    },
  };
}
