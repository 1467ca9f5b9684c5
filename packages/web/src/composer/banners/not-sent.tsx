import type { Chat } from '@chatd/protocol';
import { CircleAlert, X } from 'lucide-react';
import { useCell } from '../../state/cell.ts';
import { useChatActions } from '../../state/chats/chat-actions.ts';
import type { ComposerState } from '../../state/composer-state.ts';
import { Button } from '../../ui/button.tsx';
import { IconButton } from '../../ui/icon-button.tsx';
import { Banner } from './banner.tsx';

/** Why the message was not sent, and what to do. */
export function NotSentBanner({
  composing,
  chat,
  onAgain,
}: {
  readonly composing: ComposerState;
  readonly chat: Chat | undefined;
  readonly onAgain: () => void;
}) {
  const notice = useCell(composing.notice);
  const actions = useChatActions();
  if (notice === null) return null;
  const unarchive = async () => {
    if (chat !== undefined && (await actions.unarchive(chat))) onAgain();
  };
  return (
    <Banner
      kind="bad"
      icon={<CircleAlert />}
      live="alert"
      actions={
        <>
          {notice.unarchive === true ? (
            <Button size="small" kind="primary" onClick={() => void unarchive()}>
              Unarchive and send
            </Button>
          ) : (
            notice.again && (
              <Button size="small" kind="primary" onClick={onAgain}>
                Try again
              </Button>
            )
          )}
          <IconButton label="Close" size="small" onClick={() => composing.notice.set(null)}>
            <X />
          </IconButton>
        </>
      }
    >
      <span className="font-medium">Not sent.</span> {notice.text}
    </Banner>
  );
}
