import { ChatdProblem } from '@chatd/client';
import { explain } from '../../api/explain.ts';
import { byteCount } from '../../format/byte-count.ts';
import { Cell } from '../../state/cell.ts';
import { MOST_BYTES, writeFile } from './file-io.ts';

/** A file to upload, with its path below the target folder. */
export interface UploadItem {
  readonly path: string;
  readonly file: File;
}

export interface UploadState {
  readonly isRunning: boolean;
  readonly count: number;
  readonly finished: number;
  /** From 0 to 1. */
  readonly progress: number;
  readonly failures: readonly { readonly path: string; readonly reason: string }[];
  /** They exist with other content. */
  readonly conflicts: readonly UploadItem[];
}

const MOST_FILES = 1000;

/** Uploads files into a folder of a workspace, one after the other. Existing files are not overwritten. */
export class FileUpload {
  readonly state: Cell<UploadState>;
  readonly folder: string;
  readonly #workspaceId: string;
  #cancel: (() => void) | undefined;
  #isCanceled = false;

  constructor(workspaceId: string, folder: string) {
    this.#workspaceId = workspaceId;
    this.folder = folder;
    this.state = new Cell<UploadState>(idle(0));
  }

  async run(items: readonly UploadItem[], overwrite = false): Promise<void> {
    this.#isCanceled = false;
    const chosen = items.slice(0, MOST_FILES);
    const total = Math.max(
      1,
      chosen.reduce((sum, { file }) => sum + file.size, 0),
    );
    let sent = 0;
    this.state.set({ ...idle(chosen.length), isRunning: true });
    const update = (change: Partial<UploadState>) =>
      this.state.update((before) => ({ ...before, ...change }));
    const fail = (path: string, reason: string) =>
      update({ failures: [...this.state.get().failures, { path, reason }] });
    if (items.length > MOST_FILES)
      fail('', `Only the first ${MOST_FILES} files are uploaded. Upload an archive instead.`);
    for (const item of chosen) {
      if (this.#isCanceled) break;
      await this.#send(item, overwrite, (bytes) =>
        update({ progress: Math.min(1, (sent + bytes) / total) }),
      ).catch((error: unknown) => {
        if (this.#isCanceled) return;
        if (error instanceof ChatdProblem && error.code === 'file_changed')
          update({ conflicts: [...this.state.get().conflicts, item] });
        else fail(item.path, explain(error));
      });
      if (this.#isCanceled) break;
      sent += item.file.size;
      update({ finished: this.state.get().finished + 1, progress: sent / total });
    }
    update({ isRunning: false });
  }

  cancel(): void {
    this.#isCanceled = true;
    this.#cancel?.();
  }

  async #send(
    { path, file }: UploadItem,
    overwrite: boolean,
    onProgress: (bytes: number) => void,
  ): Promise<void> {
    if (file.size > MOST_BYTES)
      throw new Error(`The file has ${byteCount(file.size)}. The maximum is 10 MiB.`);
    const target = this.folder === '.' ? path : `${this.folder}/${path}`;
    const version = overwrite ? undefined : 'none';
    const request = writeFile(this.#workspaceId, target, file, version, onProgress);
    this.#cancel = () => request.cancel();
    await request.done;
  }
}

const idle = (count: number): UploadState => ({
  isRunning: false,
  count,
  finished: 0,
  progress: 0,
  failures: [],
  conflicts: [],
});

/** Files of an input element. Those of a folder have their paths. */
export const chosenItems = (files: FileList | null): UploadItem[] =>
  Array.from(files ?? []).map((file) => ({
    file,
    path: file.webkitRelativePath === '' ? file.name : file.webkitRelativePath,
  }));

/** Dropped files, and the files in dropped folders. */
export async function droppedItems({ items }: DataTransfer): Promise<UploadItem[]> {
  // The list is emptied when the event is over.
  const entries = Array.from(items).flatMap((item) => item.webkitGetAsEntry() ?? []);
  return (await Promise.all(entries.map((entry) => itemsIn(entry, '')))).flat();
}

async function itemsIn(entry: FileSystemEntry, above: string): Promise<UploadItem[]> {
  const path = `${above}${entry.name}`;
  if (entry.isFile) {
    const file = await new Promise<File>((resolve, reject) =>
      (entry as FileSystemFileEntry).file(resolve, reject),
    );
    return [{ path, file }];
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  const found: UploadItem[] = [];
  for (;;) {
    // Returns some of the entries at a time.
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    );
    if (some.length === 0 || found.length > MOST_FILES) return found;
    for (const one of some) found.push(...(await itemsIn(one, `${path}/`)));
  }
}
