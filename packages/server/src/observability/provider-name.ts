/** By the first word of a model's provider id: a small set, unlike the names that admins choose. */
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
  readonly label: string;
  /** The name in OpenTelemetry's GenAI conventions, if there is one. */
  readonly convention: string;
}

export const providerName = (provider: string): ProviderName =>
  NAMES.get(provider.split('.', 1)[0] ?? '') ?? { label: 'other', convention: 'other' };
