import type { User } from '@chatd/protocol';
import { NewChat } from '../composer/new-chat/new-chat.tsx';
import { Welcome } from '../first-run/welcome.tsx';
import { usePageTitle } from '../state/page-title.ts';
import { onDemand } from '../ui/on-demand.tsx';
import { SidebarToggle } from './shell.tsx';

const FirstSteps = onDemand(async () => (await import('../first-run/first-steps.tsx')).FirstSteps);

export function NewChatPage({ user }: { readonly user: User }) {
  usePageTitle('New chat');
  return (
    <>
      <header className="flex h-12 shrink-0 items-center px-2">
        <SidebarToggle />
      </header>
      <main className="flex min-h-0 flex-1 flex-col overflow-y-auto">
        <div className="m-auto flex w-full max-w-3xl flex-col gap-6 p-4">
          <Welcome />
          <NewChat />
          <FirstSteps user={user} />
        </div>
      </main>
    </>
  );
}
