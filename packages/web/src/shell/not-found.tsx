import { ArrowLeft, Compass } from 'lucide-react';
import { Link } from 'wouter';
import { usePageTitle } from '../state/page-title.ts';
import { Button } from '../ui/button.tsx';
import { SidebarToggle } from './shell.tsx';

export function NotFound({
  title = 'Page not found',
  reason,
}: {
  readonly title?: string;
  readonly reason: string;
}) {
  usePageTitle(title);
  return (
    <>
      <header className="flex h-12 shrink-0 items-center px-2">
        <SidebarToggle />
      </header>
      <main className="m-auto flex max-w-md flex-col items-center p-6 pb-24 text-center">
        <span
          aria-hidden
          className="flex size-14 items-center justify-center rounded-2xl border border-line bg-surface text-muted"
        >
          <Compass className="size-7" />
        </span>
        <h1 className="mt-5 text-2xl font-semibold text-balance">{title}</h1>
        <p className="mt-2 text-balance text-muted">{reason}</p>
        <div className="mt-6 flex flex-wrap justify-center gap-2">
          <Button onClick={() => history.back()}>
            <ArrowLeft aria-hidden className="size-4" />
            Go back
          </Button>
          <Link
            href="/"
            className="inline-flex h-9 items-center rounded-lg bg-accent px-3.5 font-medium text-on-accent hover:bg-accent-hover"
          >
            Start new chat
          </Link>
        </div>
      </main>
    </>
  );
}
