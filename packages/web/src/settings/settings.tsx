import type { User } from '@chatd/protocol';
import type { ComponentType } from 'react';
import { SidebarToggle } from '../shell/shell.tsx';
import { NotFound } from '../shell/not-found.tsx';
import { onDemand } from '../ui/on-demand.tsx';
import { useWide } from '../ui/use-wide.ts';
import { About } from './about.tsx';
import { Account } from './account/account.tsx';
import { Appearance } from './account/appearance.tsx';
import { Files } from './account/files.tsx';
import { Notifications } from './account/notifications.tsx';
import { GitConnections } from './account/git-connections.tsx';
import { OwnApprovals } from './account/own-approvals.tsx';
import { Tokens } from './account/tokens.tsx';
import { Workspaces } from './account/workspaces.tsx';
import { AuditLog } from './audit/audit-log.tsx';
import { Capacity } from './deployment/capacity.tsx';
import { DataAndNetwork } from './deployment/data-and-network.tsx';
import { DeploymentRules } from './deployment/deployment-rules.tsx';
import { SystemPrompt } from './deployment/system-prompt.tsx';
import { Groups } from './groups/groups.tsx';
import { Machines } from './machines/machines.tsx';
import { McpServers } from './mcp/mcp-servers.tsx';
import { Models } from './models/models.tsx';
import { Prices } from './models/prices.tsx';
import { LeaveDialog } from './parts/leave-dialog.tsx';
import { SpendLimits } from './users/spend-limits.tsx';
import { Users } from './users/users.tsx';
import { Providers } from './providers/providers.tsx';
import { type SectionId, sectionsFor } from './section-list.ts';
import { SectionLinks, SectionSelect } from './section-nav.tsx';
import { Templates } from './templates/templates.tsx';
import { Usage } from './usage/usage.tsx';
import { Webhooks } from './webhooks/webhooks.tsx';

export interface SettingsProps {
  readonly section: string;
  readonly user: User;
}

const PAGES: Readonly<Record<SectionId, ComponentType<{ readonly user: User }>>> = {
  appearance: Appearance,
  account: Account,
  notifications: Notifications,
  tokens: Tokens,
  webhooks: Webhooks,
  approvals: OwnApprovals,
  usage: Usage,
  workspaces: Workspaces,
  git: GitConnections,
  files: Files,
  providers: Providers,
  models: Models,
  prices: Prices,
  'mcp-servers': McpServers,
  triggers: onDemand(async () => (await import('./triggers/triggers.tsx')).Triggers),
  templates: Templates,
  'system-prompt': SystemPrompt,
  rules: DeploymentRules,
  machines: Machines,
  users: Users,
  groups: Groups,
  'audit-log': AuditLog,
  spend: SpendLimits,
  capacity: Capacity,
  data: DataAndNetwork,
  about: About,
};

export default function Settings({ section, user }: SettingsProps) {
  const wide = useWide();
  const sections = sectionsFor(user.role);
  const current = sections.find(({ id }) => id === section);
  if (current === undefined) {
    return <NotFound reason="This settings page does not exist or is only for admins." />;
  }
  const Page = PAGES[current.id];
  return (
    <>
      <header className="flex h-12 shrink-0 items-center gap-2 border-b border-line px-2 md:px-4">
        <SidebarToggle />
        {wide ? (
          <p className="font-semibold">Settings</p>
        ) : (
          <SectionSelect sections={sections} current={current.id} />
        )}
      </header>
      <div className="flex min-h-0 flex-1">
        {wide && <SectionLinks sections={sections} current={current.id} />}
        <main className="min-w-0 flex-1 overflow-y-auto">
          <div className="mx-auto flex w-full max-w-4xl flex-col gap-8 px-4 py-6 md:px-8">
            <Page key={current.id} user={user} />
          </div>
        </main>
      </div>
      <LeaveDialog />
    </>
  );
}
