import { AccessProvider, accessTo } from '../state/access.ts';
import { useChat } from '../state/chats/use-chat-list.ts';
import { usePageTitle } from '../state/page-title.ts';
import { DesktopPane } from './desktop-pane.tsx';

/** The desktop in a separate window. */
export default function DesktopPage({ chatId }: { readonly chatId: string }) {
  const chat = useChat(chatId);
  usePageTitle(chat === undefined ? 'Desktop' : `Desktop: ${chat.title}`);
  return (
    <main aria-label="Desktop" className="h-dvh">
      <AccessProvider value={chat === undefined ? 'viewer' : accessTo(chat)}>
        <DesktopPane chatId={chatId} />
      </AccessProvider>
    </main>
  );
}
