import { expect, test } from 'vitest';
import {
  parseSummary,
  formatSummary,
  findSummaryError,
} from '../../../../faults/deployment/summary.ts';
import { type Plan, formatPlan } from '../../../../faults/deployment/plan.ts';

const plan = (id: string): Plan => ({ id, steps: [{ chunks: 1 }, { chunks: 1 }] });
const summary = { replaced: ['m-1', 'm-2'], left: { plan: plan('m-2'), step: 1 } };
const prompt = `Read this first.\n\n${formatSummary(summary)}`;

test('a summary is parsed, even after an introduction', () => {
  expect(parseSummary(prompt)).toEqual(summary);
  expect(parseSummary(formatSummary({ replaced: [] }))).toEqual({ replaced: [] });
  expect(parseSummary(formatPlan(plan('m-1')))).toBeUndefined();
});

test.each([
  ['without a summary', [formatPlan(plan('m-1')), 're:m-1/0 '], undefined],
  ['with later messages', [prompt, 're:m-2/1 ', formatPlan(plan('m-3'))], undefined],
  ['with a text before the summary', [formatPlan(plan('m-0')), prompt], '1 texts before'],
  ['with a replaced message', [prompt, formatPlan(plan('m-1'))], 'm-1'],
  ['with a replaced answer', [prompt, 're:m-2/0 '], 're:m-2/0'],
])('a prompt %s is checked', (_, texts, wrong) => {
  const found = findSummaryError(texts);
  if (wrong === undefined) expect(found).toBeUndefined();
  else expect(found).toContain(wrong);
});
