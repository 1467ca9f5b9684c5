import type { Branch, Version } from '@chatd/protocol';
import { ChevronLeft, ChevronRight } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { client } from '../../api/client.ts';
import { explain } from '../../api/explain.ts';
import { useCanEdit } from '../../state/access.ts';
import { useCell } from '../../state/cell.ts';
import type { ChatStore } from '../../state/chat/chat-store.ts';
import { Action } from '../../ui/action.tsx';
import { toast } from '../../ui/toast.ts';

interface VersionSwitcherProps {
  readonly store: ChatStore;
  /** The branch that is shown here. */
  readonly isHere: (branch: Branch) => boolean;
}

/** Steps through the versions of a message: ‹ 2/3 ›. */
export function VersionSwitcher({ store, isHere }: VersionSwitcherProps) {
  const versions = useCell(store.versions).find(isHere)?.versions ?? [];
  const at = versions.findIndex(({ current }) => current);
  if (versions.length < 2 || at === -1) return null;
  return <Switcher store={store} versions={versions} at={at} />;
}

/** Renders again with the status of the chat. Most messages have one version, and do not. */
function Switcher({
  store,
  versions,
  at,
}: {
  readonly store: ChatStore;
  readonly versions: readonly Version[];
  readonly at: number;
}) {
  const canEdit = useCanEdit();
  const status = useCell(store.status);
  const [switching, setSwitching] = useState(false);
  const idle = status === 'waiting' || status === 'error';
  const select = async (id: number | undefined) => {
    if (id === undefined) return;
    setSwitching(true);
    try {
      await client.call('selectVersion', { params: { chat_id: store.chatId, version_id: id } });
    } catch (error) {
      toast.error(explain(error));
    }
    setSwitching(false);
  };
  const step = (by: -1 | 1, label: string, icon: ReactNode) => (
    <Action
      label={label}
      disabled={!canEdit || !idle || switching || versions[at + by] === undefined}
      onClick={() => void select(versions[at + by]?.id)}
    >
      {icon}
    </Action>
  );
  return (
    <span
      role="group"
      aria-label={`Version ${at + 1} of ${versions.length}`}
      className="inline-flex items-center text-xs text-muted tabular-nums"
    >
      {step(-1, 'Previous version', <ChevronLeft />)}
      <span aria-hidden>
        {at + 1}/{versions.length}
      </span>
      {step(1, 'Next version', <ChevronRight />)}
    </span>
  );
}

/** The versions of a user message. */
export const beginsWith =
  (messageId: number) =>
  ({ versions }: Branch): boolean =>
    versions.some((version) => version.current && version.message_id === messageId);

/** The versions of the answer to a message. */
export const answers =
  (questionId: number) =>
  ({ after_message_id: after }: Branch): boolean =>
    after === questionId;
