import { expect, test } from 'vitest';
import { applyEdits } from './apply-edits.ts';

const edit = (file: string, old_text: string, new_text: string, replace_all?: boolean) =>
  applyEdits(file, [{ old_text, new_text, ...(replace_all !== undefined && { replace_all }) }]);

test('text that occurs once is replaced', () => {
  expect(edit('a = 1\nb = 2\n', 'b = 2', 'b = 3').text).toBe('a = 1\nb = 3\n');
});

test('text that differs only in white space is found, and its replacement keeps the indentation', () => {
  const file = 'class A {\n    run() {\n        go( 1 );\n    }\n}\n';
  const { text, problems } = edit(file, 'run() {\n    go( 1 );\n}', 'run() {\n    go(2);\n}');
  expect(problems).toEqual([]);
  expect(text).toBe('class A {\n    run() {\n        go(2);\n    }\n}\n');
});

test('an exact match takes precedence over matches that differ in white space', () => {
  expect(edit('  x\nx\n', '  x', 'y').text).toBe('y\nx\n');
});

test('text that occurs several times is refused with its line numbers', () => {
  const { problems } = edit('x\ny\nx\n', 'x', 'z');
  expect(problems[0]?.message).toContain('2 times, on lines 1, 3');
  expect(edit('x\ny\nx\n', 'x', 'z', true).text).toBe('z\ny\nz\n');
});

test('for text that does not occur, the most similar text is shown', () => {
  const file = 'one\nfunction add(a, b) {\n  return a + b;\n}\n';
  const { problems, text } = edit(file, 'function add(x, b) {\n  return x + b;', 'gone');
  expect(text).toBe(file);
  expect(problems[0]?.message).toContain('line 2:\nfunction add(a, b) {\n  return a + b;');
});

test('the line breaks of the file are kept', () => {
  expect(edit('a\r\nb\r\nc\r\n', 'a\nb', 'x\ny').text).toBe('x\r\ny\r\nc\r\n');
});

test('a line that differs only in white space is removed with its line break', () => {
  expect(edit('a\n   b\nc\n', 'b  ', '').text).toBe('a\nc\n');
});

test('edits apply to the result of earlier edits', () => {
  const edits = [
    { old_text: 'a', new_text: 'b' },
    { old_text: 'b', new_text: 'c' },
  ];
  expect(applyEdits('a\n', edits)).toEqual({ text: 'c\n', problems: [] });
});

test('an empty old_text creates a new file, and is refused for an existing one', () => {
  expect(applyEdits(undefined, [{ old_text: '', new_text: 'new\n' }]).text).toBe('new\n');
  expect(edit('old', '', 'new').problems).toHaveLength(1);
  expect(applyEdits(undefined, [{ old_text: 'x', new_text: 'y' }]).problems).toHaveLength(1);
});
