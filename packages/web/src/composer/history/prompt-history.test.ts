import { expect, test } from 'vitest';
import { promptsOf, type HistoryPosition, recallPrompt } from './prompt-history.ts';

const said = (role: 'user' | 'assistant', text: string) => ({
  role,
  content: [{ type: 'text' as const, text }],
});
const prompts = () => ['newest', 'older\nof two lines', 'oldest'];
const at = (text: string, place: 'start' | 'end' = 'end') => {
  const caret = place === 'start' ? 0 : text.length;
  return { text, start: caret, end: caret };
};

test('prompts of this chat come before those of other chats, newest first, each once', () => {
  const messages = [said('user', 'one'), said('assistant', 'no'), said('user', 'two')];
  expect(promptsOf(messages, ['elsewhere', 'one'])).toEqual(['two', 'one', 'elsewhere']);
});

test('up recalls older prompts, down returns to the draft', () => {
  let walk: HistoryPosition | undefined;
  const seen: string[] = [];
  let text = 'half a thought';
  const press = (key: 'ArrowUp' | 'ArrowDown', place: 'start' | 'end' = 'end') => {
    const step = recallPrompt(walk, key, at(text, place), prompts);
    if (step === undefined) return seen.push('–');
    walk = step.walk;
    text = step.text;
    return seen.push(text);
  };
  press('ArrowUp', 'start');
  for (const _ of [1, 2, 3]) press('ArrowUp');
  for (const _ of [1, 2, 3, 4]) press('ArrowDown');
  expect(seen).toEqual([...prompts(), '–', 'older\nof two lines', 'newest', 'half a thought', '–']);
});

test('arrows in the middle of a text only move the cursor', () => {
  expect(
    recallPrompt(undefined, 'ArrowUp', { text: 'abc', start: 1, end: 1 }, prompts),
  ).toBeUndefined();
  expect(recallPrompt(undefined, 'ArrowUp', at('abc', 'end'), prompts)).toBeUndefined();
  expect(
    recallPrompt(undefined, 'ArrowUp', { text: 'abc', start: 0, end: 3 }, prompts),
  ).toBeUndefined();
});

test('an edited prompt becomes the draft', () => {
  const walk = { prompts: prompts(), at: 1, written: '' };
  expect(recallPrompt(walk, 'ArrowUp', at('newest!'), prompts)).toBeUndefined();
  expect(recallPrompt(walk, 'ArrowDown', at('newest!'), prompts)).toBeUndefined();
});
