import type { z } from 'zod';
import { enumeration } from './enumeration.ts';

export const ActionKind = enumeration('ActionKind', 'Who must resolve a call.', {
  dynamic:
    'a client, with `submitToolResults`. The call is canceled after `dynamic_tool_timeout_seconds` (default: 5 minutes)',
  approval: 'a user who allows or denies it, with `decideApprovals`. Never expires',
  question:
    'a user who answers a question or decides on a plan, with `answerQuestion`. Never expires',
});
export type ActionKind = z.infer<typeof ActionKind>;
