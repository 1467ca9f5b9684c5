import { createInterface } from 'node:readline';
import type { Client, StreamedEvent } from '@chatd/client';
import type { AwaitedCall } from '@chatd/protocol';
import type { Chat } from '../chats/find-chat.ts';
import { toolTitle } from '../chats/tool-title.ts';
import type { Context } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { oneLine, terminalText } from '../output/terminal-text.ts';
import { Progress } from '../run/progress.ts';
import { plain } from '../output/style.ts';
import { askedLines, firstForPerson, planLines, replyByKey, replyByText } from './answering.ts';
import { type Beginning, Conversation } from './conversation.ts';

const PAGE = { width: 100, style: plain };

/** Without a terminal: each line of stdin is a message, and is answered before the next one is read. */
export async function plainChat(
  context: Context,
  options: {
    readonly client: Client;
    readonly existing: Chat | undefined;
    readonly beginning: Beginning;
  },
): Promise<number> {
  const lines = createInterface({ input: context.stdin, terminal: false })[Symbol.asyncIterator]();
  const next = async () => {
    const line = await lines.next();
    return line.done === true ? undefined : line.value;
  };
  const events = new EventQueue();
  const conversation = new Conversation(
    options.client,
    {
      onChat: (chat) => chat && context.say(`chat ${chat.id}`),
      onEvent: (event) => events.push(event),
      onConnection: (state) => progress.connection(state),
      onError: (error) => events.fail(error),
    },
    options.beginning,
  );
  const progress = new Progress(context, false);
  let exitCode: number = EXIT.ok;
  if (options.existing !== undefined) {
    conversation.open(options.existing);
    await events.until(({ type }) => type === 'status');
  }
  try {
    for (let line = await next(); line !== undefined; line = await next()) {
      if (line.trim() === '/quit') break;
      if (line.trim() === '') continue;
      await conversation.send(line, 'queue');
      exitCode = await follow(context, { conversation, events, next, progress });
    }
  } finally {
    conversation.leave();
    await lines.return?.();
  }
  return exitCode;
}

interface Following {
  readonly conversation: Conversation;
  readonly events: EventQueue;
  readonly next: () => Promise<string | undefined>;
  readonly progress: Progress;
}

/** Until the chat rests. */
async function follow(
  context: Context,
  { conversation, events, next, progress }: Following,
): Promise<number> {
  let begun = false;
  for (;;) {
    const event = await events.next();
    progress.take(event);
    if (event.type === 'message' && event.message.role === 'user') begun = true;
    if (event.type === 'message' && event.message.role === 'assistant') {
      const texts = event.message.content.flatMap((part) =>
        part.type === 'text' ? [terminalText(part.text).trimEnd()] : [],
      );
      if (texts.length > 0) context.print(`${texts.join('\n')}\n`);
    }
    if (event.type === 'action_required') {
      const call = firstForPerson(event.tool_calls);
      if (call !== undefined && !(await answer(context, conversation, call, next))) {
        return EXIT.needs_person;
      }
    }
    if (event.type === 'error') {
      context.say(`chatd: the turn failed: ${oneLine(event.error.message)}`);
      return EXIT.failed;
    }
    if (begun && event.type === 'status' && event.status === 'waiting') return EXIT.ok;
  }
}

/** False: nobody is there to answer any more. */
async function answer(
  context: Context,
  conversation: Conversation,
  call: AwaitedCall,
  next: () => Promise<string | undefined>,
): Promise<boolean> {
  context.print(`${[...planLines(call, PAGE), ...askedLines(call, new Set(), PAGE)].join('\n')}\n`);
  for (;;) {
    const line = await next();
    if (line === undefined) {
      context.say(`chatd: the agent waits for an answer: ${toolTitle(call.tool_name, call.args)}`);
      return false;
    }
    const byKey = line.trim().length === 1 ? replyByKey(call, line.trim()) : undefined;
    const reply =
      byKey !== undefined && 'kind' in byKey ? byKey : replyByText(call, line, new Set());
    if (reply !== undefined) {
      await conversation.reply(reply);
      return true;
    }
    context.say('That is no answer to it.');
  }
}

/** Events in the order in which they came, for somebody who asks for them. */
class EventQueue {
  readonly #events: StreamedEvent[] = [];
  #failure: { readonly error: unknown } | undefined;
  #wake: () => void = () => undefined;

  push(event: StreamedEvent): void {
    this.#events.push(event);
    this.#wake();
  }

  fail(error: unknown): void {
    this.#failure = { error };
    this.#wake();
  }

  async next(): Promise<StreamedEvent> {
    for (;;) {
      const event = this.#events.shift();
      if (event !== undefined) return event;
      if (this.#failure !== undefined) throw this.#failure.error;
      await new Promise<void>((wake) => (this.#wake = wake));
    }
  }

  async until(wanted: (event: StreamedEvent) => boolean): Promise<void> {
    while (!wanted(await this.next()));
  }
}
