import { expect, test } from 'vitest';
import { changedFiles } from '../rows/changed-files.ts';
import { diffKinds } from './diff-kinds.ts';

const diff = [
  '--- a/q.sql',
  '+++ b/q.sql',
  '@@ -1,3 +1,3 @@',
  '--- keep the index',
  '-select 1;',
  '+++ not a file',
  '+select 2;',
  ' commit;',
  '--- /dev/null',
  '+++ b/new.txt',
  '@@ -0,0 +1 @@',
  '+a',
  String.raw`\ No newline at end of file`,
  '',
];

test('changed lines that look like headers are not headers', () => {
  expect(diffKinds(diff).join(' ')).toBe(
    'old-file file hunk removed removed added added other old-file file hunk added other other',
  );
});

test('the changed files of a turn have their numbers of changed lines', () => {
  const call = { tool_call_id: 'a', tool_name: 'edit_files' };
  const content = [
    { type: 'tool-call' as const, ...call, args: { files: [{ path: 'q.sql', edits: [] }] } },
    { type: 'tool-result' as const, ...call, result: diff.join('\n') },
  ];
  expect(changedFiles([{ content } as never])).toEqual([
    { path: 'q.sql', added: 2, removed: 2 },
    { path: 'new.txt', added: 1, removed: 0 },
  ]);
});
