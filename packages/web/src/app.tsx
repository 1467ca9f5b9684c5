import type { User } from '@chatd/protocol';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { Tooltip } from 'radix-ui';
import { lazy, Suspense, useEffect, useState } from 'react';
import { Redirect, Route, Router, Switch, useLocation } from 'wouter';
import { link } from './api/client.ts';
import { session } from './api/session.ts';
import { resendAll } from './composer/send/deliver.ts';
import { ProjectDialogs } from './projects/project-dialogs.tsx';
import { Palette } from './palette/palette.tsx';
import { useSettingsCommands } from './settings/use-settings-commands.ts';
import { SharingDialogs } from './sharing/sharing-dialogs.tsx';
import { NewChatPage } from './shell/new-chat-page.tsx';
import { NotFound } from './shell/not-found.tsx';
import { Fault, PageFault } from './shell/page-fault.tsx';
import { Shell } from './shell/shell.tsx';
import { Unreachable } from './shell/unreachable.tsx';
import { useCell } from './state/cell.ts';
import { whenIdle } from './state/chat/idle.ts';
import { ChatList } from './state/chats/chat-list.ts';
import { ChatListProvider } from './state/chats/use-chat-list.ts';
import { listenForKeys } from './state/keys.ts';
import { onNotificationSelected } from './state/push.ts';
import { aroundNavigation } from './state/unsaved.ts';
import { onDemand } from './ui/on-demand.tsx';
import { Spinner } from './ui/spinner.tsx';
import { Toaster } from './ui/toaster.tsx';

const ChatPage = onDemand(
  async () => (await import('./shell/chat-page.tsx')).default,
  <Spinner label="Loading" className="m-auto size-6" />,
);
// Together with the session, when the page starts with a chat; otherwise when it is idle.
if (location.pathname.startsWith('/chats/')) ChatPage.preload();

const Settings = lazy(() => import('./settings/settings.tsx'));
const ProjectPage = lazy(() => import('./projects/project-page.tsx'));
const CliLogin = lazy(() => import('./sign-in/cli-login.tsx'));
const DesktopPage = lazy(() => import('./desktop/desktop-page.tsx'));
const SharedChatPage = lazy(() => import('./sharing/shared-chat-page.tsx'));
const SignIn = onDemand(async () => (await import('./sign-in/sign-in.tsx')).SignIn);

const queries = new QueryClient({
  defaultOptions: { queries: { staleTime: 30_000, retry: false } },
});

export function App() {
  useEffect(listenForKeys, []);
  return (
    <QueryClientProvider client={queries}>
      <Tooltip.Provider delayDuration={400}>
        {link === undefined ? (
          <WithSession />
        ) : (
          <Fault>
            <Suspense fallback={<Spinner label="Loading" className="m-8" />}>
              <SharedChatPage link={link} />
            </Suspense>
          </Fault>
        )}
        <Toaster />
      </Tooltip.Provider>
    </QueryClientProvider>
  );
}

function WithSession() {
  const state = useCell(session.state);
  useEffect(() => void session.load(), []);
  return (
    <>
      {state.kind === 'unknown' && <Spinner label="Loading" className="m-8" />}
      {state.kind === 'unreachable' && <Unreachable reason={state.reason} />}
      {state.kind === 'signed-out' && (
        <Fault>
          <SignIn was={state.was} />
        </Fault>
      )}
      <Router aroundNav={aroundNavigation}>
        {state.kind === 'signed-in' && (
          <Fault>
            <SignedIn key={state.user.id} user={state.user} />
          </Fault>
        )}
      </Router>
    </>
  );
}

function SignedIn({ user }: { readonly user: User }) {
  const list = useChats();
  useSettingsCommands(user);
  useEffect(resendAll, []);
  const [, navigate] = useLocation();
  useEffect(() => onNotificationSelected(navigate), [navigate]);
  if (list === undefined) return null;
  return (
    <ChatListProvider value={list}>
      <Switch>
        <Route path="/chats/:id/desktop">
          {({ id }) => (
            <Suspense fallback={<Spinner label="Loading" className="m-8" />}>
              <DesktopPage key={id} chatId={id} />
            </Suspense>
          )}
        </Route>
        <Route path="/cli-login">
          <Suspense fallback={<Spinner label="Loading" className="m-8" />}>
            <CliLogin user={user} />
          </Suspense>
        </Route>
        <Route>
          <Pages user={user} />
        </Route>
      </Switch>
    </ChatListProvider>
  );
}

function Pages({ user }: { readonly user: User }) {
  useEffect(() => whenIdle(ChatPage.preload), []);
  return (
    <>
      <Shell>
        <PageFault>
          <Suspense fallback={<Spinner label="Loading" className="m-auto size-6" />}>
            <Switch>
              <Route path="/">
                <NewChatPage user={user} />
              </Route>
              <Route path="/chats/:id">
                {({ id }) => <ChatPage key={id} chatId={id} user={user} />}
              </Route>
              <Route path="/projects/:id">
                {({ id }) => <ProjectPage key={id} projectId={id} />}
              </Route>
              <Route path="/settings">
                <Redirect to="/settings/appearance" replace />
              </Route>
              <Route path="/settings/:section">
                {({ section }) => <Settings section={section} user={user} />}
              </Route>
              <Route>
                <NotFound reason="No page exists at this address. The link may be incomplete." />
              </Route>
            </Switch>
          </Suspense>
        </PageFault>
      </Shell>
      <Palette />
      <ProjectDialogs />
      <SharingDialogs />
    </>
  );
}

function useChats(): ChatList | undefined {
  const [list, setList] = useState<ChatList>();
  useEffect(() => {
    const opened = new ChatList();
    setList(opened);
    return () => opened.close();
  }, []);
  return list;
}
