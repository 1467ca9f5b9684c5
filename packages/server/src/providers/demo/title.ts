import type { DemoRequest } from './request.ts';

const LONGEST = 6;

/** The first words of the first user message. */
export function titleOf({ said }: DemoRequest): string {
  const [, first] = /<user>\s*([\s\S]*?)\s*<\/user>/.exec(said) ?? [];
  const words = (first ?? said).match(/[\p{L}\p{N}][\p{L}\p{N}'’-]*/gu) ?? [];
  const title = words.slice(0, LONGEST).join(' ');
  if (title === '') return 'New conversation';
  const capital = title.charAt(0).toUpperCase() + title.slice(1);
  return words.length === 1 ? `Demo: ${capital}` : capital;
}
