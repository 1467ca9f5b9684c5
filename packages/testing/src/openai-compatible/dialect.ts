import type { Dialect } from '../dialect.ts';
import { openaiChat } from '../openai-chat/dialect.ts';
import { authorise } from './authorise.ts';
import { errorBody } from './errors.ts';
import { validate } from './validate.ts';

/** Chat Completions as Ollama, vLLM, LM Studio and many hosts speak it: with `reasoning_content`, and mostly without a key. */
export const openaiCompatible: Dialect = {
  ...openaiChat,
  api: 'openai-compatible',
  carries: new Set([...openaiChat.carries, 'reasoning']),
  authorise,
  validate,
  errorBody,
  errorEvents: (refusal) => [{ type: 'event', data: errorBody(refusal), part: false }],
};
