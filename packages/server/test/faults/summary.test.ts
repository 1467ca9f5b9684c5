import { expect, test } from 'vitest';
import {
  summaryIn,
  summaryWords,
  wronglySummarised,
} from '../../../../faults/deployment/summary.ts';
import { type Plan, planText } from '../../../../faults/deployment/plan.ts';

const plan = (id: string): Plan => ({ id, steps: [{ say: 1 }, { say: 1 }] });
const summary = { replaced: ['m-1', 'm-2'], left: { plan: plan('m-2'), step: 1 } };
const prompt = `Read this first.\n\n${summaryWords(summary)}`;

test('a summary is read as it was written, behind whatever stands before it', () => {
  expect(summaryIn(prompt)).toEqual(summary);
  expect(summaryIn(summaryWords({ replaced: [] }))).toEqual({ replaced: [] });
  expect(summaryIn(planText(plan('m-1')))).toBeUndefined();
});

test.each([
  ['without a summary', [planText(plan('m-1')), 're:m-1/0 '], undefined],
  ['with what came after it', [prompt, 're:m-2/1 ', planText(plan('m-3'))], undefined],
  ['with something before it', [planText(plan('m-0')), prompt], '1 texts before'],
  ['with a message that it replaced', [prompt, planText(plan('m-1'))], 'm-1'],
  ['with an answer that it replaced', [prompt, 're:m-2/0 '], 're:m-2/0'],
])('a prompt %s is judged by its words', (_, texts, wrong) => {
  const found = wronglySummarised(texts);
  if (wrong === undefined) expect(found).toBeUndefined();
  else expect(found).toContain(wrong);
});
