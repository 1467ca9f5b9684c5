import { Link2 } from 'lucide-react';
import { session } from '../api/session.ts';
import { counted } from '../format/number.ts';
import { useCell } from '../state/cell.ts';
import type { ChatStore } from '../state/chat/chat-store.ts';
import { Hint } from '../ui/hint.tsx';

/** More are counted. */
const MOST = 3;
const CIRCLE =
  'flex size-6 items-center justify-center rounded-full border border-background bg-selected text-xs font-semibold uppercase [&_svg]:size-3';

/** Who else is looking at the chat. */
export function Viewers({ store }: { readonly store: ChatStore }) {
  const { viewers, link_viewers: links } = useCell(store.viewers);
  const me = useCell(session.state);
  const ownId = me.kind === 'signed-in' ? me.user.id : undefined;
  const others = viewers.filter(({ user_id }) => user_id !== ownId);
  if (others.length + links === 0) return null;
  const names = [
    ...others.map(({ username }) => username),
    ...(links > 0 ? [`${counted(links, 'viewer')} by link`] : []),
  ].join(', ');
  return (
    <Hint text={`Also here: ${names}`}>
      <span role="status" aria-label={`Also here: ${names}`} className="flex shrink-0 -space-x-1.5">
        {others.slice(0, MOST).map(({ user_id, username }) => (
          <span key={user_id} aria-hidden className={CIRCLE}>
            {Array.from(username)[0]}
          </span>
        ))}
        {others.length > MOST && (
          <span aria-hidden className={CIRCLE}>
            +{others.length - MOST}
          </span>
        )}
        {links > 0 && (
          <span aria-hidden className={CIRCLE}>
            <Link2 />
          </span>
        )}
      </span>
    </Hint>
  );
}
