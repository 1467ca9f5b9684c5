import type { FileReferencePart } from '@chatd/protocol';
import type { BodyOf } from '@chatd/client';
import type { Attachment, Draft } from '../../state/composer-state.ts';

export type InputContent = BodyOf<'sendMessage'>['content'];
type InputPart = Exclude<InputContent, string>[number];

/** Files, then references, then text. */
export function contentOf({ text, references, attachments }: Draft): InputPart[] {
  const trimmed = text.trim();
  return [
    ...attachments.map(({ fileId }): InputPart => ({ type: 'file', file_id: fileId })),
    ...references.map(inputReference),
    ...(trimmed === '' ? [] : [{ type: 'text', text: trimmed } as const]),
  ];
}

/** Drops response fields that requests do not accept. */
const inputReference = (part: FileReferencePart): InputPart => ({
  type: 'file-reference',
  file_name: part.file_name,
  start_line: part.start_line,
  end_line: part.end_line,
  content: part.content,
});

/** The limit of a message, minus its text part. */
const MOST_PARTS = 99;

/** Why the draft cannot be sent yet; undefined when it can. */
export function whyNotYet(
  attachments: readonly Attachment[],
  references: readonly FileReferencePart[],
): string | undefined {
  const uploading = attachments.filter(({ state }) => state.kind === 'uploading').length;
  if (uploading > 0) {
    return `${uploading === 1 ? 'A file is' : `${uploading} files are`} still uploading.`;
  }
  const failed = attachments.flatMap(({ state }) => (state.kind === 'failed' ? [state] : []));
  if (failed.length > 0) {
    const what = failed.length === 1 ? 'A file' : `${failed.length} files`;
    const todo = failed.some(({ again }) => again) ? 'Retry or remove' : 'Remove';
    return `${what} could not be attached. ${todo} ${failed.length === 1 ? 'it' : 'them'} to send.`;
  }
  if (attachments.length + references.length > MOST_PARTS) {
    return `A message can have at most ${MOST_PARTS} files and references. Remove some.`;
  }
  return undefined;
}

/** A one-line summary of a message. */
export function outline(draft: Pick<Draft, 'text' | 'references' | 'attachments'>): string {
  const { text, references, attachments } = draft;
  const trimmed = text.trim().replaceAll(/\s+/g, ' ');
  const others = [
    ...attachments.map(({ name }) => name),
    ...references.map(({ file_name }) => file_name),
  ];
  if (trimmed === '') return others.join(', ');
  return trimmed;
}
