import { type ReactNode, useId } from 'react';

export function DetailsSection({
  title,
  action,
  children,
}: {
  readonly title: string;
  readonly action?: ReactNode;
  readonly children: ReactNode;
}) {
  const id = useId();
  return (
    <section aria-labelledby={id} className="border-b border-line px-4 py-3">
      <div className="flex min-h-8 items-center gap-2">
        <h3 id={id} className="flex-1 font-medium">
          {title}
        </h3>
        {action}
      </div>
      {children}
    </section>
  );
}

/** A name and value in a list. */
export function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div className="flex gap-3 py-0.5 text-sm">
      <dt className="w-28 shrink-0 text-muted">{name}</dt>
      <dd className="min-w-0 flex-1 wrap-anywhere">{children}</dd>
    </div>
  );
}
