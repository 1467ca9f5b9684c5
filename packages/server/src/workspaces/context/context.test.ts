import { expect, test } from 'vitest';
import { contextPrompt } from './context.ts';

test('the prompt shows the problem of a skill in place of its description', () => {
  const problem = '.agents/skills/a/SKILL.md: The front matter is not valid YAML: x at line 2.';
  const [, skills] = contextPrompt({
    root: '/workspace',
    files: [],
    skills: [
      { name: 'a', description: '', folder: '.agents/skills/a', problem },
      { name: 'b', description: 'When to use b.', folder: '.agents/skills/b' },
    ],
  });
  expect(skills?.split('\n').slice(1)).toEqual([`- a: ${problem}`, '- b: When to use b.']);
});
