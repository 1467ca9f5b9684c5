import { CircleAlert, CirclePause, Hand, Hourglass, LoaderCircle } from 'lucide-react';
import { CHAT_STATE_TEXT, type ChatState } from '../../state/chats/chat-state.ts';
import { cx } from '../../ui/class-names.ts';

const MARKS = {
  working: { Icon: LoaderCircle, look: 'text-info [&_svg]:animate-spin [&_svg]:size-3.5' },
  queued: { Icon: Hourglass, look: 'text-muted [&_svg]:size-3.5' },
  stopping: { Icon: LoaderCircle, look: 'text-muted [&_svg]:animate-spin [&_svg]:size-3.5' },
  'needs-you': { Icon: Hand, look: 'text-warn [&_svg]:size-3.5' },
  interrupted: { Icon: CirclePause, look: 'text-muted [&_svg]:size-3.5' },
  error: { Icon: CircleAlert, look: 'text-bad [&_svg]:size-3.5' },
} as const satisfies Record<Exclude<ChatState, 'idle'>, unknown>;

/** A distinct shape for each state, named in its tooltip. An idle chat has none. */
export function StatusMark({
  state,
  className,
}: {
  readonly state: ChatState;
  readonly className?: string;
}) {
  if (state === 'idle') return null;
  const { Icon, look } = MARKS[state];
  return (
    <span
      aria-hidden
      title={CHAT_STATE_TEXT[state]}
      className={cx('inline-flex size-4 shrink-0 items-center justify-center', look, className)}
    >
      <Icon />
    </span>
  );
}
