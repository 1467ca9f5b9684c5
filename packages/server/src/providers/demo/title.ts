import type { DemoRequest } from './request.ts';

const MAX_LENGTH = 6;

export function titleOf({ said }: DemoRequest): string {
  const [, first] = /<user>\s*([\s\S]*?)\s*<\/user>/.exec(said) ?? [];
  const words = (first ?? said).match(/[\p{L}\p{N}][\p{L}\p{N}'’-]*/gu) ?? [];
  const title = words.slice(0, MAX_LENGTH).join(' ');
  if (title === '') return 'New conversation';
  const capital = title.charAt(0).toUpperCase() + title.slice(1);
  return words.length === 1 ? `Demo: ${capital}` : capital;
}
