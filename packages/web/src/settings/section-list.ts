import type { UserRole } from '@chatd/protocol';

/**
 * The settings pages in display order. Separate from their code, so that the command palette can list them before they
 * are loaded.
 */
export const SECTIONS = [
  { id: 'appearance', title: 'Appearance', group: 'You', words: 'theme dark light text size' },
  { id: 'account', title: 'Account', group: 'You', words: 'password spend key sign out' },
  {
    id: 'notifications',
    title: 'Notifications',
    group: 'You',
    words: 'push browser alert app',
  },
  { id: 'tokens', title: 'API tokens', group: 'You', words: 'api key secret scope' },
  { id: 'webhooks', title: 'Webhooks', group: 'You', words: 'events url signed deliveries' },
  { id: 'approvals', title: 'My approvals', group: 'You', words: 'permissions allow ask deny' },
  { id: 'usage', title: 'Usage', group: 'You', words: 'cost tokens chart csv' },
  { id: 'workspaces', title: 'Workspaces', group: 'You', words: 'start stop files' },
  { id: 'git', title: 'Git', group: 'You', words: 'github gitlab token repository pull request' },
  { id: 'files', title: 'Files', group: 'You', words: 'uploads attachments storage quota' },
  { id: 'providers', title: 'Providers', group: 'Models', admin: true, words: 'api key openai' },
  { id: 'models', title: 'Models', group: 'Models', admin: true, words: 'default context effort' },
  { id: 'prices', title: 'Prices', group: 'Models', admin: true, words: 'cost per token' },
  { id: 'mcp-servers', title: 'MCP servers', group: 'Agents', words: 'tools oauth sign in' },
  { id: 'triggers', title: 'Triggers', group: 'Agents', words: 'schedule cron webhook automation' },
  {
    id: 'templates',
    title: 'Templates',
    group: 'Agents',
    admin: true,
    words: 'workspace git docker',
  },
  {
    id: 'system-prompt',
    title: 'System prompt',
    group: 'Agents',
    admin: true,
    words: 'instructions',
  },
  { id: 'rules', title: 'Approval rules', group: 'Agents', admin: true, words: 'allow ask deny' },
  {
    id: 'machines',
    title: 'Machines',
    group: 'Deployment',
    admin: true,
    words: 'workspace host runner drain label',
  },
  {
    id: 'users',
    title: 'Users',
    group: 'Deployment',
    admin: true,
    words: 'people sign-in link role',
  },
  {
    id: 'groups',
    title: 'Groups',
    group: 'Deployment',
    admin: true,
    words: 'team members restrict budget',
  },
  {
    id: 'audit-log',
    title: 'Audit log',
    group: 'Deployment',
    admin: true,
    auditor: true,
    words: 'events history security compliance',
  },
  { id: 'spend', title: 'Spend limits', group: 'Deployment', admin: true, words: 'budget month' },
  {
    id: 'capacity',
    title: 'Capacity',
    group: 'Deployment',
    admin: true,
    words: 'subagents running',
  },
  {
    id: 'data',
    title: 'Data and network',
    group: 'Deployment',
    admin: true,
    words: 'retention debug private share link',
  },
  { id: 'about', title: 'About', group: 'Help', words: 'version docs health' },
] as const satisfies readonly Section[];

interface Section {
  readonly id: string;
  readonly title: string;
  readonly group: string;
  /** Hidden from members. */
  readonly admin?: true;
  /** Shown to auditors, too. */
  readonly auditor?: true;
  /** Additional search terms. */
  readonly words: string;
}

export type SectionId = (typeof SECTIONS)[number]['id'];

export const sectionPath = (id: SectionId): string => `/settings/${id}`;

/** The pages visible to a role, by group. */
export function sectionsFor(role: UserRole) {
  const all: readonly (Section & { readonly id: SectionId })[] = SECTIONS;
  return all.filter(
    ({ admin, auditor }) =>
      admin !== true || role === 'admin' || (auditor === true && role === 'auditor'),
  );
}
