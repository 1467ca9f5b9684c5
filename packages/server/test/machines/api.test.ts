import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { startTestServer } from '@chatd/test-server';
import { toJson } from '../../src/store/json.ts';
import {
  connectMachine,
  countMachines,
  disconnectMachine,
  findMachineConnection,
  heldMachines,
  insertMachine,
  placeWorkspace,
  registerLocalMachine,
} from '../../src/store/queries/machines.ts';
import { registerReplica } from '../../src/store/queries/workers.ts';
import { insertWorkspace } from '../../src/store/queries/workspaces.ts';
import { uuidv7 } from '../../src/store/uuid.ts';

const server = await startTestServer();
const { admin, anonymous, store } = server;
const { database } = store;

async function startReplica(): Promise<string> {
  const id = randomUUID();
  await database.query(registerReplica, {
    id,
    knows: 24,
    program: 'chatd',
    host: 'h',
    lease_ms: 60_000,
  });
  return id;
}

const connect = async (machine_id: string, replica_id: string, more: object = {}) => {
  const [row] = await database.query(connectMachine, {
    machine_id,
    replica_id,
    internal_url: 'http://127.0.0.1:1',
    only_if_free: false,
    name: null,
    reported_labels: toJson({}),
    version: '1.0.0',
    capabilities: toJson({ sandbox: true, docker: false, desktop: true }),
    ...more,
  });
  return row?.epoch;
};

const place = async (labels: object, capabilities: object = { sandbox: true }) =>
  (
    await database.query(placeWorkspace, {
      labels: toJson(labels),
      capabilities: toJson(capabilities),
    })
  )[0]?.name;

const insert = async (host_id: string) => {
  const [row] = await database.query(insertWorkspace, {
    id: uuidv7(),
    owner_id: store.owner,
    name: 'w',
    template_id: randomUUID(),
    template_name: 't',
    definition: toJson({ driver: 'host' }),
    host_id,
    host_name: 'before',
    made_by_call: null,
  });
  return row!;
};

test('a machine is created with a token, connects, and gets a status', async () => {
  const { token, ...created } = await admin.ok('createMachine', {
    body: { name: 'builder', labels: { zone: 'a' } },
  });
  expect(token).toMatch(/^chatd_machine_[\w-]{43}$/);
  expect(created).toMatchObject({
    name: 'builder',
    kind: 'remote',
    status: 'offline',
    labels: { zone: 'a' },
    version: null,
    workspaces: 0,
    last_seen_at: null,
  });
  expect(await admin.refusal('createMachine', { body: { name: 'builder' } })).toBe(
    '409 machine_name_taken',
  );
  // The token gives no access to the API.
  expect(await server.as(token).refusal('getMe')).toBe('401 unauthenticated');
  expect(await server.as(token).refusal('listMachines')).toBe('401 unauthenticated');
  expect(await anonymous.refusal('connectMachine')).toBe('426 upgrade_required');

  const params = { machine_id: created.id };
  await connect(created.id, await startReplica(), {
    reported_labels: toJson({ zone: 'b', gpu: 'yes' }),
  });
  expect(await admin.ok('getMachine', { params })).toMatchObject({
    status: 'online',
    version: '1.0.0',
    // An admin's label takes precedence.
    labels: { zone: 'a', gpu: 'yes' },
    capabilities: { sandbox: true, docker: false, desktop: true },
    last_seen_at: expect.any(String),
  });
  const body = { name: 'smith', labels: { zone: null, disk: 'ssd' }, draining: true };
  expect(await admin.ok('updateMachine', { params, body })).toMatchObject({
    name: 'smith',
    status: 'draining',
    labels: { zone: 'b', gpu: 'yes', disk: 'ssd' },
  });
  const many = Object.fromEntries(Array.from({ length: 21 }, (_, at) => [`l${at}`, 'x']));
  expect(await admin.refusal('updateMachine', { params, body: { labels: many } })).toBe(
    '400 invalid_labels',
  );
  const { machines } = await admin.ok('listMachines');
  expect(machines.map(({ name }) => name)).toContain('smith');
});

test('a newer connection fences the older one', async () => {
  const { id } = await admin.ok('createMachine', { body: { name: 'fenced' } });
  const [first, second] = [await startReplica(), await startReplica()];
  expect(await connect(id, first)).toBe(1);
  expect(await connect(id, second)).toBe(2);
  expect(await database.query(heldMachines, { replica_id: first })).toEqual([]);
  await database.query(disconnectMachine, { machine_id: id, epoch: 1 });
  expect(await database.query(findMachineConnection, { machine_id: id })).toEqual([
    expect.objectContaining({ replica_id: second, epoch: 2, machine_name: 'fenced' }),
  ]);
  // A local machine waits until its holder is gone.
  expect(await connect(id, first, { only_if_free: true })).toBeUndefined();
  await database.query(disconnectMachine, { machine_id: id, epoch: 2 });
  expect(await database.query(findMachineConnection, { machine_id: id })).toEqual([]);
  expect(await connect(id, first, { only_if_free: true })).toBe(3);
  // The connection of a dead replica does not count.
  expect(await connect(id, randomUUID())).toBe(4);
  expect(await database.query(findMachineConnection, { machine_id: id })).toEqual([]);
  const racing = await Promise.all(
    [first, second].map((replica) => connect(id, replica, { only_if_free: true })),
  );
  expect(racing.filter((epoch) => epoch !== undefined)).toEqual([5]);
});

test('a workspace is placed on the online machine that has its labels and the fewest workspaces', async () => {
  const replica = await startReplica();
  const make = async (name: string, labels: Record<string, string>) => {
    const { id } = await admin.ok('createMachine', { body: { name, labels } });
    return id;
  };
  const busy = await make('busy', { pool: 'p' });
  const idle = await make('idle', { pool: 'p' });
  await make('offline', { pool: 'p', only: 'offline' });
  expect(await place({ pool: 'p' })).toBeUndefined();
  await connect(busy, replica);
  await connect(idle, replica);
  const { id } = await insert(busy);
  expect(await place({ pool: 'p' })).toBe('idle');
  expect(await place({ pool: 'p' }, { docker: true })).toBeUndefined();
  expect(await place({ only: 'offline' })).toBeUndefined();
  await admin.ok('updateMachine', { params: { machine_id: idle }, body: { draining: true } });
  expect(await place({ pool: 'p' })).toBe('busy');

  const params = { workspace_id: id };
  const owner = server.owner;
  expect(await owner.ok('getWorkspace', { params })).toMatchObject({
    machine_id: busy,
    machine_name: 'busy',
  });
  const ofBusy = { machine_id: busy };
  expect(await admin.refusal('deleteMachine', { params: ofBusy })).toBe('409 machine_in_use');
  await admin.ok('deleteMachine', { params: ofBusy, query: { force: 'true' } });
  expect(await admin.refusal('getMachine', { params: ofBusy })).toBe('404 not_found');
  expect(await owner.refusal('getWorkspace', { params })).toBe('404 not_found');
  expect(await place({ pool: 'p' })).toBeUndefined();
});

test('a replaced token fences the connection of the previous one', async () => {
  const { id, token } = await admin.ok('createMachine', { body: { name: 'rotated' } });
  const params = { machine_id: id };
  const replica = await startReplica();
  await connect(id, replica);
  const rotated = await admin.ok('rotateMachineToken', { params });
  expect(rotated).toMatchObject({ id, status: 'offline', token: expect.not.stringMatching(token) });
  expect(await admin.ok('getMachine', { params })).toMatchObject({ status: 'offline' });
  expect(await database.query(heldMachines, { replica_id: replica })).toEqual([]);
  expect(await connect(id, replica)).toBe(3);
  const pod = await insert(id);
  await database.query(insertMachine, {
    id: uuidv7(),
    name: 'pod',
    labels: toJson({}),
    secret_hash: Buffer.from('x'),
    reserved_for: pod.id,
  });
  const { machines } = await admin.ok('listMachines');
  const reserved = machines.find(({ name }) => name === 'pod');
  expect(await admin.refusal('rotateMachineToken', { params: { machine_id: reserved!.id } })).toBe(
    '409 built_in',
  );
  // A provisioned machine that has not started, or is gone, does not count as offline.
  await connect(reserved!.id, randomUUID());
  const [{ offline } = { offline: -1 }] = await database.query(countMachines);
  await admin.ok('deleteMachine', { params: { machine_id: reserved!.id } });
  expect(await database.query(countMachines)).toMatchObject([{ offline }]);
});

test('the local machine of a running server cannot be deleted', async () => {
  const id = randomUUID();
  await admin.ok('createMachine', { body: { name: 'host' } });
  await database.query(registerLocalMachine, { id, name: 'host' });
  await database.query(registerLocalMachine, { id, name: 'host' });
  const params = { machine_id: id };
  expect(await admin.ok('getMachine', { params })).toMatchObject({
    kind: 'local',
    name: `host-${id.slice(0, 8)}`,
  });
  const epoch = await connect(id, await startReplica());
  expect(await admin.refusal('deleteMachine', { params })).toBe('409 built_in');
  expect(await admin.refusal('rotateMachineToken', { params })).toBe('409 built_in');
  await database.query(disconnectMachine, { machine_id: id, epoch: epoch! });
  await admin.ok('deleteMachine', { params });
});
