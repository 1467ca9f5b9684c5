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
    "Another program answers the calls of the client's tools: go on while the chat waits for it. False unless given: then the stream ends there.",
  ),
});

export const uiStreamRoutes = {
  streamUi: route({
    method: 'get',
    path: '/chats/{chat_id}/ui-stream',
    tag,
    summary:
      'The turn that is under way, from its beginning, as a UI message stream of the AI SDK; 204 when there is none',
    description:
      'What `useChat` and the like read. All that is said in reply to a message is one UI message, each response of the model a step. The stream ends with the turn, or when the chat waits for you.',
    scope: 'read',
    params: ChatParams,
    query: z.strictObject({
      ...UiStreamQuery.shape,
      after: z
        .string()
        .max(50)
        .optional()
        .describe(
          'The `id:` of the last event you have: go on in its turn, with the step you were in from its beginning. A `Last-Event-ID` header goes before it.',
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
    description:
      'The last message decides: one of the user is sent, or edits another with `messageId`; with `regenerate-message` the last one is answered anew; outputs and approvals in one of the assistant are handed on. Files may be within the message, up to 16 MiB in all.',
    scope: ['write', 'read'],
    params: ChatParams,
    query: UiStreamQuery,
    body: z
      .strictObject({
        id: z
          .string()
          .max(256)
          .optional()
          .describe('What the front end calls the chat. It is passed over.'),
        messages: z
          .array(UiMessage)
          .min(1)
          .max(10_000)
          .describe(
            'The conversation as the front end has it. The last one counts, and how many are of the user; to send or answer, the last one is enough.',
          ),
        trigger: z
          .enum(['submit-message', 'regenerate-message'])
          .optional()
          .describe(
            '`regenerate-message`: answer the last message of the user anew. `submit-message` unless given.',
          ),
        messageId: z
          .string()
          .max(256)
          .optional()
          .describe(
            'With it, the last message of the user replaces the one at its place. Without, it is sent.',
          ),
        busy_behavior: BusyBehavior.default('queue').describe(
          'What a new message does to a chat that is busy.',
        ),
        model_config_id: Uuid.optional().describe(
          'The model that answers, and the chat from then on. The one that the chat has unless given.',
        ),
        reasoning_effort: ReasoningEffort.optional().describe(
          'How much the model thinks, for the chat from then on. As the chat has it unless given.',
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
