import { APICallError } from '@ai-sdk/provider';

/** An error as the provider packages create it. `message` is the message that they found in the body. */
export const answered = (
  statusCode: number,
  body: unknown,
  extra: { message?: string; headers?: Record<string, string> } = {},
): APICallError =>
  new APICallError({
    message: extra.message ?? 'Bad Request',
    url: 'https://api.example/v1/chat',
    requestBodyValues: { messages: ['the billing system is overloaded: rate limit exceeded'] },
    statusCode,
    responseBody: typeof body === 'string' ? body : JSON.stringify(body),
    ...(extra.headers && { responseHeaders: extra.headers }),
  });

/** An error body of Anthropic's API. */
export const anthropic = (type: string, message: string): object => ({
  type: 'error',
  error: { type, message },
});

/** An error body of OpenAI's API and compatible servers. */
export const openai = (fields: object): object => ({
  error: { param: null, code: null, ...fields },
});
