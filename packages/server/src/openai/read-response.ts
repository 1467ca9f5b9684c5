import type { Message } from '@chatd/protocol';
import { notFound } from '../chat/refused.ts';
import type { ChatRow, MessageRow } from '../chat/row.ts';
import { presentError } from '../present/chat.ts';
import { presentMessage } from '../present/message.ts';
import { messagePages } from '../protocols/message-pages.ts';
import { asText } from '../protocols/part-text.ts';
import { messagesAfter } from '../store/queries/messages/read.ts';
import { turnStart } from '../store/queries/messages/turn-start.ts';
import { readQueue } from '../store/queries/queued-messages.ts';
import type { Queryable } from '../store/statement.ts';
import type { StartPoint } from '../protocols/turn-ref.ts';
import { modelName } from './models.ts';
import type { ResponseHead } from './response-object.ts';
import { ResponseTurn } from './response-turn.ts';

/** A response that has begun, and where its stream starts. */
export interface FoundResponse {
  readonly head: ResponseHead;
  /** Messages after this one belong to it. */
  readonly after: number;
  /** Its message has not left the queue. */
  readonly isQueued: boolean;
}

/** Refuses if the history of the chat does not have it. */
export async function findResponse(
  db: Queryable,
  chat: ChatRow,
  start: StartPoint,
): Promise<FoundResponse> {
  const after = start.kind === 'queued' ? await afterQueued(db, chat, start.id) : start.id - 1;
  const first = await messageAfter(db, chat.id, after);
  const isStart =
    start.kind === 'queued' ||
    (first?.id === start.id && first.role === (start.kind === 'calls' ? 'assistant' : 'user'));
  if (!isStart) throw notFound();
  const head = {
    ref: { chatId: chat.id, start },
    createdAt: first?.created_at ?? chat.updated_at,
    model: await modelName(db, chat.owner_id, first?.model_config_id ?? chat.model_config_id),
    chat,
  };
  return {
    head,
    after,
    isQueued: start.kind === 'queued' && first?.queued_message_id !== start.id,
  };
}

async function afterQueued(db: Queryable, chat: ChatRow, id: number): Promise<number> {
  const at = { chat_id: chat.id, message_id: null, queued_id: id };
  const [row] = await db.query(turnStart, at);
  const after = row?.after ?? 0;
  const next = await messageAfter(db, chat.id, after);
  if (next?.queued_message_id === id) return after;
  const queue = await db.query(readQueue, { chat_id: chat.id });
  if (queue.some((entry) => entry.id === id)) return after;
  throw notFound();
}

async function messageAfter(
  db: Queryable,
  chat_id: string,
  after_id: number,
): Promise<MessageRow | undefined> {
  return (await db.query(messagesAfter, { chat_id, after_id, before_id: null, limit: 1 }))[0];
}

export interface ReadResponse {
  readonly turn: ResponseTurn;
  /** Its last message. */
  readonly last: number;
  /** The chat has messages after it. */
  readonly isFollowed: boolean;
}

/** The response as far as it is committed. */
export async function readResponse(
  db: Queryable,
  chat: ChatRow,
  { head, after }: FoundResponse,
): Promise<ReadResponse> {
  const turn = new ResponseTurn(head);
  turn.start();
  let last = after;
  for await (const page of messagePages(db, chat.id, { after })) {
    for (const message of page.map(presentMessage)) {
      turn.take({ type: 'message', message });
      if (turn.over) return { turn, last, isFollowed: true };
      last = message.id;
    }
  }
  for (const event of stateOf(chat)) turn.take(event);
  return { turn, last, isFollowed: false };
}

/** What the stream of the chat sends after its messages. */
function stateOf(chat: ChatRow): Parameters<ResponseTurn['take']>[0][] {
  const { status, last_error, open_calls, interrupted } = chat;
  if (interrupted)
    return [
      { type: 'status', status: 'interrupting' },
      { type: 'status', status },
    ];
  if (status === 'error' && last_error !== null) {
    return [
      { type: 'status', status },
      { type: 'error', error: presentError(last_error) },
    ];
  }
  if (status !== 'requires_action') return [{ type: 'status', status }];
  const tool_calls = open_calls.flatMap(({ tool_call_id, tool_name, kind, decision }) =>
    kind === null || decision !== undefined ? [] : [{ tool_call_id, tool_name, kind, args: null }],
  );
  return [{ type: 'action_required', tool_calls }];
}

/** Messages as items of a list, in the order of the history. */
export function itemsOf({ id, role, content }: Message): object[] {
  const parts: object[] = [];
  const items: object[] = [];
  for (const part of content) {
    switch (part.type) {
      case 'text':
        parts.push(
          role === 'user'
            ? { type: 'input_text', text: part.text }
            : { type: 'output_text', text: part.text, annotations: [], logprobs: [] },
        );
        break;
      case 'file': {
        const image = part.media_type.startsWith('image/');
        const file_id = part.file_id;
        parts.push(
          image
            ? { type: 'input_image', file_id, image_url: null, detail: 'auto' }
            : { type: 'input_file', file_id, filename: part.name },
        );
        break;
      }
      case 'file-reference':
        parts.push({ type: 'input_text', text: `${part.file_name}:\n${part.content}` });
        break;
      case 'tool-call':
        items.push({
          type: 'function_call',
          id: `fc_${id}_${part.tool_call_id}`,
          call_id: part.tool_call_id,
          name: part.tool_name,
          arguments: asText(part.args),
          status: 'completed',
        });
        break;
      case 'tool-result':
        items.push({
          type: 'function_call_output',
          id: `fco_${id}_${part.tool_call_id}`,
          call_id: part.tool_call_id,
          output: asText(part.result),
          status: 'completed',
        });
        break;
      case 'reasoning':
      case 'source':
        break;
    }
  }
  if (parts.length === 0) return items;
  const status = 'completed';
  return [{ type: 'message', id: `msg_${id}`, status, role, content: parts }, ...items];
}
