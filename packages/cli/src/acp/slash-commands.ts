import type { AvailableCommand } from '@agentclientprotocol/sdk';
import type { Client } from '@chatd/client';
import { costFields } from '../chats/chats.ts';
import { fenced } from './tool-display.ts';

interface Command {
  readonly description: string;
  readonly hint?: string;
  /** Returns text for the user, or `turn` if it started a turn. */
  run(client: Client, chatId: string, argument: string): Promise<string | { turn: true }>;
}

const COMMANDS: Readonly<Record<string, Command>> = {
  compact: {
    description: 'Summarize the history now',
    async run(client, chatId) {
      await client.chats.compact(chatId);
      return { turn: true };
    },
  },
  cost: {
    description: 'Show the cost of the chat',
    async run(client, chatId) {
      const facts = Object.entries(costFields(await client.chats.cost(chatId)));
      return facts.map(([name, value]) => `- ${name}: ${value}`).join('\n');
    },
  },
  diff: {
    description: 'Show changes in the workspace of the chat',
    async run(client, chatId) {
      const { repositories } = await client.chats.diff(chatId);
      const patches = repositories.map(({ patch }) => patch).join('');
      return patches === '' ? 'No changes.' : fenced(patches, 'diff');
    },
  },
  title: {
    description: 'Set the title of the chat',
    hint: 'title',
    async run(client, chatId, title) {
      if (title === '') return 'Usage: /title TITLE';
      await client.chats.update(chatId, { title });
      return `Title: ${title}`;
    },
  },
};

export const AVAILABLE_COMMANDS: AvailableCommand[] = Object.entries(COMMANDS).map(
  ([name, { description, hint }]) => ({
    name,
    description,
    ...(hint !== undefined && { input: { hint } }),
  }),
);

/** The command at the beginning of a prompt, and its argument. Other prompts are messages. */
export function commandIn(text: string): { command: Command; argument: string } | undefined {
  const [, name = '', argument = ''] = /^\/([a-z]+)(?:\s+(.*))?$/s.exec(text) ?? [];
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  return command && { command, argument: argument.trim() };
}
