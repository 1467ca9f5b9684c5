import { Readable } from 'node:stream';
import { imageType, isBinary } from '../../../tools/files/file-type.ts';
import {
  SandboxClosed,
  SandboxFileError,
  type SandboxFileErrorCode,
} from '../../../machine/drivers/driver.ts';
import { WorkspaceFiles } from '../../../workspaces/files/workspace-files.ts';
import type { HandlersOf } from '../../call.ts';
import { attachment, UPLOAD_HEADERS } from '../../headers.ts';
import { presentFolder } from '../../../entities/workspaces/present-folder.ts';
import { Refused } from '../../../chat/refused.ts';
import type { Services } from '../../services.ts';
import { requireWorkspaces } from './workspaces.ts';

export function workspaceFileHandlers({ workspaces }: Services): HandlersOf<'Workspace files'> {
  const files = workspaces && new WorkspaceFiles(workspaces);
  const enabled = () => requireWorkspaces(files);

  return {
    async listWorkspaceFiles({ found, query }) {
      const folder = await troubleRefused(enabled().list(found.workspace, query.path));
      return { status: 200, body: presentFolder(folder) };
    },

    async getWorkspaceFile({ found, query }) {
      const file = await troubleRefused(enabled().read(found.workspace, query.path));
      const name = file.path.slice(file.path.lastIndexOf('/') + 1);
      return {
        status: 200,
        media: typeOf(file.bytes),
        content: file.bytes,
        headers: {
          ...UPLOAD_HEADERS,
          'content-disposition': attachment(name),
          'x-file-size': String(file.size),
          ...(file.version !== undefined && { 'x-file-version': file.version }),
        },
      };
    },

    async writeWorkspaceFile({ found, query, body }) {
      const { path, if_version: version } = query;
      const expected = version === 'none' ? null : version;
      const written = await troubleRefused(
        enabled().write(found.workspace, path, body.bytes, expected),
      );
      return { status: 200, body: { ...written, size: body.bytes.length } };
    },

    async downloadWorkspaceFiles({ found, query }) {
      const file = await troubleRefused(enabled().download(found.workspace, query.path));
      return {
        status: 200,
        media: file.isArchive ? 'application/zip' : 'application/octet-stream',
        content: Readable.toWeb(Readable.from(file.chunks)) as ReadableStream<Uint8Array>,
        headers: { ...UPLOAD_HEADERS, 'content-disposition': attachment(file.name) },
      };
    },

    async searchWorkspaceFiles({ found, query }) {
      const search = enabled().search(found.workspace, query.q, query.limit);
      const paths = await troubleRefused(search);
      return { status: 200, body: { paths } };
    },
  };
}

/** By content, never by name, so that a browser does not run it. */
function typeOf(bytes: Buffer): string {
  const image = imageType(bytes);
  if (image !== undefined) return image;
  return isBinary(bytes.subarray(0, 65_536))
    ? 'application/octet-stream'
    : 'text/plain; charset=utf-8';
}

const CHANGED =
  'The file is not the version that you read: it was changed, created or deleted in the meantime. Read it again.';

const CODES = {
  not_found: 'path_not_found',
  outside: 'path_outside',
  not_a_file: 'not_a_file',
  not_a_directory: 'not_a_folder',
  denied: 'file_unreadable',
  no_space: 'file_unreadable',
  changed: 'file_changed',
  failed: 'file_unreadable',
} as const satisfies Record<SandboxFileErrorCode, string>;

async function troubleRefused<T>(look: Promise<T>): Promise<T> {
  try {
    return await look;
  } catch (error) {
    if (error instanceof SandboxClosed) throw new Refused('workspace_not_ready', error.message);
    if (!(error instanceof SandboxFileError)) throw error;
    throw new Refused(CODES[error.code], error.code === 'changed' ? CHANGED : error.message);
  }
}
