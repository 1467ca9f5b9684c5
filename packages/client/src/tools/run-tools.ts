import type { Chat, DynamicTool } from '@chatd/protocol';
import type { Connection } from '../connection.ts';
import { perform } from '../perform.ts';
import { ROUTES } from '../route-table.ts';
import type { ConnectionState } from '../stream/connection-state.ts';
import { chatStream } from '../stream/streams.ts';
import { type AnyTools, declarationsOf } from './tool.ts';
import { ToolServer } from './tool-server.ts';

/** Options of `runTools`. */
export interface RunToolsOptions {
  /** Aborting stops the tools, like `stop()`. */
  readonly signal?: AbortSignal | undefined;
  /** Keeps the dynamic tools of other programs in the chat. Default: replace them. */
  readonly keepOthers?: boolean | undefined;
  /** Called when the state of the connection changes. */
  readonly onConnection?: ((state: ConnectionState) => void) | undefined;
}

/** Running tools of a program. */
export interface ToolRun {
  /** Resolves when the tools are declared to the chat. */
  readonly ready: Promise<void>;
  /**
   * Resolves when stopped. Rejects on a permanent error, for example if the chat is deleted or the token is revoked.
   */
  readonly done: Promise<void>;
  /** Aborts running calls. The chat keeps waiting for this program or another one. */
  stop(): Promise<void>;
}

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
  // Both promises may stay unobserved.
  ready.catch(() => undefined);
  done.catch(() => undefined);
  return {
    ready,
    done,
    async stop() {
      stop();
      // `done` reports the error.
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
    // Each connection starts with the current state, so calls from before the start of this program are included.
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

/** The server may store the keys of a schema in a different order. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
