import type { User } from '@chatd/protocol';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { client } from '../api/client.ts';
import { explain } from '../api/explain.ts';
import { usePageTitle } from '../state/page-title.ts';
import { Button } from '../ui/button.tsx';
import { TextField } from '../ui/field.tsx';
import { Logo } from '../ui/logo.tsx';

/** Approves a login of the chatd command: one on this computer, or one that shows a code. */
export default function CliLogin({ user }: { readonly user: User }) {
  const waiting = waitingCommand();
  usePageTitle('Command-line sign-in');
  return (
    <div className="flex h-full overflow-y-auto">
      <main className="m-auto w-full max-w-sm p-6">
        <Logo className="size-10" />
        {waiting === undefined ? (
          <EnterCode user={user} />
        ) : (
          <Approve user={user} waiting={waiting} />
        )}
      </main>
    </div>
  );
}

interface WaitingCommand {
  /** Its port on this computer. */
  readonly port: number;
  readonly challenge: string;
  readonly state: string;
  readonly name: string;
}

/** Undefined: the address names none. */
function waitingCommand(): WaitingCommand | undefined {
  const query = new URLSearchParams(location.search);
  const port = Number(query.get('port'));
  const [challenge, state, name] = ['challenge', 'state', 'name'].map(
    (one) => query.get(one) ?? '',
  );
  if (!Number.isInteger(port) || port < 1 || port > 65_535) return undefined;
  if (!challenge || !state || !name) return undefined;
  return { port, challenge, state, name };
}

/** The browser passes the answer on to the command, which listens on this computer only. */
function Approve({ user, waiting }: { readonly user: User; readonly waiting: WaitingCommand }) {
  const { port, challenge, state, name } = waiting;
  const answer = (given: Readonly<Record<string, string>>) => {
    const query = new URLSearchParams({ ...given, state });
    location.assign(`http://127.0.0.1:${port}/?${query.toString()}`);
  };
  const { send, sending, problem } = useSending(async () => {
    const { code } = await client.call('createCliLoginCode', { body: { challenge, name } });
    answer({ code });
  });
  return (
    <>
      <h1 className="mt-4 text-2xl font-semibold">Sign in the command line?</h1>
      <p className="mt-2 text-muted">
        <strong className="text-text">{name}</strong> gets a token with all permissions of{' '}
        <strong className="text-text">{user.username}</strong>. Continue only if you ran{' '}
        <code>chatd login</code> on this computer.
      </p>
      <Problem>{problem}</Problem>
      <div className="mt-6 flex gap-2">
        <Button kind="primary" size="large" disabled={sending} onClick={send}>
          Allow access
        </Button>
        <Button size="large" disabled={sending} onClick={() => answer({ error: 'denied' })}>
          Cancel
        </Button>
      </div>
    </>
  );
}

function EnterCode({ user }: { readonly user: User }) {
  const [code, setCode] = useState('');
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  const [approved, setApproved] = useState<string>();
  const { send, sending, problem } = useSending(async () => {
    const { name } = await client.call('approveCliLogin', { body: { user_code: code } });
    setApproved(name);
  });
  if (approved !== undefined) {
    return (
      <div role="status">
        <h1 className="mt-4 text-2xl font-semibold">Access allowed</h1>
        <p className="mt-2 text-muted">
          <strong className="text-text">{approved}</strong> is signed in as {user.username}. You can
          close this page.
        </p>
      </div>
    );
  }
  return (
    <>
      <h1 className="mt-4 text-2xl font-semibold">Sign in the command line</h1>
      <p className="mt-2 text-muted">
        Enter the code that <code>chatd login</code> shows. Whoever runs the command gets all
        permissions of <strong className="text-text">{user.username}</strong>, so enter only a code
        of your own.
      </p>
      <form
        className="mt-6 flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          if (code.trim() !== '') send();
        }}
      >
        <TextField
          label="Code"
          value={code}
          placeholder="XXXX-XXXX"
          autoComplete="off"
          autoCapitalize="characters"
          spellCheck={false}
          ref={field}
          onChange={({ target }) => setCode(target.value)}
        />
        <Problem>{problem}</Problem>
        <Button type="submit" kind="primary" size="large" disabled={sending}>
          Allow access
        </Button>
      </form>
    </>
  );
}

function Problem({ children }: { readonly children: ReactNode }) {
  return (
    <div role="alert">
      {children !== undefined && (
        <p className="mt-3 rounded-lg bg-bad-surface px-3 py-2 text-bad">{children}</p>
      )}
    </div>
  );
}

function useSending(work: () => Promise<void>) {
  const [sending, setSending] = useState(false);
  const [problem, setProblem] = useState<string>();
  const send = () => {
    setSending(true);
    setProblem(undefined);
    work()
      .catch((error: unknown) => setProblem(explain(error)))
      .finally(() => setSending(false));
  };
  return { send, sending, problem };
}
