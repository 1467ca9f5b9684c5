import { Link } from 'wouter';
import { SidebarToggle } from './shell.tsx';

export function NotFound({ reason }: { readonly reason: string }) {
  return (
    <>
      <header className="flex h-12 shrink-0 items-center px-2">
        <SidebarToggle />
      </header>
      <main className="m-auto max-w-md p-6 text-center">
        <h1 className="text-xl font-semibold">Page not found</h1>
        <p className="mt-2 text-muted">{reason}</p>
        <p className="mt-4">
          <Link href="/" className="text-accent underline">
            Start new chat
          </Link>
        </p>
      </main>
    </>
  );
}
