import type { MachineProvisioner, TemplateDefinition } from '@chatd/protocol';
import { statement } from '../statement.ts';

/** No row: the machine was deleted. */
export const replaceMachineToken = statement<{ id: string; secret_hash: Buffer }, { id: string }>(
  'replace-machine-token',
  `UPDATE machines SET secret_hash = :secret_hash WHERE id = :id RETURNING id`,
);

/** Machines that were provisioned for a workspace that no longer exists. Through the unique index of reserved_for. */
export const forsakenMachines = statement<
  null,
  { id: string; definition: TemplateDefinition | null }
>(
  'forsaken-machines',
  `SELECT machines.id, workspaces.definition
     FROM machines LEFT JOIN workspaces ON workspaces.id = machines.reserved_for
    WHERE machines.reserved_for IS NOT NULL
      AND (workspaces.id IS NULL OR workspaces.status = 'deleted' OR workspaces.owner_id IS NULL)
    LIMIT 100`,
);

/** The provisioners of all workspaces, including deleted ones. */
export const usedProvisioners = statement<null, { provisioner: MachineProvisioner }>(
  'used-provisioners',
  `SELECT DISTINCT definition #> '{machine,provisioner}' AS provisioner
     FROM workspaces WHERE definition #> '{machine,provisioner}' IS NOT NULL
    LIMIT 1000`,
);

export const existingMachines = statement<{ ids: readonly string[] }, { id: string }>(
  'existing-machines',
  `SELECT id FROM machines WHERE id = ANY (:ids::uuid[])`,
);

/** Differs between databases, also between those that share a server. */
export const identifyDatabase = statement<null, { id: string }>(
  'identify-database',
  `SELECT left(md5(system_identifier::text || current_database()), 16) AS id FROM pg_control_system()`,
);
