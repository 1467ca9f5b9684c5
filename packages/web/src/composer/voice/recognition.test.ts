import { expect, test } from 'vitest';
import { withHeard } from './recognition.ts';

test('interim text is replaced until it is final, and typed text is kept', () => {
  const first = withHeard('Please', '', { final: '', interim: 'fix' });
  expect(first).toEqual({ text: 'Please fix', interim: ' fix' });
  const second = withHeard(first.text, first.interim, { final: '', interim: 'fix the' });
  expect(second.text).toBe('Please fix the');
  const third = withHeard(second.text, second.interim, { final: 'fix the tests', interim: 'and' });
  expect(third).toEqual({ text: 'Please fix the tests and', interim: ' and' });
  // The user typed in between: nothing of it is removed.
  const typed = withHeard(`${third.text}!`, third.interim, { final: 'and go', interim: '' });
  expect(typed).toEqual({ text: 'Please fix the tests and! and go', interim: '' });
});

test('the first words are not preceded by a space', () => {
  expect(withHeard('', '', { final: ' Hello', interim: ' you' }).text).toBe('Hello you');
  expect(withHeard('One\n', '', { final: 'two', interim: '' }).text).toBe('One\ntwo');
});
