import { z } from 'zod';
import { Uuid } from '../ids.ts';
import { Flag } from '../page.ts';
import { BusyBehavior } from '../queued-message.ts';
import { ReasoningEffort } from '../reasoning-effort.ts';
import { events, routeWith } from '../route.ts';
import { UiMessage, UiMessageChunk } from '../ui-message.ts';
import { ChatParams } from './chats.ts';

const route = routeWith('UI stream');

/** Messages can contain files. */
const UI_BODY_BYTES = 16 * 1024 * 1024;

const UiStreamQuery = z.strictObject({
  follow_tools: Flag.optional().describe(
    'Continues the stream while another program executes client tools. Default: false, which ends the stream there.',
  ),
});

export const uiStreamRoutes = {
  streamUi: route({
    method: 'get',
    path: '/chats/{chat_id}/ui-stream',
    summary: 'Stream the running turn as an AI SDK UI message stream',
    description:
      'For `useChat` and similar front ends. The reply to a user message is one UI message; each model response is a step. The stream ends with the turn, or when the chat waits for you. Responds with 204 if no turn is running.',
    scope: 'read',
    access: 'viewer',
    params: ChatParams,
    query: z.strictObject({
      ...UiStreamQuery.shape,
      after: z
        .string()
        .max(50)
        .optional()
        .describe(
          '`id:` of the last event you have received. Resumes in its turn, at the beginning of the current step. A `Last-Event-ID` header takes precedence.',
        ),
    }),
    answers: { 200: events(UiMessageChunk), 204: null },
    refusals: ['invalid_query', 'invalid_cursor', 'too_many_requests', 'origin_not_allowed'],
  }),
  sendUiMessages: route({
    method: 'post',
    path: '/chats/{chat_id}/ui-stream',
    summary:
      'Send messages, edits, tool outputs or approvals of an AI SDK front end, and stream the turn',
    description:
      "Accepts the request of the AI SDK's `DefaultChatTransport`. The last message decides: a user message is sent, or replaces another with `messageId`; `regenerate-message` reruns the last user message; tool outputs and approvals in an assistant message are submitted. Messages can contain files, up to 16 MiB in total.",
    scope: ['write', 'read'],
    access: 'editor',
    params: ChatParams,
    query: UiStreamQuery,
    body: z
      .strictObject({
        id: z.string().max(256).optional().describe('Chat ID of the front end. Ignored.'),
        messages: z
          .array(UiMessage)
          .min(1)
          .max(10_000)
          .describe(
            'Conversation as the front end stores it. Only the last message and the number of user messages are used; to send or answer, the last message is enough.',
          ),
        trigger: z
          .enum(['submit-message', 'regenerate-message'])
          .optional()
          .describe(
            '`regenerate-message`: rerun the last user message. Default: `submit-message`.',
          ),
        messageId: z
          .string()
          .max(256)
          .optional()
          .describe(
            'Replaces the user message at the position of the last one. Without it, the last message is sent.',
          ),
        busy_behavior: BusyBehavior.default('queue').describe(
          'What a new message does if the chat is busy.',
        ),
        model_config_id: Uuid.optional().describe(
          'Model for this message and the chat from then on. Default: the model of the chat.',
        ),
        reasoning_effort: ReasoningEffort.optional().describe(
          'Reasoning effort for this message and the chat from then on. Default: the effort of the chat.',
        ),
      })
      .meta({
        examples: [
          { messages: [{ id: 'm1', role: 'user', parts: [{ type: 'text', text: 'Hello!' }] }] },
        ],
      }),
    bodyBytes: UI_BODY_BYTES,
    answers: { 200: events(UiMessageChunk) },
    refusals: [
      'invalid_query',
      'invalid_content',
      'unknown_model_config',
      'unknown_file',
      'message_too_large',
      'quota_exceeded',
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
