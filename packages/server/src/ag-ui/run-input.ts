import type { AgUiMessage, AgUiRunInput, DynamicTool, InputPart } from '@chatd/protocol';
import { DynamicTools } from '@chatd/protocol';
import { Refused, refusedField, refusedFields } from '../chat/refused.ts';
import { filePart, type PostedPart, storeFiles } from '../protocols/input-files.ts';
import { textOf } from '../protocols/part-text.ts';
import type { Store } from '../store/store.ts';
import type { ClientIds } from './history.ts';

const PROMPT_LENGTH = 65_536;

/** What follows it in a system prompt is the context of the last run. */
const CONTEXT = '\n\nContext of the application:\n';

/** A user message that may be new. */
export interface PostedMessage {
  readonly id: string;
  readonly parts: readonly InputPart[];
}

const isSpoken = ({ role }: AgUiMessage) =>
  role === 'user' || role === 'assistant' || role === 'tool';

/** The messages that are part of a history. */
export const spokenIn = ({ messages }: AgUiRunInput): readonly AgUiMessage[] =>
  messages.filter(isSpoken);

/** The user messages at the end. */
export function lastUserMessages(input: AgUiRunInput): readonly AgUiMessage[] {
  const spoken = spokenIn(input);
  return spoken.slice(spoken.findLastIndex(({ role }) => role !== 'user') + 1);
}

/** Stores the files of user messages. A file whose message is not new is purged as unused. */
export async function storeMessages(
  store: Pick<Store, 'files'>,
  userId: string,
  messages: readonly AgUiMessage[],
): Promise<PostedMessage[]> {
  const posted: PostedMessage[] = [];
  for (const { id, content } of messages) {
    posted.push({ id, parts: await storeFiles(store, userId, partsOf(content)) });
  }
  return posted;
}

function partsOf(content: AgUiMessage['content']): PostedPart[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  if (!Array.isArray(content)) return [];
  return content.map((part): PostedPart => {
    if (part.type === 'text') return { type: 'text', text: part.text ?? '' };
    const { type, value, mimeType } = (part['source'] ?? {}) as {
      readonly [field: string]: unknown;
    };
    if (typeof value !== 'string') throw noFile();
    if (type === 'file') return { type: 'file', file_id: value };
    const given = typeof mimeType === 'string' ? mimeType : undefined;
    const file: PostedPart | undefined =
      type === 'data'
        ? {
            type: 'new-file',
            name: '',
            mediaType: given ?? 'application/octet-stream',
            bytes: Buffer.from(value, 'base64'),
          }
        : filePart(value, '', given);
    if (file === undefined) throw noFile();
    return file.type === 'new-file' ? { ...file, name: nameFor(file.mediaType) } : file;
  });
}

const nameFor = (mediaType: string) => `file.${mediaType.split('/').at(-1) ?? 'bin'}`;

const noFile = () =>
  new Refused(
    'invalid_content',
    'The source of a file must be Base64 data, a data: URL, or a file of this server. chatd does not fetch other URLs.',
  );

export const textIn = ({ content }: AgUiMessage): string => {
  if (typeof content === 'string') return content;
  return Array.isArray(content) ? textOf(content) : '';
};

export function clientIdsOf({ messages }: AgUiRunInput): ClientIds {
  const results = messages.flatMap(({ id, role, toolCallId }): [string, string][] =>
    role === 'tool' && toolCallId !== undefined ? [[toolCallId, id]] : [],
  );
  return {
    messages: messages.map(({ id }) => id),
    reasoning: messages.filter(({ role }) => role === 'reasoning').map(({ id }) => id),
    results: new Map(results),
  };
}

export function toolsOf({ tools }: AgUiRunInput): readonly DynamicTool[] {
  const checked = DynamicTools.safeParse(
    tools.map(({ name, description, parameters }) => ({
      name,
      description,
      ...(parameters !== undefined && { input_schema: parameters }),
    })),
  );
  if (checked.success) return checked.data;
  throw refusedFields(
    checked.error.issues.map(({ path, message }) => ({
      path: `tools.${path.join('.')}`,
      message,
    })),
  );
}

/** System messages replace the prompt of the chat, and the context that of the last run. */
export function systemPromptOf(
  { messages, context }: AgUiRunInput,
  before: string | null,
): string | null {
  const said = messages
    .filter(({ role }) => role === 'system' || role === 'developer')
    .map(textIn)
    .join('\n\n');
  const own = said === '' ? (before?.split(CONTEXT)[0] ?? '') : said;
  const known = context.map(({ description, value }) => `${description}: ${value}`).join('\n');
  const prompt = known === '' ? own : `${own}${CONTEXT}${known}`;
  if (prompt.length > PROMPT_LENGTH) {
    throw refusedField(
      'context',
      `must have at most ${PROMPT_LENGTH} characters, together with the system messages`,
    );
  }
  return prompt === '' ? null : prompt;
}
