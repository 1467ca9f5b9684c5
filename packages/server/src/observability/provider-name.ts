/** By the first word of what models call themselves: few, whatever admins call their providers. */
const NAMES: ReadonlyMap<string, ProviderName> = new Map(
  Object.entries({
    anthropic: { label: 'anthropic', convention: 'anthropic' },
    openai: { label: 'openai', convention: 'openai' },
    google: { label: 'google', convention: 'gcp.gemini' },
    azure: { label: 'azure', convention: 'azure.ai.openai' },
    'azure-openai': { label: 'azure', convention: 'azure.ai.openai' },
    'amazon-bedrock': { label: 'bedrock', convention: 'aws.bedrock' },
    bedrock: { label: 'bedrock', convention: 'aws.bedrock' },
    'openai-compatible': { label: 'openai-compatible', convention: 'openai-compatible' },
    openrouter: { label: 'openrouter', convention: 'openrouter' },
    gateway: { label: 'vercel', convention: 'vercel' },
    demo: { label: 'demo', convention: 'demo' },
  }),
);

interface ProviderName {
  /** As our provider types are called. */
  readonly label: string;
  /** As OpenTelemetry's GenAI conventions call it, where they do. */
  readonly convention: string;
}

export const providerName = (provider: string): ProviderName =>
  NAMES.get(provider.split('.', 1)[0] ?? '') ?? { label: 'other', convention: 'other' };
