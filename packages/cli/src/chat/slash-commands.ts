import { writeFile } from 'node:fs/promises';
import { usageError } from '../command-failed.ts';
import { costFields } from '../chats/chats.ts';
import { type Chat, findChat } from '../chats/find-chat.ts';
import { ago, money, tokens } from '../output/quantities.ts';
import { oneLine, terminalText } from '../output/terminal-text.ts';
import { findModel, listModels } from '../resources/models.ts';
import { createWorkspace, findWorkspace } from '../resources/workspaces.ts';
import { type Effort, EFFORTS } from '../run/request.ts';
import { wrap } from '../terminal/wrap.ts';
import type { ChatSession } from './chat-session.ts';
import { diffLines } from './diff-lines.ts';
import { noticeLines, reasoningLines } from './message-view.ts';

export interface SlashCommand {
  readonly name: string;
  readonly argument?: string;
  readonly help: string;
  run(session: ChatSession, argument: string): Promise<void> | void;
}

function requireChat({ chat }: ChatSession): Chat {
  if (chat === undefined) throw usageError('There is no chat yet. Send a message first.');
  return chat;
}

const params = (session: ChatSession) => ({ chat_id: requireChat(session).id });

const notify = (session: ChatSession, text: string) =>
  session.print(['', ...noticeLines(text, session.page)]);

export const SLASH_COMMANDS: readonly SlashCommand[] = [
  {
    name: 'help',
    help: 'show commands and keys',
    run: (session) => session.print(['', ...helpLines(session)]),
  },
  {
    name: 'model',
    argument: '[NAME]',
    help: 'choose the model for the next messages',
    async run(session, name) {
      const model =
        name === ''
          ? await session.pick(
              'Model',
              (await listModels(session.client)).map((value) => ({
                value,
                label: value.display_name,
                note: `${value.model} · ${tokens(value.context_limit)} context`,
              })),
            )
          : await findModel(session.client, name);
      if (model === undefined) return;
      session.choose({ model });
      notify(session, `Model for the next messages: ${model.display_name}.`);
    },
  },
  {
    name: 'effort',
    argument: '[LEVEL]',
    help: `set the reasoning effort: ${EFFORTS.join(', ')}`,
    async run(session, level) {
      const chosen =
        level === ''
          ? await session.pick(
              'Effort',
              EFFORTS.map((value) => ({ value, label: value })),
            )
          : EFFORTS.find((one) => one === level);
      if (chosen === undefined && level !== '') {
        throw usageError(
          `Invalid effort ${JSON.stringify(level)}.`,
          `Allowed values: ${EFFORTS.join(', ')}.`,
        );
      }
      if (chosen === undefined) return;
      session.choose({ effort: chosen satisfies Effort });
      notify(session, `Reasoning effort for the next messages: ${chosen}.`);
    },
  },
  {
    name: 'attach',
    argument: 'PATH',
    help: 'attach a file to the next message',
    run: (session, path) =>
      path === '' ? Promise.reject(usageError('Usage: /attach PATH')) : session.attach(path),
  },
  { name: 'detach', help: 'remove attached files', run: (session) => session.detach() },
  {
    name: 'queue',
    argument: '[rm N | now N]',
    help: 'show queued messages; remove one, or run it now',
    run: changeQueue,
  },
  {
    name: 'steer',
    argument: 'TEXT',
    help: 'steer the turn without interrupting it',
    run: (session, text) => session.send(text, 'steer'),
  },
  {
    name: 'interrupt',
    argument: '[TEXT]',
    help: 'interrupt the turn, and send a message',
    async run(session, text) {
      if (text !== '') return session.send(text, 'interrupt');
      await session.client.call('interruptChat', { params: params(session) });
    },
  },
  {
    name: 'compact',
    help: 'summarize the history now',
    async run(session) {
      await session.client.call('compactChat', { params: params(session) });
    },
  },
  {
    name: 'plan',
    help: 'turn plan mode on or off: read-only until you accept a plan',
    async run(session) {
      await session.setPlanning(!session.planning);
      notify(session, session.planning ? 'Plan mode is on.' : 'Plan mode is off.');
    },
  },
  {
    name: 'workspace',
    argument: 'NAME | TEMPLATE',
    help: 'use a workspace, or create one from a template',
    async run(session, word) {
      if (word === '') throw usageError('Usage: /workspace NAME or /workspace TEMPLATE');
      const log = (line: string) => notify(session, line);
      const workspace = await findWorkspace(session.client, word).catch(() =>
        createWorkspace(session.client, word, { log }),
      );
      const body = { workspace_id: workspace.id };
      session.changed(await session.client.call('updateChat', { params: params(session), body }));
      notify(session, `Workspace: ${workspace.name}.`);
    },
  },
  {
    name: 'fork',
    argument: '[files]',
    help: 'copy the history to a new chat; with "files", also the files of the workspace',
    async run(session, argument) {
      if (argument !== '' && argument !== 'files')
        throw usageError(`/fork ${argument} is unknown. Use /fork or /fork files.`);
      const last = session.view.messages.at(-1);
      if (last === undefined) throw usageError('There is no message to fork yet.');
      const body = { message_id: last.id, files: argument === 'files' };
      session.open(await session.client.call('forkChat', { params: params(session), body }));
    },
  },
  {
    name: 'title',
    argument: '[TEXT]',
    help: 'set the title; without TEXT, generate one',
    async run(session, title) {
      if (title === '') {
        await session.client.call('regenerateTitle', { params: params(session) });
        return notify(session, 'Generating a title.');
      }
      session.changed(
        await session.client.call('updateChat', { params: params(session), body: { title } }),
      );
      notify(session, `Title: ${title}.`);
    },
  },
  {
    name: 'archive',
    help: 'archive the chat and start a new one',
    async run(session) {
      await session.client.call('updateChat', {
        params: params(session),
        body: { archived: true },
      });
      notify(
        session,
        `Archived. Unarchive it with: chatd chats unarchive ${requireChat(session).id}`,
      );
      session.startNew();
    },
  },
  {
    name: 'export',
    argument: '[FILE]',
    help: 'export the chat as Markdown, or as JSON if the name ends in .json',
    async run(session, file) {
      const name = file === '' ? `chat-${requireChat(session).id.slice(-8)}.md` : file;
      const format = name.endsWith('.json') ? 'json' : 'markdown';
      const exported = await session.client.call('exportChat', {
        params: params(session),
        query: { format },
      });
      await writeFile(name, Buffer.from(await exported.arrayBuffer()), { flag: 'wx' });
      notify(session, `Exported to ${name}.`);
    },
  },
  {
    name: 'diff',
    help: 'show changes in the workspace',
    async run(session) {
      const diff = await session.client.call('getChatDiff', { params: params(session) });
      session.print(['', ...diffLines(diff, session.page)]);
    },
  },
  {
    name: 'cost',
    help: 'show the cost of the chat and your spend of this month',
    async run(session) {
      const cost = await session.client.call('getChatCost', { params: params(session) });
      const spend = await session.client.call('getMySpend');
      const facts = Object.entries(costFields(cost)).map(([name, value]) => `${name} ${value}`);
      const limit = spend.limit_micros === null ? '' : ` of ${money(spend.limit_micros)}`;
      notify(session, `${facts.join(' · ')}\nThis month: ${money(spend.spent_micros)}${limit}`);
    },
  },
  {
    name: 'reasoning',
    help: 'show the last reasoning',
    run(session) {
      const { lastReasoning } = session.view;
      if (lastReasoning === '') return notify(session, 'There is no reasoning yet.');
      session.print(['', ...reasoningLines(lastReasoning, session.page)]);
    },
  },
  {
    name: 'output',
    help: 'show the full output of the last tool',
    run(session) {
      const { lastOutput } = session.view;
      if (lastOutput === '') return notify(session, 'There is no tool output yet.');
      session.print(['', ...wrap(lastOutput, session.page.width, { verbatim: true })]);
    },
  },
  { name: 'new', help: 'start a new chat', run: (session) => session.startNew() },
  {
    name: 'resume',
    argument: '[CHAT]',
    help: 'open another chat',
    async run(session, word) {
      const chat = word === '' ? await pickChat(session) : await findChat(session.client, word);
      if (chat !== undefined) session.open(chat);
    },
  },
  { name: 'quit', help: 'quit; the chat keeps running', run: (session) => session.quit() },
];

/** Lets the user choose one of their latest chats. */
export async function pickChat(session: ChatSession): Promise<Chat | undefined> {
  const { chats } = await session.client.call('listChats', { query: { limit: '200' } });
  return await session.pick(
    'Chat',
    chats.map((value) => ({
      value,
      label: oneLine(value.title),
      note: `${value.status} · ${ago(value.updated_at, Date.now())}`,
    })),
  );
}

export const slashNames = (): string[] => SLASH_COMMANDS.map(({ name }) => `/${name}`);

export async function runSlash(session: ChatSession, line: string): Promise<void> {
  const [, name = '', argument = ''] = /^\/(\S*)\s*(.*)$/s.exec(line) ?? [];
  const command = SLASH_COMMANDS.find((one) => one.name === name);
  if (command === undefined) {
    throw usageError(`Unknown command /${name}.`, 'See /help.');
  }
  await command.run(session, argument.trim());
}

async function changeQueue(session: ChatSession, argument: string): Promise<void> {
  const { queue } = session.view;
  const [verb = '', number = ''] = argument.split(/\s+/);
  if (verb === '') {
    const lines = queue.map(({ content, busy_behavior }, index) => {
      const text = content.map((part) => (part.type === 'text' ? part.text : `[${part.type}]`));
      return `${index + 1}. (${busy_behavior}) ${oneLine(text.join(' '))}`;
    });
    return notify(session, lines.length === 0 ? 'The queue is empty.' : lines.join('\n'));
  }
  const message = queue[Number(number) - 1];
  if (message === undefined || !['rm', 'now'].includes(verb)) {
    throw usageError('Usage: /queue, /queue rm N or /queue now N');
  }
  const where = { ...params(session), queued_message_id: String(message.id) };
  if (verb === 'rm') await session.client.call('deleteQueuedMessage', { params: where });
  else await session.client.call('promoteQueuedMessage', { params: where });
}

const KEYS = [
  ['⏎', 'send; while the agent works: queue'],
  ['⇥', 'while the agent works: steer without interrupting'],
  ['^G', 'while the agent works: interrupt and send'],
  ['esc', 'interrupt the turn'],
  ['^J, alt-⏎ or \\⏎', 'new line'],
  ['↑ ↓', 'previous messages'],
  ['^T', 'show or collapse reasoning'],
  ['^L', 'redraw the screen'],
  ['^C ^C, ^D', 'quit'],
] as const;

function helpLines({ page: { style } }: ChatSession): string[] {
  const rows = [
    ...SLASH_COMMANDS.map(({ name, argument = '', help }): [string, string] => [
      `/${name} ${argument}`.trimEnd(),
      help,
    ]),
    ...KEYS,
  ];
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(
    ([left, right]) => `${style('cyan', left.padEnd(width))}  ${terminalText(right)}`,
  );
}
