import { CHAT_STATEMENTS } from './chats.ts';
import { MESSAGE_STATEMENTS } from './messages.ts';
import { RUN_STATEMENTS } from './runs.ts';
import type { Handler } from './statement.ts';

/** The statements that the store and the worker use. */
export const STATEMENTS: readonly Handler[] = [
  ...CHAT_STATEMENTS,
  ...MESSAGE_STATEMENTS,
  ...RUN_STATEMENTS,
];
