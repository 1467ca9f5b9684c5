import type { Api } from './api.ts';
import type { Dialect } from './dialect.ts';
import { anthropic } from './anthropic/dialect.ts';
import { azureChat, azureResponses } from './azure/dialects.ts';
import { bedrock } from './bedrock/dialect.ts';
import { gateway } from './gateway/dialect.ts';
import { google } from './google/dialect.ts';
import { openaiChat } from './openai-chat/dialect.ts';
import { openaiCompatible } from './openai-compatible/dialect.ts';
import { openaiResponses } from './openai-responses/dialect.ts';
import { openrouter } from './openrouter/dialect.ts';

export const dialects: Record<Api, Dialect> = {
  anthropic,
  'openai-chat': openaiChat,
  'openai-responses': openaiResponses,
  'openai-compatible': openaiCompatible,
  'azure-chat': azureChat,
  'azure-responses': azureResponses,
  google,
  bedrock,
  openrouter,
  gateway,
};
