import type { ChatPatch } from './writes.ts';

/** Columns of a chat whose turn begins. */
export const BEGIN_TURN = {
  status: 'running',
  last_error: null,
  interrupted: false,
  retry: null,
} as const satisfies ChatPatch;

/** Columns of a chat that needs no runner. */
export const RELEASE_RUNNER = {
  runner_id: null,
  worker_id: null,
  retry: null,
  queued_for_capacity: false,
} as const satisfies ChatPatch;

/* Both are also written by statements that runners use instead of the transition: `queries/runs`. */

export const BEGIN_ATTEMPT = {
  retry: null,
  queued_for_capacity: false,
} as const satisfies ChatPatch;

/** With an empty queue; otherwise the next turn begins. */
export const FINISH_TURN = {
  ...RELEASE_RUNNER,
  status: 'waiting',
  open_calls: [],
  compaction_requested: false,
} as const satisfies ChatPatch;
