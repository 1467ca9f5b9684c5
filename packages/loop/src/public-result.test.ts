import { expect, test } from 'vitest';
import { publicResult } from './public-result.ts';

test('encrypted fields are removed at every depth', () => {
  const pages = [
    { type: 'web_search_result', url: 'https://a.example/', encryptedContent: 'blob' },
    { content: { stdout: '2', encrypted_stdout: 'blob', citations: [{ encrypted_index: 'x' }] } },
  ];
  expect(publicResult(pages)).toEqual([
    { type: 'web_search_result', url: 'https://a.example/' },
    { content: { stdout: '2', citations: [{}] } },
  ]);
});

test('the stored result is not changed', () => {
  const stored = { encryptedContent: 'blob' };
  publicResult(stored);
  expect(stored).toEqual({ encryptedContent: 'blob' });
});

test('other fields stay, regardless of their names and values', () => {
  const result = JSON.parse(
    '{"encrypted": true, "__proto__": null, "texts": ["encryptedContent"]}',
  );
  expect(JSON.stringify(publicResult(result))).toBe(JSON.stringify(result));
});

test.each([null, 3, 'encryptedContent', true])('%j is its own public form', (value) => {
  expect(publicResult(value)).toBe(value);
});
