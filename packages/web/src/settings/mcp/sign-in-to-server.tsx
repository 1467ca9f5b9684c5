import type { McpServer } from '@chatd/protocol';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { toast } from 'sonner';
import { client } from '../../api/client.ts';
import { explain } from '../../api/explain.ts';
import { question, useChanged } from '../../api/queries.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Spinner } from '../../ui/spinner.tsx';
import { DeleteButton } from '../parts/delete-button.tsx';

/** While somebody signs in in another window, which cannot tell this one, it is looked at this often. */
const LOOK_MS = 1500;

/** One's own session with a server that wants to know who comes; nothing for those that do not. */
export function SignInToServer({ server }: { readonly server: McpServer }) {
  const { id, name, needs_sign_in, signed_in } = server;
  const changed = useChanged();
  const [waiting, setWaiting] = useState(false);
  const params = { mcp_server_id: id };
  useQuery({ ...question('listMcpServers'), refetchInterval: waiting ? LOOK_MS : false });
  useEffect(() => {
    if (!waiting || !signed_in) return;
    setWaiting(false);
    toast.success(`You are signed in to ${name}.`);
  }, [waiting, signed_in, name]);
  if (!needs_sign_in) return null;
  const begin = async () => {
    // Opened at once, or browsers take it for one that nobody asked for.
    const opened = window.open('about:blank', '_blank');
    setWaiting(true);
    try {
      const { authorization_url } = await client.call('signInToMcpServer', { params });
      if (opened === null) location.assign(authorization_url);
      else opened.location.replace(authorization_url);
    } catch (error) {
      opened?.close();
      setWaiting(false);
      toast.error(explain(error));
    }
  };
  const forget = async () => {
    await client.call('signOutOfMcpServer', { params });
    await changed();
  };
  if (signed_in) {
    return (
      <>
        <Badge kind="good">signed in</Badge>
        <DeleteButton what="your session with" name={name} verb="Sign out of" onDelete={forget}>
          Your agents cannot use it until you sign in again.
        </DeleteButton>
      </>
    );
  }
  return (
    <>
      <Button size="small" aria-label={`Sign in to ${name}`} onClick={() => void begin()}>
        {waiting && <Spinner />}
        Sign in
      </Button>
      {waiting && (
        <span role="status" className="text-sm text-muted">
          Go on in the other window…
        </span>
      )}
    </>
  );
}
