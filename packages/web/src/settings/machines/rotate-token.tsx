import type { Machine } from '@chatd/protocol';
import { useState } from 'react';
import { client } from '../../api/client.ts';
import { useInvalidateQueries } from '../../api/queries.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { StartCommand } from './start-command.tsx';

/** Replaces the token of a machine after a confirmation. The new one is shown until the dialog is closed, and never again. */
export function RotateToken({ machine }: { readonly machine: Machine }) {
  const { id, name } = machine;
  const changed = useInvalidateQueries();
  const [asking, setAsking] = useState(false);
  const [token, setToken] = useState<string>();
  const forget = () => setToken(undefined);
  return (
    <>
      <Button size="small" aria-label={`Rotate token of ${name}`} onClick={() => setAsking(true)}>
        Rotate token
      </Button>
      <ConfirmDialog
        open={asking}
        onOpenChange={setAsking}
        title={`Rotate the token of “${name}”?`}
        action="Rotate token"
        onConfirm={async () => {
          const params = { machine_id: id };
          setToken((await client.call('rotateMachineToken', { params })).token);
          void changed();
        }}
      >
        The current token is revoked, and the machine is disconnected. Its workspaces cannot be used
        until you start it with the new token. Running commands go on until then.
      </ConfirmDialog>
      <Dialog
        open={token !== undefined}
        onOpenChange={forget}
        title={`New token of ${name}`}
        actions={<Button onClick={forget}>Done</Button>}
      >
        {token !== undefined && <StartCommand token={token} />}
      </Dialog>
    </>
  );
}
