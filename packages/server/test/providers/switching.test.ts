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

describe('a chat that switches providers sends no request that a provider refuses', () => {
  const path = ['anthropic', 'openai over Responses', 'google', 'anthropic'];

  test('with thinking, calls, images and web search', () => walk(path.map(named)));

  test('with responses that OpenAI stores', () =>
    walk(path.map((name) => ({ ...named(name), stored: true }))));

  test('with tool results that arrive after the switch', () =>
    walk(path.map((name): Move => ({ ...named(name), calls: ['add', 'ask'] }))));

  test('with each answer interrupted', () =>
    walk(path.map((name) => ({ ...named(name), cut: true }))));

  test('with tool call IDs that a server repeats', () =>
    walk(['openai-compatible', 'openai-compatible', 'anthropic', 'bedrock'].map(named)));

  test.each(SUBJECTS)('from $name to every other and back', ({ name }) =>
    walk(SUBJECTS.flatMap((other) => [named(name), named(other.name)])),
  );

  test('on random walks', { timeout: 120_000 }, () => walkAtRandom({ numRuns: 40, seed: 4 }));
});
