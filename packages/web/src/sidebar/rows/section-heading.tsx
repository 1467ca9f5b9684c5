import { ChevronRight } from 'lucide-react';
import { cx } from '../../ui/class-names.ts';
import type { SidebarSection } from './rows.ts';

const TITLES: Readonly<Record<SidebarSection, string>> = {
  pinned: 'Pinned',
  projects: 'Projects',
  today: 'Today',
  earlier: 'Earlier',
  archived: 'Archived',
  found: 'Results',
};

export function SectionHeading({ section }: { readonly section: SidebarSection }) {
  return (
    <h2 className="flex h-full items-end px-2 pb-1 text-xs font-medium text-muted">
      {TITLES[section]}
    </h2>
  );
}

/** A section that is loaded when it is expanded. */
export function FoldedHeading({
  section,
  open,
  tabbable,
  onToggle,
  onKeyDown,
}: {
  readonly section: SidebarSection;
  readonly open: boolean;
  readonly tabbable: boolean;
  readonly onToggle: () => void;
  readonly onKeyDown: (event: React.KeyboardEvent) => void;
}) {
  return (
    <h2 className="flex h-full items-end text-xs font-medium text-muted">
      <button
        type="button"
        data-row={section}
        tabIndex={tabbable ? 0 : -1}
        aria-expanded={open}
        className="flex items-center gap-1 rounded-md px-2 py-1 hover:bg-hover hover:text-text"
        onClick={onToggle}
        onKeyDown={onKeyDown}
      >
        <ChevronRight
          aria-hidden
          className={cx('size-3.5 transition-transform', open && 'rotate-90')}
        />
        {TITLES[section]}
      </button>
    </h2>
  );
}
