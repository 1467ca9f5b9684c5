import { z } from 'zod';
import { ApprovalRules } from './approval.ts';
import { DebugRecordSetting } from './debug-record.ts';

/** What an admin decides for the whole deployment. */
export const Settings = z
  .object({
    system_prompt: z
      .string()
      .describe(
        "Goes before every chat's own instructions, from its next turn on. Empty unless set.",
      ),
    approvals: ApprovalRules.describe(
      'What agents of all users may do. A `deny` of these is final; otherwise the rules of the user go before. Empty unless set: everything is allowed.',
    ),
    spend_limit_micros: z
      .int()
      .nonnegative()
      .nullable()
      .describe(
        'What a user may spend in a calendar month (UTC), in millionths of the currency of the prices, unless the user has a limit of their own. Null, and so unless set: no limit.',
      ),
    retention_days: z
      .int()
      .positive()
      .max(36_500)
      .nullable()
      .describe(
        'Idle chats without activity for so many days are deleted. Null, and so unless set: kept for ever.',
      ),
    allow_private_urls: z
      .boolean()
      .describe(
        'Providers and MCP servers may have private and loopback addresses. Cloud metadata addresses are always blocked. Default: false.',
      ),
    max_running_chats: z
      .int()
      .positive()
      .nullable()
      .describe(
        'Chats that run at once in the whole deployment; the others wait. Null, and so unless set: no limit.',
      ),
    max_running_chats_per_user: z
      .int()
      .positive()
      .nullable()
      .describe(
        'Chats of one user that run at once; the others wait. Null: no limit. Default: 64; null in deployments that are older than this default.',
      ),
    max_streams_per_user: z
      .int()
      .positive()
      .nullable()
      .describe(
        'Streams, terminals and desktops that one user has open at once on one replica. Null: no limit. Default: 1000.',
      ),
    max_tokens_per_user: z
      .int()
      .positive()
      .nullable()
      .describe('API tokens of one user. Null: no limit. Default: 100.'),
    max_workspaces_per_user: z
      .int()
      .positive()
      .nullable()
      .describe('Workspaces of one user, stopped ones included. Null: no limit. Default: 100.'),
    subagent_depth: z
      .int()
      .min(0)
      .max(10)
      .describe(
        'How deep subagents may have subagents of their own. 0: there are none. 2 unless set.',
      ),
    subagents_per_chat: z
      .int()
      .min(1)
      .max(100)
      .describe('Subagents of one chat that are at work at once. 8 unless set.'),
    max_steps_per_turn: z
      .int()
      .positive()
      .max(100_000)
      .describe(
        'Steps that a turn may take; each is one model response, retries not counted. A turn that reaches the limit ends with an error of the kind `step_limit`. Applies to turns that start after the change. Default: 1200.',
      ),
    max_parallel_tools: z
      .int()
      .positive()
      .max(1000)
      .describe(
        'Tool calls of one response that run at the same time on the server; the others wait. Applies to turns that start after the change. Default: 16.',
      ),
    dynamic_tool_timeout_seconds: z
      .int()
      .positive()
      .max(2_592_000)
      .nullable()
      .describe(
        'How long a chat in `requires_action` waits for the results of dynamic tools, in seconds; then the calls are canceled and the turn continues. Approvals and questions never expire. Applies to chats that start to wait after the change. Null: no timeout. Default: 300.',
      ),
    max_file_bytes_per_user: z
      .int()
      .nonnegative()
      .nullable()
      .describe(
        'Bytes of the files that one user may store, files made by tools and models included. A file counts as 1 KiB at least. Null: no limit. Default: 1073741824 (1 GiB).',
      ),
    debug_record: DebugRecordSetting.describe(
      'Whether model calls are recorded for admins, prompts and answers included. Off unless set. Replaced as a whole.',
    ),
  })
  .meta({
    id: 'Settings',
    description:
      'What an admin decides for the whole deployment. Other servers follow within seconds.',
  });
export type Settings = z.infer<typeof Settings>;
