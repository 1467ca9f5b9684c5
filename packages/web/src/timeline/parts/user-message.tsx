import type { Chat, Message } from '@chatd/protocol';
import { Pencil } from 'lucide-react';
import { useState } from 'react';
import { safeText } from '../../markdown/safe-text.ts';
import { composingOf } from '../../state/composing.ts';
import { cx } from '../../ui/class-names.ts';
import { textsOf } from '../rows/turn.ts';
import { Action } from './action.tsx';
import { CopyAction } from './copy-action.tsx';
import { FileView } from './file-view.tsx';
import { ReferenceView } from './reference-view.tsx';

const FOLDED_LENGTH = 1500;
const FOLDED_LINES = 14;
/** Whoever pastes a book reads it elsewhere. */
const LONGEST = 40_000;

const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' });

/** What a person said: as it was written, not as markdown, which it may only look like. */
export function UserMessage({ message, chat }: { readonly message: Message; readonly chat: Chat }) {
  const text = textsOf(message).join('');
  const others = message.content.filter(({ type }) => type === 'file' || type === 'file-reference');
  const time = clock.format(new Date(message.created_at));
  return (
    <article
      aria-label={`You, ${time}`}
      tabIndex={-1}
      className="flex flex-col items-end gap-x-2 gap-y-1 rounded-xl sm:flex-row-reverse"
    >
      <div className="flex max-w-[min(100%,42rem)] min-w-0 flex-col gap-2 rounded-2xl bg-selected px-4 py-2.5">
        {others.map((part, at) =>
          part.type === 'file' ? (
            <FileView key={part.file_id} part={part} />
          ) : (
            part.type === 'file-reference' && (
              // They have no name of their own, and never change.
              // oxlint-disable-next-line react/no-array-index-key -- as said
              <ReferenceView key={at} part={part} />
            )
          ),
        )}
        {text !== '' && <Said text={text} />}
      </div>
      <div className="tl-actions flex shrink-0 items-center gap-1 text-xs text-muted">
        <time dateTime={message.created_at}>{time}</time>
        <CopyAction label="Copy message" text={() => text} />
        {!chat.archived && (
          <Action label="Edit message" onClick={() => edit(chat, message)}>
            <Pencil />
          </Action>
        )}
      </div>
    </article>
  );
}

export function edit(chat: Chat, message: Message): void {
  const composing = composingOf(chat.id);
  composing.editing.set(message);
  composing.focus();
}

function Said({ text }: { readonly text: string }) {
  const [open, setOpen] = useState(false);
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
          onClick={() => setOpen(!open)}
          className="self-start rounded text-sm font-medium text-info underline-offset-2 hover:underline"
        >
          {open ? 'Show less' : 'Show all'}
        </button>
      )}
      {open && text.length > LONGEST && (
        <p className="text-sm text-muted">
          {`${(text.length - LONGEST).toLocaleString()} more characters. Copy the message to get all of it.`}
        </p>
      )}
    </>
  );
}
