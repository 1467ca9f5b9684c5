import { z } from 'zod';
import { Uuid } from '../ids.ts';
import { Flag } from '../page.ts';
import { BusyBehavior } from '../queued-message.ts';
import { ReasoningEffort } from '../reasoning-effort.ts';
import { events, route } from '../route.ts';
import { UiMessage, UiMessageChunk } from '../ui-message.ts';
import { ChatParams } from './chats.ts';

const tag = 'UI stream';

/** Files may be within their messages. */
const UI_BODY_BYTES = 16 * 1024 * 1024;

const UiStreamQuery = z.strictObject({
  follow_tools: Flag.optional().describe(
    "Another program answers the calls of the client's tools: go on while the chat waits for it",
  ),
});

export const uiStreamRoutes = {
  streamUi: route({
    method: 'get',
    path: '/chats/{chat_id}/ui-stream',
    tag,
    summary:
      'The turn that is under way, from its beginning, as a UI message stream of the AI SDK; 204 when there is none',
    scope: 'read',
    params: ChatParams,
    query: z.strictObject({
      ...UiStreamQuery.shape,
      after: z
        .string()
        .max(50)
        .optional()
        .describe(
          'The id of the last event you have: go on in its turn, with the step you were in from its beginning; a Last-Event-ID goes before it',
        ),
    }),
    answers: { 200: events(UiMessageChunk), 204: null },
    refusals: ['invalid_query', 'invalid_cursor', 'too_many_requests', 'origin_not_allowed'],
  }),
  sendUiMessages: route({
    method: 'post',
    path: '/chats/{chat_id}/ui-stream',
    tag,
    summary:
      'What the DefaultChatTransport of the AI SDK posts: a message, an edit, outputs of tools or approvals; answers with the turn',
    scope: 'write',
    params: ChatParams,
    query: UiStreamQuery,
    body: z.strictObject({
      id: z.string().max(256).optional(),
      messages: z.array(UiMessage).min(1).max(10_000),
      trigger: z.enum(['submit-message', 'regenerate-message']).optional(),
      messageId: z.string().max(256).optional(),
      busy_behavior: BusyBehavior.default('queue'),
      model_config_id: Uuid.optional(),
      reasoning_effort: ReasoningEffort.optional(),
    }),
    bodyBytes: UI_BODY_BYTES,
    answers: { 200: events(UiMessageChunk) },
    refusals: [
      'invalid_query',
      'invalid_content',
      'unknown_model_config',
      'unknown_file',
      'unknown_message',
      'not_waiting_for_tools',
      'not_waiting_for_you',
      'tool_results_mismatch',
      'invalid_answer',
      'chat_archived',
      'queue_full',
      'too_many_requests',
    ],
  }),
};
