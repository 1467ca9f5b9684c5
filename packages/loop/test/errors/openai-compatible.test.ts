import { describe } from 'vitest';
import { answered, openai } from './answered.ts';
import { CONFIG, REFUSED, table, TOO_LONG } from './table.ts';

const vllm = (status: number, message: string, fields: object = {}) =>
  answered(status, {
    error: { message, type: 'BadRequestError', param: null, code: status, ...fields },
  });

describe('OpenAI-compatible servers', () => {
  table([
    [
      'DeepSeek: balance',
      answered(
        402,
        openai({
          message: 'Insufficient Balance',
          type: 'unknown_error',
          code: 'invalid_request_error',
        }),
      ),
      { kind: 'usage_limit' },
    ],
    [
      'DeepSeek: unknown model',
      answered(
        400,
        openai({
          message: 'Model Not Exist',
          type: 'invalid_request_error',
          code: 'invalid_request_error',
        }),
      ),
      CONFIG,
    ],
    [
      'DeepSeek: max_tokens',
      answered(
        400,
        openai({
          message: 'Invalid max_tokens value, the valid range of max_tokens is [1, 8192]',
          type: 'invalid_request_error',
        }),
      ),
      CONFIG,
    ],
    [
      'DeepSeek: content',
      answered(400, openai({ message: 'Content Exists Risk', type: 'invalid_request_error' })),
      { kind: 'content_filter' },
    ],
    [
      'Mistral: forbidden field',
      answered(422, {
        object: 'error',
        message: {
          detail: [
            {
              type: 'extra_forbidden',
              loc: ['body', 'messages', 1],
              msg: 'Extra inputs are not permitted',
              input: 'overloaded, insufficient_quota, prompt is too long',
            },
          ],
        },
        type: 'invalid_request_error',
        param: null,
        code: null,
      }),
      REFUSED,
    ],
    [
      'Mistral: order of messages',
      answered(400, {
        object: 'error',
        message:
          'Expected last role User or Tool (or Assistant with prefix True) for serving but got assistant',
        type: 'invalid_request_message_order',
        code: '3230',
      }),
      REFUSED,
    ],
    [
      'Mistral: long input',
      answered(400, {
        object: 'error',
        message:
          'Prompt contains 65673 tokens and 0 draft tokens, too large for model with 32768 maximum context length',
        type: 'invalid_request_error',
      }),
      TOO_LONG,
    ],
    [
      'Groq: max_tokens',
      answered(
        400,
        openai({
          message:
            '`max_tokens` must be less than or equal to `16384`, the maximum value for `max_tokens` is less than the `context_window` for this model',
          type: 'invalid_request_error',
          param: 'max_tokens',
        }),
      ),
      CONFIG,
    ],
    [
      'Groq: request above the rate limit',
      answered(
        413,
        openai({
          message:
            'Request too large for model `llama-3.3-70b-versatile` in organization `org_1` service tier `on_demand` on tokens per minute (TPM): Limit 12000, Requested 14137, please reduce your message size and try again.',
          type: 'tokens',
          code: 'rate_limit_exceeded',
        }),
      ),
      TOO_LONG,
    ],
    [
      'xAI: long input',
      answered(400, {
        code: 'Client specified an invalid argument',
        error:
          "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
      }),
      TOO_LONG,
    ],
    [
      'vLLM: long input',
      vllm(
        400,
        "This model's maximum context length is 8192 tokens. However, your request has 9000 input tokens. Please reduce the length of the input messages.",
      ),
      TOO_LONG,
    ],
    [
      'vLLM: max_tokens',
      vllm(
        400,
        "'max_tokens' or 'max_completion_tokens' is too large: 20000. This model's maximum context length is 8192 tokens and your request has 100 input tokens (20000 > 8192 - 100).",
      ),
      CONFIG,
    ],
    [
      'vLLM: max_tokens with a long input',
      vllm(
        400,
        "'max_tokens' or 'max_completion_tokens' is too large: 2000. This model's maximum context length is 8192 tokens and your request has 8000 input tokens (2000 > 8192 - 8000).",
      ),
      TOO_LONG,
    ],
    [
      'vLLM: input plus max_tokens',
      vllm(
        400,
        "This model's maximum context length is 2048 tokens. However, your request has 8 input tokens plus 2045 'max_tokens'. Please reduce one or the other.",
        { param: 'input_tokens, max_tokens' },
      ),
      CONFIG,
    ],
    [
      'vLLM: nothing left for the output',
      vllm(400, 'max_tokens must be at least 1, got -186.'),
      TOO_LONG,
    ],
    [
      'vLLM: unknown model',
      answered(404, {
        error: {
          message: 'The model `llama` does not exist.',
          type: 'NotFoundError',
          param: 'model',
          code: 404,
        },
      }),
      CONFIG,
    ],
    [
      'SGLang: max_tokens',
      vllm(
        400,
        "Requested token count exceeds the model's maximum context length of 8192 tokens. You requested a total of 20100 tokens: 100 tokens from the input messages and 20000 tokens for the completion.",
      ),
      CONFIG,
    ],
    [
      'TGI: long input',
      answered(422, {
        error:
          'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 32768. Given: 31000 `inputs` tokens and 4000 `max_new_tokens`',
        error_type: 'validation',
      }),
      TOO_LONG,
    ],
    [
      'llama.cpp: long input',
      answered(400, {
        error: {
          code: 400,
          message: 'the request exceeds the available context size, try increasing it',
          type: 'exceed_context_size_error',
          n_prompt_tokens: 14429,
          n_ctx: 8192,
        },
      }),
      TOO_LONG,
    ],
    [
      'llama.cpp: long input as a server error',
      answered(500, {
        error: {
          code: 500,
          message:
            'the request exceeds the available context size. try increasing the context size or enable context shift',
          type: 'server_error',
        },
      }),
      TOO_LONG,
    ],
    [
      'LM Studio: long input',
      answered(400, {
        error:
          'Trying to keep the first 111490 tokens when context the overflows. However, the model is loaded with context length of only 32768 tokens, which is not enough.',
      }),
      TOO_LONG,
    ],
    [
      'Ollama: unknown model',
      answered(404, {
        error: {
          message: "model 'llama9' not found",
          type: 'not_found_error',
          param: null,
          code: null,
        },
      }),
      CONFIG,
    ],
    [
      'Ollama: unknown model, as text',
      answered(404, { error: 'model "llama9" not found, try pulling it first' }),
      CONFIG,
    ],
    [
      'LiteLLM: long input',
      answered(
        400,
        openai({
          message:
            'litellm.ContextWindowExceededError: litellm.BadRequestError: AnthropicException - {"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 5 tokens > 4 maximum"}}. Received Model Group=claude',
          type: null,
          code: '400',
        }),
      ),
      TOO_LONG,
    ],
    [
      'LiteLLM: overloaded',
      answered(
        500,
        openai({
          message:
            'litellm.InternalServerError: AnthropicException - {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}',
          type: null,
          code: '500',
        }),
      ),
      { kind: 'overloaded' },
    ],
    [
      'LiteLLM: content',
      answered(
        400,
        openai({
          message:
            "litellm.BadRequestError: litellm.ContentPolicyViolationError: AzureException - The response was filtered due to the prompt triggering Azure OpenAI's content management policy.",
          type: null,
          code: '400',
        }),
      ),
      { kind: 'content_filter' },
    ],
    [
      'Moonshot: overloaded',
      answered(
        429,
        openai({
          message: 'The engine is currently overloaded, please try again later',
          type: 'engine_overloaded_error',
        }),
      ),
      { kind: 'overloaded' },
    ],
  ]);
});
