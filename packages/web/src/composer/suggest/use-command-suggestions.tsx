import { useQuery } from '@tanstack/react-query';
import { SquareSlash, Wand } from 'lucide-react';
import type { ReactNode } from 'react';
import { client } from '../../api/client.ts';
import { useCell } from '../../state/cell.ts';
import { commands, type Command } from '../../state/commands.ts';
import { keysLabel } from '../../state/keys.ts';
import { matching } from './match.ts';
import type { Suggestion, Suggestions } from './suggestion.ts';

/** A command of the composer with a short name. */
export interface SlashCommand {
  readonly name: string;
  readonly about: string;
  readonly icon: ReactNode;
  readonly run: () => void;
}

interface Offer {
  readonly name: string;
  readonly words: string;
  readonly suggestion: Suggestion;
}

/** The composer's commands, the skills of the workspace, then all commands of the palette. */
export function useCommandSuggestions(
  own: readonly SlashCommand[],
  /** The chat whose skills are suggested. */
  chatId: string | undefined,
  query: string | undefined,
): Suggestions {
  const others = useCell(commands);
  const skills = useSkills(chatId, query !== undefined);
  if (query === undefined) return { list: [] };
  const offers = [
    ...own.map(ownOffer),
    ...skills.map(skillOffer),
    ...others.filter(({ id }) => !OFFERED_BY_NAME.has(id)).map(commandOffer),
  ];
  const list = matching(offers, query, (offer) => offer).map(({ suggestion }) => suggestion);
  if (list.length > 0) return { list };
  return { list, note: 'No matching command or skill. Press Enter to send the text as is.' };
}

/** Commands that already have a short name. */
const OFFERED_BY_NAME = new Set([
  'composer-model',
  'composer-plan',
  'composer-attach',
  'composer-stop',
  'composer-compact',
  'fork-chat',
  'archive-chat',
]);

const ownOffer = ({ name, about, icon, run }: SlashCommand): Offer => ({
  name,
  words: about,
  suggestion: { key: `own ${name}`, icon, title: `/${name}`, about, run },
});

function commandOffer({ id, title, keys, words = '', run }: Command): Offer {
  const about = keys === undefined ? title : `${title} (${keysLabel(keys)})`;
  return {
    name: id,
    words: `${title} ${words}`,
    suggestion: { key: `command ${id}`, icon: <SquareSlash />, title: `/${id}`, about, run },
  };
}

interface Skill {
  readonly name: string;
  readonly description: string;
}

const skillOffer = ({ name, description }: Skill): Offer => ({
  name,
  words: description,
  suggestion: {
    key: `skill ${name}`,
    icon: <Wand />,
    title: name,
    about: description,
    insert: `Use the skill ${name}: `,
  },
});

function useSkills(chatId: string | undefined, wanted: boolean): readonly Skill[] {
  const { data } = useQuery({
    queryKey: ['chat-context', chatId],
    enabled: wanted && chatId !== undefined,
    retry: false,
    queryFn: ({ signal }) =>
      client.call('getChatContext', { params: { chat_id: chatId ?? '' }, signal }),
  });
  return data?.skills ?? [];
}
