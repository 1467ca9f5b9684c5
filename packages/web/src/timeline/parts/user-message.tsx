import type { Chat, Message } from '@chatd/protocol';
import { Link, Pencil } from 'lucide-react';
import { clock } from '../../format/time.ts';
import { counted } from '../../format/number.ts';
import { safeText } from '../../markdown/safe-text.ts';
import type { ChatStore } from '../../state/chat/chat-store.ts';
import { type Folds, useFold } from '../../state/chat/folds.ts';
import { useAuthor } from '../../sharing/authors.tsx';
import { useCanEdit } from '../../state/access.ts';
import { useChatProperty } from '../../state/chats/use-chat-list.ts';
import { composerStateOf } from '../../state/composer-state.ts';
import { messageUrl } from '../../state/message-link.ts';
import { cx } from '../../ui/class-names.ts';
import { textsOf } from '../rows/turn.ts';
import { beginsWith, VersionSwitcher } from '../versions/version-switcher.tsx';
import { Action } from '../../ui/action.tsx';
import { CopyAction } from './copy-action.tsx';
import { AttachedFile } from './attached-file.tsx';
import { ReferenceView } from './reference-view.tsx';
import { toast } from '../../ui/toast.ts';

const FOLDED_LENGTH = 1500;
const FOLDED_LINES = 14;
/** Longer messages are cut off. */
const LONGEST = 40_000;

/** A user message as plain text, not as Markdown. */
export function UserMessage({
  message,
  chatId,
  store,
}: {
  readonly message: Message;
  readonly chatId: string;
  readonly store: ChatStore;
}) {
  const archived = useChatProperty(chatId, isArchived);
  const canEdit = useCanEdit() && !archived;
  const author = useAuthor(message.created_by);
  const text = textsOf(message).join('');
  const others = message.content.filter(({ type }) => type === 'file' || type === 'file-reference');
  const time = clock(message.created_at);
  return (
    <article
      aria-label={`${author ?? 'You'}, ${time}`}
      tabIndex={-1}
      className="flex flex-col items-end gap-x-2 gap-y-1 rounded-xl sm:flex-row-reverse"
    >
      <div className="flex max-w-[min(100%,42rem)] min-w-0 flex-col gap-2 rounded-3xl bg-bubble px-4 py-2.5">
        {author !== undefined && (
          <p dir="auto" className="-mb-1.5 text-xs font-medium text-muted">
            {author}
          </p>
        )}
        {others.map((part, at) =>
          part.type === 'file' ? (
            <AttachedFile key={part.file_id} part={part} />
          ) : (
            part.type === 'file-reference' && (
              // oxlint-disable-next-line react/no-array-index-key -- parts have no id and never change
              <ReferenceView key={at} part={part} />
            )
          ),
        )}
        {text !== '' && <Said text={text} folds={store.folds} messageId={message.id} />}
      </div>
      <div className="flex shrink-0 items-center gap-1">
        <div className="tl-actions flex shrink-0 items-center gap-1 text-xs text-muted">
          <time dateTime={message.created_at}>{time}</time>
          <CopyAction label="Copy message" text={() => text} />
          <CopyAction
            label="Copy link"
            text={() => messageUrl(chatId, message.id)}
            icon={<Link />}
          />
          {canEdit && (
            <Action label="Edit message" onClick={() => edit(chatId, message)}>
              <Pencil />
            </Action>
          )}
        </div>
        <VersionSwitcher store={store} isHere={beginsWith(message.id)} />
      </div>
    </article>
  );
}

const isArchived = (chat: Chat | undefined) => chat?.archived === true;

export function edit(chatId: string, message: Message): void {
  const composing = composerStateOf(chatId);
  // The draft is set aside with its files, except those that are not uploaded yet.
  if (composing.attachments.get().some(({ state }) => state.kind === 'uploading')) {
    toast('A file of your draft is still uploading. Edit the message when it is attached.');
    return;
  }
  composing.editing.set(message);
  composing.focus();
}

function Said({
  text,
  folds,
  messageId,
}: {
  readonly text: string;
  readonly folds: Folds;
  readonly messageId: number;
}) {
  const [open, toggle] = useFold(folds, `${messageId}`);
  const long =
    text.length > FOLDED_LENGTH || text.split('\n', FOLDED_LINES + 1).length > FOLDED_LINES;
  const shown = long && !open ? text.slice(0, FOLDED_LENGTH) : text.slice(0, LONGEST);
  return (
    <>
      <p
        dir="auto"
        className={cx(
          'min-w-0 wrap-anywhere whitespace-pre-wrap',
          long && !open && 'line-clamp-[12]',
        )}
      >
        {safeText(shown)}
      </p>
      {long && (
        <button
          type="button"
          aria-expanded={open}
          onClick={toggle}
          className="self-start rounded text-sm font-medium text-info underline-offset-2 hover:underline"
        >
          {open ? 'Show less' : 'Show all'}
        </button>
      )}
      {open && text.length > LONGEST && (
        <p className="text-sm text-muted">
          {`${counted(text.length - LONGEST, 'more character')}. Copy the message to get the full text.`}
        </p>
      )}
    </>
  );
}
