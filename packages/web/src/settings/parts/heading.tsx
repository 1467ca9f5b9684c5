import { type ReactNode, useEffect, useRef } from 'react';

/** After navigation within the settings, the heading takes the focus. */
export const TO_HEADING = { toHeading: true } as const;

export function Heading({
  title,
  about,
  action,
}: {
  readonly title: string;
  readonly about?: ReactNode;
  readonly action?: ReactNode;
}) {
  const ref = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    const state: unknown = history.state;
    if (typeof state === 'object' && state !== null && 'toHeading' in state) ref.current?.focus();
  }, []);
  useEffect(() => {
    document.title = `${title} · Settings · chatd`;
    return () => {
      document.title = 'chatd';
    };
  }, [title]);
  return (
    <header className="flex flex-wrap items-start justify-between gap-3">
      <div className="min-w-0 flex-1 basis-56">
        <h1 ref={ref} tabIndex={-1} className="text-xl font-semibold break-words outline-none">
          {title}
        </h1>
        {about !== undefined && <div className="max-w-prose text-muted">{about}</div>}
      </div>
      {action}
    </header>
  );
}

export function Group({
  title,
  about,
  action,
  children,
}: {
  readonly title: string;
  readonly about?: ReactNode;
  readonly action?: ReactNode;
  readonly children: ReactNode;
}) {
  return (
    <section className="flex flex-col gap-3">
      <header className="flex flex-wrap items-start justify-between gap-2">
        <div className="min-w-0">
          <h2 className="text-lg font-semibold">{title}</h2>
          {about !== undefined && <div className="max-w-prose text-sm text-muted">{about}</div>}
        </div>
        {action}
      </header>
      {children}
    </section>
  );
}
