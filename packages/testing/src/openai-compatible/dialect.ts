import type { Dialect } from '../dialect.ts';
import { openaiChat } from '../openai-chat/dialect.ts';
import { authorize } from './authorize.ts';
import { errorBody } from './errors.ts';
import { validate } from './validate.ts';

/** Chat Completions of Ollama, vLLM, LM Studio and many hosts: with `reasoning_content`, and mostly without a key. */
export const openaiCompatible: Dialect = {
  ...openaiChat,
  api: 'openai-compatible',
  carries: new Set([...openaiChat.carries, 'reasoning']),
  authorize,
  validate,
  errorBody,
  errorEvents: (refusal) => [{ type: 'event', data: errorBody(refusal), part: false }],
};
