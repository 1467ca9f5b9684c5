import { z } from 'zod';
import { ApprovalRules } from './approval.ts';
import { Labels } from './chat.ts';
import { enumeration } from './enumeration.ts';
import { Timestamp, Uuid } from './ids.ts';
import { ReasoningEffort } from './reasoning-effort.ts';

/** Max number of triggers of a user. */
export const TRIGGERS_LIMIT = 1000;

/** Max number of consecutive failures that a trigger may allow. */
const FAILURES_LIMIT = 1000;

export const TriggerKind = enumeration('TriggerKind', 'What fires a trigger.', {
  schedule: 'fires at the times of a cron expression',
  webhook: 'fires for each request to its URL',
});
export type TriggerKind = z.infer<typeof TriggerKind>;

export const MissedRuns = enumeration(
  'MissedRuns',
  'What happens to times at which no server was running. A time counts as missed after one minute.',
  {
    skip: 'they are recorded as one skipped run',
    once: 'they are made up for by one run',
  },
);
export type MissedRuns = z.infer<typeof MissedRuns>;

export const TriggerConcurrency = enumeration(
  'TriggerConcurrency',
  'What happens if the trigger fires while a previous run is in progress. With `continue`, only runs with the same key count.',
  {
    skip: 'the run is skipped',
    queue: 'the run starts when the previous runs have ended',
    parallel: 'the run starts immediately; in a busy chat, its message is queued',
  },
);
export type TriggerConcurrency = z.infer<typeof TriggerConcurrency>;

export const WebhookVerification = enumeration(
  'WebhookVerification',
  'How requests to the URL of a trigger are verified.',
  {
    token: 'the secret in `Authorization: Bearer`',
    'hmac-sha256':
      'the HMAC of the body in `X-Signature-256`, as `sha256=HEX`. The delivery ID is in `X-Delivery-Id`',
    github: 'the signature of GitHub in `X-Hub-Signature-256`',
    slack: 'the signature of Slack in `X-Slack-Signature`',
    'standard-webhooks': 'a signature of the Standard Webhooks specification',
  },
);
export type WebhookVerification = z.infer<typeof WebhookVerification>;

export const TriggerName = z.string().trim().min(1).max(100);

const TriggerPrompt = z
  .string()
  .min(1)
  .max(65_536)
  .refine((text) => text.trim() !== '', 'must not be blank');

const Cron = z
  .string()
  .min(1)
  .max(200)
  .meta({
    description:
      'Cron expression: minute, hour, day of month, month and day of week, with seconds as an optional first field.',
    examples: ['0 3 * * *'],
  });

const Timezone = z
  .string()
  .min(1)
  .max(100)
  .meta({ description: 'IANA time zone of the expression.', examples: ['Europe/Berlin'] });

export const TriggerChat = z
  .strictObject({
    continue: z
      .strictObject({
        key: z
          .string()
          .min(1)
          .max(500)
          .meta({
            description: 'Key of the chat, with inserts like the prompt.',
            examples: ['{{payload.issue.number}}'],
          }),
      })
      .optional()
      .describe(
        'Runs with the same key continue the same chat, unless it was archived or deleted. Default: each run has a new chat.',
      ),
    model_config_id: Uuid.optional().describe(
      'Model of the chats. Default: the model of the project, else the default model.',
    ),
    reasoning_effort: ReasoningEffort.optional().describe(
      'Reasoning effort of the chats. Default: the default of the model config.',
    ),
    system_prompt: z
      .string()
      .max(65_536)
      .optional()
      .describe('System prompt of the chats, appended to the one in the settings. Default: none.'),
    template_id: Uuid.optional().describe(
      'Template from which each new chat gets its own workspace. Default: none. Cannot be combined with `workspace_id`.',
    ),
    workspace_id: Uuid.optional().describe(
      'One of your workspaces, which all chats use. Default: none.',
    ),
    project_id: Uuid.optional().describe('One of your projects, for the chats. Default: none.'),
    mcp_server_ids: z
      .array(Uuid)
      .max(32)
      .optional()
      .describe('MCP servers of the chats. `[]`: none. Default: servers with `default_on`.'),
    labels: Labels.optional().describe('Labels of the chats. Default: none.'),
    plan_mode: z
      .boolean()
      .optional()
      .describe("Read-only until the user accepts the agent's plan. Default: false."),
    approvals: ApprovalRules.optional().describe(
      'Approval rules for the chats of the trigger, which take precedence over your own. The last matching rule applies. Default: none.',
    ),
  })
  .meta({
    id: 'TriggerChat',
    description: 'Settings of the chats that a trigger starts.',
  });
export type TriggerChat = z.infer<typeof TriggerChat>;

const MaxFailures = z.int().min(1).max(FAILURES_LIMIT).nullable();
const SpendLimit = z.int().nonnegative().nullable();

export const Trigger = z
  .object({
    id: Uuid.describe('ID of the trigger. A UUIDv7.'),
    owner_id: Uuid.describe('Owner of the trigger. Its chats run as this user.'),
    name: z.string().meta({
      description: 'Name of the trigger, unique among your triggers.',
      examples: ['Nightly update'],
    }),
    kind: TriggerKind.describe('What fires the trigger.'),
    enabled: z.boolean().describe('True if the trigger fires.'),
    disabled_reason: z
      .string()
      .nullable()
      .describe('Why the server disabled the trigger. Null: it did not.'),
    cron: Cron.optional().describe('Cron expression. Present for schedules.'),
    timezone: Timezone.optional().describe('Time zone of the expression. Present for schedules.'),
    missed: MissedRuns.optional().describe('Policy for missed times. Present for schedules.'),
    next_fire_at: Timestamp.nullable().describe(
      'Next time of the schedule. Null: disabled, not a schedule, or no time is left.',
    ),
    verification: WebhookVerification.optional().describe(
      'How requests are verified. Present for webhooks.',
    ),
    path: z
      .string()
      .optional()
      .meta({
        description: 'Path for requests on this server. Present for webhooks.',
        examples: ['/hooks/0199a0a0-0000-7000-8000-000000000001'],
      }),
    prompt: z.string().describe('Message of each run, with inserts such as `{{payload.title}}`.'),
    chat: TriggerChat.describe('Settings of the chats.'),
    concurrency: TriggerConcurrency.describe('Policy for overlapping runs.'),
    max_failures: MaxFailures.describe(
      'Number of consecutive failures after which the server disables the trigger. Null: never.',
    ),
    failures: z.int().nonnegative().describe('Current number of consecutive failures.'),
    spend_limit_micros: SpendLimit.describe(
      'Max cost of all chats of the trigger per calendar month (UTC), in millionths of the currency unit. Checked when a run starts. Null: no limit.',
    ),
    created_at: Timestamp.describe('Creation time.'),
    updated_at: Timestamp.describe('Time of the last change.'),
  })
  .meta({ id: 'Trigger', description: 'Starts chats at certain times, or for webhooks.' });
export type Trigger = z.infer<typeof Trigger>;

export const SavedTrigger = Trigger.extend({
  secret: z
    .string()
    .optional()
    .describe('The generated secret. Returned only once. Absent: none was generated.'),
}).meta({ id: 'SavedTrigger', description: 'A trigger that was created or changed.' });
export type SavedTrigger = z.infer<typeof SavedTrigger>;

/** The fields that can be changed. */
const fields = {
  name: TriggerName.meta({
    description: 'Name of the trigger, unique among your triggers.',
    examples: ['Nightly update'],
  }),
  prompt: TriggerPrompt.meta({
    description:
      'Message of each run. `{{payload.PATH}}` inserts a value of the payload: text and objects as a fenced block that is marked as untrusted, numbers and booleans as they are. A run whose payload lacks a path is refused.',
    examples: ['Update the dependencies and run the tests.'],
  }),
};
const optionalFields = {
  enabled: z
    .boolean()
    .optional()
    .describe('True if the trigger fires. Enabling it resets `failures`. Default: true.'),
  cron: Cron.optional().describe('Cron expression. Required for schedules.'),
  timezone: Timezone.optional().describe('Time zone of the expression. Default: UTC.'),
  missed: MissedRuns.optional().describe('Policy for missed times. Default: `skip`.'),
  verify: z
    .strictObject({
      type: WebhookVerification.describe('How requests are verified.'),
      secret: z
        .string()
        .min(8)
        .max(512)
        .optional()
        .describe(
          'The shared secret. Required for `slack`. For `standard-webhooks`, `whsec_` and base64. Default: a generated secret, returned once.',
        ),
    })
    .optional()
    .describe('Verification of requests. Required for webhooks. Replaces the secret.'),
  chat: TriggerChat.optional().describe(
    'Settings of the chats. Replaces all of them. Default: a new chat for each run, with the defaults of `createChat`.',
  ),
  concurrency: TriggerConcurrency.optional().describe(
    'Policy for overlapping runs. Default: `queue`.',
  ),
  max_failures: MaxFailures.optional().describe(
    'Number of consecutive failures after which the server disables the trigger. Null: never. Default: 5.',
  ),
  spend_limit_micros: SpendLimit.optional().describe(
    'Max cost of all chats of the trigger per calendar month (UTC), in millionths of the currency unit. Null: no limit. Default: null.',
  ),
};

export const NewTrigger = z
  .strictObject({
    kind: TriggerKind.describe('What fires the trigger. Cannot be changed.'),
    ...fields,
    ...optionalFields,
  })
  .meta({
    examples: [
      {
        kind: 'schedule',
        name: 'Nightly update',
        cron: '0 3 * * *',
        timezone: 'Europe/Berlin',
        prompt: 'Update the dependencies and run the tests.',
      },
    ],
  });
export type NewTrigger = z.output<typeof NewTrigger>;

export const TriggerChanges = z
  .strictObject({
    name: fields.name.optional(),
    prompt: fields.prompt.optional(),
    ...optionalFields,
  })
  .meta({ examples: [{ enabled: false }] });
export type TriggerChanges = z.output<typeof TriggerChanges>;

export const TriggerRunStatus = enumeration('TriggerRunStatus', 'Status of a run.', {
  queued: 'waits for the previous run of the trigger',
  started: 'its message is in the chat, which has not come to rest',
  skipped: 'nothing was started; see `reason`',
  refused: 'could not be started; see `reason`',
  done: 'the chat has answered',
  failed: 'the chat has failed; see `reason`',
});
export type TriggerRunStatus = z.infer<typeof TriggerRunStatus>;

export const TriggerRun = z
  .object({
    id: Uuid.describe('ID of the run.'),
    trigger_id: Uuid.describe('Trigger of the run.'),
    fire_time: Timestamp.nullable().describe(
      'Time of the schedule. Unique for each trigger. Null: not started by a schedule.',
    ),
    delivery_id: z
      .string()
      .nullable()
      .describe('ID of the webhook delivery. Unique for each trigger. Null: not a delivery.'),
    status: TriggerRunStatus.describe('Status of the run.'),
    reason: z.string().nullable().describe('Why it did not start, or failed. Null: neither.'),
    chat_id: Uuid.nullable().describe('Chat of the run. Null: none, or it was purged.'),
    created_at: Timestamp.describe('Time when the trigger fired. Lists are sorted by it.'),
    ended_at: Timestamp.nullable().describe('End of the run. Null: it has not ended.'),
  })
  .meta({ id: 'TriggerRun', description: 'One firing of a trigger.' });
export type TriggerRun = z.infer<typeof TriggerRun>;
