import type { WorkspaceDiff } from '@chatd/protocol';

export type ChangedFile = WorkspaceDiff['repositories'][number]['files'][number];

const STATUS = {
  A: 'added',
  C: 'added',
  D: 'deleted',
  M: 'modified',
  R: 'renamed',
  T: 'type_changed',
} as const satisfies Record<string, ChangedFile['status']>;

const isKnown = (letter: string): letter is keyof typeof STATUS => Object.hasOwn(STATUS, letter);

/** Parses `git diff --raw --numstat -z`: first the status of every file, then the line counts. */
export function parseChanges(output: string): ChangedFile[] {
  const fields = output.split('\0');
  const files = new Map<string, ChangedFile>();
  for (let at = 0; at < fields.length;) {
    const field = fields[at] ?? '';
    if (field.startsWith(':')) {
      const letter = field.slice(field.lastIndexOf(' ') + 1).charAt(0);
      const pair = letter === 'R' || letter === 'C';
      const path = fields[at + (pair ? 2 : 1)] ?? '';
      files.set(path, {
        path,
        ...(pair && { old_path: fields[at + 1] ?? '' }),
        status: isKnown(letter) ? STATUS[letter] : 'modified',
        additions: 0,
        deletions: 0,
        binary: false,
        untracked: false,
      });
      at += pair ? 3 : 2;
      continue;
    }
    const [, added = '', deleted = '', name = ''] = /^(\d+|-)\t(\d+|-)\t(.*)$/s.exec(field) ?? [];
    if (added === '') {
      at += 1;
      continue;
    }
    const path = name === '' ? (fields[at + 2] ?? '') : name;
    const known = files.get(path);
    if (known !== undefined) files.set(path, { ...known, ...counts(added, deleted) });
    at += name === '' ? 3 : 1;
  }
  return [...files.values()];
}

export function counts(
  added: string,
  deleted: string,
): Pick<ChangedFile, 'additions' | 'deletions' | 'binary'> {
  const binary = added === '-';
  return {
    additions: binary ? null : Number(added),
    deletions: binary ? null : Number(deleted),
    binary,
  };
}
