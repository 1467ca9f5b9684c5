import type { Intent } from '../intent.ts';
import { say, script, think } from '../script.ts';

const DEFAULT_SECONDS = 60;
const MAX_SECONDS = 600;

const paragraph = (number: number): string =>
  `${number}. This is the ${ordinal(number)} paragraph of a slow response. While it runs, you can interrupt it, steer it with another message, queue a message, close the page and come back, or restart the server. Nothing is lost.`;

const ordinal = (number: number): string =>
  ['first', 'second', 'third', 'fourth', 'fifth', 'sixth'][number - 1] ?? `${number}th`;

function secondsIn(said: string): number {
  const [, amount, unit] = /(\d+(?:\.\d+)?)\s*(s|sec|seconds?|m|min|minutes?)\b/i.exec(said) ?? [];
  if (amount === undefined) return DEFAULT_SECONDS;
  const seconds = Number(amount) * (unit?.toLowerCase().startsWith('m') === true ? 60 : 1);
  return Math.min(MAX_SECONDS, Math.max(1, seconds));
}

export const beSlow: Intent = {
  try: 'be slow',
  shows:
    'a slow response of one minute, to interrupt, steer or leave (or: "be slow for 10 seconds")',
  matches: (said) => /\bslow(er|ly)?\b|\btake your time\b|\blong (answer|story)\b/i.test(said),
  begin: ({ said }) => ({
    ...script(
      think('I take my time.'),
      say([1, 2, 3, 4, 5, 6].map(paragraph).join('\n\n')),
      say('\n\nDone, slowly.'),
    ),
    lastsMs: secondsIn(said) * 1_000,
  }),
};
