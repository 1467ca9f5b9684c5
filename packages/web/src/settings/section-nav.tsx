import { Link, useLocation } from 'wouter';
import { Select } from '../ui/select.tsx';
import { TO_HEADING } from './parts/heading.tsx';
import { type SectionId, sectionPath, type sectionsFor } from './section-list.ts';

interface SectionNavProps {
  readonly sections: ReturnType<typeof sectionsFor>;
  readonly current: SectionId;
}

export function SectionLinks({ sections, current }: SectionNavProps) {
  return (
    <nav
      aria-label="Settings"
      className="flex w-52 shrink-0 flex-col gap-3 overflow-y-auto border-r border-line px-2 py-3"
    >
      {Object.entries(Object.groupBy(sections, ({ group }) => group)).map(([group, members]) => (
        <div key={group}>
          <p id={`group-${group}`} className="px-2 pb-0.5 text-sm text-muted">
            {group}
          </p>
          <ul aria-labelledby={`group-${group}`} className="flex flex-col">
            {members?.map(({ id, title }) => (
              <li key={id}>
                <Link
                  href={sectionPath(id)}
                  state={TO_HEADING}
                  aria-current={id === current ? 'page' : undefined}
                  className="block rounded-lg px-2 py-0.5 hover:bg-hover aria-[current]:bg-selected aria-[current]:font-medium"
                >
                  {title}
                </Link>
              </li>
            ))}
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
