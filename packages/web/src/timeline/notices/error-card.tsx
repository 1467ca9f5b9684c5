import type { ChatError } from '@chatd/protocol';
import { useLocation } from 'wouter';
import { client } from '../../api/client.ts';
import { explain } from '../../api/explain.ts';
import { session } from '../../api/session.ts';
import { safeText } from '../../markdown/safe-text.ts';
import { useCanEdit } from '../../state/access.ts';
import { useCell } from '../../state/cell.ts';
import type { ChatStore } from '../../state/chat/chat-store.ts';
import { Button } from '../../ui/button.tsx';
import { Notice } from '../../ui/notice.tsx';
import { edit } from '../parts/user-message.tsx';
import { adviceFor, type Remedy } from './advice.ts';
import { recover, recoveryOf } from './recovery.ts';
import { toast } from '../../ui/toast.ts';

export function ErrorCard({
  error,
  chatId,
  store,
}: {
  readonly error: ChatError;
  readonly chatId: string;
  readonly store: ChatStore;
}) {
  const { title, words, remedies } = adviceFor(error.kind);
  const canEdit = useCanEdit();
  const offered = remedies.filter(({ kind }) => canEdit || kind === 'settings');
  return (
    <section aria-label="Error" data-error-kind={error.kind}>
      <Notice kind="bad" title={title}>
        <p className="wrap-anywhere">{safeText(error.message)}</p>
        {error.detail !== undefined && (
          <figure className="my-2 border-l-2 border-bad/40 pl-3 text-sm">
            <figcaption className="text-muted">
              {error.provider === undefined
                ? 'Provider message'
                : `Message from ${safeText(error.provider)}`}
            </figcaption>
            <blockquote className="wrap-anywhere whitespace-pre-wrap">
              {safeText(error.detail)}
            </blockquote>
          </figure>
        )}
        <p className="mt-1 text-sm">{words}</p>
        <div className="mt-2 flex flex-wrap gap-2">
          {offered.map((remedy, at) => (
            <RemedyButton
              key={remedy.kind === 'settings' ? remedy.section : remedy.kind}
              remedy={remedy}
              first={at === 0}
              chatId={chatId}
              store={store}
            />
          ))}
        </div>
      </Notice>
    </section>
  );
}

interface RemedyButtonProps {
  readonly remedy: Remedy;
  readonly first: boolean;
  readonly chatId: string;
  readonly store: ChatStore;
}

function RemedyButton({ remedy, first, chatId, store }: RemedyButtonProps) {
  const [, go] = useLocation();
  const messages = useCell(store.messages);
  const who = useCell(session.state);
  const admin = who.kind === 'signed-in' && who.user.role === 'admin';
  const kind = first ? 'primary' : 'plain';
  const how = recoveryOf(messages);
  const asked = messages.findLast(({ role }) => role === 'user');
  switch (remedy.kind) {
    case 'again':
      if (how === undefined) return null;
      return (
        <Button size="small" kind={kind} onClick={() => void recover(chatId, how)}>
          {how.kind === 'resend' ? 'Try again' : 'Continue'}
        </Button>
      );
    case 'edit':
      if (asked === undefined) return null;
      return (
        <Button size="small" kind={kind} onClick={() => edit(chatId, asked)}>
          Edit message
        </Button>
      );
    case 'compact':
      return (
        <Button size="small" kind={kind} onClick={() => void compact(chatId)}>
          Summarize history
        </Button>
      );
    case 'settings':
      if (!admin) return null;
      return (
        <Button size="small" kind={kind} onClick={() => go(`/settings/${remedy.section}`)}>
          {remedy.label}
        </Button>
      );
  }
}

async function compact(chatId: string): Promise<void> {
  try {
    await client.call('compactChat', { params: { chat_id: chatId } });
  } catch (error) {
    toast.error(explain(error));
  }
}
