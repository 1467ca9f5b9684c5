import { randomUUID } from 'node:crypto';
import type { MachineProvisioner } from '@chatd/protocol';
import pino from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { hashSecret } from '../../src/auth/secret.ts';
import type { OwnMachine } from '../../src/machine/machine.ts';
import type { Machines } from '../../src/machines/machines.ts';
import {
  type KubernetesOptions,
  type MachineOrder,
  type Provisioner,
  ProvisionError,
} from '../../src/provisioners/provisioner.ts';
import { Provisioners } from '../../src/provisioners/provisioners.ts';
import {
  connectMachine,
  findMachine,
  findMachineByToken,
} from '../../src/store/queries/machines.ts';
import { toJson } from '../../src/store/json.ts';
import { registerReplica } from '../../src/store/queries/workers.ts';
import { identifyDatabase } from '../../src/store/queries/provisioned-machines.ts';
import { ToolWorld } from '../tools/world.ts';

const world = await ToolWorld.start();
const { database } = world.store;
const log = pino({ level: 'silent' });
const replicaId = randomUUID();
const signal = new AbortController().signal;
const PROVISIONER: MachineProvisioner = {
  kubernetes: { url: 'http://chatd', image: 'chatd:1', namespace: 'pods' },
};

/** A provisioner without a cluster. */
class Pods implements Provisioner<KubernetesOptions> {
  readonly orders: MachineOrder[] = [];
  readonly existing = new Set<string>();
  readonly made: object[] = [];
  readonly refused = new Set<string>();
  failure: string | undefined;

  async provision(order: MachineOrder, options: KubernetesOptions): Promise<void> {
    this.orders.push(order);
    order.onProgress(`A pod in ${options.namespace}, sandbox ${options.sandbox}.`);
    if (this.failure !== undefined) throw new ProvisionError(this.failure);
    this.existing.add(order.machineId);
    const hash = hashSecret(await order.newToken());
    const [machine] = await database.query(findMachineByToken, { secret_hash: hash });
    const wasOnline = await order.isOnline();
    await database.query(registerReplica, {
      id: replicaId,
      knows: 0,
      program: '1',
      host: 'test',
      lease_ms: 60_000,
    });
    await database.query(connectMachine, {
      machine_id: order.machineId,
      replica_id: replicaId,
      internal_url: 'http://127.0.0.1:1',
      only_if_free: false,
      name: null,
      reported_labels: toJson({}),
      version: '1',
      capabilities: toJson({}),
    });
    this.made.push({ tokenOf: machine?.id, wasOnline, isOnline: await order.isOnline() });
  }

  async remove(machineId: string): Promise<void> {
    if (this.refused.has(machineId)) throw new ProvisionError('forbidden');
    this.existing.delete(machineId);
  }

  async list(): Promise<readonly string[]> {
    return [...this.existing];
  }
}

/** Every ID resolves to the machine of this test. */
const machines: Machines = {
  use: () => Promise.resolve(world.machine),
  place: () => Promise.resolve(world.machine),
  count: () => undefined,
  held: () => [],
};

async function start() {
  const pods = new Pods();
  const provisioners = new Provisioners({ database, log, kubernetes: pods, orphansMs: 0 });
  const { workspaces } = await world.replica({ machines, provisioners });
  // Otherwise it would also sweep the machines of the next test, which are not among its pods.
  onTestFinished(() => workspaces.close());
  const name = await world.template({ machine: { provisioner: PROVISIONER } });
  const template = (await workspaces.templates.list(database)).find((one) => one.name === name);
  if (template === undefined) throw new Error('the template is missing');
  const { owner_id: ownerId } = await world.store.create();
  return { pods, workspaces, create: () => workspaces.create({ ownerId, template }) };
}

test('a workspace gets its own machine, which is deleted with it', async () => {
  const { pods, workspaces, create } = await start();
  const { id, host_id } = await create();
  let output = '';
  const row = await workspaces.awaitSetup(id, {
    signal,
    onOutput: (bytes) => void (output += Buffer.from(bytes).toString()),
  });
  expect(row).toMatchObject({
    status: 'ready',
    host_id,
    host_name: expect.stringMatching(/^kubernetes-/),
  });
  expect(output).toContain('A pod in pods, sandbox bubblewrap.\n');
  expect([...pods.existing]).toEqual([host_id]);
  expect(pods.made).toEqual([{ tokenOf: host_id, wasOnline: false, isOnline: true }]);
  const [machine] = await database.query(findMachine, { id: host_id });
  expect(machine).toMatchObject({ kind: 'remote', reserved_for: id, online: true });
  if (row !== undefined) await workspaces.delete(row);
  expect([...pods.existing]).toEqual([]);
  expect(await database.query(findMachine, { id: host_id })).toEqual([]);
  expect(await workspaces.find(id)).toMatchObject({ status: 'deleted' });
});

test('a machine that cannot be provisioned fails the setup, which can be retried', async () => {
  const { pods, workspaces, create } = await start();
  pods.failure = 'Pod x is waiting: ImagePullBackOff.';
  const { id, host_id } = await create();
  const follow = () => workspaces.awaitSetup(id, { signal, onOutput: () => undefined });
  const failed = await follow();
  expect(failed).toMatchObject({ status: 'failed', error: 'Pod x is waiting: ImagePullBackOff.' });
  pods.failure = undefined;
  if (failed !== undefined) await workspaces.restart(failed);
  expect(await follow()).toMatchObject({ status: 'ready', host_id });
  expect(pods.orders.map(({ machineId }) => machineId)).toEqual([host_id, host_id]);
});

test('orphaned machines are removed, others stay', async () => {
  const { pods, workspaces, create } = await start();
  const { id, host_id } = await create();
  const ready = await workspaces.awaitSetup(id, { signal, onOutput: () => undefined });
  expect(ready).toMatchObject({ status: 'ready' });
  pods.existing.add(randomUUID());
  await workspaces.sweep();
  expect([...pods.existing]).toEqual([host_id]);
});

test('a database has an ID', async () => {
  const [row] = await database.query(identifyDatabase);
  expect(row?.id).toMatch(/^[0-9a-f]{16}$/);
});

test('a failing machine does not end the sweep, and a hostile machine gets no request for workspaces of others', async () => {
  const { pods, workspaces, create } = await start();
  const { id, host_id } = await create();
  const ready = await workspaces.awaitSetup(id, { signal, onOutput: () => undefined });
  if (ready === undefined) throw new Error('the workspace is missing');
  await workspaces.stop(ready);
  const stopped: string[] = [];
  const hostile = {
    id: randomUUID(),
    name: 'hostile',
    workspaces: async () => [id],
    stop: async (spec: { id: string }) => void stopped.push(spec.id),
  } as unknown as OwnMachine;
  const failing = {
    ...hostile,
    id: randomUUID(),
    workspaces: () => Promise.reject(new Error('no')),
  } as OwnMachine;
  const provisioners = new Provisioners({ database, log, kubernetes: pods, orphansMs: 0 });
  const other = await world.replica({
    machines: { ...machines, held: () => [failing, hostile] },
    provisioners,
  });
  onTestFinished(() => other.workspaces.close());
  pods.existing.add(randomUUID());
  await other.workspaces.sweep();
  await other.workspaces.sweep();
  expect([...pods.existing]).toEqual([host_id]);
  expect(stopped).toEqual([]);
});

test('an orphaned machine whose removal is refused does not prevent the removal of others', async () => {
  const { pods, workspaces, create } = await start();
  const { id, host_id } = await create();
  await workspaces.awaitSetup(id, { signal, onOutput: () => undefined });
  const [first, second, third] = [randomUUID(), randomUUID(), randomUUID()];
  for (const orphan of [first, second, third]) pods.existing.add(orphan);
  pods.refused.add(first);
  await workspaces.sweep();
  expect([...pods.existing]).toEqual([host_id, first]);
});

test('a machine whose removal is refused does not prevent the removal of others', async () => {
  const { pods, workspaces, create } = await start();
  const rows = [await create(), await create(), await create()];
  for (const { id } of rows) await workspaces.awaitSetup(id, { signal, onOutput: () => undefined });
  const [first, second, third] = rows.map(({ host_id }) => host_id);
  if (first === undefined || third === undefined) throw new Error('a machine is missing');
  pods.refused.add(first);
  pods.refused.add(third);
  // The machine that can be removed is between the others, in either order.
  for (const index of [0, 2, 1]) await workspaces.delete(rows[index] as (typeof rows)[number]);
  expect([...pods.existing].sort()).toEqual([first, third].sort());
  expect(await database.query(findMachine, { id: second ?? '' })).toEqual([]);
  pods.refused.clear();
  await workspaces.sweep();
  expect([...pods.existing]).toEqual([]);
});
