import { bearerSecret, hashSecret } from '../../../auth/secret.ts';
import { Refused } from '../../../chat/refused.ts';
import { MachineCommands } from '../../../entities/machines/commands.ts';
import { presentMachine } from '../../../entities/machines/present.ts';
import { findMachineByToken, listMachines } from '../../../store/queries/machines.ts';
import type { HandlersOf } from '../../call.ts';
import { decodeCursor, IdCursor, page } from '../../request/cursor.ts';
import type { Services } from '../../services.ts';
import { requireWorkspaces } from './workspaces.ts';

export function machineHandlers({ machineConnections }: Services): HandlersOf<'Machines'> {
  const commands = new MachineCommands();

  return {
    async listMachines({ query, db }) {
      const { cursor, limit } = query;
      const after_id = decodeCursor(IdCursor, cursor)?.id ?? null;
      const found = await db.query(listMachines, { after_id, limit: limit + 1 });
      const { rows, next_cursor } = page(found, limit, ({ id }) => ({ id }));
      return { status: 200, body: { machines: rows.map(presentMachine), next_cursor } };
    },

    async createMachine({ body, caller, db, exchange }) {
      const { machine, token } = await commands.create(body, db);
      exchange.log.info({ machine: machine.name, by: caller.user.username }, 'machine created');
      return { status: 201, body: { ...presentMachine(machine), token } };
    },

    getMachine: async ({ found }) => ({ status: 200, body: presentMachine(found.machine) }),

    async updateMachine({ found, body, tx }) {
      const machine = await commands.update(found.machine, body, tx);
      tx.afterCommit(() => machineConnections?.changed(machine.id));
      return { status: 200, body: presentMachine(machine) };
    },

    async rotateMachineToken({ found: { machine }, caller, tx, exchange }) {
      const token = await commands.rotateToken(machine, tx);
      tx.afterCommit(() => machineConnections?.changed(machine.id));
      const by = caller.user.username;
      exchange.log.info({ machine: machine.name, by }, 'machine token replaced');
      return { status: 200, body: { ...presentMachine({ ...machine, online: false }), token } };
    },

    async deleteMachine({ found: { machine }, query, caller, tx, exchange }) {
      await commands.delete(machine, query.force ?? false, tx);
      tx.afterCommit(() => machineConnections?.changed(machine.id));
      exchange.log.info({ machine: machine.name, by: caller.user.username }, 'machine deleted');
      return { status: 204 };
    },

    async connectMachine({ exchange, db }) {
      const connections = requireWorkspaces(machineConnections);
      const token = bearerSecret(exchange.header('authorization') ?? '');
      const [machine] =
        token === undefined
          ? []
          : await db.query(findMachineByToken, { secret_hash: hashSecret(token) });
      if (machine === undefined) {
        throw new Refused(
          'unauthenticated',
          'The machine token is not valid. The token was replaced, or the machine was deleted.',
        );
      }
      return { status: 101, socket: connections.accept(machine, exchange) };
    },
  };
}
