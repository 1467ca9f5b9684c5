import {
  Bell,
  Box,
  Boxes,
  ChartColumn,
  CircleUser,
  Coins,
  Cpu,
  Database,
  Files,
  Gauge,
  GitBranch,
  Info,
  KeyRound,
  LayoutTemplate,
  ListChecks,
  type LucideIcon,
  Palette,
  Plug,
  ScrollText,
  Server,
  ShieldCheck,
  Tag,
  TextQuote,
  Users,
  UsersRound,
  Webhook,
  Zap,
} from 'lucide-react';
import { Link, useLocation } from 'wouter';
import { Select } from '../ui/select.tsx';
import { TO_HEADING } from './parts/heading.tsx';
import { type SectionId, sectionPath, type sectionsFor } from './section-list.ts';

interface SectionNavProps {
  readonly sections: ReturnType<typeof sectionsFor>;
  readonly current: SectionId;
}

/** Not in `section-list.ts`, which is part of the first load. */
const ICONS: Readonly<Record<SectionId, LucideIcon>> = {
  appearance: Palette,
  account: CircleUser,
  notifications: Bell,
  tokens: KeyRound,
  webhooks: Webhook,
  approvals: ListChecks,
  usage: ChartColumn,
  workspaces: Box,
  git: GitBranch,
  files: Files,
  providers: Plug,
  models: Cpu,
  prices: Tag,
  'mcp-servers': Boxes,
  triggers: Zap,
  templates: LayoutTemplate,
  'system-prompt': TextQuote,
  rules: ShieldCheck,
  machines: Server,
  users: Users,
  groups: UsersRound,
  'audit-log': ScrollText,
  spend: Coins,
  capacity: Gauge,
  data: Database,
  about: Info,
};

export function SectionLinks({ sections, current }: SectionNavProps) {
  return (
    <nav
      aria-label="Settings"
      className="flex w-56 shrink-0 flex-col gap-4 overflow-y-auto border-r border-line px-2 py-4"
    >
      {Object.entries(Object.groupBy(sections, ({ group }) => group)).map(([group, members]) => (
        <div key={group}>
          <p id={`group-${group}`} className="px-2.5 pb-1 text-xs font-medium text-muted">
            {group}
          </p>
          <ul aria-labelledby={`group-${group}`} className="flex flex-col gap-px">
            {members?.map(({ id, title }) => {
              const Icon = ICONS[id];
              return (
                <li key={id}>
                  <Link
                    href={sectionPath(id)}
                    state={TO_HEADING}
                    aria-current={id === current ? 'page' : undefined}
                    className="group flex h-8 items-center gap-2.5 rounded-lg px-2.5 hover:bg-hover aria-[current]:bg-selected aria-[current]:font-medium"
                  >
                    <Icon
                      aria-hidden
                      className="size-4 shrink-0 text-muted group-aria-[current]:text-text"
                    />
                    {title}
                  </Link>
                </li>
              );
            })}
          </ul>
        </div>
      ))}
    </nav>
  );
}

/** For narrow screens. */
export function SectionSelect({ sections, current }: SectionNavProps) {
  const [, navigate] = useLocation();
  return (
    <nav aria-label="Settings" className="min-w-0 flex-1">
      <Select
        aria-label="Settings page"
        // It looks like a title: the header is its frame.
        className="[&_select]:border-transparent [&_select]:font-semibold"
        value={current}
        onChange={(event) => navigate(sectionPath(event.target.value as SectionId))}
      >
        {Object.entries(Object.groupBy(sections, ({ group }) => group)).map(([group, members]) => (
          <optgroup key={group} label={group}>
            {members?.map(({ id, title }) => (
              <option key={id} value={id}>
                {title}
              </option>
            ))}
          </optgroup>
        ))}
      </Select>
    </nav>
  );
}
