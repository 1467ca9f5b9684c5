import type { Family } from './family.ts';

const PICTURES = 'image/(?:png|jpeg|gif|webp)';
const OFFICE =
  'application/(?:msword|vnd\\.ms-excel|vnd\\.openxmlformats-officedocument\\.(?:wordprocessingml\\.document|spreadsheetml\\.sheet))';
const only = (...types: string[]) => new RegExp(`^(?:${types.join('|')})$`);

/** Files that the models of a family can be shown; all text goes as text. */
const TAKEN: Record<Family, RegExp> = {
  anthropic: only(PICTURES, 'application/pdf'),
  'openai-responses': only(PICTURES, 'application/pdf'),
  google: only('image/(?:png|jpeg|webp|heic|heif)', 'application/pdf', 'audio/.+', 'video/.+'),
  bedrock: only(PICTURES, 'application/pdf', OFFICE, 'video/(?:mp4|quicktime|webm|mpeg)'),
  openrouter: only(PICTURES, 'application/pdf', 'audio/(?:wav|mp3|mpeg)'),
  other: only(PICTURES, 'application/pdf', 'audio/(?:wav|mp3|mpeg)'),
};

/**
 * Whether a file can be shown. One that cannot would make every later prompt of the chat one that is refused: the
 * model is told that there is one instead.
 */
export const takesMedia = (family: Family, mediaType: string): boolean =>
  TAKEN[family].test(mediaType);

export const unseen = (mediaType: string, name?: string): string =>
  `[a file that you cannot be shown: ${name === undefined ? '' : `${name}, `}${mediaType}]`;
