import { expect, test } from 'vitest';
import { cutResult, cutText, resultBudget } from './result-budget.ts';

test('the budget is a third of the context at 3 bytes per token, at least 16 KiB, and 64 KiB if unknown', () => {
  expect(resultBudget(200_000)).toBe(199_998);
  expect(resultBudget(4_096)).toBe(16 * 1024);
  expect(resultBudget(undefined)).toBe(64 * 1024);
});

test('two thirds are head, one third is tail, and a line between them tells how much was cut', () => {
  const cut = cutText('a'.repeat(600) + 'b'.repeat(600), 300);
  expect(cut).toBe(`${'a'.repeat(200)}\n[… 900 of 1200 bytes were cut here …]\n${'b'.repeat(100)}`);
});

test('a result within the budget is unchanged', () => {
  expect(cutText('ä'.repeat(150), 300)).toBe('ä'.repeat(150));
  expect(cutResult({ a: [1, 2] }, 300)).toEqual({ a: [1, 2] });
});

test('no character is split', () => {
  const cut = cutText('€'.repeat(500), 301);
  expect(cut).not.toContain('\uFFFD');
  expect(cut.isWellFormed()).toBe(true);
});

test('head and tail are the ends of the text, within the budget, for characters of any width', () => {
  const text = 'aé€😀'.repeat(40);
  for (let budget = 12; budget < 120; budget += 1) {
    const [, head = '', cut, size, tail = ''] =
      /^(.*)\n\[… (\d+) of (\d+) bytes were cut here …\]\n(.*)$/u.exec(cutText(text, budget)) ?? [];
    expect(text.startsWith(head) && text.endsWith(tail)).toBe(true);
    const kept = Buffer.byteLength(head) + Buffer.byteLength(tail);
    expect([Number(size), Number(cut)]).toEqual([400, 400 - kept]);
    expect(kept).toBeGreaterThan(budget - 5);
    expect(kept).toBeLessThan(budget + 4);
  }
});

test('JSON over the budget becomes text', () => {
  const cut = cutResult({ long: 'x'.repeat(1000) }, 300);
  expect(cut).toMatch(/^\{"long":"x+\n\[… \d+ of 1011 bytes were cut here …\]\nx+"\}$/);
});
