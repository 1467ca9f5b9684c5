import type { Provider, ProviderType } from '@chatd/protocol';

export interface OptionField {
  readonly name: string;
  readonly label: string;
  readonly help?: string;
  readonly placeholder?: string;
  /** One of these; the first stands for what holds when nothing is said. */
  readonly choices?: readonly { readonly value: string; readonly label: string }[];
  readonly kind?: 'switch';
}

interface TypeLook {
  readonly label: string;
  readonly about: string;
  /** What a key of it looks like. */
  readonly keyHint: string;
  readonly baseUrl: 'needed' | 'own' | 'none';
  readonly baseUrlHint?: string;
  readonly keyNeeded: boolean;
  readonly options: readonly OptionField[];
}

const API: OptionField = {
  name: 'api',
  label: 'API',
  help: 'Which of its two APIs is spoken.',
  choices: [
    { value: '', label: 'Responses (unless told)' },
    { value: 'responses', label: 'Responses' },
    { value: 'chat', label: 'Chat Completions' },
  ],
};

/** How each type of provider is asked for. */
export const TYPES: Readonly<Record<ProviderType, TypeLook>> = {
  anthropic: {
    label: 'Anthropic',
    about: 'Claude models',
    keyHint: 'sk-ant-…',
    baseUrl: 'own',
    baseUrlHint: 'https://api.anthropic.com/v1',
    keyNeeded: true,
    options: [],
  },
  openai: {
    label: 'OpenAI',
    about: 'GPT models',
    keyHint: 'sk-…',
    baseUrl: 'own',
    baseUrlHint: 'https://api.openai.com/v1',
    keyNeeded: true,
    options: [
      API,
      { name: 'organization', label: 'Organization', placeholder: 'org-…' },
      { name: 'project', label: 'Project', placeholder: 'proj_…' },
    ],
  },
  google: {
    label: 'Google',
    about: 'Gemini models',
    keyHint: 'AIza…',
    baseUrl: 'own',
    keyNeeded: true,
    options: [],
  },
  'openai-compatible': {
    label: 'OpenAI-compatible',
    about: 'Ollama, LM Studio, vLLM, and services that speak the same',
    keyHint: 'Only if the service wants one',
    baseUrl: 'needed',
    baseUrlHint: 'http://127.0.0.1:11434/v1',
    keyNeeded: false,
    options: [
      {
        name: 'media_in_tool_results',
        label: 'It takes images in results of tools',
        help: 'Chat Completions does not foresee them; some services take them all the same.',
        kind: 'switch',
      },
    ],
  },
  openrouter: {
    label: 'OpenRouter',
    about: 'Models of many, with one key',
    keyHint: 'sk-or-…',
    baseUrl: 'own',
    keyNeeded: true,
    options: [
      { name: 'app_name', label: 'Name of your app', help: "Shown on OpenRouter's pages." },
      { name: 'app_url', label: 'Address of your app', placeholder: 'https://…' },
    ],
  },
  vercel: {
    label: 'Vercel AI Gateway',
    about: 'Models of many, with one key',
    keyHint: 'vck_…',
    baseUrl: 'own',
    keyNeeded: true,
    options: [{ name: 'team', label: 'Team', help: 'For a token that can use several teams.' }],
  },
  azure: {
    label: 'Azure OpenAI',
    about: 'Models that you deployed there',
    keyHint: 'The key of the resource',
    baseUrl: 'own',
    baseUrlHint: 'Made from the name of the resource',
    keyNeeded: true,
    options: [
      { name: 'resource_name', label: 'Name of the resource', placeholder: 'my-resource' },
      API,
      { name: 'api_version', label: 'API version', placeholder: 'v1' },
      {
        name: 'deployment_urls',
        label: 'Addresses of the older form',
        help: 'With the deployment in them.',
        kind: 'switch',
      },
    ],
  },
  bedrock: {
    label: 'Amazon Bedrock',
    about: 'Claude and others, in your AWS account',
    keyHint: 'An API key of Bedrock, or AWS credentials below',
    baseUrl: 'own',
    keyNeeded: false,
    options: [
      { name: 'region', label: 'Region', placeholder: 'us-east-1' },
      {
        name: 'model_family',
        label: 'Family of models',
        help: 'For an inference profile whose id does not say what is behind it.',
        choices: [
          { value: '', label: 'As the id says' },
          { value: 'anthropic', label: 'Anthropic' },
        ],
      },
    ],
  },
  demo: {
    label: 'Demo',
    about: 'Built in: no key, no network',
    keyHint: '',
    baseUrl: 'none',
    keyNeeded: false,
    options: [
      {
        name: 'pace',
        label: 'Pace',
        choices: [
          { value: '', label: 'Readable' },
          { value: 'instant', label: 'At once' },
        ],
      },
    ],
  },
};

export const CREATABLE = Object.keys(TYPES).filter(
  (type): type is Exclude<ProviderType, 'demo'> => type !== 'demo',
);

/** What a form about a provider holds; options as text, since that is what fields hold. */
export interface ProviderValues {
  readonly name: string;
  readonly base_url: string;
  readonly api_key: string;
  readonly access_key_id: string;
  readonly secret_access_key: string;
  readonly session_token: string;
  readonly options: Readonly<Record<string, string | boolean>>;
  readonly enabled: boolean;
  readonly allow_user_keys: boolean;
}

export const NO_SECRETS = {
  api_key: '',
  access_key_id: '',
  secret_access_key: '',
  session_token: '',
} as const;

export function valuesOf(provider: Provider): ProviderValues {
  const options = Object.entries(provider.options ?? {});
  return {
    ...NO_SECRETS,
    name: provider.name,
    base_url: provider.base_url ?? '',
    options: Object.fromEntries(
      options.map(([name, value]) => [name, typeof value === 'string' ? value : value === true]),
    ),
    enabled: provider.enabled,
    allow_user_keys: provider.allow_user_keys,
  };
}

export const newValues = (type: ProviderType): ProviderValues => ({
  ...NO_SECRETS,
  name: TYPES[type].label,
  base_url: '',
  options: {},
  enabled: true,
  allow_user_keys: false,
});

/** Options without those that say nothing. */
export const optionsOf = ({ options }: ProviderValues): Record<string, string | boolean> =>
  Object.fromEntries(
    Object.entries(options)
      .map(([name, value]) => [name, typeof value === 'string' ? value.trim() : value] as const)
      .filter(([, value]) => value !== '' && value !== false),
  );

/** Secrets that were typed; those that were not stay as they are. */
export function secretsOf(values: ProviderValues) {
  const { api_key, access_key_id, secret_access_key, session_token } = values;
  return {
    ...(api_key !== '' && { api_key: api_key.trim() }),
    ...((access_key_id !== '' || secret_access_key !== '') && {
      aws_credentials: {
        access_key_id: access_key_id.trim(),
        secret_access_key: secret_access_key.trim(),
        ...(session_token !== '' && { session_token: session_token.trim() }),
      },
    }),
  };
}
