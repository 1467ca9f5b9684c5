import { z } from 'zod';
import { DebugRecordSetting } from './debug-record.ts';

export const ApprovalRule = z.strictObject({
  pattern: z.string().min(1).max(256),
  action: z.enum(['allow', 'ask', 'deny']),
});

/** What an admin decides for the whole deployment. */
export const Settings = z
  .object({
    system_prompt: z.string(),
    approvals: z.array(ApprovalRule),
    /** Per user and month; null: no limit. */
    spend_limit_micros: z.int().nonnegative().nullable(),
    /** Chats without activity for longer are deleted; null: kept for ever. */
    retention_days: z.int().positive().max(36_500).nullable(),
    allow_private_urls: z.boolean(),
    /** Chats that run at once in the whole deployment; the others wait. Null: no limit. */
    max_running_chats: z.int().positive().nullable(),
    /** The same for the chats of one user. */
    max_running_chats_per_user: z.int().positive().nullable(),
    /** Model calls are recorded for admins, prompts and answers included. */
    debug_record: DebugRecordSetting,
  })
  .meta({ id: 'Settings' });
export type Settings = z.infer<typeof Settings>;
