import type { ErrorKind } from '@chatd/protocol';
import type { Rule } from './rules.ts';
import type { Signals } from './signals.ts';

/** What happened and what to do, by kind. `P` is the provider's name. */
const MESSAGES: Record<ErrorKind, string> = {
  overloaded: 'P is overloaded. Try again in a few minutes, or choose another model.',
  usage_limit: 'The quota of the P account is used up. Check its plan and billing.',
  auth: 'P rejected the credentials. Check the API key and its permissions.',
  rate_limit: 'The rate limit of P is reached. Try again later, or choose another model.',
  timeout: 'The connection to P was lost or timed out. Try again.',
  startup_timeout: 'P did not respond in time. Try again, or choose another model.',
  stream_silence_timeout: 'P stopped in the middle of its response. Try again.',
  config: 'P rejected the request. Check the model and its settings.',
  context_length: 'The conversation is too long for this model of P.',
  content_filter: 'P blocked this content. Rephrase the message, or choose another model.',
  missing_key: 'No API key is configured for P. Ask an admin to add one.',
  provider_disabled: 'P is disabled. Choose another model.',
  model_restricted: 'This model is restricted to groups. Choose another model.',
  spend_limit: 'The spend limit is reached.',
  step_limit: 'The turn reached the step limit.',
  crash_loop: 'The server process crashed several times in a row while running this chat.',
  generic: 'P returned an error. Try again, or choose another model.',
};

const NAMES: Record<string, string> = {
  anthropic: 'Anthropic',
  openai: 'OpenAI',
  google: 'Google',
  azure: 'Azure',
  'amazon-bedrock': 'Amazon Bedrock',
  openrouter: 'OpenRouter',
  gateway: 'Vercel AI Gateway',
};

const displayName = (provider: string): string =>
  NAMES[provider] ?? (provider === '' ? 'The provider' : provider);

export function messageFor(kind: ErrorKind, provider: string, status: number | undefined): string {
  // A function, because a provider's name may contain `$&`.
  const text = MESSAGES[kind].replace(/\bP\b/, () => displayName(provider));
  return status === undefined ? text : `${text} (HTTP ${status})`;
}

/** Kinds that a user can fix with the provider's message. */
const EXPLAINED = new Set<ErrorKind>(['config', 'context_length', 'usage_limit', 'generic']);
const SECRETS =
  /\b(?:sk|pk|rk|key|xai|gsk|AIza|ya29|ghp|Bearer)[-_ .]?[A-Za-z0-9_*.-]{6,}|[A-Za-z0-9_-]{32,}/g;

/** The message of the provider or the local error: one line, no secrets, never a raw body. */
export function detailOf({ cause, kind }: Rule, signals: Signals): string | undefined {
  if (!EXPLAINED.has(kind)) return undefined;
  // The innermost message comes from the provider where the error occurred.
  const message = signals.messages.at(-1) ?? signals.localMessages[0];
  const line = message?.split('\n', 1)[0]?.replace(SECRETS, '…').trim().slice(0, 300);
  if (line === undefined || line === '' || /^[[{<]/.test(line)) return undefined;
  return cause === 'output_limit' ? `max_output_tokens was rejected: ${line}` : line;
}
