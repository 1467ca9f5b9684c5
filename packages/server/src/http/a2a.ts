import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { Chat, InputPart, Message, RouteName } from '@chatd/protocol';
import type { z } from 'zod';
import { A2A_VERSION } from '../a2a/agent-card.ts';
import { A2aError, errorObject, taskNotFound } from '../a2a/errors.ts';
import { followTask, taskStream, type TaskSource } from '../a2a/follow-task.ts';
import { readAnswers, readParts } from '../a2a/input.ts';
import { newestStart, tasksIn } from '../a2a/list-tasks.ts';
import { type StreamResponse, withHistory } from '../a2a/objects.ts';
import { ListTasksParams, RpcRequest, SendMessageParams, TaskParams } from '../a2a/requests.ts';
import { isContextId, parseTaskId } from '../a2a/task-id.ts';
import type { TaskTurn } from '../a2a/task-turn.ts';
import type { Caller } from '../auth/caller.ts';
import { Refused } from '../chat/refused.ts';
import type { TurnRef } from '../protocols/turn-ref.ts';
import { findIdempotencyKey } from '../store/queries/idempotency-keys.ts';
import { type Exchange, tokenOnly } from './exchange.ts';
import type { FaceHandler } from './face-handler.ts';
import { DATA_HEADERS } from './headers.ts';
import { bodyOfInner, type InnerCall, innerCalls } from './inner-calls.ts';
import { asProblem } from './problem.ts';
import { JSON_BYTES_LIMIT, readBody } from './request/body.ts';
import { issueMessage } from './request/issue-message.ts';
import { refusalFrom } from './request/issues.ts';
import { parseJson } from './request/json.ts';
import { type Serve, Streaming } from './serve.ts';
import type { Services } from './services.ts';
import { findTurnStart } from './streamed-response.ts';

/** Requests can contain files. */
const BODY_BYTES = 16 * 1024 * 1024;
/** A canceled turn stops within this time, or the response says that it is still working. */
const CANCEL_MS = 5000;
/** Each task of the list is read on its own. */
const PAGE_SIZE = 50;
const LATEST_TASKS = 20;
const RECENT_MESSAGES = 100;

interface A2aCall {
  readonly caller: Caller | null;
  readonly exchange: Exchange;
  readonly outgoing: ServerResponse;
  readonly inner: InnerCall;
  readonly params: unknown;
}

/** Updates of a task, or the result of a call. */
type Answer = { readonly stream: TaskSource } | { readonly result: object };

type Method = (services: Services, call: A2aCall) => Promise<Answer>;

/**
 * The methods of A2A. They call the API with the token of the client, so its rights and limits apply.
 * `test/sharing/walk.test.ts` tries each of them as every kind of caller.
 */
export const A2A_METHODS = {
  SendMessage: sendMessage,
  SendStreamingMessage: async (services: Services, call: A2aCall) => ({
    stream: await send(services, call, parse(SendMessageParams, call.params)),
  }),
  GetTask: async (services: Services, call: A2aCall) => {
    const { id, historyLength } = parse(TaskParams, call.params);
    return { result: withHistory((await read(services, call, id)).task, historyLength) };
  },
  ListTasks: listTasks,
  CancelTask: cancelTask,
  SubscribeToTask: subscribe,
  CreateTaskPushNotificationConfig: noPushNotifications,
  GetTaskPushNotificationConfig: noPushNotifications,
  ListTaskPushNotificationConfigs: noPushNotifications,
  DeleteTaskPushNotificationConfig: noPushNotifications,
  GetExtendedAgentCard: () =>
    Promise.reject(new A2aError('UNSUPPORTED_OPERATION', 'There is no extended agent card.')),
} as const satisfies Readonly<Record<string, Method>>;

/** The JSON-RPC endpoint. */
export const a2aEndpoint =
  (services: Services, serves: Readonly<Record<RouteName, Serve>>): FaceHandler =>
  async ({ exchange, outgoing }) => {
    let id: string | number | null = null;
    const respond = (
      content: object,
      status = 200,
      headers: Readonly<Record<string, string>> = {},
    ) =>
      Response.json(
        { jsonrpc: '2.0', id, ...content },
        { status, headers: { ...DATA_HEADERS, ...headers } },
      );
    try {
      const caller = await services.authorizer.authorize(tokenOnly(exchange), 'read');
      // Only for reading: the calls of the methods have their own places.
      const { contentLength = BODY_BYTES } = exchange;
      const costs = contentLength > JSON_BYTES_LIMIT ? 'uploadFile' : 'listVersions';
      const leave = await services.limits.admit(costs, { caller, exchange, query: {} });
      const bytes = await readBody(exchange.incoming, BODY_BYTES).finally(leave);
      const request = RpcRequest.safeParse(parseJson(bytes));
      if (!request.success) throw new A2aError('INVALID_REQUEST', 'Send one JSON-RPC 2.0 request.');
      id = request.data.id ?? null;
      const inner = innerCalls(services, serves, exchange);
      const { params } = request.data;
      const perform = methodOf(request.data.method, exchange.header('a2a-version'));
      const answer = await perform(services, { caller, exchange, outgoing, inner, params });
      if ('result' in answer) return respond({ result: answer.result });
      const head = JSON.stringify({ jsonrpc: '2.0', id }).slice(0, -1);
      const encode = (update: StreamResponse) => `${head},"result":${JSON.stringify(update)}}`;
      return new Streaming(taskStream(answer.stream, encode));
    } catch (error) {
      if (error instanceof A2aError) return respond({ error: errorObject(error) });
      const { body, status, headers, unexpected } = asProblem(error);
      services.metrics.refusal(body.code);
      const { method, path } = exchange;
      if (unexpected) exchange.log.error({ err: error, method, path }, 'request failed');
      // Errors of the protocol are successful responses of HTTP.
      const isHttp = [401, 403, 413, 429].includes(status) || status >= 500;
      return respond({ error: errorObject(body) }, isHttp ? status : 200, headers);
    }
  };

function methodOf(name: string, version: string | undefined): Method {
  if ((version ?? A2A_VERSION) !== A2A_VERSION || name.includes('/')) {
    throw new A2aError(
      'VERSION_NOT_SUPPORTED',
      `This server supports A2A ${A2A_VERSION}. Update the client, and send the header A2A-Version: ${A2A_VERSION}.`,
    );
  }
  const methods: Readonly<Record<string, Method>> = A2A_METHODS;
  const method = Object.hasOwn(methods, name) ? methods[name] : undefined;
  if (method === undefined) throw new A2aError('METHOD_NOT_FOUND', `Unknown method: ${name}`);
  return method;
}

function parse<Schema extends z.ZodType>(schema: Schema, params: unknown): z.output<Schema> {
  const parsed = schema.safeParse(params, { error: issueMessage });
  if (!parsed.success) throw refusalFrom('body', parsed.error.issues);
  return parsed.data;
}

function noPushNotifications(): Promise<never> {
  const message = 'Push notifications are not supported. Use SubscribeToTask or GetTask.';
  return Promise.reject(new A2aError('PUSH_NOTIFICATION_NOT_SUPPORTED', message));
}

// Messages --------------------------------------------------------------------------------------

async function sendMessage(services: Services, call: A2aCall): Promise<Answer> {
  const params = parse(SendMessageParams, call.params);
  const { returnImmediately = false, historyLength } = params.configuration ?? {};
  const isEnough = ({ hasStopped }: TaskTurn) => returnImmediately || hasStopped;
  const turn = await followTask(await send(services, call, params), isEnough, (leave) => {
    if (call.exchange.isGone) leave();
    else call.outgoing.once('close', leave);
  });
  // A queued task waits as long as the one before it needs input.
  if (turn === undefined || !(isEnough(turn) || turn.isQueued)) throw stopping();
  return { result: { task: withHistory(turn.task, historyLength) } };
}

/** Sends a message once, also if the request is repeated. */
async function send(
  services: Services,
  call: A2aCall,
  { message, configuration, metadata }: SendMessageParams,
): Promise<TaskSource> {
  if (configuration?.taskPushNotificationConfig) await noPushNotifications();
  const { contextId, taskId, messageId, parts } = message;
  if (taskId !== undefined) {
    // Clients may number their messages anew. Another answer with the same ID is not a repetition.
    const key = keyOf(JSON.stringify([messageId, taskId, parts]));
    return await answer(services, call, message, taskId, key);
  }
  if (contextId !== undefined && !isContextId(contextId)) throw unknownContext(contextId);
  const body = { ...metadata, content: await contentOf(call, message.parts) };
  const request = {
    body,
    accept: 'text/event-stream',
    idempotencyKey: keyOf(messageId),
    identity: Buffer.from(JSON.stringify({ message, metadata })),
  };
  const { inner, exchange } = call;
  const response =
    contextId === undefined
      ? await inner('createChat', request)
      : await inner('sendMessage', { ...request, params: { chat_id: contextId } });
  return { joining: streamIn(response), origin: exchange.origin };
}

const keyOf = (identity: string) => `a2a-${createHash('sha256').update(identity).digest('hex')}`;

async function contentOf(
  { inner }: A2aCall,
  parts: SendMessageParams['message']['parts'],
): Promise<InputPart[]> {
  const content: InputPart[] = [];
  for (const part of readParts(parts)) {
    if (part.type !== 'new-file') content.push(part);
    else {
      const { name, mediaType, bytes } = part;
      const uploaded = await inner('uploadFile', { query: { name }, file: { mediaType, bytes } });
      content.push({
        type: 'file',
        file_id: ((await bodyOfInner(uploaded)) as { readonly id: string }).id,
      });
    }
  }
  return content;
}

/** Answers the calls that a task waits for. */
async function answer(
  services: Services,
  call: A2aCall,
  { parts, contextId }: SendMessageParams['message'],
  id: string,
  key: string,
): Promise<TaskSource> {
  const { inner, caller } = call;
  const ref = refOf(id);
  if (contextId !== undefined && contextId !== ref.chatId) {
    throw new A2aError('INVALID_PARAMS', `Task ${id} is not in the context ${contextId}.`);
  }
  const turn = await read(services, call, id);
  const used = { user_id: caller?.user.id ?? '', key };
  const [repeated] = await services.store.database.query(findIdempotencyKey, used);
  if (repeated === undefined) {
    if (turn.pending.length === 0) throw acceptsNothing(turn);
    const { decisions, answers, results } = readAnswers(parts, turn.pending);
    const params = { chat_id: ref.chatId };
    const calls: [RouteName, object][] = [
      ...answers.map((body): [RouteName, object] => ['answerQuestion', body]),
      ...(decisions.length > 0 ? [['decideApprovals', { decisions }] as [RouteName, object]] : []),
      ...(results.length > 0 ? [['submitToolResults', { results }] as [RouteName, object]] : []),
    ];
    for (const [index, [name, body]] of calls.entries()) {
      // A repeated request goes on where the first one stopped.
      const idempotencyKey = index === calls.length - 1 ? { idempotencyKey: key } : {};
      await inner(name, { params, body, ...idempotencyKey });
    }
  }
  return await sourceOf(services, call, ref);
}

// Tasks -----------------------------------------------------------------------------------------

/** The task as far as it is committed. */
async function read(services: Services, call: A2aCall, id: string): Promise<TaskTurn> {
  const turn = await followTask(await sourceOf(services, call, refOf(id)), () => true);
  if (turn === undefined) throw stopping();
  if (!turn.exists) throw taskNotFound(id);
  return turn;
}

async function subscribe(services: Services, call: A2aCall): Promise<Answer> {
  const { id } = parse(TaskParams, call.params);
  const turn = await read(services, call, id);
  if (turn.isOver) {
    throw new A2aError('UNSUPPORTED_OPERATION', `Task ${id} has ended. Use GetTask.`);
  }
  return { stream: await sourceOf(services, call, refOf(id)) };
}

async function cancelTask(services: Services, call: A2aCall): Promise<Answer> {
  const { id } = parse(TaskParams, call.params);
  const turn = await read(services, call, id);
  if (turn.isOver) throw new A2aError('TASK_NOT_CANCELABLE', `Task ${id} has ended.`);
  const ref = refOf(id);
  const params = { chat_id: ref.chatId };
  const queued_message_id = String(ref.start.id);
  const isRemoved =
    turn.isQueued &&
    (await done(call.inner('deleteQueuedMessage', { params: { ...params, queued_message_id } })));
  if (isRemoved) {
    const { task } = turn;
    return { result: { ...task, status: { ...task.status, state: 'TASK_STATE_CANCELED' } } };
  }
  // The first one cancels the calls that wait for input, and the turn goes on.
  if (turn.pending.length > 0) await done(call.inner('interruptChat', { params }));
  await done(call.inner('interruptChat', { params }));
  const timer = AbortSignal.timeout(CANCEL_MS);
  const source = await sourceOf(services, call, ref);
  const after = await followTask(
    source,
    ({ isOver }) => isOver,
    (leave) => timer.addEventListener('abort', leave, { once: true }),
  );
  return { result: (after ?? turn).task };
}

/** False: the chat has changed meanwhile, so there is nothing to do. */
async function done(call: Promise<unknown>): Promise<boolean> {
  try {
    await call;
    return true;
  } catch (error) {
    if (error instanceof Refused && [404, 409].includes(asProblem(error).status)) return false;
    throw error;
  }
}

/** The tasks of a context, or the latest task of each context. */
async function listTasks(services: Services, call: A2aCall): Promise<Answer> {
  const params = parse(ListTasksParams, call.params);
  const { contextId, status, pageToken, historyLength, statusTimestampAfter: after } = params;
  if (contextId !== undefined && !isContextId(contextId)) throw unknownContext(contextId);
  const pageSize = params.pageSize ?? PAGE_SIZE;
  const listed =
    contextId === undefined
      ? await latestTasks(services, call, Math.min(pageSize, LATEST_TASKS), pageToken)
      : await tasksOf(services, call, contextId);
  const matching = listed.tasks
    .map(({ task }) => task)
    .filter(({ status: { state, timestamp = '' } }) => {
      if (status !== undefined && state !== status) return false;
      return after === undefined || new Date(timestamp) >= new Date(after);
    });
  const from = contextId === undefined ? 0 : matching.findIndex(({ id }) => id === pageToken) + 1;
  const page = matching.slice(from, from + pageSize);
  const isMore = matching.length > from + pageSize;
  return {
    result: {
      tasks: page.map((task) => {
        const { artifacts, ...rest } = withHistory(task, historyLength) as typeof task;
        return params.includeArtifacts === true ? { ...rest, artifacts } : rest;
      }),
      nextPageToken: listed.next ?? (isMore ? (page.at(-1)?.id ?? '') : ''),
      pageSize,
      totalSize: matching.length,
    },
  };
}

interface ListedTasks {
  /** Newest first. */
  readonly tasks: readonly TaskTurn[];
  readonly next?: string;
}

async function tasksOf(services: Services, call: A2aCall, chatId: string): Promise<ListedTasks> {
  const params = { chat_id: chatId };
  const exported = await call.inner('exportChat', { params, query: { format: 'json' } });
  const { messages } = (await bodyOfInner(exported)) as { readonly messages: Message[] };
  const tasks = tasksIn(chatId, call.exchange.origin, messages).toReversed();
  const [newest, ...earlier] = tasks;
  if (newest === undefined || newest.isOver) return { tasks };
  return { tasks: [await read(services, call, newest.id), ...earlier] };
}

async function latestTasks(
  services: Services,
  call: A2aCall,
  limit: number,
  cursor: string | undefined,
): Promise<ListedTasks> {
  const { inner } = call;
  const listed = await bodyOfInner(await inner('listChats', { query: { limit, cursor } }));
  const { chats, next_cursor } = listed as {
    readonly chats: readonly Chat[];
    readonly next_cursor: string | null;
  };
  const tasks: TaskTurn[] = [];
  for (const { id: chatId } of chats) {
    const query = { limit: RECENT_MESSAGES };
    const recent = await inner('listMessages', { params: { chat_id: chatId }, query });
    const { messages } = (await bodyOfInner(recent)) as { readonly messages: Message[] };
    const start = newestStart(messages);
    if (start === undefined) continue;
    const source = await sourceOf(services, call, { chatId, start });
    const turn = await followTask(source, () => true);
    if (turn?.exists === true) tasks.push(turn);
  }
  return { tasks, next: next_cursor ?? '' };
}

/** The stream of the chat from the message of the task. */
async function sourceOf(
  { store }: Services,
  { inner, exchange }: A2aCall,
  { chatId, start }: TurnRef,
): Promise<TaskSource> {
  const params = { chat_id: chatId };
  const { after } =
    start.kind === 'message'
      ? { after: start.id - 1 }
      : await findTurnStart(
          store.database,
          params,
          JSON.stringify({ queued_message: { id: start.id } }),
        );
  const query = after > 0 ? { after_id: after } : {};
  const response = await inner('streamChat', { params, query });
  return { joining: streamIn(response), origin: exchange.origin, at: { chatId, start } };
}

function streamIn(response: Awaited<ReturnType<Serve>>) {
  if (!(response instanceof Streaming)) throw new Error('There is no stream.');
  return response.joining;
}

function refOf(id: string): TurnRef {
  const ref = parseTaskId(id);
  if (ref === undefined) throw taskNotFound(id);
  return ref;
}

const unknownContext = (id: string) =>
  new A2aError(
    'TASK_NOT_FOUND',
    `Context not found: ${id}. Leave out contextId to start a new one.`,
  );

const acceptsNothing = ({ id, isOver }: TaskTurn) =>
  new A2aError(
    'UNSUPPORTED_OPERATION',
    `Task ${id} ${isOver ? 'has ended' : 'is working and needs no input'}. Send the message with contextId and without taskId to start a new task.`,
  );

const stopping = () =>
  new Refused(
    'unavailable',
    'The server is stopping, and the task continues on another replica. Send the same message again, or call GetTask.',
  );
