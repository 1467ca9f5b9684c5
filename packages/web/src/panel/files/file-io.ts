import { ChatdProblem, ChatdUnreachable } from '@chatd/client';
import type { Problem, WorkspaceFileVersion } from '@chatd/protocol';
import { apiPath } from '../../api/client.ts';

/** The maximum that is read or written of a file. */
export const MOST_BYTES = 10 * 1024 * 1024;

export interface LoadedFile {
  readonly file: File;
  /** Undefined: the file is longer than `MOST_BYTES`, and `file` is its beginning. */
  readonly version: string | undefined;
  readonly size: number;
}

const pathOf = (workspaceId: string, call: 'content' | 'download', path: string) =>
  apiPath(`/workspaces/${workspaceId}/files/${call}?path=${encodeURIComponent(path)}`);

/** A file as it is, or a folder as an archive. */
export const downloadAddress = (workspaceId: string, path: string): string =>
  pathOf(workspaceId, 'download', path);

export async function readFile(
  workspaceId: string,
  path: string,
  signal: AbortSignal,
): Promise<LoadedFile> {
  // Not with the client, which does not return headers.
  const response = await fetch(pathOf(workspaceId, 'content', path), { signal });
  if (!response.ok) throw new ChatdProblem((await response.json()) as Problem);
  const type = response.headers.get('content-type') ?? '';
  const file = new File([await response.blob()], path, { type });
  const version = response.headers.get('x-file-version') ?? undefined;
  return { file, version, size: Number(response.headers.get('x-file-size') ?? file.size) };
}

/** `version`: that which was read; `none` for a new file; undefined overwrites. */
export function writeFile(
  workspaceId: string,
  path: string,
  content: Blob,
  version: string | undefined,
  onProgress: (bytes: number) => void = () => undefined,
): { readonly done: Promise<WorkspaceFileVersion>; cancel(): void } {
  // fetch reports no progress.
  const request = new XMLHttpRequest();
  const { promise, resolve, reject } = Promise.withResolvers<WorkspaceFileVersion>();
  const cut = () => reject(new ChatdUnreachable(location.origin, new Error('the upload ended')));
  request.upload.addEventListener('progress', ({ loaded }) => onProgress(loaded));
  for (const event of ['error', 'timeout', 'abort'] as const) request.addEventListener(event, cut);
  request.addEventListener('load', () => {
    try {
      const answer = JSON.parse(request.responseText) as WorkspaceFileVersion & Problem;
      if (request.status === 200) resolve(answer);
      else reject(new ChatdProblem(answer));
    } catch {
      // Not from chatd, but for example from a proxy that limits the size of requests.
      reject(new Error(`The server responded with status ${request.status}.`));
    }
  });
  const condition = version === undefined ? '' : `&if_version=${version}`;
  request.open('POST', pathOf(workspaceId, 'content', path) + condition);
  request.setRequestHeader('content-type', 'application/octet-stream');
  request.send(content);
  return { done: promise, cancel: () => request.abort() };
}
