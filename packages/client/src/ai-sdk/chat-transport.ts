import type { Chat } from '@chatd/protocol';
import type { ChatTransport, UIMessage, UIMessageChunk } from 'ai';
import type { BodyOf } from '../call.ts';
import { type Client, connectionOfClient } from '../client.ts';
import type { Connection } from '../connection.ts';
import { urlOf } from '../request.ts';
import { ROUTES } from '../route-table.ts';
import type { StreamOptions } from '../stream/connection-state.ts';
import { type Reconnecting, reconnecting } from '../stream/reconnecting.ts';
import { contentOf } from './content.ts';

/** Options of `chatTransport`. */
export interface ChatTransportOptions extends Pick<StreamOptions, 'onConnection' | 'silenceMs'> {
  /** The chat to use. Default: the first message creates one. */
  readonly chatId?: string | undefined;
  /** Options of the created chat. */
  readonly create?: Omit<BodyOf<'createChat'>, 'content'> | undefined;
  /** Called with the created chat. Store its ID to resume the chat later. */
  readonly onChat?: ((chat: Chat) => void) | undefined;
  /** Continues the stream while another program runs the chat's dynamic tools (`runTools`). */
  readonly followTools?: boolean | undefined;
  /** Whether `stop()` also interrupts the turn on the server. Default: true. */
  readonly interruptOnStop?: boolean | undefined;
}

/**
 * A transport for `useChat` and other front ends of the AI SDK. It reconnects lost connections without the front end
 * noticing.
 */
export function chatTransport<Shown extends UIMessage = UIMessage>(
  client: Client,
  options: ChatTransportOptions = {},
): ChatTransport<Shown> {
  const connection = connectionOfClient(client);
  let chatId = options.chatId;
  let resumed = 0;
  const urlFor = (id: string) => (after?: string) =>
    urlOf(connection.url, ROUTES.streamUi, {
      params: { chat_id: id },
      query: { after, follow_tools: options.followTools === true ? true : undefined },
    });
  const follow = (id: string, signal: AbortSignal | undefined, more: Partial<Reconnecting> = {}) =>
    chunks(connection, { ...options, signal, urlAfter: urlFor(id), ...more });

  const begin = async (message: UIMessage, signal: AbortSignal | undefined) => {
    const content = await contentOf(client, message);
    const chat = await client.chats.create({ ...options.create, content }, { signal });
    chatId = chat.id;
    options.onChat?.(chat);
    const { messages } = await client.chats.messages(chat.id, { limit: 200 }, { signal });
    return { id: chat.id, turn: messages.find(({ role }) => role === 'user')?.id ?? 1 };
  };

  return {
    resumeStreamIsReplay: true,
    async sendMessages({ trigger, messageId, messages, abortSignal: signal, body }) {
      const last = messages.at(-1);
      if (last === undefined) throw new TypeError('There is no message to send.');
      if (chatId === undefined) {
        const { id, turn } = await begin(last, signal);
        interruptAtStop(client, id, signal, options);
        return streamOf(follow(id, signal, { after: `${turn}.0` }));
      }
      const id = chatId;
      interruptAtStop(client, id, signal, options);
      const isNew = last.role === 'user' && trigger === 'submit-message' && messageId === undefined;
      if (isNew) {
        const content = await contentOf(client, last);
        const sent = await client.chats.send(id, { ...body, content }, { signal });
        const turn = sent.queued
          ? await turnOfQueued(client, id, sent.queued_message.id, signal)
          : sent.message.id;
        return streamOf(follow(id, signal, { after: `${turn}.0` }));
      }
      const request = { ...body, trigger, messageId, messages: abridged(messages) };
      const posted = { url: urlFor(id)(), body: request };
      const after = last.role === 'assistant' ? placeIn(last) : undefined;
      return streamOf(follow(id, signal, { posted, after }));
    },
    async reconnectToStream({ abortSignal: signal }) {
      resumed += 1;
      if (chatId === undefined) return null;
      const time = resumed;
      const stream = follow(chatId, signal);
      const first = await stream.next();
      if (first.done === true) return null;
      // Resuming again aborts the previous stream; that abort must not interrupt the turn.
      interruptAtStop(client, chatId, signal, options, () => time === resumed);
      return streamOf(stream, first.value);
    },
  };
}

async function* chunks(
  connection: Connection,
  options: Reconnecting,
): AsyncGenerator<UIMessageChunk, void, undefined> {
  for await (const { data } of reconnecting(connection, options)) {
    if (data === '[DONE]') return;
    yield JSON.parse(data) as UIMessageChunk;
  }
  // Front ends recognize an aborted fetch by the name of its error.
  options.signal?.throwIfAborted();
}

function streamOf(
  source: AsyncGenerator<UIMessageChunk, void, undefined>,
  ...first: UIMessageChunk[]
): ReadableStream<UIMessageChunk> {
  return new ReadableStream({
    async pull(controller) {
      const buffered = first.shift();
      if (buffered !== undefined) return controller.enqueue(buffered);
      const { done, value } = await source.next();
      if (done === true) controller.close();
      else controller.enqueue(value);
    },
    async cancel() {
      await source.return();
    },
  });
}

async function turnOfQueued(
  client: Client,
  chatId: string,
  queuedId: number,
  signal: AbortSignal | undefined,
): Promise<number> {
  for await (const event of client.chats.stream(chatId, { tail: 200, signal })) {
    if (event.type !== 'message') continue;
    if (event.message.queued_message_id === queuedId) return event.message.id;
  }
  signal?.throwIfAborted();
  throw new Error('The message was deleted from the queue.');
}

/** The server reads only the role of earlier messages. */
const abridged = (messages: readonly UIMessage[]) =>
  messages.map((message, index) =>
    index === messages.length - 1 ? message : { ...message, parts: [] },
  );

/** The cursor of an assistant message: its turn and the number of its steps. */
function placeIn({ id, parts }: UIMessage): string | undefined {
  const [, turn] = /^reply-([1-9][0-9]*)$/.exec(id) ?? [];
  const steps = parts.filter(({ type }) => type === 'step-start').length;
  return turn === undefined ? undefined : `${turn}.${steps}`;
}

function interruptAtStop(
  client: Client,
  chatId: string,
  signal: AbortSignal | undefined,
  { interruptOnStop = true }: ChatTransportOptions,
  isMeant: () => boolean = () => true,
): void {
  if (!interruptOnStop) return;
  const interrupt = async () => {
    // A resume follows in the same tick, if at all.
    await Promise.resolve();
    // The turn may have ended already.
    if (isMeant()) await client.chats.interrupt(chatId).catch(() => undefined);
  };
  signal?.addEventListener('abort', () => void interrupt(), { once: true });
}
