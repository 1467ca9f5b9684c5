import type { Chat } from '@chatd/protocol';
import { FolderGit2, GitFork, Link } from 'lucide-react';
import { useAccess } from '../../state/access.ts';
import type { ChatStore } from '../../state/chat/chat-store.ts';
import { useChatActions } from '../../state/chats/chat-actions.ts';
import { useChatList, useChatProperty } from '../../state/chats/use-chat-list.ts';
import { money, tokenCount, tokensRead } from '../../format/money.ts';
import { duration } from '../../format/time.ts';
import { messageUrl } from '../../state/message-link.ts';
import { useModelConfig } from '../model-config.ts';
import type { TurnSummary } from '../rows/turn.ts';
import { Action } from '../../ui/action.tsx';
import { Regenerate } from '../versions/regenerate.tsx';
import { answers, VersionSwitcher } from '../versions/version-switcher.tsx';
import { TurnChange, useTurnChange } from '../checkpoints/turn-change.tsx';
import { ChangedFiles } from './changed-files.tsx';
import { CopyAction } from './copy-action.tsx';

const hasWorkspace = (chat: Chat | undefined) => (chat?.workspace_id ?? null) !== null;

/** The cost of a turn and the actions on its answer. */
export function TurnEnd({
  turn,
  chatId,
  store,
}: {
  readonly turn: TurnSummary;
  readonly chatId: string;
  readonly store: ChatStore;
}) {
  const access = useAccess();
  const model = useModelConfig(turn.modelConfigId);
  const changed = turn.changed();
  const change = useTurnChange(store, turn.questionId);
  const actions = useChatActions();
  const { chats } = useChatList();
  const hasFiles = useChatProperty(chatId, hasWorkspace);
  const fork = (options?: { readonly files: boolean }) => {
    const chat = chats.get().get(chatId);
    if (chat !== undefined) void actions.fork(chat, turn.lastMessageId, options);
  };
  const facts = [
    ...(turn.costMicros === undefined ? [] : [money(turn.costMicros)]),
    ...(turn.inputTokens + turn.outputTokens === 0
      ? []
      : [
          `${tokensRead(turn.inputTokens, turn.cachedTokens)} in, ${tokenCount(turn.outputTokens)} out`,
        ]),
    ...(turn.runtimeMs === 0 ? [] : [duration(turn.runtimeMs)]),
    ...(turn.steps > 1 ? [`${turn.steps} steps`] : []),
  ];
  return (
    <>
      {changed.length > 0 && (
        <ChangedFiles
          files={changed}
          change={change}
          store={store}
          foldKey={`${turn.lastMessageId}/changed`}
        />
      )}
      <footer className="flex min-h-8 flex-wrap items-center gap-x-2 text-xs text-muted">
        <span className="tl-actions -ml-1.5 flex" data-shown="">
          <CopyAction label="Copy answer" text={turn.answer} />
          <CopyAction
            label="Copy link"
            text={() => messageUrl(chatId, turn.answerId)}
            icon={<Link />}
          />
          {access !== 'viewer' && <Regenerate chatId={chatId} messageId={turn.lastMessageId} />}
          {access === 'owner' && (
            <Action label="Fork from here" onClick={() => fork()}>
              <GitFork />
            </Action>
          )}
          {access === 'owner' && hasFiles && (
            <Action label="Fork from here with files" onClick={() => fork({ files: true })}>
              <FolderGit2 />
            </Action>
          )}
        </span>
        <VersionSwitcher store={store} isHere={answers(turn.questionId)} />
        {model !== undefined && (
          <span className={turn.modelChanged ? 'font-medium text-text' : undefined}>
            {turn.modelChanged && 'Switched to '}
            {model.display_name}
          </span>
        )}
        <span>{facts.join(' · ')}</span>
        {changed.length === 0 && change !== undefined && (
          <TurnChange store={store} change={change} className="gap-1 rounded px-1" />
        )}
      </footer>
    </>
  );
}
