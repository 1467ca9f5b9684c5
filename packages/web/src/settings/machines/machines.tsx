import type { Machine } from '@chatd/protocol';
import { useQuery } from '@tanstack/react-query';
import { Plus, Server } from 'lucide-react';
import { useState } from 'react';
import { counted } from '../../format/number.ts';
import { client } from '../../api/client.ts';
import { explain } from '../../api/explain.ts';
import { allPages, useInvalidateQueries } from '../../api/queries.ts';
import { safeText } from '../../markdown/safe-text.ts';
import { Badge, type BadgeKind } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { DeleteButton } from '../parts/delete-button.tsx';
import { Heading } from '../parts/heading.tsx';
import { QueryResult } from '../parts/query-result.tsx';
import { Row, Rows } from '../parts/rows.tsx';
import { TimeAgo } from '../parts/time-ago.tsx';
import { MachineDialog } from './machine-dialog.tsx';
import { RotateToken } from './rotate-token.tsx';
import { toast } from '../../ui/toast.ts';

const KINDS: Record<Machine['status'], BadgeKind> = {
  online: 'good',
  offline: 'bad',
  draining: 'warn',
};

/** Machines connect and disconnect by themselves. */
const LOOK_MS = 5000;

export function Machines() {
  const machines = useQuery({ ...allPages('listMachines'), refetchInterval: LOOK_MS });
  const [adding, setAdding] = useState(false);
  const add = (
    <Button kind="primary" onClick={() => setAdding(true)}>
      <Plus aria-hidden className="size-4" />
      Add machine
    </Button>
  );
  return (
    <>
      <Heading
        title="Machines"
        about="Computers that host workspaces. Each runs chatd machine and connects to this deployment."
        action={add}
      />
      <QueryResult to={machines}>
        {(list) =>
          list.length === 0 ? (
            <EmptyState icon={<Server />} title="No machines yet">
              Workspaces need a machine. Add one, and run the command that is shown on it.
            </EmptyState>
          ) : (
            <Rows label="Machines">
              {list.map((machine) => (
                <MachineRow key={machine.id} machine={machine} />
              ))}
            </Rows>
          )
        }
      </QueryResult>
      <MachineDialog open={adding} onOpenChange={setAdding} />
    </>
  );
}

function MachineRow({ machine }: { readonly machine: Machine }) {
  const { id, name, kind, status, draining, labels, workspaces } = machine;
  const params = { machine_id: id };
  const changed = useInvalidateQueries();
  const [editing, setEditing] = useState(false);
  const [busy, setBusy] = useState(false);
  const drain = async () => {
    setBusy(true);
    try {
      await client.call('updateMachine', { params, body: { draining: !draining } });
      await changed();
    } catch (failure) {
      toast.error(explain(failure));
    } finally {
      setBusy(false);
    }
  };
  const remove = async () => {
    await client.call('deleteMachine', { params, query: { force: workspaces > 0 } });
    await changed();
  };
  return (
    <Row
      title={safeText(name)}
      badges={
        <>
          <Badge kind={KINDS[status]}>{status}</Badge>
          {draining && status === 'offline' && <Badge kind="warn">draining</Badge>}
          {kind === 'local' && <Badge>local</Badge>}
          {Object.entries(labels).map(([label, value]) => (
            <Badge key={label}>{safeText(`${label}=${value}`)}</Badge>
          ))}
        </>
      }
      about={<About machine={machine} />}
      actions={
        <>
          <Button
            size="small"
            disabled={busy}
            aria-label={draining ? `Resume placement on ${name}` : `Drain ${name}`}
            onClick={() => void drain()}
          >
            {draining ? 'Resume' : 'Drain'}
          </Button>
          <Button size="small" aria-label={`Edit ${name}`} onClick={() => setEditing(true)}>
            Edit
          </Button>
          {kind === 'remote' && <RotateToken machine={machine} />}
          <DeleteButton what="machine" name={name} onDelete={remove}>
            {workspaces > 0 &&
              `Its ${counted(workspaces, 'workspace')} and all their files become unusable. `}
            The machine is disconnected and its token revoked. This cannot be undone.
          </DeleteButton>
        </>
      }
    >
      <MachineDialog open={editing} onOpenChange={setEditing} machine={machine} />
    </Row>
  );
}

const ABILITIES = { sandbox: 'sandbox', docker: 'Docker', desktop: 'desktop' } as const;

function About({ machine }: { readonly machine: Machine }) {
  const { version, capabilities, workspaces, last_seen_at, status } = machine;
  const able = (Object.keys(ABILITIES) as (keyof typeof ABILITIES)[])
    .filter((one) => capabilities[one])
    .map((one) => ABILITIES[one]);
  return (
    <>
      {counted(workspaces, 'workspace')}
      {version !== null && ` · chatd ${safeText(version)}`}
      {version !== null && ` · ${able.length === 0 ? 'no sandbox' : able.join(', ')}`}
      {last_seen_at === null
        ? ' · never connected'
        : status === 'offline' && (
            <>
              {' · last seen '}
              <TimeAgo time={last_seen_at} />
            </>
          )}
    </>
  );
}
