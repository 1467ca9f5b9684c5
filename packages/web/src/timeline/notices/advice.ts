import type { ErrorKind } from '@chatd/protocol';

/** What somebody can do about a failed turn. */
export type Remedy =
  | { readonly kind: 'again' }
  | { readonly kind: 'compact' }
  | { readonly kind: 'edit' }
  | { readonly kind: 'settings'; readonly section: string; readonly label: string };

interface Advice {
  readonly title: string;
  readonly words: string;
  /** What helps first; settings that only an admin has are left out for others. */
  readonly remedies: readonly Remedy[];
}

const AGAIN: Remedy = { kind: 'again' };
const KEYS: Remedy = { kind: 'settings', section: 'providers', label: 'Open providers' };
const MODELS: Remedy = { kind: 'settings', section: 'models', label: 'Open models' };

export const ADVICE: Readonly<Record<ErrorKind, Advice>> = {
  overloaded: {
    title: 'The provider is overloaded',
    words: 'It was asked again and again, without an answer. It usually passes within minutes.',
    remedies: [AGAIN],
  },
  rate_limit: {
    title: 'Too many requests',
    words: 'The provider limits how much can be asked in a while. Wait a little, then try again.',
    remedies: [AGAIN],
  },
  usage_limit: {
    title: 'The provider’s quota is used up',
    words: 'Its account needs credit or a higher limit. Another model goes on meanwhile.',
    remedies: [KEYS, AGAIN],
  },
  auth: {
    title: 'The provider did not accept the key',
    words: 'The key is wrong, has expired, or may not use this model. An admin can replace it.',
    remedies: [KEYS, AGAIN],
  },
  missing_key: {
    title: 'There is no key for this provider',
    words: 'A key has to be added before this model can answer.',
    remedies: [{ kind: 'settings', section: 'providers', label: 'Add a key' }, AGAIN],
  },
  provider_disabled: {
    title: 'This provider is turned off',
    words: 'An admin can turn it on again; or choose another model.',
    remedies: [KEYS, AGAIN],
  },
  config: {
    title: 'The provider refused the request',
    words:
      'The model’s settings do not fit it, or the chat is too long for it. Summarising makes it shorter.',
    remedies: [{ kind: 'compact' }, MODELS, AGAIN],
  },
  content_filter: {
    title: 'The provider refused the content',
    words: 'Saying it in other words may help.',
    remedies: [{ kind: 'edit' }],
  },
  timeout: {
    title: 'The connection to the provider broke',
    words: 'It was tried several times. What was committed before is kept.',
    remedies: [AGAIN],
  },
  startup_timeout: {
    title: 'The model did not begin to answer',
    words: 'Nothing came in time, several times in a row. Try again, or choose another model.',
    remedies: [AGAIN],
  },
  stream_silence_timeout: {
    title: 'The model fell silent',
    words: 'It began to answer, then nothing came for minutes. Try again, or choose another model.',
    remedies: [AGAIN],
  },
  spend_limit: {
    title: 'Your spend limit is reached',
    words:
      'What was done is kept. An admin can raise the limit; it begins anew with the next month.',
    remedies: [{ kind: 'settings', section: 'spend', label: 'Raise the limit' }, AGAIN],
  },
  step_limit: {
    title: 'This turn has taken as many steps as it may',
    words: 'What was done is kept. It goes on when you say so.',
    remedies: [AGAIN],
  },
  crash_loop: {
    title: 'This chat was set aside',
    words: 'The server process died each time it ran this chat. What was committed before is kept.',
    remedies: [AGAIN, { kind: 'edit' }],
  },
  generic: {
    title: 'The turn failed',
    words: 'What was committed before is kept.',
    remedies: [AGAIN],
  },
};
