import type { ChatPatch } from './writes.ts';

/** What is true of every chat whose turn begins: leaving error clears it, and the last one's end no longer matters. */
export const BEGIN_TURN = {
  status: 'running',
  last_error: null,
  interrupted: false,
  retry: null,
} as const satisfies ChatPatch;

/** What is true of every chat that nobody needs to run. */
export const GIVE_UP_RUNNER = {
  runner_id: null,
  worker_id: null,
  retry: null,
  queued_for_capacity: false,
} as const satisfies ChatPatch;
