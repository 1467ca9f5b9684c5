import type { Chat, WorkspaceStatus } from '@chatd/protocol';
import { Play, Square } from 'lucide-react';
import { useState } from 'react';
import { client } from '../../api/client.ts';
import { explain } from '../../api/explain.ts';
import { safeText } from '../../markdown/safe-text.ts';
import { useAccess } from '../../state/access.ts';
import { Badge, type BadgeKind } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Spinner } from '../../ui/spinner.tsx';
import { useWorkspace, useWorkspaceId } from '../use-workspace.ts';
import { Fact, DetailsSection } from './section.tsx';

const STATUS: Record<WorkspaceStatus, readonly [string, BadgeKind]> = {
  creating: ['being created', 'info'],
  ready: ['running', 'good'],
  stopped: ['stopped', 'plain'],
  failed: ['failed', 'bad'],
  deleted: ['deleted', 'bad'],
};

export function WorkspaceSection({ chat }: { readonly chat: Chat }) {
  const id = useWorkspaceId(chat);
  const { workspace, error, refresh } = useWorkspace(id);
  const access = useAccess();
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  if (id === undefined) {
    return (
      <DetailsSection title="Workspace">
        <p className="text-sm text-muted">
          No workspace yet. The agent creates one when it needs files or commands.
        </p>
      </DetailsSection>
    );
  }
  const move = async (to: 'startWorkspace' | 'stopWorkspace') => {
    setBusy(true);
    setProblem(undefined);
    try {
      await client.call(to, { params: { workspace_id: id } });
    } catch (caught) {
      setProblem(explain(caught));
    }
    setBusy(false);
    refresh();
  };
  const status = workspace?.status;
  return (
    <DetailsSection
      title="Workspace"
      action={
        status === 'ready'
          ? access === 'owner' && (
              <Button size="small" disabled={busy} onClick={() => void move('stopWorkspace')}>
                {busy ? <Spinner /> : <Square aria-hidden className="size-3.5" />} Stop
              </Button>
            )
          : access !== 'viewer' &&
            (status === 'stopped' || status === 'failed') && (
              <Button size="small" disabled={busy} onClick={() => void move('startWorkspace')}>
                {busy ? <Spinner /> : <Play aria-hidden className="size-3.5" />} Start
              </Button>
            )
      }
    >
      {error !== null && workspace === undefined && <p className="text-bad">{explain(error)}</p>}
      {problem !== undefined && (
        <Notice kind="bad" live title="The workspace could not be changed">
          {problem}
        </Notice>
      )}
      {workspace !== undefined && (
        <dl>
          <Fact name="Name">{safeText(workspace.name)}</Fact>
          <Fact name="State">
            <Badge kind={STATUS[workspace.status][1]}>{STATUS[workspace.status][0]}</Badge>
          </Fact>
          <Fact name="Template">{safeText(workspace.template_name)}</Fact>
          <Fact name="Machine">{safeText(workspace.machine_name)}</Fact>
          {workspace.error !== undefined && <Fact name="Error">{safeText(workspace.error)}</Fact>}
        </dl>
      )}
    </DetailsSection>
  );
}
