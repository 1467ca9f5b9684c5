import { randomUUID } from 'node:crypto';
import { Readable, Writable } from 'node:stream';
import {
  agent,
  type AgentContext,
  type ClientCapabilities,
  type McpServer,
  ndJsonStream,
  PROTOCOL_VERSION,
  RequestError,
} from '@agentclientprotocol/sdk';
import type { Client } from '@chatd/client';
import type { Chat } from '@chatd/protocol';
import type { Context } from '../context.ts';
import { listModels } from '../resources/models.ts';
import { openMcpServers } from './editor-mcp-servers.ts';
import { hasCode, isUnauthenticated, requestError } from './errors.ts';
import { FOLDER_LABEL, Session, SESSION_LABEL } from './session.ts';
import { changeOf } from './session-settings.ts';

/** The server may be restarting: a call waits for it for about a minute. */
const RETRIES = 10;
const PAGE = '50';

const LOGIN = {
  id: 'chatd-login',
  name: 'chatd login',
  description: 'Run chatd login in a terminal, or set CHATD_TOKEN in the settings of the editor.',
};

interface Place {
  readonly cwd: string;
  readonly additionalDirectories?: readonly string[];
  readonly mcpServers?: readonly McpServer[];
}

/** Serves one editor on stdin and stdout until it closes the connection. */
export async function serveEditor(context: Context): Promise<void> {
  const { stdin, stdout, log, version } = context;
  const sessions = new Map<string, Session>();
  const closing = new AbortController();
  let capabilities: ClientCapabilities = {};
  let client: Client | undefined;
  let isWatching = false;

  // Logging in again takes effect without a restart.
  const connect = async () => (client ??= await context.client({ retries: RETRIES }));
  const guarded =
    <Arguments extends unknown[], Result>(handle: (...args: Arguments) => Promise<Result>) =>
    async (...args: Arguments): Promise<Result> => {
      try {
        return await handle(...args);
      } catch (error) {
        if (isUnauthenticated(error)) client = undefined;
        throw requestError(error);
      }
    };

  const watch = async (client: Client) => {
    isWatching = true;
    try {
      for await (const event of client.watch({ signal: closing.signal })) {
        const chats = 'chats' in event ? event.chats : [event.chat];
        for (const session of sessions.values()) {
          const chat = chats.find(({ id }) => id === session.chatId);
          if (chat !== undefined) await session.changed(chat);
        }
      }
    } catch (error) {
      log(requestError(error).message);
    } finally {
      isWatching = false;
    }
  };

  const start = async (id: string, peer: AgentContext, place: Place): Promise<Session> => {
    const client = await connect();
    const models = (await listModels(client)).filter(({ enabled }) => enabled);
    const { cwd, mcpServers = [] } = place;
    const roots = [place.cwd, ...(place.additionalDirectories ?? [])] as const;
    const session = new Session({
      id,
      client,
      models,
      editor: { peer, capabilities },
      roots: [...roots],
      mcpServers: await openMcpServers(mcpServers, { cwd, version, log }),
      log,
    });
    await sessions.get(id)?.close({ cancel: false });
    sessions.set(id, session);
    if (!isWatching) void watch(client);
    // After the response that names the session.
    setImmediate(() => void session.sendCommands());
    return session;
  };

  const reopen = async (
    peer: AgentContext,
    { sessionId, ...place }: Place & { readonly sessionId: string },
    replay: boolean,
  ) => {
    const chat = await findChat(await connect(), sessionId);
    const session = await start(sessionId, peer, place);
    await session.open(chat, { replay });
    return session.state;
  };

  const running = (id: string): Session => {
    const session = sessions.get(id);
    if (session === undefined) throw RequestError.sessionNotFound(id);
    return session;
  };

  const close = async (id: string) => {
    const session = sessions.get(id);
    sessions.delete(id);
    await session?.close({ cancel: true });
  };

  const connection = agent({ name: 'chatd' })
    .onRequest('initialize', ({ params }) => {
      capabilities = params.clientCapabilities ?? {};
      return {
        protocolVersion: PROTOCOL_VERSION,
        agentInfo: { name: 'chatd', title: 'chatd', version },
        agentCapabilities: {
          loadSession: true,
          promptCapabilities: { image: true, embeddedContext: true },
          mcpCapabilities: { http: true, sse: false },
          sessionCapabilities: {
            list: {},
            resume: {},
            close: {},
            delete: {},
            additionalDirectories: {},
          },
        },
        authMethods: [LOGIN],
      };
    })
    .onRequest(
      'authenticate',
      guarded(async () => {
        client = undefined;
        await (await connect()).me.get();
        return {};
      }),
    )
    .onRequest(
      'session/new',
      guarded(async ({ params, client: peer }) => {
        const session = await start(randomUUID(), peer, params);
        return { sessionId: session.id, ...session.state };
      }),
    )
    .onRequest(
      'session/load',
      guarded(({ params, client: peer }) => reopen(peer, params, true)),
    )
    .onRequest(
      'session/resume',
      guarded(({ params, client: peer }) => reopen(peer, params, false)),
    )
    .onRequest(
      'session/list',
      guarded(async ({ params: { cwd, cursor } }) => {
        const { chats, next_cursor } = await (
          await connect()
        ).chats.list({
          limit: PAGE,
          ...(cwd && { label: `${FOLDER_LABEL}:${cwd}` }),
          ...(cursor && { cursor }),
        });
        const sessions = chats.map((chat) => ({
          sessionId: sessionIdOf(chat, chats),
          cwd: chat.labels[FOLDER_LABEL] ?? process.cwd(),
          title: chat.title,
          updatedAt: chat.active_at,
        }));
        return { sessions, nextCursor: next_cursor };
      }),
    )
    .onRequest(
      'session/delete',
      guarded(async ({ params: { sessionId } }) => {
        const client = await connect();
        const chat = await findChat(client, sessionId);
        await close(sessionId);
        await client.chats.delete(chat.id);
      }),
    )
    .onRequest(
      'session/close',
      guarded(({ params }) => close(params.sessionId)),
    )
    .onRequest(
      'session/set_mode',
      guarded(({ params }) => running(params.sessionId).change(changeOf('mode', params.modeId))),
    )
    .onRequest(
      'session/set_config_option',
      guarded(async ({ params }) => {
        const session = running(params.sessionId);
        await session.change(changeOf(params.configId, params.value));
        return { configOptions: session.state.configOptions };
      }),
    )
    .onRequest(
      'session/prompt',
      guarded(async ({ params, signal }) => ({
        stopReason: await running(params.sessionId).prompt(params.prompt, signal),
      })),
    )
    .onNotification('session/cancel', ({ params }) => running(params.sessionId).cancel())
    .connect(
      ndJsonStream(
        Writable.toWeb(stdout) as WritableStream<Uint8Array>,
        Readable.toWeb(stdin) as ReadableStream<Uint8Array>,
      ),
    );

  await connection.closed;
  closing.abort();
  // Turns continue on the server without the editor's tools.
  const ends = [...sessions.values()].map((session) => session.close({ cancel: false }));
  await Promise.allSettled(ends);
}

/** By the ID that the editor got for a new session, or by the ID of the chat. */
async function findChat(client: Client, sessionId: string): Promise<Chat> {
  const { chats } = await client.chats.list({ label: `${SESSION_LABEL}:${sessionId}` });
  const [oldest] = chats.toSorted(byAge);
  if (oldest !== undefined) return oldest;
  return await client.chats.get(sessionId).catch((error: unknown) => {
    if (hasCode(error, 'not_found', 'invalid_id')) {
      throw RequestError.sessionNotFound(sessionId);
    }
    throw error;
  });
}

/** A fork has the labels of its original, which keeps the session. */
function sessionIdOf(chat: Chat, chats: readonly Chat[]): string {
  const session = chat.labels[SESSION_LABEL];
  const same = chats.filter(({ labels }) => labels[SESSION_LABEL] === session).toSorted(byAge);
  return session === undefined || same[0] !== chat ? chat.id : session;
}

const byAge = (one: Chat, other: Chat) => (one.id < other.id ? -1 : 1);
