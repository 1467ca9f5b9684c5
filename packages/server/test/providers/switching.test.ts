import { describe, test } from 'vitest';
import { walk, walkAtRandom } from './support/moves.ts';
import { SUBJECTS } from './support/subjects.ts';
import type { Move } from './support/walk.ts';

const named = (name: string): Move => ({
  subject: SUBJECTS.find((subject) => subject.name === name)!,
  stored: false,
  thinks: 'aloud',
  searches: true,
  says: true,
  calls: ['add', 'mcp.look'],
  bare: false,
  overflows: false,
  cut: false,
  shows: 'image/png',
  draws: true,
});

describe('a chat that is answered by one provider after another sends nothing that is refused', () => {
  const path = ['anthropic', 'openai over Responses', 'google', 'anthropic'];

  test('with thinking, calls, images and web search', () => walk(path.map(named)));

  test('with what OpenAI keeps', () =>
    walk(path.map((name) => ({ ...named(name), stored: true }))));

  test('with calls of one that are answered when the other has its turn', () =>
    walk(path.map((name): Move => ({ ...named(name), calls: ['add', 'ask'] }))));

  test('with each of them interrupted', () =>
    walk(path.map((name) => ({ ...named(name), cut: true }))));

  test('with ids that a server gives out twice', () =>
    walk(['openai-compatible', 'openai-compatible', 'anthropic', 'bedrock'].map(named)));

  test.each(SUBJECTS)('from $name to every other and back', ({ name }) =>
    walk(SUBJECTS.flatMap((other) => [named(name), named(other.name)])),
  );

  test('wherever it goes', { timeout: 120_000 }, () => walkAtRandom({ numRuns: 40, seed: 4 }));
});
