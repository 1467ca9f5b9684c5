import { z } from 'zod';
import { AgUiEvent, AgUiRunInput } from '../ag-ui.ts';
import { Uuid } from '../ids.ts';
import { BusyBehavior } from '../queued-message.ts';
import { ReasoningEffort } from '../reasoning-effort.ts';
import { events, routeWith } from '../route.ts';
import { ChatParams } from './chats.ts';

const route = routeWith('AG-UI');

/** Messages can contain files. */
const BODY_BYTES = 16 * 1024 * 1024;

const RunQuery = z.strictObject({
  busy_behavior: BusyBehavior.default('interrupt').describe(
    'What a new message does if the chat is busy. Default: `interrupt`.',
  ),
  on_disconnect: z
    .enum(['continue', 'interrupt'])
    .default('continue')
    .describe(
      '`interrupt`: the turn is interrupted if the client closes the connection before the run ends. Default: `continue`.',
    ),
  model_config_id: Uuid.optional().describe(
    'Model for new messages and the chat from then on. Default: the model of the chat, or the default model.',
  ),
  reasoning_effort: ReasoningEffort.optional().describe(
    'Reasoning effort for new messages and the chat from then on. Default: the effort of the chat.',
  ),
});

const run = {
  method: 'post',
  scope: ['write', 'read'],
  query: RunQuery,
  body: AgUiRunInput.meta({
    examples: [
      {
        threadId: 'thread-1',
        runId: 'run-1',
        messages: [{ id: 'm1', role: 'user', content: 'Hello!' }],
      },
    ],
  }),
  bodyBytes: BODY_BYTES,
  answers: { 200: events(AgUiEvent) },
  refusals: [
    'invalid_query',
    'invalid_content',
    'unknown_model_config',
    'unknown_file',
    'message_too_large',
    'quota_exceeded',
    'not_waiting_for_tools',
    'not_waiting_for_you',
    'tool_results_mismatch',
    'invalid_answer',
    'duplicate_tool_name',
    'reserved_tool_name',
    'role_required',
    'chat_archived',
    'queue_full',
    'too_many_requests',
  ],
} as const;

export const agUiRoutes = {
  runAgUi: route({
    ...run,
    path: '/chats/{chat_id}/ag-ui',
    summary: 'Run a chat for an AG-UI client',
    description:
      'For `HttpAgent` and other clients of AG-UI 1.0. The run ends with the turn, or when the chat waits for the client: for results of its tools, or with interrupts for approvals and questions. A client that has other messages than the chat gets a `MESSAGES_SNAPSHOT`. The turn continues if the connection is lost: repeat the request to follow it.',
    access: 'editor',
    params: ChatParams,
  }),
  runAgUiThread: route({
    ...run,
    path: '/ag-ui',
    summary: 'Run the chat of a thread for an AG-UI client',
    description:
      'Like `runAgUi`, for clients with one URL for all threads. `threadId` is the ID of a chat, or any other text: its first run creates a chat, and later runs of the same user find it. `RUN_STARTED` has the ID of the chat in `metadata.chatd.chat_id`.',
    refusals: [...run.refusals, 'no_model_configured'],
  }),
};
