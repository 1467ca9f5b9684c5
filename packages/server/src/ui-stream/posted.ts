import type { InputPart, Json } from '@chatd/protocol';
import { decodeFileUrl } from './file-url.ts';
import { turnOfReply } from './place.ts';

export interface PostedMessage {
  readonly id: string;
  readonly role: 'system' | 'user' | 'assistant';
  readonly parts: readonly Readonly<Record<string, unknown>>[];
}

export interface Posted {
  readonly messages: readonly PostedMessage[];
  readonly trigger?: 'submit-message' | 'regenerate-message' | undefined;
  readonly messageId?: string | undefined;
}

/** A file that came within the message. */
export interface PostedFile {
  readonly type: 'new-file';
  readonly name: string;
  readonly mediaType: string;
  readonly bytes: Buffer;
}

export type PostedPart = InputPart | PostedFile;

/** What a front end wants by what it posts. */
export type Intent =
  | { readonly kind: 'send'; readonly content: readonly PostedPart[] }
  /** Of the message with that number among those that began turns, from 0. */
  | { readonly kind: 'edit'; readonly index: number; readonly content: readonly PostedPart[] }
  | { readonly kind: 'regenerate'; readonly index: number }
  | {
      readonly kind: 'answer';
      readonly turn: number | undefined;
      readonly steps: number;
      readonly outputs: readonly Output[];
      readonly approvals: readonly Approval[];
    };

export interface Output {
  readonly toolCallId: string;
  readonly output: Json;
  readonly isError: boolean;
}

export interface Approval {
  readonly toolCallId: string;
  readonly approved: boolean;
}

/** What it posted makes no sense: says why. */
export class Unintelligible extends Error {
  override readonly name = 'Unintelligible';
}

export function intentOf({ messages, trigger, messageId }: Posted): Intent {
  const last = messages.at(-1);
  if (last === undefined) throw new Unintelligible('messages must not be empty');
  if (last.role === 'assistant' && trigger !== 'regenerate-message') return answerIn(last);
  // Front ends give messages ids of their own, so they are known by their number.
  const index = messages.filter(({ role }) => role === 'user').length - 1;
  if (trigger === 'regenerate-message') return { kind: 'regenerate', index };
  if (last.role !== 'user') throw new Unintelligible('the last message must be of the user');
  const content = contentOf(last);
  return messageId === undefined ? { kind: 'send', content } : { kind: 'edit', index, content };
}

function contentOf({ parts }: PostedMessage): PostedPart[] {
  return parts.flatMap((part): PostedPart[] => {
    if (part['type'] === 'text') return [{ type: 'text', text: String(part['text']) }];
    if (part['type'] !== 'file') return [];
    const { url, mediaType, filename } = part;
    const file = decodeFileUrl(String(url));
    if (file === undefined) {
      throw new Unintelligible('a file must be a data: URL, or one of this server');
    }
    if ('fileId' in file) return [{ type: 'file', file_id: file.fileId }];
    const type = typeof mediaType === 'string' ? mediaType : file.mediaType;
    const name = typeof filename === 'string' && filename !== '' ? filename : 'file';
    return [{ type: 'new-file', name, mediaType: type, bytes: file.bytes }];
  });
}

type ToolPart = Readonly<Record<string, unknown>> & { readonly toolCallId: string };

const isTool = (part: Readonly<Record<string, unknown>>): part is ToolPart =>
  typeof part['toolCallId'] === 'string';

/** The outputs and decisions that a message of the assistant was given. Those that nobody awaits are old. */
function answerIn({ id, parts }: PostedMessage): Intent {
  const tools = parts.filter(isTool);
  return {
    kind: 'answer',
    turn: turnOfReply(id),
    steps: parts.filter(({ type }) => type === 'step-start').length,
    outputs: tools.flatMap(({ toolCallId, state, output, errorText }): Output[] => {
      if (state === 'output-error') {
        return [{ toolCallId, output: String(errorText), isError: true }];
      }
      if (state !== 'output-available') return [];
      return [{ toolCallId, output: (output ?? null) as Json, isError: false }];
    }),
    approvals: tools.flatMap(({ toolCallId, approval }): Approval[] => {
      const { approved } = (approval ?? {}) as { readonly approved?: unknown };
      return typeof approved === 'boolean' ? [{ toolCallId, approved }] : [];
    }),
  };
}
