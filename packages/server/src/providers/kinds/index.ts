import type { ProviderType } from '@chatd/protocol';
import { anthropic } from './anthropic.ts';
import { azure } from './azure.ts';
import { bedrock } from './bedrock.ts';
import { demo } from './demo.ts';
import { google } from './google.ts';
import type { ProviderKind } from './kind.ts';
import { openaiCompatible } from './openai-compatible.ts';
import { openai } from './openai.ts';
import { openrouter } from './openrouter.ts';
import { vercel } from './vercel.ts';

/** All provider types. The type requires every one to be present. */
export const KINDS: Readonly<Record<ProviderType, ProviderKind>> = {
  anthropic,
  openai,
  google,
  azure,
  bedrock,
  'openai-compatible': openaiCompatible,
  openrouter,
  vercel,
  demo,
};
