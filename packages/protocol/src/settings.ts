import { z } from 'zod';
import { ApprovalRules } from './approval.ts';
import { DebugRecordSetting } from './debug-record.ts';

/** What an admin decides for the whole deployment. */
export const Settings = z
  .object({
    system_prompt: z.string(),
    /** What agents may do; a `deny` of these holds whatever users decide for themselves. */
    approvals: ApprovalRules,
    /** Per user and month; null: no limit. */
    spend_limit_micros: z.int().nonnegative().nullable(),
    /** Chats without activity for longer are deleted; null: kept for ever. */
    retention_days: z.int().positive().max(36_500).nullable(),
    allow_private_urls: z.boolean(),
    /** Chats that run at once in the whole deployment; the others wait. Null: no limit. */
    max_running_chats: z.int().positive().nullable(),
    /** The same for the chats of one user. */
    max_running_chats_per_user: z.int().positive().nullable(),
    /** How deep subagents may have subagents of their own; 0: there are none. */
    subagent_depth: z.int().min(0).max(10),
    /** Subagents of one chat that are at work at once. */
    subagents_per_chat: z.int().min(1).max(100),
    /** Model calls are recorded for admins, prompts and answers included. */
    debug_record: DebugRecordSetting,
  })
  .meta({ id: 'Settings' });
export type Settings = z.infer<typeof Settings>;
