import { ChatdProblem } from '@chatd/client';
import type { User } from '@chatd/protocol';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { client } from '../api/client.ts';
import { explain } from '../api/explain.ts';
import { apiQuery } from '../api/queries.ts';
import { session } from '../api/session.ts';
import { usePageTitle } from '../state/page-title.ts';
import { Button } from '../ui/button.tsx';
import { TextField } from '../ui/field.tsx';
import { Logo } from '../ui/logo.tsx';
import { Spinner } from '../ui/spinner.tsx';
import { remainingText, useCountdown } from './countdown.ts';

/** Replaces the requested page until the user has signed in. */
export function SignIn({ was }: { readonly was: User | undefined }) {
  const { data: methods, isPending } = useQuery(apiQuery('getSignInMethods'));
  const oidc = methods?.oidc ?? undefined;
  const hasPassword = methods?.password !== false;
  usePageTitle('Sign in');
  return (
    <div className="flex h-full overflow-y-auto">
      <main className="m-auto w-full max-w-sm p-6">
        <Logo className="size-10" />
        <h1 className="mt-4 text-2xl font-semibold">Sign in to chatd</h1>
        {was !== undefined && (
          <p className="mt-3 rounded-lg bg-info-surface px-3 py-2 text-info" role="status">
            Your session has ended. Sign in to continue; your unsent text is kept.
          </p>
        )}
        {oidc !== undefined && <OidcLink {...oidc} />}
        {oidc !== undefined && hasPassword && (
          <p className="mt-6 flex items-center gap-3 text-sm text-muted">
            <span aria-hidden className="h-px grow bg-line" />
            or with a password
            <span aria-hidden className="h-px grow bg-line" />
          </p>
        )}
        {!isPending && hasPassword && <PasswordForm was={was} focuses={oidc === undefined} />}
        <section className="mt-8 border-t border-line pt-4 text-sm text-muted">
          <h2 className="font-semibold text-text">
            {hasPassword ? 'No password?' : 'Cannot sign in?'}
          </h2>
          <p className="mt-1">
            chatd prints a one-time sign-in link to its terminal or log when it starts. Restart it
            for a new link, or ask an admin for one.
            {hasPassword && ' After signing in, you can set a password in the settings.'}
          </p>
        </section>
      </main>
    </div>
  );
}

/** A full page load: the sign-in continues at the provider, and then at the requested page. */
function OidcLink({ name, path }: { readonly name: string; readonly path: string }) {
  const { pathname, search, hash } = location;
  const returnTo = encodeURIComponent(`${pathname}${search}${hash}`);
  return (
    <a
      href={`${path}?return_to=${returnTo}`}
      className="mt-6 flex h-11 items-center justify-center rounded-lg bg-accent px-5 font-medium text-on-accent transition-colors hover:bg-accent-hover"
    >
      Sign in with {name}
    </a>
  );
}

function PasswordForm({
  was,
  focuses,
}: {
  readonly was: User | undefined;
  readonly focuses: boolean;
}) {
  const [username, setUsername] = useState(was?.username ?? '');
  const [password, setPassword] = useState('');
  const [problem, setProblem] = useState<string>();
  const [sending, setSending] = useState(false);
  const [blockedUntil, setBlockedUntil] = useState<number>();
  const left = useCountdown(blockedUntil);
  const nameField = useRef<HTMLInputElement>(null);
  const passwordField = useRef<HTMLInputElement>(null);
  const knows = was !== undefined;
  useEffect(() => {
    if (focuses) (knows ? passwordField : nameField).current?.focus();
  }, [knows, focuses]);
  useEffect(() => {
    if (left === 0) setProblem(undefined);
  }, [left]);

  const send = async () => {
    if (username.trim() === '' || password === '') {
      setProblem('Enter your user name and password.');
      return;
    }
    setSending(true);
    setProblem(undefined);
    try {
      const body = { username: username.trim(), password };
      session.signedIn(await client.call('signIn', { body }));
    } catch (error) {
      setSending(false);
      setProblem(explain(error));
      setPassword('');
      passwordField.current?.focus();
      if (error instanceof ChatdProblem && error.retryAfterMs !== undefined) {
        setBlockedUntil(Date.now() + error.retryAfterMs);
        setProblem('Too many failed sign-in attempts.');
      }
    }
  };

  const blocked = left !== undefined && left > 0;
  return (
    <form
      className="mt-6 flex flex-col gap-4"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (!sending && !blocked) void send();
      }}
    >
      <TextField
        ref={nameField}
        label="User name"
        name="username"
        autoComplete="username"
        autoCapitalize="none"
        spellCheck={false}
        value={username}
        onChange={({ target }) => setUsername(target.value)}
      />
      <TextField
        ref={passwordField}
        label="Password"
        name="password"
        type="password"
        autoComplete="current-password"
        value={password}
        onChange={({ target }) => setPassword(target.value)}
      />
      <div role="alert">
        {problem !== undefined && (
          <p className="rounded-lg bg-bad-surface px-3 py-2 text-bad">{problem}</p>
        )}
      </div>
      {blocked && (
        // Outside of the alert, so that it is not announced every second.
        <p className="text-warn tabular-nums">
          Try again in {remainingText(left)}, or use a sign-in link.
        </p>
      )}
      <Button
        type="submit"
        kind={focuses ? 'primary' : 'plain'}
        size="large"
        disabled={sending || blocked}
      >
        {sending && <Spinner className="border-current border-t-transparent" />}
        {sending ? 'Signing in…' : 'Sign in'}
      </Button>
    </form>
  );
}
