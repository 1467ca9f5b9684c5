import { type CallToolResult, McpServer, ResourceTemplate } from '@modelcontextprotocol/server';
import { BusyBehavior, ChatStatus, Labels, type Message, Uuid } from '@chatd/protocol';
import { z } from 'zod';
import { type ApiCalls, ApiProblem } from './api-calls.ts';
import { textOf, waitForChat } from './wait-for-chat.ts';

/** Below the 60 seconds after which most clients give up on a call. */
const WAIT_SECONDS = 50;
const MAX_WAIT_SECONDS = 600;
const RESOURCES = 50;
const RESOURCE_URI = 'chatd://chats/{chat_id}';

const INSTRUCTIONS = `chatd runs durable agents. start_chat and send_message return as soon as the message is stored; the agent works in the background. Call wait_for_chat for its answer, as often as it says that the chat is still running. If the status is requires_action, answer questions with answer_question; approvals are decided by a person.`;

const ChatId = Uuid.describe('ID of the chat.');
const Wait = z
  .int()
  .min(1)
  .max(MAX_WAIT_SECONDS)
  .default(WAIT_SECONDS)
  .describe('How long to wait, in seconds.');

/** The tools and resources of a client, which acts through `api`. */
export function chatServer(api: ApiCalls, version: string): McpServer {
  const server = new McpServer(
    { name: 'chatd', title: 'chatd', version },
    { instructions: INSTRUCTIONS },
  );

  server.registerTool(
    'start_chat',
    {
      description: 'Start a chat with an agent. Returns its ID.',
      inputSchema: z.strictObject({
        message: z.string().min(1).describe('The first message.'),
        title: z.string().optional().describe('Title of the chat. Default: generated.'),
        system_prompt: z.string().optional().describe('Additional instructions for the agent.'),
        model_config_id: Uuid.optional().describe('Model. Default: the default model.'),
        project_id: Uuid.optional().describe('Project of the chat. Default: none.'),
        workspace_id: Uuid.optional().describe('Workspace of the chat. Default: none.'),
        labels: Labels.optional(),
        plan_mode: z
          .boolean()
          .optional()
          .describe('Read-only until a plan is accepted. Default: false.'),
      }),
      annotations: { destructiveHint: false },
    },
    ({ message, ...body }) =>
      answer(async () => {
        const chat = await api.call('createChat', { body: { content: message, ...body } });
        return { chat_id: chat.id, title: chat.title, status: chat.status };
      }),
  );
  server.registerTool(
    'send_message',
    {
      description: 'Send a message to a chat.',
      inputSchema: z.strictObject({
        chat_id: ChatId,
        message: z.string().min(1).describe('The message.'),
        busy_behavior: BusyBehavior.optional().describe(
          'What the message does if the chat is busy. Default: `queue`.',
        ),
      }),
      annotations: { destructiveHint: false },
    },
    ({ chat_id, message, ...body }) =>
      answer(async () => {
        const params = { chat_id };
        const sent = await api.call('sendMessage', { params, body: { content: message, ...body } });
        return { chat_id, queued: sent.queued };
      }),
  );
  server.registerTool(
    'wait_for_chat',
    {
      description:
        'Wait until the agent has finished or needs an answer. Returns the status, the text of the last answer, and pending calls.',
      inputSchema: z.strictObject({ chat_id: ChatId, timeout_seconds: Wait }),
      annotations: { readOnlyHint: true },
    },
    ({ chat_id, timeout_seconds: seconds }, { mcpReq }) =>
      answer(async () => {
        const progressToken = mcpReq['_meta']?.progressToken;
        let progress = 0;
        const report = (message: string) => {
          if (progressToken === undefined) return;
          progress += 1;
          const params = { progressToken, progress, message };
          // The client may be gone.
          mcpReq.notify({ method: 'notifications/progress', params }).catch(() => undefined);
        };
        return { ...(await waitForChat(api, chat_id, { seconds, signal: mcpReq.signal, report })) };
      }),
  );
  server.registerTool(
    'read_chat',
    {
      description: 'Read the messages of a chat, the newest ones by default.',
      inputSchema: z.strictObject({
        chat_id: ChatId,
        before_id: z.int().positive().optional().describe('Only messages before this one.'),
        limit: z.int().min(1).max(200).default(20).describe('Max number of messages.'),
      }),
      annotations: { readOnlyHint: true },
    },
    ({ chat_id, before_id, limit }) =>
      answer(async () => {
        const params = { chat_id };
        const { title, status } = await api.call('getChat', { params });
        const query = { before_id, limit };
        const { messages, has_more } = await api.call('listMessages', { params, query });
        return { chat_id, title, status, messages: messages.map(readable), has_more };
      }),
  );
  server.registerTool(
    'list_chats',
    {
      description: 'List or search chats, by latest activity.',
      inputSchema: z.strictObject({
        query: z.string().optional().describe('Words in titles and messages. Default: all chats.'),
        status: ChatStatus.optional().describe('Status of the chats. Default: any.'),
        limit: z.int().min(1).max(100).default(20).describe('Max number of chats.'),
        cursor: z.string().optional().describe('`next_cursor` of the previous page.'),
      }),
      annotations: { readOnlyHint: true },
    },
    ({ query: q, ...rest }) =>
      answer(async () => {
        const { chats, next_cursor } = await api.call('listChats', { query: { q, ...rest } });
        return {
          chats: chats.map(({ id: chat_id, title, status, active_at, archived }) => {
            return { chat_id, title, status, active_at, archived };
          }),
          next_cursor,
        };
      }),
  );
  server.registerTool(
    'interrupt_chat',
    {
      description: 'Interrupt the agent. Its output so far is kept.',
      inputSchema: z.strictObject({ chat_id: ChatId }),
    },
    ({ chat_id }) =>
      answer(async () => {
        const { status } = await api.call('interruptChat', { params: { chat_id } });
        return { chat_id, status };
      }),
  );
  server.registerTool(
    'answer_question',
    {
      description:
        'Answer a question of the agent, or decide on its plan: a pending call of kind `question`.',
      inputSchema: z.strictObject({
        chat_id: ChatId,
        tool_call_id: z.string().describe('ID of the pending call.'),
        text: z.string().optional().describe('Answer, or comment on a plan.'),
        selected: z.array(z.string()).optional().describe('Labels of selected options.'),
        accepted: z.boolean().optional().describe('For a plan: whether it is accepted.'),
      }),
    },
    ({ chat_id, tool_call_id, text, selected, accepted }) =>
      answer(async () => {
        const given =
          accepted === undefined
            ? { ...(selected && { selected }), ...(text !== undefined && { text }) }
            : { accepted, ...(text !== undefined && { text }) };
        const body = { tool_call_id, answer: given };
        await api.call('answerQuestion', { params: { chat_id }, body });
        return { chat_id, answered: true };
      }),
  );

  const list = async () => {
    const { chats } = await api.call('listChats', { query: { limit: RESOURCES } });
    const mimeType = 'text/markdown';
    const resources = chats.map(({ id, title }) => ({ uri: uriOf(id), name: title, mimeType }));
    return { resources };
  };
  server.registerResource(
    'chat',
    new ResourceTemplate(RESOURCE_URI, { list }),
    { description: 'A chat as Markdown.', mimeType: 'text/markdown' },
    async ({ href }, { chat_id }) => {
      const params = { chat_id: String(chat_id) };
      const text = await api.call('exportChat', { params, query: { format: 'markdown' } });
      return { contents: [{ uri: href, mimeType: 'text/markdown', text }] };
    },
  );
  return server;
}

const uriOf = (id: string) => RESOURCE_URI.replace('{chat_id}', id);

/** A refusal of the API is a result that the model can read. */
async function answer(work: () => Promise<Record<string, unknown>>): Promise<CallToolResult> {
  try {
    const structuredContent = await work();
    const text = JSON.stringify(structuredContent);
    return { content: [{ type: 'text', text }], structuredContent };
  } catch (error) {
    if (!(error instanceof ApiProblem)) throw error;
    const text = `${error.message} (${error.code})`;
    return { content: [{ type: 'text', text }], isError: true };
  }
}

/** Text and tool calls. Results can be long: a resource has them. */
const readable = (message: Message) => {
  const { id, role, created_at, content } = message;
  const calls = content.flatMap((part) =>
    part.type === 'tool-call' ? [{ tool_name: part.tool_name, args: part.args ?? {} }] : [],
  );
  const text = textOf(message);
  return { id, role, created_at, text, ...(calls.length > 0 && { tool_calls: calls }) };
};
