import { buffer } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import {
  SandboxClosed,
  SandboxFileError,
  type SandboxFiles,
} from '../../machine/drivers/driver.ts';
import type { WorkspaceRow } from '../../store/workspaces.ts';
import type { Workspaces } from '../workspaces.ts';
import { WorkspaceFiles } from './workspace-files.ts';

const CONTENT = Buffer.alloc(3 * 1024 * 1024, 'x');

const kind = (path: string) => (path === '/w/folder' ? 'directory' : 'file');
const entry = (path: string) => ({ path, kind: kind(path), size: 1, modified: 0 }) as const;

/** The workspace closes after `reads` reads, until it is visited again. */
function workspaceFiles(reads: number): WorkspaceFiles {
  const visit: Workspaces['visit'] = async (_row, look) => {
    let left = reads;
    const files: Partial<SandboxFiles> = {
      stat: async (path) => entry(path),
      list: async () => ({ entries: [entry('deleted'), entry('kept')], more: false }),
      async read(path, from, length) {
        if (left-- === 0) throw new SandboxClosed('it was stopped');
        if (path.endsWith('deleted')) throw new SandboxFileError('not_found', 'deleted');
        return { size: CONTENT.length, bytes: CONTENT.subarray(from, from + length) };
      },
    };
    return await look({ root: '/w', files } as never);
  };
  return new WorkspaceFiles({ visit } as Workspaces);
}

const row = { id: 'w', name: 'w' } as WorkspaceRow;

test('a download continues after the workspace was closed', async () => {
  const { chunks } = await workspaceFiles(2).download(row, 'kept');
  expect((await buffer(chunks)).equals(CONTENT)).toBe(true);
});

test('a file that is deleted during the download is not in the archive', async () => {
  const { chunks } = await workspaceFiles(100).download(row, 'folder');
  const archive = await buffer(chunks);
  expect(archive.includes('kept')).toBe(true);
  expect(archive.includes('deleted')).toBe(false);
});
