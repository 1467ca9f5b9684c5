import type { ErrorKind } from '@chatd/protocol';
import type { Rule } from './rules.ts';
import type { Signals } from './signals.ts';

/** What happened and what to do, by kind. `P` stands for the provider's name. */
const MESSAGES: Record<ErrorKind, string> = {
  overloaded: 'P is overloaded. Try again in a few minutes, or choose another model.',
  usage_limit: 'The account at P has used up its quota. Check its plan and billing.',
  auth: 'P rejected the credentials. Check the API key and what it is allowed to use.',
  rate_limit: 'P limits how often it may be called. Try again later, or choose another model.',
  timeout: 'The connection to P was lost or took too long. Try again.',
  startup_timeout: 'P did not begin to answer in time. Try again, or choose another model.',
  stream_silence_timeout: 'P stopped in the middle of its answer. Try again.',
  config: 'P did not accept the request. Check the model and its settings.',
  content_filter: 'P refused this content. Rephrase the message, or choose another model.',
  missing_key: 'There is no API key for P. An administrator must add one.',
  provider_disabled: 'P is disabled. Choose another model.',
  spend_limit: 'The spending limit is reached.',
  step_limit: 'The turn took too many steps.',
  crash_loop: 'The server process that ran this chat died several times in a row.',
  generic: 'P answered with an error. Try again, or choose another model.',
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
  // A function, since a provider's name may hold `$&`.
  const text = MESSAGES[kind].replace(/\bP\b/, () => displayName(provider));
  return status === undefined ? text : `${text} (HTTP ${status})`;
}

/** Kinds whose cause a person can mend, if told what the provider said. */
const EXPLAINED = new Set<ErrorKind>(['config', 'usage_limit', 'generic']);
const SECRETS =
  /\b(?:sk|pk|rk|key|xai|gsk|AIza|ya29|ghp|Bearer)[-_ .]?[A-Za-z0-9_*.-]{6,}|[A-Za-z0-9_-]{32,}/g;

/** The provider's own sentence, or that of the local error: one line, no secrets, never a raw body. */
export function detailOf({ cause, kind }: Rule, signals: Signals): string | undefined {
  if (!EXPLAINED.has(kind)) return undefined;
  // The innermost message is the one of the provider where the error arose.
  const message = signals.messages.at(-1) ?? signals.localMessages[0];
  const line = message?.split('\n', 1)[0]?.replace(SECRETS, '…').trim().slice(0, 300);
  if (line === undefined || line === '' || /^[[{<]/.test(line)) return undefined;
  return cause === 'output_limit' ? `max_output_tokens is not accepted: ${line}` : line;
}
