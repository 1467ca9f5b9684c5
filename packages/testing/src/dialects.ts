import type { Api } from './api.ts';
import type { Dialect } from './dialect.ts';
import { anthropic } from './anthropic/dialect.ts';
import { google } from './google/dialect.ts';
import { openaiChat } from './openai-chat/dialect.ts';
import { openaiResponses } from './openai-responses/dialect.ts';

export const dialects: Record<Api, Dialect> = {
  anthropic,
  'openai-chat': openaiChat,
  'openai-responses': openaiResponses,
  google,
};
