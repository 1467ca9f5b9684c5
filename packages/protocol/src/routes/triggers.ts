import { z } from 'zod';
import { Timestamp, Uuid } from '../ids.ts';
import { Json } from '../json.ts';
import { Cursor, Flag, Limit, NextCursor } from '../page.ts';
import { routeWith } from '../route.ts';
import {
  NewTrigger,
  SavedTrigger,
  Trigger,
  TriggerChanges,
  TriggerRun,
  TriggerRunStatus,
  TRIGGERS_LIMIT,
} from '../trigger.ts';

const route = routeWith('Triggers');
const TriggerParams = z.strictObject({ trigger_id: Uuid.describe('One of your triggers.') });

const CHECKED = [
  'trigger_name_taken',
  'invalid_schedule',
  'invalid_prompt',
  'unknown_model_config',
  'unknown_workspace',
  'unknown_template',
  'unknown_project',
  'unknown_mcp_server',
  'secret_key_required',
] as const;

const Payload = Json.optional().meta({
  description: 'Payload for the inserts of the prompt. Default: `{}`.',
  examples: [{ issue: { number: 7, title: 'Broken link' } }],
});

export const triggerRoutes = {
  listTriggers: route({
    method: 'get',
    path: '/triggers',
    summary: 'List your triggers',
    description: 'Sorted by creation time, oldest first.',
    scope: 'read',
    query: z.strictObject({
      all: Flag.optional().describe('Includes the triggers of all users, for admins.'),
      limit: Limit,
      cursor: Cursor,
    }),
    answers: {
      200: z.object({
        triggers: z.array(Trigger).describe('One page of triggers.'),
        next_cursor: NextCursor,
      }),
    },
    refusals: ['invalid_cursor', 'admin_required'],
    audit: { action: 'trigger.list_all', onlyWith: 'all' },
  }),
  createTrigger: route({
    method: 'post',
    path: '/triggers',
    summary: 'Create a trigger',
    description: `Its chats run as you, within your limits. You can have up to ${TRIGGERS_LIMIT} triggers. A generated secret of a webhook is returned only once.`,
    scope: 'write',
    body: NewTrigger,
    answers: { 201: SavedTrigger },
    refusals: [...CHECKED, 'quota_exceeded'],
    audit: { action: 'trigger.create', values: ['name', 'kind', 'cron', 'timezone'] },
    secret: true,
  }),
  previewTrigger: route({
    method: 'post',
    path: '/triggers/preview',
    summary: 'Preview the times and the prompt of a trigger',
    description:
      'Changes nothing. Computes the next five times of a schedule, and renders a prompt with a payload. Errors are part of the response.',
    scope: 'read',
    body: z
      .strictObject({
        cron: z
          .string()
          .max(200)
          .optional()
          .meta({ description: 'Cron expression. Default: none.', examples: ['0 3 * * *'] }),
        timezone: z
          .string()
          .max(100)
          .optional()
          .describe('Time zone of the expression. Default: UTC.'),
        prompt: z.string().max(65_536).optional().describe('Prompt with inserts. Default: none.'),
        payload: Payload,
      })
      .meta({ examples: [{ cron: '0 3 * * *', timezone: 'Europe/Berlin' }] }),
    answers: {
      200: z.object({
        next_times: z
          .array(Timestamp)
          .nullable()
          .describe('The next five times. Null: no expression, or it is invalid.'),
        schedule_error: z
          .string()
          .nullable()
          .describe('What is wrong with the expression or the time zone. Null: nothing.'),
        message: z
          .string()
          .nullable()
          .describe('The rendered message. Null: no prompt, or it cannot be rendered.'),
        prompt_error: z
          .string()
          .nullable()
          .describe('Why the prompt cannot be rendered. Null: it can.'),
      }),
    },
    secret: true,
  }),
  getTrigger: route({
    method: 'get',
    path: '/triggers/{trigger_id}',
    summary: 'Get a trigger',
    description:
      'The secret of a webhook is not part of the response. Admins can read all triggers.',
    scope: 'read',
    anyOwner: true,
    params: TriggerParams,
    answers: { 200: Trigger },
  }),
  updateTrigger: route({
    method: 'patch',
    path: '/triggers/{trigger_id}',
    summary: 'Change, enable or disable a trigger',
    description:
      'Omitted fields do not change. Changes apply to later runs. A new schedule starts from now.',
    scope: 'write',
    params: TriggerParams,
    body: TriggerChanges,
    answers: { 200: SavedTrigger },
    refusals: CHECKED,
    audit: { action: 'trigger.update', values: ['name', 'cron', 'timezone'] },
    secret: true,
  }),
  deleteTrigger: route({
    method: 'delete',
    path: '/triggers/{trigger_id}',
    summary: 'Delete a trigger and its runs; its chats stay',
    description: 'Cannot be undone. Admins can delete all triggers.',
    scope: 'write',
    anyOwner: true,
    params: TriggerParams,
    answers: { 204: null },
    audit: { action: 'trigger.delete' },
  }),
  runTrigger: route({
    method: 'post',
    path: '/triggers/{trigger_id}/run',
    summary: 'Run a trigger now',
    description:
      'Also runs disabled triggers. The concurrency policy and the spend limit apply. Errors are returned, and do not count as failures.',
    scope: 'write',
    params: TriggerParams,
    body: z
      .strictObject({ payload: Payload })
      .meta({ examples: [{ payload: { issue: { number: 7, title: 'Broken link' } } }] }),
    answers: { 201: TriggerRun },
    refusals: [
      'invalid_payload',
      'trigger_spend_limit',
      'unknown_model_config',
      'unknown_workspace',
      'unknown_template',
      'unknown_project',
      'unknown_mcp_server',
      'no_model_configured',
      'workspaces_disabled',
      'quota_exceeded',
      'queue_full',
    ],
  }),
  listTriggerRuns: route({
    method: 'get',
    path: '/triggers/{trigger_id}/runs',
    summary: 'List the runs of a trigger, newest first',
    description: 'Runs are kept for 30 days after their end.',
    scope: 'read',
    anyOwner: true,
    params: TriggerParams,
    query: z.strictObject({
      status: TriggerRunStatus.optional().describe('Status of the runs. Default: any.'),
      limit: Limit,
      cursor: Cursor,
    }),
    answers: {
      200: z.object({
        runs: z.array(TriggerRun).describe('One page of runs.'),
        next_cursor: NextCursor,
      }),
    },
    refusals: ['invalid_cursor'],
  }),
};
