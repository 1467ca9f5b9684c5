import type { Chat } from '@chatd/protocol';
import { GitFork } from 'lucide-react';
import { useChatActions } from '../../state/chats/chat-actions.ts';
import { money, tokenCount } from '../../ui/money.ts';
import { duration } from '../../ui/time.ts';
import { useModelConfig } from '../model-config.ts';
import type { TurnSummary } from '../rows/turn.ts';
import { Action } from './action.tsx';
import { CopyAction } from './copy-action.tsx';

/** What a turn has taken, quietly, and what can be done with its answer. */
export function TurnEnd({ turn, chat }: { readonly turn: TurnSummary; readonly chat: Chat }) {
  const model = useModelConfig(turn.modelConfigId);
  const actions = useChatActions();
  const facts = [
    ...(turn.costMicros === undefined ? [] : [money(turn.costMicros)]),
    ...(turn.inputTokens + turn.outputTokens === 0
      ? []
      : [`${tokenCount(turn.inputTokens)} in, ${tokenCount(turn.outputTokens)} out`]),
    ...(turn.runtimeMs === 0 ? [] : [duration(turn.runtimeMs)]),
    ...(turn.steps > 1 ? [`${turn.steps} steps`] : []),
  ];
  return (
    <footer className="flex min-h-8 flex-wrap items-center gap-x-2 text-xs text-muted">
      <span className="tl-actions -ml-1.5 flex" data-shown="">
        <CopyAction label="Copy answer" text={turn.answer} />
        <Action label="Fork here" onClick={() => void actions.fork(chat, turn.lastMessageId)}>
          <GitFork />
        </Action>
      </span>
      {model !== undefined && (
        <span className={turn.modelChanged ? 'font-medium text-text' : undefined}>
          {turn.modelChanged && 'Now: '}
          {model.display_name}
        </span>
      )}
      <span>{facts.join(' · ')}</span>
    </footer>
  );
}
