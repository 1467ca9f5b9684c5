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
import { ROUTES } from './routes.ts';
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

/** A text stands for a message that is nothing else. */
type OrText<Body> = Body | string;

type Each<Name extends PagedName> = (
  query?: QueryOf<Name>,
  options?: CallOptions,
) => AsyncGenerator<ItemOf<Name>, void, undefined>;

/** What a file is called, and what it is. */
export interface UploadOptions extends CallOptions {
  /** That of the `File`, unless told. */
  readonly name?: string | undefined;
  /** That of the `Blob`, unless told. */
  readonly type?: string | undefined;
}

/** chatd, from code. */
export interface Client extends Omit<
  Methods,
  'chats' | 'files' | 'users' | 'tokens' | 'workspaces'
> {
  /** Without a slash at its end. */
  readonly url: string;
  /**
   * Makes a call of the API by its name. Throws `ChatdProblem` when the server refuses, `ChatdUnreachable` when there
   * is no answer, and the signal's reason when it is aborted.
   */
  call<Name extends CallName>(name: Name, ...args: CallArguments<Name>): Promise<CallAnswer<Name>>;
  /** Every item of a list, over all its pages. */
  iterate<Name extends PagedName>(
    name: Name,
    ...args: CallArguments<Name>
  ): AsyncGenerator<ItemOf<Name>, void, undefined>;
  /** What happens to any of your chats: what there is first, and again after every break. */
  watch(options?: WatchOptions): AsyncGenerator<WatchedEvent, void, undefined>;
  readonly chats: Omit<Methods['chats'], 'create' | 'send' | 'edit'> & {
    /** Creates a chat with its first message, or with a text that is it; it starts to run. */
    create(
      body: OrText<BodyOf<'createChat'>>,
      options?: CallOptions,
    ): Promise<CallAnswer<'createChat'>>;
    /** Sends a message, or a text that is it; while the chat is busy it waits in the queue, unless told. */
    send(
      chatId: string,
      message: OrText<BodyOf<'sendMessage'>>,
      options?: CallOptions,
    ): Promise<CallAnswer<'sendMessage'>>;
    /** Puts another message, or a text that is it, in the place of one of yours, and goes on from there. */
    edit(
      chatId: string,
      messageId: number,
      message: OrText<BodyOf<'editMessage'>>,
      options?: CallOptions,
    ): Promise<CallAnswer<'editMessage'>>;
    /** Every chat that a list has. */
    each: Each<'listChats'>;
    /** Every message, newest first. */
    eachMessage(chatId: string, options?: CallOptions): AsyncGenerator<Message, void, undefined>;
    /**
     * What happens in a chat, over as many connections as it takes, each event once. It ends when its signal is
     * aborted, and throws at refusals that no further try can mend.
     */
    stream(
      chatId: string,
      options?: ChatStreamOptions,
    ): AsyncGenerator<StreamedEvent, void, undefined>;
    /** Sends a message and follows what comes of it, until the chat rests. */
    turn(chatId: string, message: OrText<BodyOf<'sendMessage'>>, options?: StreamOptions): Turn;
    /** Creates a chat and follows its first turn. */
    begin(
      body: OrText<BodyOf<'createChat'>>,
      options?: StreamOptions,
    ): Promise<{ readonly chat: CallAnswer<'createChat'>; readonly turn: Turn }>;
  };
  readonly files: Omit<Methods['files'], 'upload'> & {
    /** Stores a file, to be attached to messages by its id. */
    upload(file: Bytes, options?: UploadOptions): Promise<CallAnswer<'uploadFile'>>;
    /** Every file of yours. */
    readonly each: Each<'listFiles'>;
  };
  readonly users: Methods['users'] & {
    /** Every user. */
    readonly each: Each<'listUsers'>;
  };
  readonly tokens: Methods['tokens'] & {
    /** Every token of yours. */
    readonly each: Each<'listTokens'>;
  };
  readonly workspaces: Methods['workspaces'] & {
    /** Every workspace of yours. */
    readonly each: Each<'listWorkspaces'>;
  };
}

const connections = new WeakMap<Client, Connection>();

/** For what is built on a client and is not a part of it. */
export function connectionOfClient(client: Client): Connection {
  const connection = connections.get(client);
  if (connection === undefined) throw new TypeError('This client was not made by createClient.');
  return connection;
}

/** A client of one server. It holds no connection: there is nothing to close. */
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
      // The table that typed the call is the one that the server answers by.
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
