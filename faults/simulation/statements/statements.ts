import { CHAT_STATEMENTS } from './chats.ts';
import { MACHINE_STATEMENTS } from './machines.ts';
import { MESSAGE_STATEMENTS } from './messages.ts';
import { RUN_STATEMENTS } from './runs.ts';
import { OUTBOX_STATEMENTS } from './outbox.ts';
import { TRIGGER_STATEMENTS } from './triggers.ts';
import type { Handler } from './statement.ts';

/** The statements that the store, the worker, triggers, the outbox and machines use. */
export const STATEMENTS: readonly Handler[] = [
  ...CHAT_STATEMENTS,
  ...MACHINE_STATEMENTS,
  ...MESSAGE_STATEMENTS,
  ...RUN_STATEMENTS,
  ...TRIGGER_STATEMENTS,
  ...OUTBOX_STATEMENTS,
];
