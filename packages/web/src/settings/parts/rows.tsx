import type { ReactNode } from 'react';

export const Rows = ({
  label,
  children,
}: {
  readonly label: string;
  readonly children: ReactNode;
}) => (
  <ul aria-label={label} className="divide-y divide-line rounded-xl border border-line">
    {children}
  </ul>
);

export function Row({
  title,
  badges,
  about,
  actions,
  children,
}: {
  readonly title: ReactNode;
  readonly badges?: ReactNode;
  readonly about?: ReactNode;
  readonly actions?: ReactNode;
  /** Below, at full width. */
  readonly children?: ReactNode;
}) {
  return (
    <li className="flex flex-col gap-2 px-3 py-3 sm:px-4">
      <div className="flex flex-wrap items-start gap-x-4 gap-y-2">
        <div className="min-w-0 flex-1 basis-48">
          <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
            <span className="min-w-0 font-medium break-words">{title}</span>
            {badges}
          </div>
          {about !== undefined && <div className="text-sm break-words text-muted">{about}</div>}
        </div>
        {actions !== undefined && (
          <div className="flex flex-wrap items-center gap-2">{actions}</div>
        )}
      </div>
      {children}
    </li>
  );
}
