import type { McpServer } from '@chatd/protocol';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { client } from '../../api/client.ts';
import { explain } from '../../api/explain.ts';
import { apiQuery, useInvalidateQueries } from '../../api/queries.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Spinner } from '../../ui/spinner.tsx';
import { DeleteButton } from '../parts/delete-button.tsx';
import { toast } from '../../ui/toast.ts';

/** The poll interval while the user signs in in another window, which cannot notify this one. */
const LOOK_MS = 1500;

/** The user's own session with a server. Renders nothing for servers without sign-in. */
export function SignInToServer({ server }: { readonly server: McpServer }) {
  const { id, name, needs_sign_in, signed_in } = server;
  const changed = useInvalidateQueries();
  const [waiting, setWaiting] = useState(false);
  const params = { mcp_server_id: id };
  useQuery({ ...apiQuery('listMcpServers'), refetchInterval: waiting ? LOOK_MS : false });
  useEffect(() => {
    if (!waiting || !signed_in) return;
    setWaiting(false);
    toast.success(`Signed in to ${name}`);
  }, [waiting, signed_in, name]);
  if (!needs_sign_in) return null;
  const begin = async () => {
    // Opened synchronously, or browsers block it as a pop-up.
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
        <DeleteButton what="MCP server" name={name} verb="Sign out of" onDelete={forget}>
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
          Continue in the other window…
        </span>
      )}
    </>
  );
}
