export type { Clock } from '@chatd/protocol/clock';
export type {
  BodyOf,
  Bytes,
  CallAnswer,
  CallInput,
  CallName,
  CallOptions,
  QueryOf,
} from './call.ts';
export { type Client, createClient, type UploadOptions } from './client.ts';
export type { ClientOptions } from './connect.ts';
export type { Fetch, Token } from './connection.ts';
export type { ItemOf, PagedName } from './pages.ts';
export { ChatdProblem, ChatdUnreachable } from './problem.ts';
export { dynamicTools, runTools } from './run-tools.ts';
export type { ConnectionState, StreamOptions } from './stream/connection-state.ts';
export type {
  ChatStreamOptions,
  StreamedEvent,
  WatchedEvent,
  WatchOptions,
} from './stream/streams.ts';
export type { RunToolsOptions, ToolRun } from './tools/run-tools.ts';
export type { JsonSchema, ServedTool, StandardSchema, ToolCallContext } from './tools/tool.ts';
export { NotAwaited } from './tools/tool-server.ts';
export type { Turn, TurnResult } from './turn/turn.ts';
