import { describe } from 'vitest';
import { answered, openai } from './answered.ts';
import { CONFIG, table } from './table.ts';

describe('Azure', () => {
  table([
    [
      'content filter',
      answered(
        400,
        openai({
          message:
            "The response was filtered due to the prompt triggering Azure OpenAI's content management policy. Please modify your prompt and retry.",
          type: null,
          param: 'prompt',
          code: 'content_filter',
          status: 400,
          innererror: {
            code: 'ResponsibleAIPolicyViolation',
            content_filter_result: { violence: { filtered: true } },
          },
        }),
      ),
      { kind: 'content_filter' },
    ],
    [
      'unknown deployment',
      answered(404, {
        error: {
          code: 'DeploymentNotFound',
          message: 'The API deployment for this resource does not exist.',
        },
      }),
      CONFIG,
    ],
    [
      'rate limit',
      answered(429, {
        error: {
          code: '429',
          message:
            'Requests to the ChatCompletions_Create Operation have exceeded the token rate limit.',
        },
      }),
      { kind: 'rate_limit' },
    ],
  ]);
});
