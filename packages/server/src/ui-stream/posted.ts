import type { Json } from '@chatd/protocol';
import { filePart, type PostedPart } from '../protocols/input-files.ts';
import { turnOfReply } from './turn-cursor.ts';

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

/** What a front end requests with the messages that it posts. */
export type Intent =
  | { readonly kind: 'send'; readonly content: readonly PostedPart[] }
  /** The index of the message among those that began turns. */
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
  readonly reason: string | undefined;
}

/** The request is invalid. */
export class InvalidPost extends Error {
  override readonly name = 'InvalidPost';
}

export function intentOf({ messages, trigger, messageId }: Posted): Intent {
  const last = messages.at(-1);
  if (last === undefined) throw new InvalidPost('messages: Must not be empty.');
  if (last.role === 'assistant' && trigger !== 'regenerate-message') return answerIn(last);
  // Front ends assign their own ids, so messages are identified by index.
  const index = messages.filter(({ role }) => role === 'user').length - 1;
  if (trigger === 'regenerate-message') return { kind: 'regenerate', index };
  if (last.role !== 'user')
    throw new InvalidPost('messages: The last message must have the role user.');
  const content = contentOf(last);
  return messageId === undefined ? { kind: 'send', content } : { kind: 'edit', index, content };
}

function contentOf({ parts }: PostedMessage): PostedPart[] {
  return parts.flatMap((part): PostedPart[] => {
    if (part['type'] === 'text') return [{ type: 'text', text: String(part['text']) }];
    if (part['type'] !== 'file') return [];
    const { url, mediaType, filename } = part;
    const type = typeof mediaType === 'string' ? mediaType : undefined;
    const name = typeof filename === 'string' && filename !== '' ? filename : 'file';
    const file = filePart(String(url), name, type);
    if (file === undefined) {
      throw new InvalidPost('A file must be a data: URL or a file of this server.');
    }
    return [file];
  });
}

type ToolPart = Readonly<Record<string, unknown>> & { readonly toolCallId: string };

const isTool = (part: Readonly<Record<string, unknown>>): part is ToolPart =>
  typeof part['toolCallId'] === 'string';

/** The tool outputs and decisions in an assistant message. Those that the chat does not await are old. */
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
      const { approved, reason } = (approval ?? {}) as { approved?: unknown; reason?: unknown };
      const said = typeof reason === 'string' && reason !== '' ? reason.slice(0, 2000) : undefined;
      return typeof approved === 'boolean' ? [{ toolCallId, approved, reason: said }] : [];
    }),
  };
}
