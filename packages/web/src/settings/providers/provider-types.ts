import type { Provider, ProviderType } from '@chatd/protocol';

export interface OptionField {
  readonly name: string;
  readonly label: string;
  readonly help?: string;
  readonly placeholder?: string;
  /** Choices; the first is the default. */
  readonly choices?: readonly { readonly value: string; readonly label: string }[];
  readonly kind?: 'switch';
}

interface TypeLook {
  readonly label: string;
  readonly about: string;
  /** The form of its keys. */
  readonly keyHint: string;
  readonly baseUrl: 'needed' | 'own' | 'none';
  readonly baseUrlHint?: string;
  readonly keyNeeded: boolean;
  readonly options: readonly OptionField[];
}

const API: OptionField = {
  name: 'api',
  label: 'API',
  help: 'The OpenAI API to use.',
  choices: [
    { value: '', label: 'Responses (default)' },
    { value: 'responses', label: 'Responses' },
    { value: 'chat', label: 'Chat Completions' },
  ],
};

/** The form of each provider type. */
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
    about: 'Ollama, LM Studio, vLLM and others',
    keyHint: 'Optional',
    baseUrl: 'needed',
    baseUrlHint: 'http://127.0.0.1:11434/v1',
    keyNeeded: false,
    options: [
      {
        name: 'media_in_tool_results',
        label: 'Images in tool results',
        help: 'Not part of Chat Completions, but some services accept them.',
        kind: 'switch',
      },
    ],
  },
  openrouter: {
    label: 'OpenRouter',
    about: 'Models of many providers with one key',
    keyHint: 'sk-or-…',
    baseUrl: 'own',
    keyNeeded: true,
    options: [
      { name: 'app_name', label: 'App name', help: 'Shown on OpenRouter.' },
      { name: 'app_url', label: 'App URL', placeholder: 'https://…' },
    ],
  },
  vercel: {
    label: 'Vercel AI Gateway',
    about: 'Models of many providers with one key',
    keyHint: 'vck_…',
    baseUrl: 'own',
    keyNeeded: true,
    options: [{ name: 'team', label: 'Team', help: 'For tokens with access to several teams.' }],
  },
  azure: {
    label: 'Azure OpenAI',
    about: 'Models deployed in Azure',
    keyHint: 'Key of the resource',
    baseUrl: 'own',
    baseUrlHint: 'Derived from the resource name',
    keyNeeded: true,
    options: [
      { name: 'resource_name', label: 'Resource name', placeholder: 'my-resource' },
      API,
      { name: 'api_version', label: 'API version', placeholder: 'v1' },
      {
        name: 'deployment_urls',
        label: 'Legacy URLs',
        help: 'With the deployment name in the path.',
        kind: 'switch',
      },
    ],
  },
  bedrock: {
    label: 'Amazon Bedrock',
    about: 'Claude and other models in your AWS account',
    keyHint: 'Bedrock API key, or use AWS credentials below',
    baseUrl: 'own',
    keyNeeded: false,
    options: [
      { name: 'region', label: 'Region', placeholder: 'us-east-1' },
      {
        name: 'model_family',
        label: 'Model family',
        help: 'For inference profiles whose id does not include it.',
        choices: [
          { value: '', label: 'From the id' },
          { value: 'anthropic', label: 'Anthropic' },
        ],
      },
    ],
  },
  demo: {
    label: 'Demo',
    about: 'Built in: no key and no network required',
    keyHint: '',
    baseUrl: 'none',
    keyNeeded: false,
    options: [
      {
        name: 'pace',
        label: 'Speed',
        choices: [
          { value: '', label: 'Realistic' },
          { value: 'instant', label: 'Instant' },
        ],
      },
    ],
  },
};

export const CREATABLE = Object.keys(TYPES).filter(
  (type): type is Exclude<ProviderType, 'demo'> => type !== 'demo',
);

/** Form values. Options are kept as text. */
export interface ProviderValues {
  readonly name: string;
  readonly base_url: string;
  readonly api_key: string;
  readonly access_key_id: string;
  readonly secret_access_key: string;
  readonly session_token: string;
  readonly options: Readonly<Record<string, string | boolean>>;
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
  };
}

export const newValues = (type: ProviderType): ProviderValues => ({
  ...NO_SECRETS,
  name: TYPES[type].label,
  base_url: '',
  options: {},
});

/** Options without empty values. */
export const optionsOf = ({ options }: ProviderValues): Record<string, string | boolean> =>
  Object.fromEntries(
    Object.entries(options)
      .map(([name, value]) => [name, typeof value === 'string' ? value.trim() : value] as const)
      .filter(([, value]) => value !== '' && value !== false),
  );

/** Entered secrets. Empty ones keep their stored value. */
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
