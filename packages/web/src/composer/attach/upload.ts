import { ChatdProblem, ChatdUnreachable } from '@chatd/client';
import type { File as StoredFile, Problem } from '@chatd/protocol';
import { apiPath } from '../../api/client.ts';

export interface Upload {
  readonly done: Promise<StoredFile>;
  cancel(): void;
}

/** Uploads with XMLHttpRequest, because fetch reports no progress. `key` makes a retry safe. */
export function upload(
  file: Blob,
  name: string,
  key: string,
  onProgress: (progress: number) => void,
): Upload {
  const request = new XMLHttpRequest();
  const done = new Promise<StoredFile>((resolve, reject) => {
    const unreachable = () =>
      reject(new ChatdUnreachable(location.origin, new Error('the upload ended early')));
    request.upload.addEventListener('progress', ({ loaded, total }) => {
      if (total > 0) onProgress(loaded / total);
    });
    request.addEventListener('error', unreachable);
    request.addEventListener('timeout', unreachable);
    request.addEventListener('abort', () => reject(new UploadCanceled()));
    request.addEventListener('load', () => {
      if (request.status === 201) resolve(JSON.parse(request.responseText) as StoredFile);
      else reject(problemOf(request));
    });
  });
  request.open('POST', apiPath(`/files?name=${encodeURIComponent(name)}`));
  request.setRequestHeader(
    'content-type',
    file.type === '' ? 'application/octet-stream' : file.type,
  );
  request.setRequestHeader('idempotency-key', key);
  request.send(file);
  return { done, cancel: () => request.abort() };
}

export class UploadCanceled extends Error {
  override readonly name = 'UploadCanceled';
}

function problemOf(request: XMLHttpRequest): ChatdProblem {
  try {
    return new ChatdProblem(JSON.parse(request.responseText) as Problem);
  } catch {
    return new ChatdProblem({
      status: request.status,
      code: 'unexpected_answer',
      title: 'The upload was refused',
      detail: `The upload failed with status ${request.status}.`,
    });
  }
}
