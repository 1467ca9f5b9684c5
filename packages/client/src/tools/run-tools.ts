import type { Chat, DynamicTool } from '@chatd/protocol';
import type { Connection } from '../connection.ts';
import { perform } from '../perform.ts';
import { ROUTES } from '../routes.ts';
import type { ConnectionState } from '../stream/connection-state.ts';
import { chatStream } from '../stream/streams.ts';
import { type AnyTools, declarationsOf } from './tool.ts';
import { ToolServer } from './tool-server.ts';

/** How tools of a program are served. */
export interface RunToolsOptions {
  /** Aborting stops it, as `stop()` does. */
  readonly signal?: AbortSignal | undefined;
  /** Leave the tools of other programs in the chat. Without it, these become the chat's only dynamic tools. */
  readonly keepOthers?: boolean | undefined;
  /** Is told what goes on between this program and the server. */
  readonly onConnection?: ((state: ConnectionState) => void) | undefined;
}

/** Tools that are being served. */
export interface ToolRun {
  /** The chat knows the tools. */
  readonly ready: Promise<void>;
  /** It was stopped; rejects when it cannot go on, as when the chat is deleted or the token is revoked. */
  readonly done: Promise<void>;
  /** What is under way is aborted; the chat goes on waiting, for this program when it comes back or for another. */
  stop(): Promise<void>;
}

/** Declares the tools to the chat and answers what it calls, until it is stopped. */
export function serveTools(
  connection: Connection,
  chatId: string,
  tools: AnyTools,
  options: RunToolsOptions = {},
): ToolRun {
  const stopping = new AbortController();
  const stop = () => stopping.abort();
  if (options.signal?.aborted === true) stop();
  options.signal?.addEventListener('abort', stop, { once: true });
  const ready = declareTools(connection, chatId, tools, options, stopping.signal);
  const done = ready
    .then(() => serve(connection, chatId, tools, options, stopping))
    .finally(() => options.signal?.removeEventListener('abort', stop))
    .catch((error: unknown) => {
      if (!stopping.signal.aborted || error !== stopping.signal.reason) throw error;
    });
  // Whoever waits for one of them is told; nobody has to wait.
  ready.catch(() => undefined);
  done.catch(() => undefined);
  return {
    ready,
    done,
    async stop() {
      stop();
      // Whoever wants to know how it ended asks `done`.
      await done.catch(() => undefined);
    },
  };
}

async function serve(
  connection: Connection,
  chatId: string,
  tools: AnyTools,
  options: RunToolsOptions,
  stopping: AbortController,
): Promise<void> {
  const failing = new AbortController();
  const server = new ToolServer(connection, {
    chatId,
    tools,
    shared: options.keepOthers ?? false,
    onError: (error) => failing.abort(error),
  });
  const stop = () => failing.abort(stopping.signal.reason);
  if (stopping.signal.aborted) stop();
  stopping.signal.addEventListener('abort', stop, { once: true });
  try {
    // From the state as it is, each time: a request that was open before this program started is told, too.
    const { onConnection } = options;
    const events = chatStream(connection, chatId, {
      tail: 0,
      signal: failing.signal,
      onConnection,
    });
    for await (const event of events) server.handle(event);
  } finally {
    await server.stop();
  }
  if (!stopping.signal.aborted) throw failing.signal.reason;
}

async function declareTools(
  connection: Connection,
  chatId: string,
  tools: AnyTools,
  { keepOthers = false }: RunToolsOptions,
  signal: AbortSignal,
): Promise<void> {
  const params = { chat_id: chatId };
  const chat = (await perform(connection, ROUTES.getChat, { params, signal })) as Chat;
  const declared = declarationsOf(tools);
  const others = keepOthers
    ? chat.dynamic_tools.filter(({ name }) => !Object.hasOwn(tools, name))
    : [];
  const dynamic_tools = [...others, ...declared];
  if (sameTools(chat.dynamic_tools, dynamic_tools)) return;
  const body = { dynamic_tools };
  await perform(connection, ROUTES.updateChat, { params, body, signal, repeatable: true });
}

const sameTools = (some: readonly DynamicTool[], others: readonly DynamicTool[]) =>
  canonical(some) === canonical(others);

/** The server may have stored the keys of a schema in another order. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
