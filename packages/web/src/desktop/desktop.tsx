import type { PanelTabProps } from '../panel/tabs.ts';
import { WorkspaceGate } from '../panel/workspace-gate.tsx';
import { DesktopPane } from './desktop-pane.tsx';

export default function DesktopTab({ chat }: PanelTabProps) {
  return (
    <WorkspaceGate chat={chat} what="A desktop">
      {({ id }) => (
        <DesktopPane
          key={id}
          chatId={chat.id}
          onPopOut={() => window.open(`/chats/${chat.id}/desktop`, `desktop-${chat.id}`, 'popup')}
        />
      )}
    </WorkspaceGate>
  );
}
