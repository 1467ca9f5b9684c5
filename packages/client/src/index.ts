export type { BodyOf, Bytes, CallAnswer, CallInput, CallName, QueryOf } from './call.ts';
export { type Client, type ClientOptions, createClient } from './client.ts';
export type { Clock } from './clock.ts';
export type { Fetch, Token } from './connection.ts';
export { ChatdProblem, ChatdUnreachable } from './problem.ts';
