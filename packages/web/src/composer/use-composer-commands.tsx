import type { Chat } from '@chatd/protocol';
import {
  Archive,
  ClipboardList,
  Cpu,
  FoldVertical,
  GitFork,
  Paperclip,
  Square,
} from 'lucide-react';
import { client } from '../api/client.ts';
import { explain } from '../api/explain.ts';
import { isOwn } from '../state/access.ts';
import { useChatActions } from '../state/chats/chat-actions.ts';
import { type Command, useCommands } from '../state/commands.ts';
import type { ComposerState } from '../state/composer-state.ts';
import { PLAN_KEYS } from './pickers/plan-toggle.tsx';
import type { Stopping } from './send/use-stop.ts';
import type { SlashCommand } from './suggest/use-command-suggestions.tsx';
import { toast } from '../ui/toast.ts';

export const MODEL_KEYS = 'mod+shift+m';
export const FOCUS_KEYS = 'mod+j';

export interface ComposerCommandsInput {
  readonly chat: Chat;
  readonly composing: ComposerState;
  readonly stopping: Stopping;
  readonly setPlanMode: (on: boolean) => void;
  readonly chooseModel: () => void;
  readonly pickFiles: () => void;
}

/** The composer's commands: in the palette, by keys and after `/`. */
export function useComposerCommands(input: ComposerCommandsInput): readonly SlashCommand[] {
  const { chat, composing, stopping, setPlanMode, chooseModel, pickFiles } = input;
  const actions = useChatActions();
  const togglePlan = () => setPlanMode(!chat.plan_mode);
  const stop = () => {
    if (stopping.possible) void stopping.stop();
    else toast('Nothing is running.');
  };
  const choosing: readonly Command[] = [
    {
      id: 'composer-model',
      title: 'Choose model',
      group: 'This chat',
      keys: MODEL_KEYS,
      words: 'effort reasoning',
      run: chooseModel,
    },
    {
      id: 'composer-plan',
      title: chat.plan_mode ? 'End plan mode' : 'Plan first',
      group: 'This chat',
      keys: PLAN_KEYS,
      run: togglePlan,
    },
  ];
  useCommands([
    {
      id: 'composer-focus',
      title: 'Focus message field',
      group: 'This chat',
      keys: FOCUS_KEYS,
      run: composing.focus,
    },
    ...(isOwn(chat) ? choosing : []),
    { id: 'composer-attach', title: 'Attach files', group: 'This chat', run: pickFiles },
    {
      id: 'composer-compact',
      title: 'Summarize history now',
      group: 'This chat',
      words: 'compact context',
      run: () => void compact(chat),
    },
    {
      id: 'composer-stop',
      title: 'Stop turn',
      group: 'This chat',
      words: 'interrupt cancel escape',
      run: stop,
    },
  ]);
  const slashCommands: readonly SlashCommand[] = [
    {
      name: 'model',
      about: 'Choose the model and reasoning effort',
      icon: <Cpu />,
      run: chooseModel,
    },
    {
      name: 'plan',
      about: chat.plan_mode ? 'End plan mode' : 'Review a plan before anything is changed',
      icon: <ClipboardList />,
      run: togglePlan,
    },
    {
      name: 'attach',
      about: 'Attach files, up to 10 MiB each',
      icon: <Paperclip />,
      run: pickFiles,
    },
    {
      name: 'compact',
      about: 'Summarize the history to free up context',
      icon: <FoldVertical />,
      run: () => void compact(chat),
    },
    { name: 'stop', about: 'Stop the turn and keep its results', icon: <Square />, run: stop },
    {
      name: 'fork',
      about: 'Continue in a copy of this chat',
      icon: <GitFork />,
      run: () => void actions.fork(chat),
    },
    {
      name: 'archive',
      about: 'Archive this chat',
      icon: <Archive />,
      run: () => void actions.archive(chat),
    },
  ];
  return isOwn(chat) ? slashCommands : slashCommands.filter(({ name }) => FOR_EDITORS.has(name));
}

/** The others are for the owner of the chat. */
const FOR_EDITORS: ReadonlySet<string> = new Set(['attach', 'compact', 'stop']);

async function compact({ id }: Chat): Promise<void> {
  try {
    await client.call('compactChat', { params: { chat_id: id } });
    toast('Summarizing the history…');
  } catch (error) {
    toast.error(explain(error));
  }
}
