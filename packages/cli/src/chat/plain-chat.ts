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
import { questionLines, firstForPerson, planLines, replyByKey, replyByText } from './answering.ts';
import { Conversation, type ConversationDefaults } from './conversation.ts';

const PAGE = { width: 100, style: plain };

/** Chats without a terminal: sends each line of stdin as a message and waits for the answer. */
export async function plainChat(
  context: Context,
  options: {
    readonly client: Client;
    readonly existing: Chat | undefined;
    readonly defaults: ConversationDefaults;
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
      onChat: (chat) => chat && context.log(`chat ${chat.id}`),
      onEvent: (event) => events.push(event),
      onConnection: (state) => progress.connection(state),
      onError: (error) => events.fail(error),
    },
    options.defaults,
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

/** Follows the turn to its end. Returns the exit code. */
async function follow(
  context: Context,
  { conversation, events, next, progress }: Following,
): Promise<number> {
  let hasStarted = false;
  for (;;) {
    const event = await events.next();
    progress.take(event);
    if (event.type === 'message' && event.message.role === 'user') hasStarted = true;
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
      context.log(`chatd: the turn failed: ${oneLine(event.error.message)}`);
      return EXIT.failed;
    }
    if (hasStarted && event.type === 'status' && event.status === 'waiting') return EXIT.ok;
  }
}

/** Returns false if stdin ended before a reply. */
async function answer(
  context: Context,
  conversation: Conversation,
  call: AwaitedCall,
  next: () => Promise<string | undefined>,
): Promise<boolean> {
  context.print(
    `${[...planLines(call, PAGE), ...questionLines(call, new Set(), PAGE)].join('\n')}\n`,
  );
  for (;;) {
    const line = await next();
    if (line === undefined) {
      context.log(`chatd: the agent waits for a reply: ${toolTitle(call.tool_name, call.args)}`);
      return false;
    }
    const byKey = line.trim().length === 1 ? replyByKey(call, line.trim()) : undefined;
    const reply =
      byKey !== undefined && 'kind' in byKey ? byKey : replyByText(call, line, new Set());
    if (reply !== undefined) {
      await conversation.reply(reply);
      return true;
    }
    context.log('Invalid reply.');
  }
}

/** Buffers events until they are requested. */
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
