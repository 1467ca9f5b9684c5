import type { Message } from '@chatd/protocol';
import type { MessageRow, StoredPart } from '../chat/row.ts';
import { presentMessage } from '../present/message.ts';
import { messagePages } from '../protocols/message-pages.ts';
import { asText, textOf } from '../protocols/part-text.ts';
import type { Queryable } from '../store/statement.ts';
import type { AgUiEvent, AgUiHistoryMessage } from './events.ts';
import { resultId, StepEvents } from './step-events.ts';

/** The ids that the client has given to its messages, in its order. */
export interface ClientIds {
  readonly messages: readonly string[];
  readonly reasoning: readonly string[];
  /** Of tool messages, by call. */
  readonly results: ReadonlyMap<string, string>;
}

/** Fields of stored parts that only this folder knows: where a message comes from. */
interface Origin {
  readonly client_id?: string;
  readonly run_id?: string;
}

export const withOrigin = (
  content: readonly StoredPart[],
  { client_id, run_id }: Origin,
): StoredPart[] =>
  content.map((part, index) =>
    index === 0 ? { ...part, client_id, ...(run_id !== undefined && { run_id }) } : part,
  );

export const originOf = (part: StoredPart | undefined): Origin => (part ?? {}) as Origin;

/** The messages of a chat up to and including one. */
export async function readHistory(
  db: Queryable,
  chatId: string,
  last: number,
  ids: ClientIds,
): Promise<AgUiHistoryMessage[]> {
  const messages: AgUiHistoryMessage[] = [];
  let previous = 0;
  for await (const rows of messagePages(db, chatId, { after: 0, last })) {
    messages.push(...historyOf(rows, ids, previous));
    previous = rows.at(-1)?.id ?? previous;
  }
  return messages;
}

/** `previous`: the id of the message before the first row. */
export function historyOf(
  rows: readonly MessageRow[],
  ids: ClientIds,
  previous = 0,
): AgUiHistoryMessage[] {
  return rows.flatMap((row, index): AgUiHistoryMessage[] => {
    if (row.role === 'user') return userMessages(row, ids);
    const message = presentMessage(row);
    if (row.role === 'tool') return resultsOf(message, ids);
    const { client_id } = originOf(row.content[0]);
    if (client_id !== undefined) {
      return [{ id: client_id, role: 'assistant', content: textOf(message.content) }];
    }
    return fold(new StepEvents(rows[index - 1]?.id ?? previous).commit(message), ids);
  });
}

/** Events that give a client this history. `reasoning`: the ids of reasoning that the run has sent. */
export function snapshotEvents(
  messages: readonly AgUiHistoryMessage[],
  ids: ClientIds,
  reasoning: readonly string[],
): AgUiEvent[] {
  const order = messages.map(({ id }) => id);
  const isKept = new Set(order);
  const kept = ids.messages.filter((id) => isKept.has(id));
  const hasReasoning = messages.some(({ role }) => role === 'reasoning');
  // Clients keep their reasoning if a snapshot has none, so it is made empty.
  const stale = hasReasoning ? [] : [...new Set([...ids.reasoning, ...reasoning])].map(empty);
  const snapshot = { type: 'MESSAGES_SNAPSHOT', messages: [...messages, ...stale] };
  if (kept.every((id, index) => id === order[index])) return [snapshot];
  // Clients keep the places of messages that they have, and append the others. Without messages, the order is right.
  const none = hasReasoning ? [empty('reset')] : [];
  return [{ type: 'MESSAGES_SNAPSHOT', messages: none }, snapshot];
}

const empty = (id: string): AgUiHistoryMessage => ({ id, role: 'reasoning', content: '' });

/** Several messages of a client can be one message of the chat. */
function userMessages(row: MessageRow, ids: ClientIds): AgUiHistoryMessage[] {
  const own = `m${row.id}`;
  if (ids.messages.includes(own)) return [userMessage(own, row.content)];
  const groups: { id: string; parts: StoredPart[] }[] = [];
  for (const part of row.content) {
    const { client_id } = originOf(part);
    const group = groups.at(-1);
    if (group === undefined || client_id !== undefined) {
      groups.push({ id: client_id ?? own, parts: [part] });
    } else group.parts.push(part);
  }
  return groups.map(({ id, parts }) => userMessage(id, parts));
}

function userMessage(id: string, parts: readonly StoredPart[]): AgUiHistoryMessage {
  const content = parts.map(contentPart);
  const [only] = content;
  const text = content.length === 1 && only?.type === 'text' ? only.text : undefined;
  return { id, role: 'user', content: text ?? content };
}

type ContentPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image' | 'audio' | 'video' | 'document'; readonly source: object };

function contentPart(part: StoredPart): ContentPart {
  if (part.type === 'text') return { type: 'text', text: part.text };
  if (part.type === 'file') {
    const type = (['image', 'audio', 'video'] as const).find((kind) =>
      part.media_type.startsWith(`${kind}/`),
    );
    const source = {
      type: 'file',
      value: part.file_id,
      provider: 'chatd',
      mimeType: part.media_type,
    };
    return { type: type ?? 'document', source };
  }
  if (part.type !== 'file-reference') return { type: 'text', text: '' };
  const { file_name, start_line, end_line, content } = part;
  return { type: 'text', text: `${file_name}:${start_line}-${end_line}\n${content}` };
}

const resultsOf = ({ content }: Message, { results }: ClientIds): AgUiHistoryMessage[] =>
  content.flatMap((part): AgUiHistoryMessage[] => {
    if (part.type !== 'tool-result') return [];
    const { tool_call_id: toolCallId } = part;
    const text = asText(part.result);
    const id = results.get(toolCallId) ?? resultId(toolCallId);
    const failed = part.is_error === true ? { error: text } : {};
    return [{ id, role: 'tool', toolCallId, content: text, ...failed }];
  });

/** The messages that the events of a response make. */
function fold(events: readonly AgUiEvent[], { results }: ClientIds): AgUiHistoryMessage[] {
  const messages: AgUiHistoryMessage[] = [];
  const find = (id: unknown) => messages.find((message) => message.id === id);
  for (const event of events) {
    const { messageId, toolCallId, parentMessageId, delta } = event as {
      readonly [field: string]: string | undefined;
    };
    switch (event.type) {
      case 'TEXT_MESSAGE_START':
        messages.push({ id: messageId ?? '', role: 'assistant', content: '' });
        break;
      case 'REASONING_MESSAGE_START':
        messages.push({ id: messageId ?? '', role: 'reasoning', content: '' });
        break;
      case 'TEXT_MESSAGE_CONTENT':
      case 'REASONING_MESSAGE_CONTENT': {
        const message = find(messageId);
        if (message?.role === 'assistant' || message?.role === 'reasoning') {
          message.content = `${message.content ?? ''}${delta ?? ''}`;
        }
        break;
      }
      case 'TOOL_CALL_START': {
        const call = { name: String(event['toolCallName']), arguments: '' };
        let message = find(parentMessageId);
        if (message === undefined) {
          message = { id: parentMessageId ?? '', role: 'assistant' };
          messages.push(message);
        }
        if (message.role !== 'assistant') break;
        message.toolCalls ??= [];
        message.toolCalls.push({ id: toolCallId ?? '', type: 'function', function: call });
        break;
      }
      case 'TOOL_CALL_ARGS': {
        const calls = messages.flatMap((one) =>
          one.role === 'assistant' ? (one.toolCalls ?? []) : [],
        );
        const call = calls.find(({ id }) => id === toolCallId);
        if (call !== undefined) call.function.arguments += delta ?? '';
        break;
      }
      case 'TOOL_CALL_RESULT': {
        const id = results.get(toolCallId ?? '') ?? messageId ?? '';
        const content = String(event['content']);
        messages.push({ id, role: 'tool', toolCallId: toolCallId ?? '', content });
        break;
      }
      default:
    }
  }
  return messages;
}
