import type { Attachment, ComposerState } from '../../state/composer-state.ts';
import { announce } from '../announcements.tsx';
import { newKey } from '../new-key.ts';
import { byteCount } from '../../format/byte-count.ts';
import { mediaTypeOf } from './media-type.ts';
import { upload, type Upload, UploadCanceled } from './upload.ts';
import { whyNotUploaded } from './why-not-uploaded.ts';

/** The server's limit. */
const LARGEST_FILE = 10 * 1024 * 1024;

interface Local {
  readonly of: ComposerState;
  readonly file: Blob;
  readonly preview: string | undefined;
  upload: Upload | undefined;
}

/** Held only in this page: the bytes and a preview. */
const locals = new Map<string, Local>();

export const previewOf = ({ key }: Attachment): string | undefined => locals.get(key)?.preview;

export function attach(composing: ComposerState, files: readonly File[]): void {
  for (const file of files) attachOne(composing, file, file.name);
}

/** A long paste becomes a file, which can be converted back to text. */
export function attachPasted(composing: ComposerState, text: string): void {
  const count = composing.attachments.get().filter(({ pasted }) => pasted !== undefined).length;
  const name = count === 0 ? 'pasted.txt' : `pasted-${count + 1}.txt`;
  attachOne(composing, new Blob([text], { type: 'text/plain' }), name, text);
}

function attachOne(composing: ComposerState, file: Blob, name: string, pasted?: string): void {
  const key = newKey();
  const mediaType = mediaTypeOf(file.type, name);
  const typed = file.type === mediaType ? file : file.slice(0, file.size, mediaType);
  const attachment: Attachment = {
    key,
    name: legalName(name),
    mediaType,
    size: file.size,
    state: { kind: 'uploading', progress: 0 },
    ...(pasted !== undefined && { pasted }),
  };
  const preview = mediaType.startsWith('image/') ? URL.createObjectURL(typed) : undefined;
  keepTidy(composing);
  locals.set(key, { of: composing, file: typed, preview, upload: undefined });
  composing.attachments.update((all) => [...all, attachment]);
  if (file.size > LARGEST_FILE) {
    const reason = `The file is ${byteCount(file.size)}; the limit is 10 MiB.`;
    change(composing, key, { state: { kind: 'failed', reason, again: false } });
    announce(`${name} is too large. ${reason}`);
    return;
  }
  announce(`Uploading ${name}`);
  void send(composing, attachment);
}

/** Folders, and files that another program failed to provide, cannot be read. */
export function reportUnreadable(composing: ComposerState, name: string, reason: string): void {
  const attachment: Attachment = {
    key: newKey(),
    name,
    mediaType: '',
    size: 0,
    state: { kind: 'failed', reason, again: false },
  };
  composing.attachments.update((all) => [...all, attachment]);
  announce(`${name} could not be attached. ${reason}`);
}

export function retryUpload(composing: ComposerState, attachment: Attachment): void {
  change(composing, attachment.key, { state: { kind: 'uploading', progress: 0 } });
  void send(composing, attachment);
}

export function detach(composing: ComposerState, { key, name }: Attachment): void {
  locals.get(key)?.upload?.cancel();
  composing.attachments.update((all) => all.filter((other) => other.key !== key));
  announce(`Removed ${name}`);
}

const tidied = new WeakSet<ComposerState>();

/** Frees the memory of sent and removed files. */
function keepTidy(composing: ComposerState): void {
  if (tidied.has(composing)) return;
  tidied.add(composing);
  composing.attachments.subscribe(() => {
    const shown = new Set(composing.attachments.get().map(({ key }) => key));
    for (const [key, { of, preview }] of locals) {
      if (of !== composing || shown.has(key)) continue;
      if (preview !== undefined) URL.revokeObjectURL(preview);
      locals.delete(key);
    }
  });
}

async function send(composing: ComposerState, { key, name }: Attachment): Promise<void> {
  const local = locals.get(key);
  if (local === undefined) return;
  const going = upload(local.file, name, key, (progress) =>
    change(composing, key, { state: { kind: 'uploading', progress } }),
  );
  local.upload = going;
  try {
    const { id } = await going.done;
    change(composing, key, { state: { kind: 'ready', fileId: id } });
    announce(`${name} attached`);
  } catch (error) {
    if (error instanceof UploadCanceled) return;
    const failed = whyNotUploaded(error);
    change(composing, key, { state: { kind: 'failed', ...failed } });
    announce(`${name} could not be uploaded. ${failed.reason}`);
  }
}

function change(composing: ComposerState, key: string, patch: Partial<Attachment>): void {
  composing.attachments.update((all) =>
    all.map((attachment) => (attachment.key === key ? { ...attachment, ...patch } : attachment)),
  );
}

/** The server refuses slashes and control characters. */
const legalName = (name: string): string =>
  name
    .replaceAll(/[\p{Cc}/\\]/gu, '_')
    .slice(0, 255)
    .trim() || 'file';
