import type { Json, Message } from '@chatd/protocol';
import { diffKinds } from '../tools/diff-kinds.ts';
import { isObject, objectsIn } from '../tools/read-view.ts';

export interface ChangedFile {
  readonly path: string;
  readonly added: number;
  readonly removed: number;
}

/** The files that `edit_files` and `write_file` changed, in order, with the sums of their changes. */
export function changedFiles(messages: readonly Message[]): ChangedFile[] {
  const parts = messages.flatMap(({ content }) => content);
  const succeeded = new Map(
    parts.flatMap((part) =>
      part.type === 'tool-result' && part.is_error !== true && part.result !== undefined
        ? [[part.tool_call_id, part.result]]
        : [],
    ),
  );
  const files = new Map<string, ChangedFile>();
  const add = (path: string, added: number, removed: number) => {
    const known = files.get(path);
    files.set(path, {
      path,
      added: (known?.added ?? 0) + added,
      removed: (known?.removed ?? 0) + removed,
    });
  };
  for (const part of parts) {
    if (part.type !== 'tool-call' || !isObject(part.args)) continue;
    const result = succeeded.get(part.tool_call_id);
    if (result === undefined) continue;
    const { path, content, files: edited } = part.args;
    if (part.tool_name === 'write_file' && typeof path === 'string') {
      add(path, typeof content === 'string' ? linesIn(content) : 0, 0);
    } else if (part.tool_name === 'edit_files') addDiff(result, edited, add);
  }
  return [...files.values()];
}

/** The result is a diff, with a `+++` line for each file. */
function addDiff(
  diff: Json,
  edited: Json | undefined,
  add: (path: string, added: number, removed: number) => void,
): void {
  const [only] = objectsIn(edited);
  let path = typeof only?.['path'] === 'string' ? only['path'] : '';
  const lines = typeof diff === 'string' ? diff.split('\n') : [];
  for (const [at, kind] of diffKinds(lines).entries()) {
    if (kind === 'file') path = (lines[at] ?? '').slice(4).replace(/^b\//, '');
    else if (kind === 'added') add(path, 1, 0);
    else if (kind === 'removed') add(path, 0, 1);
  }
}

const linesIn = (text: string): number =>
  text === '' ? 0 : text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
