import { z } from 'zod';
import { ApprovalRules } from './approval.ts';
import { DebugRecordSetting } from './debug-record.ts';

export const Settings = z
  .object({
    system_prompt: z
      .string()
      .describe(
        "System prompt of all chats, before the chat's own. Applies from the next turn. Default: empty.",
      ),
    approvals: ApprovalRules.describe(
      "Approval rules for all users. A `deny` here is final; otherwise the user's own rules take precedence. Default: empty, which allows everything.",
    ),
    spend_limit_micros: z
      .int()
      .nonnegative()
      .nullable()
      .describe(
        'Spend limit of a user per calendar month (UTC), in millionths of a US dollar. A limit of the user takes precedence. Null: no limit. Default: null.',
      ),
    deployment_spend_limit_micros: z
      .int()
      .nonnegative()
      .nullable()
      .describe(
        'Spend limit of all users together per calendar month (UTC), in millionths of a US dollar. Applies in addition to the limits of users and groups. Null: no limit. Default: null.',
      ),
    retention_days: z
      .int()
      .positive()
      .max(36_500)
      .nullable()
      .describe(
        'Days without activity after which idle chats are deleted. Null: never. Default: null.',
      ),
    allow_private_urls: z
      .boolean()
      .describe(
        'Allows private and loopback addresses for providers and MCP servers. Cloud metadata addresses are always blocked. Default: false.',
      ),
    allow_chat_links: z
      .boolean()
      .describe(
        'Allows links that show a chat without an account, read-only. If false, existing links do not work. Default: false.',
      ),
    max_running_chats: z
      .int()
      .positive()
      .nullable()
      .describe(
        'Max concurrent chats in the deployment; further chats wait. Null: no limit. Default: null.',
      ),
    max_running_chats_per_user: z
      .int()
      .positive()
      .nullable()
      .describe(
        'Max concurrent chats per user; further chats wait. Null: no limit. Default: 64; null in deployments created before this default existed.',
      ),
    max_streams_per_user: z
      .int()
      .positive()
      .nullable()
      .describe(
        'Max open streams, terminals and desktops per user and replica. Null: no limit. Default: 1000.',
      ),
    max_tokens_per_user: z
      .int()
      .positive()
      .nullable()
      .describe('Max API tokens per user. Null: no limit. Default: 100.'),
    max_workspaces_per_user: z
      .int()
      .positive()
      .nullable()
      .describe('Max workspaces per user, including stopped ones. Null: no limit. Default: 100.'),
    subagent_depth: z
      .int()
      .min(0)
      .max(10)
      .describe('Max nesting depth of subagents. 0: no subagents. Default: 2.'),
    subagents_per_chat: z
      .int()
      .min(1)
      .max(100)
      .describe('Max concurrent subagents per chat. Default: 8.'),
    max_steps_per_turn: z
      .int()
      .positive()
      .max(100_000)
      .describe(
        'Max steps per turn. A step is one model response; retries do not count. A turn that reaches the limit fails with an error of kind `step_limit`. Applies to turns that start after the change. Default: 1200.',
      ),
    max_parallel_tools: z
      .int()
      .positive()
      .max(1000)
      .describe(
        'Max concurrent tool calls of one response on the server; further calls wait. Applies to turns that start after the change. Default: 16.',
      ),
    dynamic_tool_timeout_seconds: z
      .int()
      .positive()
      .max(2_592_000)
      .nullable()
      .describe(
        'Time that a chat in `requires_action` waits for results of dynamic tools, in seconds. Then the calls are canceled and the turn continues. Approvals and questions never expire. Applies to chats that start to wait after the change. Null: no timeout. Default: 300.',
      ),
    max_file_bytes_per_user: z
      .int()
      .nonnegative()
      .nullable()
      .describe(
        "Max total size of a user's files in bytes, including files created by tools and models. A file counts as at least 1 KiB. Null: no limit. Default: 1073741824 (1 GiB).",
      ),
    debug_record: DebugRecordSetting.describe(
      'Recording of model calls for admins, including prompts and responses. Replaced as a whole. Default: off.',
    ),
  })
  .meta({
    id: 'Settings',
    description: 'Settings of the deployment. Changes take effect on all servers within seconds.',
  });
export type Settings = z.infer<typeof Settings>;
