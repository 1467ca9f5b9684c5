import { writeFile } from 'node:fs/promises';
import { usageError } from '../command-failed.ts';
import { suggestion } from '../command-line/suggestion.ts';
import { costInWords } from '../chats/chats.ts';
import { type Chat, findChat } from '../chats/find-chat.ts';
import { ago, money, tokens } from '../output/quantities.ts';
import { oneLine, terminalText } from '../output/terminal-text.ts';
import { findModel, listModels } from '../resources/models.ts';
import { findWorkspace, makeWorkspace } from '../resources/workspaces.ts';
import { type Effort, EFFORTS } from '../run/request.ts';
import type { Desk } from './desk.ts';
import { diffLines } from './diff-lines.ts';
import { noticeLines, reasoningLines } from './message-view.ts';

export interface SlashCommand {
  readonly name: string;
  readonly argument?: string;
  readonly help: string;
  run(desk: Desk, argument: string): Promise<void> | void;
}

/** The chat, for what needs one. */
function here({ chat }: Desk): Chat {
  if (chat === undefined) throw usageError('There is no chat yet: send a message first.');
  return chat;
}

const params = (desk: Desk) => ({ chat_id: here(desk).id });

const tell = (desk: Desk, text: string) => desk.print(['', ...noticeLines(text, desk.page)]);

export const SLASH_COMMANDS: readonly SlashCommand[] = [
  {
    name: 'help',
    help: 'these commands, and the keys',
    run: (desk) => desk.print(['', ...helpLines(desk)]),
  },
  {
    name: 'model',
    argument: '[NAME]',
    help: 'which model answers from now on',
    async run(desk, name) {
      const model =
        name === ''
          ? await desk.pick(
              'Model',
              (await listModels(desk.client)).map((value) => ({
                value,
                label: value.display_name,
                note: `${value.model} · ${tokens(value.context_limit)} context`,
              })),
            )
          : await findModel(desk.client, name);
      if (model === undefined) return;
      desk.choose({ model });
      tell(desk, `${model.display_name} answers from now on.`);
    },
  },
  {
    name: 'effort',
    argument: '[LEVEL]',
    help: `how much it thinks: ${EFFORTS.join(', ')}`,
    async run(desk, level) {
      const chosen =
        level === ''
          ? await desk.pick(
              'Effort',
              EFFORTS.map((value) => ({ value, label: value })),
            )
          : EFFORTS.find((one) => one === level);
      if (chosen === undefined && level !== '') {
        throw usageError(
          `There is no effort ${JSON.stringify(level)}.`,
          `There are: ${EFFORTS.join(', ')}.`,
        );
      }
      if (chosen === undefined) return;
      desk.choose({ effort: chosen satisfies Effort });
      tell(desk, `The effort is ${chosen} from now on.`);
    },
  },
  {
    name: 'attach',
    argument: 'PATH',
    help: 'send a file along with the next message',
    run: (desk, path) =>
      path === '' ? Promise.reject(usageError('Which file?')) : desk.attach(path),
  },
  { name: 'detach', help: 'send no files along', run: (desk) => desk.detach() },
  {
    name: 'queue',
    argument: '[rm N | now N]',
    help: 'the messages that wait; take one out, or run it now',
    run: changeQueue,
  },
  {
    name: 'steer',
    argument: 'TEXT',
    help: 'say something to the turn without stopping it',
    run: (desk, text) => desk.send(text, 'steer'),
  },
  {
    name: 'interrupt',
    argument: '[TEXT]',
    help: 'stop the turn, and go on with this',
    async run(desk, text) {
      if (text !== '') return desk.send(text, 'interrupt');
      await desk.client.call('interruptChat', { params: params(desk) });
    },
  },
  {
    name: 'compact',
    help: 'summarise the history now',
    async run(desk) {
      await desk.client.call('compactChat', { params: params(desk) });
    },
  },
  {
    name: 'plan',
    help: 'plan mode on or off: it looks, and does not touch',
    async run(desk) {
      await desk.setPlanning(!desk.planning);
      tell(desk, desk.planning ? 'Plan mode: it looks and proposes.' : 'Plan mode is over.');
    },
  },
  {
    name: 'workspace',
    argument: 'NAME | TEMPLATE',
    help: 'work in this workspace, or in a new one made from a template',
    async run(desk, word) {
      if (word === '') throw usageError('Which workspace, or which template?');
      const say = (line: string) => tell(desk, line);
      const workspace = await findWorkspace(desk.client, word).catch(() =>
        makeWorkspace(desk.client, word, { say }),
      );
      const body = { workspace_id: workspace.id };
      desk.changed(await desk.client.call('updateChat', { params: params(desk), body }));
      tell(desk, `It works in ${workspace.name} from now on.`);
    },
  },
  {
    name: 'fork',
    help: 'a new chat with the history so far',
    async run(desk) {
      const last = desk.view.messages.at(-1);
      if (last === undefined) throw usageError('There is nothing to fork yet.');
      const body = { message_id: last.id };
      desk.open(await desk.client.call('forkChat', { params: params(desk), body }));
    },
  },
  {
    name: 'title',
    argument: '[TEXT]',
    help: 'name the chat; without a text, a model finds another name',
    async run(desk, title) {
      if (title === '') {
        await desk.client.call('regenerateTitle', { params: params(desk) });
        return tell(desk, 'A model thinks of another title.');
      }
      desk.changed(await desk.client.call('updateChat', { params: params(desk), body: { title } }));
      tell(desk, `The chat is called ${title} now.`);
    },
  },
  {
    name: 'archive',
    help: 'put the chat away, and begin another',
    async run(desk) {
      await desk.client.call('updateChat', { params: params(desk), body: { archived: true } });
      tell(desk, `Archived. Bring it back with: chatd chats unarchive ${here(desk).id}`);
      desk.startNew();
    },
  },
  {
    name: 'export',
    argument: '[FILE]',
    help: 'write the chat to a file as Markdown, or as JSON when it ends in .json',
    async run(desk, file) {
      const name = file === '' ? `chat-${here(desk).id.slice(-8)}.md` : file;
      const format = name.endsWith('.json') ? 'json' : 'markdown';
      const exported = await desk.client.call('exportChat', {
        params: params(desk),
        query: { format },
      });
      await writeFile(name, Buffer.from(await exported.arrayBuffer()), { flag: 'wx' });
      tell(desk, `Written to ${name}.`);
    },
  },
  {
    name: 'diff',
    help: 'what changed in its workspace',
    async run(desk) {
      const diff = await desk.client.call('getChatDiff', { params: params(desk) });
      desk.print(['', ...diffLines(diff, desk.page)]);
    },
  },
  {
    name: 'cost',
    help: 'what the chat has cost, and what you have spent this month',
    async run(desk) {
      const cost = await desk.client.call('getChatCost', { params: params(desk) });
      const spend = await desk.client.call('getMySpend');
      const facts = Object.entries(costInWords(cost)).map(([name, value]) => `${name} ${value}`);
      const limit = spend.limit_micros === null ? '' : ` of ${money(spend.limit_micros)}`;
      tell(desk, `${facts.join(' · ')}\nThis month: ${money(spend.spent_micros)}${limit}`);
    },
  },
  {
    name: 'reasoning',
    help: 'what it thought last',
    run(desk) {
      const { lastReasoning } = desk.view;
      if (lastReasoning === '') return tell(desk, 'It has not thought aloud yet.');
      desk.print(['', ...reasoningLines(lastReasoning, desk.page)]);
    },
  },
  {
    name: 'output',
    help: 'all of what the last tool said',
    run(desk) {
      const { lastOutput } = desk.view;
      if (lastOutput === '') return tell(desk, 'No tool has said anything yet.');
      desk.print(['', ...noticeLines(lastOutput, desk.page)]);
    },
  },
  { name: 'new', help: 'begin another chat', run: (desk) => desk.startNew() },
  {
    name: 'resume',
    argument: '[CHAT]',
    help: 'go on with another chat',
    async run(desk, word) {
      const chat = word === '' ? await pickChat(desk) : await findChat(desk.client, word);
      if (chat !== undefined) desk.open(chat);
    },
  },
  { name: 'quit', help: 'leave; what runs goes on', run: (desk) => desk.quit() },
];

/** One of the latest chats. */
export async function pickChat(desk: Desk): Promise<Chat | undefined> {
  const { chats } = await desk.client.call('listChats', { query: { limit: '200' } });
  return await desk.pick(
    'Chat',
    chats.map((value) => ({
      value,
      label: oneLine(value.title),
      note: `${value.status} · ${ago(value.updated_at, Date.now())}`,
    })),
  );
}

export const slashNames = (): string[] => SLASH_COMMANDS.map(({ name }) => `/${name}`);

/** Runs what begins with a slash. */
export async function runSlash(desk: Desk, line: string): Promise<void> {
  const [, name = '', argument = ''] = /^\/(\S*)\s*(.*)$/s.exec(line) ?? [];
  const command = SLASH_COMMANDS.find((one) => one.name === name);
  if (command === undefined) {
    const meant = suggestion(
      name,
      SLASH_COMMANDS.map((one) => one.name),
    );
    throw usageError(
      `There is no command /${name}.`,
      meant === undefined ? 'See /help.' : `Did you mean /${meant}?`,
    );
  }
  await command.run(desk, argument.trim());
}

async function changeQueue(desk: Desk, argument: string): Promise<void> {
  const { queue } = desk.view;
  const [verb = '', number = ''] = argument.split(/\s+/);
  if (verb === '') {
    const lines = queue.map(({ content, busy_behavior }, index) => {
      const text = content.map((part) => (part.type === 'text' ? part.text : `[${part.type}]`));
      return `${index + 1}. (${busy_behavior}) ${oneLine(text.join(' '))}`;
    });
    return tell(desk, lines.length === 0 ? 'Nothing waits.' : lines.join('\n'));
  }
  const message = queue[Number(number) - 1];
  if (message === undefined || !['rm', 'now'].includes(verb)) {
    throw usageError('It is /queue, /queue rm N or /queue now N.');
  }
  const where = { ...params(desk), queued_message_id: String(message.id) };
  if (verb === 'rm') await desk.client.call('deleteQueuedMessage', { params: where });
  else await desk.client.call('promoteQueuedMessage', { params: where });
}

const KEYS = [
  ['⏎', 'send; while it works: queue'],
  ['⇥', 'while it works: steer, without stopping it'],
  ['^G', 'while it works: stop it and send this'],
  ['esc', 'stop the turn'],
  ['^J, alt-⏎ or \\⏎', 'a new line'],
  ['↑ ↓', 'what was sent before'],
  ['^T', 'show or fold what it thinks'],
  ['^L', 'draw again'],
  ['^C ^C, ^D', 'leave'],
] as const;

function helpLines({ page: { style } }: Desk): string[] {
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
