import type { PanelTabProps } from '../tabs.ts';
import { WorkspaceGate } from '../workspace-gate.tsx';
import { Terminals } from './terminals.tsx';

export default function TerminalTab({ chat }: PanelTabProps) {
  return (
    <WorkspaceGate chat={chat} what="A terminal">
      {({ id }) => <Terminals key={id} workspaceId={id} />}
    </WorkspaceGate>
  );
}
