import type { Family } from './family.ts';

const IMAGES = 'image/(?:png|jpeg|gif|webp)';
const OFFICE =
  'application/(?:msword|vnd\\.ms-excel|vnd\\.openxmlformats-officedocument\\.(?:wordprocessingml\\.document|spreadsheetml\\.sheet))';
const only = (...types: string[]) => new RegExp(`^(?:${types.join('|')})$`);

/** File types that the models of a family accept. Text files are sent as text. */
const TAKEN: Record<Family, RegExp> = {
  anthropic: only(IMAGES, 'application/pdf'),
  'openai-responses': only(IMAGES, 'application/pdf'),
  google: only('image/(?:png|jpeg|webp|heic|heif)', 'application/pdf', 'audio/.+', 'video/.+'),
  bedrock: only(IMAGES, 'application/pdf', OFFICE, 'video/(?:mp4|quicktime|webm|mpeg)'),
  openrouter: only(IMAGES, 'application/pdf', 'audio/(?:wav|mp3|mpeg)'),
  other: only(IMAGES, 'application/pdf', 'audio/(?:wav|mp3|mpeg)'),
};

export const takesMedia = (family: Family, mediaType: string): boolean =>
  TAKEN[family].test(mediaType);

export const isTextType = (mediaType: string): boolean =>
  /^text\/|^image\/svg\b|^application\/(?:json|xml|yaml|x-yaml|javascript|toml)\b/.test(mediaType);
