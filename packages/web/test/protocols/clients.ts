import { TaskState } from '@a2a-js/sdk';
import { onTestFinished } from 'vitest';
import { Editor } from '../../../cli/test/support/editor.ts';
import { asTask, connect, message, textOf } from '../../../server/test/a2a/agent.ts';
import { TestAgent } from '../../../server/test/ag-ui/agent.ts';
import { CLIENTS } from '../../../server/test/mcp-server/clients.ts';
import { chatOf, clientOf } from '../../../server/test/openai/face.ts';

/** A server, and the headers that authenticate a user. */
export interface Account {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** The official client of a protocol. */
export interface ProtocolClient {
  /** Starts a chat whose turn waits for an approval. */
  begin(text: string): Promise<string>;
  /** Sends a message to the chat and returns the answer. */
  send(chatId: string, text: string): Promise<string>;
  /** Allows the call that the chat waits for, and returns the answer. Undefined: the protocol has no approvals. */
  readonly allow?: (chatId: string) => Promise<string>;
}

const tokenOf = ({ headers }: Account) => headers['authorization']?.replace('Bearer ', '') ?? '';

const conversationOf = (chatId: string) => `conv_${chatId.replaceAll('-', '')}`;

function openAi({ url, headers }: Account): ProtocolClient {
  const client = clientOf(url, headers);
  return {
    begin: async (input) => chatOf((await client.responses.create({ input })).id),
    send: async (chatId, input) => {
      const conversation = conversationOf(chatId);
      return (await client.responses.create({ input, conversation })).output_text;
    },
    allow: async (chatId) => {
      const conversation = conversationOf(chatId);
      const { data } = await client.conversations.items.list(conversation);
      const [call] = data.flatMap((item) => (item.type === 'function_call' ? [item.call_id] : []));
      const approval_request_id = `mcpr_${call}`;
      const response = await client.responses.create({
        conversation,
        input: [{ type: 'mcp_approval_response', approve: true, approval_request_id }],
      });
      return response.output_text;
    },
  };
}

const answerOf = ({ said }: TestAgent) => said.at(-1)?.replace('assistant: ', '') ?? '';

function agUi({ url, headers }: Account): ProtocolClient {
  const agentFor = (chatId: string) =>
    new TestAgent(`${url}/api/v1/chats/${chatId}/ag-ui`, headers);
  return {
    begin: async (text) => {
      const agent = new TestAgent(`${url}/api/v1/ag-ui`, headers);
      await agent.say(text);
      return agent.chatId;
    },
    send: async (chatId, text) => {
      const agent = agentFor(chatId);
      await agent.say(text);
      return answerOf(agent);
    },
    allow: async (chatId) => {
      const agent = agentFor(chatId);
      await agent.run();
      const [asked] = agent.agent.pendingInterrupts;
      const payload = { approved: true };
      await agent.run({
        resume: [{ interruptId: asked?.id ?? '', status: 'resolved', payload }],
      });
      return answerOf(agent);
    },
  };
}

async function a2a({ url, headers }: Account): Promise<ProtocolClient> {
  const client = await connect(url, headers);
  const send = async (...given: Parameters<typeof message>) =>
    asTask(await client.sendMessage(message(...given)));
  return {
    begin: async (text) => (await send(text)).contextId,
    send: async (contextId, text) => textOf(await send(text, { contextId })),
    allow: async (contextId) => {
      const { tasks } = await client.listTasks({
        tenant: '',
        contextId,
        status: TaskState.TASK_STATE_INPUT_REQUIRED,
        pageToken: '',
        statusTimestampAfter: undefined,
      });
      return textOf(await send('allow', { contextId, taskId: tasks[0]?.id ?? '' }));
    },
  };
}

async function mcp(account: Account): Promise<ProtocolClient> {
  const client = await CLIENTS['the client at 2026-07-28']!(account.url, tokenOf(account));
  onTestFinished(() => client.close());
  const call = async (name: string, args: Record<string, unknown>) =>
    (await client.call(name, args)).structuredContent as { chat_id: string; text: string };
  return {
    begin: async (message) => {
      const { chat_id } = await call('start_chat', { message });
      return (await call('wait_for_chat', { chat_id })).chat_id;
    },
    send: async (chat_id, message) => {
      await call('send_message', { chat_id, message });
      return (await call('wait_for_chat', { chat_id })).text;
    },
  };
}

async function acp(account: Account): Promise<ProtocolClient> {
  const env = { CHATD_URL: account.url, CHATD_TOKEN: tokenOf(account) };
  const editor = await Editor.open({ env });
  onTestFinished(() => editor.close());
  const where = { cwd: '/home/someone/project', mcpServers: [] };
  const load = async (sessionId: string) => {
    await editor.agent.request('session/load', { sessionId, ...where });
    return editor.text(sessionId);
  };
  return {
    begin: async (text) => {
      // The editor asks, and the user answers in the web UI.
      editor.decide = (_, signal) =>
        new Promise((resolve) => signal.addEventListener('abort', () => resolve(undefined)));
      const sessionId = await editor.newSession();
      void editor.prompt(sessionId, text);
      await editor.until(() => editor.asked(sessionId).length > 0);
      const { sessions } = await editor.agent.request('session/list', {});
      const response = await fetch(
        `${account.url}/api/v1/chats?label=${encodeURIComponent(`acp-session:${sessionId}`)}`,
        { headers: account.headers },
      );
      const { chats } = (await response.json()) as { chats: { id: string }[] };
      if (!sessions.some((one) => one.sessionId === sessionId)) throw new Error('Not listed.');
      return chats[0]?.id ?? '';
    },
    send: async (chatId, text) => {
      const before = await load(chatId);
      await editor.prompt(chatId, text);
      return editor.text(chatId).slice(before.length);
    },
    allow: async (chatId) => {
      const before = await load(chatId);
      await editor.until(() => editor.text(chatId).length > before.length);
      return editor.text(chatId).slice(before.length);
    },
  };
}

export const PROTOCOLS: Readonly<
  Record<string, (account: Account) => ProtocolClient | Promise<ProtocolClient>>
> = {
  'the OpenAI API': openAi,
  'AG-UI': agUi,
  A2A: a2a,
  MCP: mcp,
  ACP: acp,
};
