import { useCell } from '../state/cell.ts';
import { useChat } from '../state/chats/use-chat-list.ts';
import { onDemand } from '../ui/on-demand.tsx';
import { sharedChat } from './sharing-state.ts';

const ShareDialog = onDemand(async () => (await import('./share-dialog.tsx')).ShareDialog);

/** The dialog that menus, shortcuts and the palette open. */
export function SharingDialogs() {
  const chat = useChat(useCell(sharedChat) ?? '');
  return chat === undefined ? null : (
    <ShareDialog key={chat.id} chat={chat} onClose={() => sharedChat.set(null)} />
  );
}
