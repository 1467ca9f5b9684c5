import type { ErrorKind } from '@chatd/protocol';

/** An action after a failed turn. */
export type Remedy =
  | { readonly kind: 'again' }
  | { readonly kind: 'compact' }
  | { readonly kind: 'edit' }
  | { readonly kind: 'settings'; readonly section: string; readonly label: string };

interface Advice {
  readonly title: string;
  readonly words: string;
  /** The most useful action first. Admin actions are hidden from members. */
  readonly remedies: readonly Remedy[];
}

const AGAIN: Remedy = { kind: 'again' };
const KEYS: Remedy = { kind: 'settings', section: 'providers', label: 'Open providers' };
const MODELS: Remedy = { kind: 'settings', section: 'models', label: 'Open models' };

const ADVICE: Readonly<Record<ErrorKind, Advice>> = {
  overloaded: {
    title: 'Provider overloaded',
    words: 'All retries failed. Overloads usually pass within minutes.',
    remedies: [AGAIN],
  },
  rate_limit: {
    title: 'Rate limit exceeded',
    words: 'The provider limits the request rate. Wait a moment, then try again.',
    remedies: [AGAIN],
  },
  usage_limit: {
    title: 'Provider quota exhausted',
    words: 'The provider account needs credit or a higher limit. Until then, use another model.',
    remedies: [KEYS, AGAIN],
  },
  auth: {
    title: 'Provider authentication failed',
    words:
      'The API key is invalid, expired, or not allowed to use this model. An admin can replace it.',
    remedies: [KEYS, AGAIN],
  },
  missing_key: {
    title: 'API key missing',
    words: 'This provider needs an API key before its models can answer.',
    remedies: [{ kind: 'settings', section: 'providers', label: 'Add key' }, AGAIN],
  },
  provider_disabled: {
    title: 'Provider disabled',
    words: 'An admin can enable it again. Until then, use another model.',
    remedies: [KEYS, AGAIN],
  },
  model_restricted: {
    title: 'No access to this model',
    words: 'It is restricted to groups. Choose another model, or ask an admin for access.',
    remedies: [AGAIN],
  },
  config: {
    title: 'Request rejected by the provider',
    words:
      'The model is unknown to the provider, or a setting is invalid for it. Choose another model, or fix its settings.',
    remedies: [MODELS, AGAIN],
  },
  context_length: {
    title: 'Conversation too long',
    words:
      'The conversation exceeds the context of this model. Summarize the history, or choose a model with a larger context.',
    remedies: [{ kind: 'compact' }, AGAIN],
  },
  content_filter: {
    title: 'Content rejected by the provider',
    words: 'Try rephrasing the message.',
    remedies: [{ kind: 'edit' }],
  },
  timeout: {
    title: 'Connection to the provider lost',
    words: 'All retries failed. Committed steps are kept.',
    remedies: [AGAIN],
  },
  startup_timeout: {
    title: 'No response from the model',
    words:
      'The model did not respond in time, even after retries. Try again, or choose another model.',
    remedies: [AGAIN],
  },
  stream_silence_timeout: {
    title: 'Response stalled',
    words:
      'The model started to respond but then sent nothing for minutes. Try again, or choose another model.',
    remedies: [AGAIN],
  },
  spend_limit: {
    title: 'Spend limit reached',
    words: 'Completed work is kept. The limit resets next month, or an admin can raise it.',
    remedies: [{ kind: 'settings', section: 'spend', label: 'Raise limit' }, AGAIN],
  },
  step_limit: {
    title: 'Step limit reached',
    words: 'Completed work is kept. Continue when you are ready.',
    remedies: [AGAIN],
  },
  crash_loop: {
    title: 'Chat suspended after repeated crashes',
    words: 'The server process crashed each time it ran this chat. Committed steps are kept.',
    remedies: [AGAIN, { kind: 'edit' }],
  },
  generic: {
    title: 'Turn failed',
    words: 'Committed steps are kept.',
    remedies: [AGAIN],
  },
};

/** A newer server may report kinds that this page does not know. */
export const adviceFor = (kind: ErrorKind): Advice =>
  Object.hasOwn(ADVICE, kind) ? ADVICE[kind] : ADVICE.generic;
