import { expect, test } from 'vitest';
import { z } from 'zod';
import { refusalFrom } from './issues.ts';

test('a refusal lists the first errors only', () => {
  const schema = z.array(z.array(z.string()));
  const { error } = schema.safeParse(Array.from({ length: 60 }, () => Array(60).fill(0)));
  const refused = refusalFrom('body', error?.issues ?? []);
  expect(refused.errors).toHaveLength(100);
});
