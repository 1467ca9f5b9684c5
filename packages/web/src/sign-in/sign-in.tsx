import { ChatdProblem } from '@chatd/client';
import type { User } from '@chatd/protocol';
import { useEffect, useRef, useState } from 'react';
import { client } from '../api/client.ts';
import { explain } from '../api/explain.ts';
import { session } from '../api/session.ts';
import { usePageTitle } from '../state/page-title.ts';
import { Button } from '../ui/button.tsx';
import { TextField } from '../ui/field.tsx';
import { Spinner } from '../ui/spinner.tsx';
import { remainingText, useCountdown } from './countdown.ts';

/** In place of whatever was asked for: once somebody is signed in, that is shown. */
export function SignIn({ was }: { readonly was: User | undefined }) {
  const [username, setUsername] = useState(was?.username ?? '');
  const [password, setPassword] = useState('');
  const [problem, setProblem] = useState<string>();
  const [sending, setSending] = useState(false);
  const [blockedUntil, setBlockedUntil] = useState<number>();
  const left = useCountdown(blockedUntil);
  const nameField = useRef<HTMLInputElement>(null);
  const passwordField = useRef<HTMLInputElement>(null);
  const knows = was !== undefined;
  useEffect(() => (knows ? passwordField : nameField).current?.focus(), [knows]);
  usePageTitle('Sign in');
  useEffect(() => {
    if (left === 0) setProblem(undefined);
  }, [left]);

  const send = async () => {
    if (username.trim() === '' || password === '') {
      setProblem('Both are needed: your user name and your password.');
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
        setProblem('There were too many wrong passwords.');
      }
    }
  };

  const blocked = left !== undefined && left > 0;
  return (
    <div className="flex h-full overflow-y-auto">
      <main className="m-auto w-full max-w-sm p-6">
        <img src="/icon.svg" alt="" className="size-10" />
        <h1 className="mt-4 text-2xl font-semibold">Sign in to chatd</h1>
        {was !== undefined && (
          <p className="mt-3 rounded-lg bg-info-surface px-3 py-2 text-info" role="status">
            Your session has ended. Sign in to go on where you were: what you had written is kept.
          </p>
        )}
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
            // Not announced every second: the alert above has said what happened.
            <p className="text-warn tabular-nums">
              You can try again in {remainingText(left)}. A sign-in link works meanwhile.
            </p>
          )}
          <Button type="submit" kind="primary" size="large" disabled={sending || blocked}>
            {sending && <Spinner className="border-on-accent border-t-transparent" />}
            {sending ? 'Signing in…' : 'Sign in'}
          </Button>
        </form>
        <section className="mt-8 border-t border-line pt-4 text-sm text-muted">
          <h2 className="font-semibold text-text">No password?</h2>
          <p className="mt-1">
            chatd prints a one-time sign-in link when it starts, in the terminal or the log where it
            runs. Restart it for a new one, or ask an admin to make one for you. Once you are in,
            you can set a password in the settings.
          </p>
        </section>
      </main>
    </div>
  );
}
