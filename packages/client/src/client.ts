import type { Message } from '@chatd/protocol';
import type {
  BodyOf,
  Bytes,
  CallAnswer,
  CallArguments,
  CallInput,
  CallName,
  CallOptions,
  QueryOf,
} from './call.ts';
import { type ClientOptions, connectionOf } from './connect.ts';
import type { Connection } from './connection.ts';
import { type Methods, methodsOf } from './methods.ts';
import { eachMessage, type ItemOf, iterate, type PagedName } from './pages.ts';
import { perform } from './perform.ts';
import type { AnyInput } from './request.ts';
import { ROUTES } from './route-table.ts';
import type { StreamOptions } from './stream/connection-state.ts';
import {
  chatStream,
  type ChatStreamOptions,
  type StreamedEvent,
  type WatchedEvent,
  type WatchOptions,
  watchStream,
} from './stream/streams.ts';
import { beginChat, takeTurn } from './turn/take-turn.ts';
import type { Turn } from './turn/turn.ts';

type Content = BodyOf<'sendMessage'>['content'];

/** A string is short for a message with one text. */
type OrText<Body> = Body | string;

type Each<Name extends PagedName> = (
  query?: QueryOf<Name>,
  options?: CallOptions,
) => AsyncGenerator<ItemOf<Name>, void, undefined>;

/** Name and media type of an upload. */
export interface UploadOptions extends CallOptions {
  /** Default: the name of the `File`. */
  readonly name?: string | undefined;
  /** Default: the type of the `Blob`. */
  readonly type?: string | undefined;
}

/** A client of the chatd API. */
export interface Client extends Omit<
  Methods,
  'chats' | 'files' | 'users' | 'tokens' | 'workspaces'
> {
  /** Base URL of the server, without a trailing slash. */
  readonly url: string;
  /**
   * Calls an operation of the API by name. Throws `ChatdProblem` on an error response, `ChatdUnreachable` without a
   * response, and the signal's reason if aborted.
   */
  call<Name extends CallName>(name: Name, ...args: CallArguments<Name>): Promise<CallAnswer<Name>>;
  /** Iterates over all items of a paginated list. */
  iterate<Name extends PagedName>(
    name: Name,
    ...args: CallArguments<Name>
  ): AsyncGenerator<ItemOf<Name>, void, undefined>;
  /** Events about all your chats, starting with a snapshot. Sends a new snapshot after every reconnect. */
  watch(options?: WatchOptions): AsyncGenerator<WatchedEvent, void, undefined>;
  readonly chats: Omit<Methods['chats'], 'create' | 'send' | 'edit'> & {
    /** Creates a chat with its first message and starts it. */
    create(
      body: OrText<BodyOf<'createChat'>>,
      options?: CallOptions,
    ): Promise<CallAnswer<'createChat'>>;
    /** Sends a message. A busy chat queues it, unless `busy_behavior` says otherwise. */
    send(
      chatId: string,
      message: OrText<BodyOf<'sendMessage'>>,
      options?: CallOptions,
    ): Promise<CallAnswer<'sendMessage'>>;
    /** Replaces a user message and runs the chat again from there. The old messages remain as a version. */
    edit(
      chatId: string,
      messageId: number,
      message: OrText<BodyOf<'editMessage'>>,
      options?: CallOptions,
    ): Promise<CallAnswer<'editMessage'>>;
    /** Iterates over all chats of a list. */
    each: Each<'listChats'>;
    /** Iterates over all messages, newest first. */
    eachMessage(chatId: string, options?: CallOptions): AsyncGenerator<Message, void, undefined>;
    /**
     * Streams the events of a chat, each once, and reconnects as needed. Ends when the signal is aborted; throws on
     * errors that a retry cannot fix.
     */
    stream(
      chatId: string,
      options?: ChatStreamOptions,
    ): AsyncGenerator<StreamedEvent, void, undefined>;
    /** Sends a message and follows the turn until the chat is idle. */
    turn(chatId: string, message: OrText<BodyOf<'sendMessage'>>, options?: StreamOptions): Turn;
    /** Creates a chat and follows its first turn. */
    begin(
      body: OrText<BodyOf<'createChat'>>,
      options?: StreamOptions,
    ): Promise<{ readonly chat: CallAnswer<'createChat'>; readonly turn: Turn }>;
  };
  readonly files: Omit<Methods['files'], 'upload'> & {
    /** Uploads a file, to attach to messages by its ID. */
    upload(file: Bytes, options?: UploadOptions): Promise<CallAnswer<'uploadFile'>>;
    /** Iterates over all your files. */
    readonly each: Each<'listFiles'>;
  };
  readonly users: Methods['users'] & {
    /** Iterates over all users. */
    readonly each: Each<'listUsers'>;
  };
  readonly tokens: Methods['tokens'] & {
    /** Iterates over all your tokens. */
    readonly each: Each<'listTokens'>;
  };
  readonly auditEvents: Methods['auditEvents'] & {
    /** Iterates over all events of the audit log, newest first. */
    readonly each: Each<'listAuditEvents'>;
  };
  readonly machines: Methods['machines'] & {
    /** Iterates over all machines. */
    readonly each: Each<'listMachines'>;
  };
  readonly workspaces: Methods['workspaces'] & {
    /** Iterates over all your workspaces. */
    readonly each: Each<'listWorkspaces'>;
  };
}

const connections = new WeakMap<Client, Connection>();

/** For functions that take a client but are not methods of it. */
export function connectionOfClient(client: Client): Connection {
  const connection = connections.get(client);
  if (connection === undefined) throw new TypeError('This client was not created by createClient.');
  return connection;
}

/** Creates a client. It holds no open connection, so there is nothing to close. */
export function createClient(options: ClientOptions = {}): Client {
  const connection = connectionOf(options);
  const methods = methodsOf(connection);
  const each =
    <Name extends PagedName>(name: Name): Each<Name> =>
    (query, options) =>
      iterate(connection, name, { ...options, query } as CallInput<Name>);
  const client: Client = {
    ...methods,
    url: connection.url,
    async call<Name extends CallName>(name: Name, ...[input]: CallArguments<Name>) {
      // The same route table types the call and the server's response.
      const answer = await perform(connection, ROUTES[name], (input ?? {}) as AnyInput);
      return answer as CallAnswer<Name>;
    },
    iterate: (name, ...[input]) => iterate(connection, name, input),
    watch: (options) => watchStream(connection, options),
    chats: {
      ...methods.chats,
      create: (body, options) => methods.chats.create(asBody(body), options),
      send: (chatId, message, options) => methods.chats.send(chatId, asBody(message), options),
      edit: (chatId, messageId, message, options) =>
        methods.chats.edit(chatId, messageId, asBody(message), options),
      each: each('listChats'),
      eachMessage: (chatId, options) => eachMessage(connection, chatId, options),
      stream: (chatId, options) => chatStream(connection, chatId, options),
      turn: (chatId, message, options) => takeTurn(connection, chatId, asBody(message), options),
      begin: (body, options) => beginChat(connection, asBody(body), options),
    },
    files: {
      ...methods.files,
      upload: (file, options) => upload(methods, file, options),
      each: each('listFiles'),
    },
    users: { ...methods.users, each: each('listUsers') },
    tokens: { ...methods.tokens, each: each('listTokens') },
    auditEvents: { ...methods.auditEvents, each: each('listAuditEvents') },
    machines: { ...methods.machines, each: each('listMachines') },
    workspaces: { ...methods.workspaces, each: each('listWorkspaces') },
  };
  connections.set(client, connection);
  return client;
}

const asBody = <Body extends { content: Content }>(
  body: Body | string,
): Body | { content: Content } => (typeof body === 'string' ? { content: body } : body);

async function upload(
  { files }: Methods,
  file: Bytes,
  { name, type, ...options }: UploadOptions = {},
): Promise<CallAnswer<'uploadFile'>> {
  const named = name ?? (file instanceof File && file.name !== '' ? file.name : 'file');
  const bytes = type === undefined ? file : new Blob([file], { type });
  return await files.upload(bytes, { name: named }, options);
}
