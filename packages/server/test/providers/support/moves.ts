import * as fc from 'fast-check';
import { expect } from 'vitest';
import { MEDIA_TYPES } from './picture.ts';
import { SUBJECTS } from './subjects.ts';
import { type Move, TOOL_NAMES, Walk } from './walk.ts';

const move: fc.Arbitrary<Move> = fc.record({
  subject: fc.constantFrom(...SUBJECTS),
  stored: fc.boolean(),
  thinks: fc.constantFrom('not', 'aloud', 'secretly'),
  searches: fc.boolean(),
  says: fc.boolean(),
  calls: fc.array(fc.constantFrom(...TOOL_NAMES), { maxLength: 3 }),
  bare: fc.nat(4).map((n) => n === 0),
  overflows: fc.nat(9).map((n) => n === 0),
  cut: fc.nat(4).map((n) => n === 0),
  shows: fc.constantFrom('nothing', ...MEDIA_TYPES),
  draws: fc.nat(4).map((n) => n === 0),
});

const describeMove = ({ subject, ...how }: Move): string =>
  `${subject.name} ${JSON.stringify(how)}`;

/** Runs a chat that is answered by one model after another. */
export async function walk(moves: readonly Move[]): Promise<void> {
  await using chat = new Walk();
  for (const one of moves) await chat.go(one);
}

/** Runs random walks. A failure names the refused request, the steps before it, and the seed. */
export async function walkAtRandom(options: { numRuns: number; seed: number }): Promise<void> {
  const moves = fc.array(move, { minLength: 2, maxLength: 8, size: 'max' });
  await fc.assert(fc.asyncProperty(moves, walk), {
    ...options,
    reporter({ failed, counterexample, errorInstance, seed }) {
      if (!failed) return;
      const steps = counterexample?.[0].map(describeMove).join('\n') ?? '';
      expect.fail(`${String(errorInstance)}\n\nafter these steps (seed ${seed}):\n${steps}`);
    },
  });
}
