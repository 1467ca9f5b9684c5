import { randomUUID } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { KubernetesProvisioner } from '../../src/provisioners/kubernetes/kubernetes-provisioner.ts';
import type { KubernetesOptions } from '../../src/provisioners/provisioner.ts';
import { type ClusterOptions, TestCluster } from './cluster.ts';

const OPTIONS: KubernetesOptions = {
  url: 'http://chatd.chatd',
  image: 'chatd:1',
  namespace: 'default',
  sandbox: 'bubblewrap',
};
const FAST = { retryMs: 1, pollMs: 5 };

interface World {
  readonly cluster: TestCluster;
  readonly provisioner: KubernetesProvisioner;
  readonly tokens: string[];
  readonly lines: string[];
  readonly started: Readonly<Record<string, string>>[];
  provision(options?: Partial<KubernetesOptions>, machineId?: string): Promise<void>;
  setOnline(): void;
  stop(): void;
}

async function start(
  { connects = true, ...cluster }: Partial<ClusterOptions> & { readonly connects?: boolean } = {},
  timeoutMs?: number,
): Promise<World> {
  const started: Readonly<Record<string, string>>[] = [];
  const tokens: string[] = [];
  const lines: string[] = [];
  let online = false;
  const made = await TestCluster.start({
    start: (env) => {
      started.push(env);
      if (connects) online = true;
      const exit = Promise.withResolvers<number>();
      return { exit: exit.promise, kill: () => exit.resolve(0) };
    },
    ...cluster,
  });
  onTestFinished(() => made.close());
  const provisioner = new KubernetesProvisioner({
    deployment: () => Promise.resolve('deployment-1'),
    load: made.load,
    ...FAST,
    ...(timeoutMs !== undefined && { timeoutMs }),
  });
  const stopping = new AbortController();
  return {
    cluster: made,
    provisioner,
    tokens,
    lines,
    started,
    setOnline: () => (online = true),
    stop: () => stopping.abort(new Error('stopped')),
    provision: (options = {}, machineId = MACHINE) =>
      provisioner.provision(
        {
          machineId,
          workspaceId: randomUUID(),
          newToken: () => {
            tokens.push(`token-${tokens.length + 1}`);
            return Promise.resolve(tokens.at(-1) ?? '');
          },
          isOnline: () => Promise.resolve(online),
          onProgress: (line) => lines.push(line),
          signal: stopping.signal,
        },
        { ...OPTIONS, ...options },
      ),
  };
}

const MACHINE = '0190a0b0-0000-7000-8000-000000000001';
const NAME = `chatd-${MACHINE}`;

test('a pod runs `chatd machine` with its own token, and its states are reported', async () => {
  const world = await start();
  await world.provision({
    resources: { requests: { cpu: '500m', memory: '1Gi' }, limits: { memory: '4Gi' } },
    env: { HTTPS_PROXY: 'http://proxy:3128', CHATD_URL: 'http://elsewhere' },
  });
  expect(world.started).toEqual([
    {
      HTTPS_PROXY: 'http://proxy:3128',
      CHATD_URL: 'http://chatd.chatd',
      CHATD_DATA_DIR: '/var/lib/chatd',
      CHATD_MACHINE_TOKEN: 'token-1',
    },
  ]);
  const [pod] = world.cluster.pods;
  expect(pod?.metadata?.name).toBe(NAME);
  expect(pod?.spec).toMatchObject({
    hostUsers: false,
    automountServiceAccountToken: false,
    containers: [{ args: ['machine'], resources: { limits: { memory: '4Gi' } } }],
  });
  expect(world.lines[0]).toBe(`Creating pod ${NAME} in namespace default with image chatd:1.`);
});

test('with the sandbox "pod", the pod keeps the default restrictions', async () => {
  const world = await start();
  await world.provision({
    sandbox: 'pod',
    service_account: 'builder',
    image_pull_secret: 'registry',
  });
  const spec = world.cluster.pods[0]?.spec;
  expect(spec?.hostUsers).toBeUndefined();
  expect(spec).toMatchObject({
    serviceAccountName: 'builder',
    automountServiceAccountToken: true,
    imagePullSecrets: [{ name: 'registry' }],
    containers: [{ securityContext: { seccompProfile: { type: 'RuntimeDefault' } } }],
  });
  expect(world.started[0]).toMatchObject({ CHATD_ALLOW_UNSANDBOXED: '1' });
});

test('a repeated attempt follows the pod of the first, with its token', async () => {
  const world = await start({ connects: false });
  const first = world.provision();
  await expect.poll(() => world.started).toHaveLength(1);
  world.stop();
  await expect(first).rejects.toThrow('stopped');
  expect(world.cluster.pods).toHaveLength(1);
  const second = await start({ connects: false });
  // Another replica: the same cluster, another process.
  const again = new KubernetesProvisioner({
    deployment: () => Promise.resolve('deployment-1'),
    load: world.cluster.load,
    ...FAST,
  }).provision(
    {
      machineId: MACHINE,
      workspaceId: randomUUID(),
      newToken: () => Promise.reject(new Error('the pod has a token')),
      isOnline: () => Promise.resolve(second.lines.length > 0),
      onProgress: (line) => second.lines.push(line),
      signal: new AbortController().signal,
    },
    OPTIONS,
  );
  await again;
  expect(second.lines).toEqual([`Pod ${NAME} runs. Waiting for its machine to connect.`]);
});

test('errors of the API server are retried, and nothing is created twice', async () => {
  const world = await start();
  world.cluster.inject('GET', /pods\/chatd/, 500, { times: 3 });
  world.cluster.inject('POST', /secrets/, 503, { times: 2, after: true });
  world.cluster.inject('POST', /pods/, 429, { times: 1 });
  world.cluster.inject('POST', /pods/, 500, { times: 1, after: true });
  await world.provision();
  expect(world.cluster.pods).toHaveLength(1);
  expect(world.cluster.secrets).toHaveLength(1);
  expect(world.started).toMatchObject([{ CHATD_MACHINE_TOKEN: 'token-1' }]);
});

const PATIENT = { timeout: 10_000 };

test('a new watch follows a refused one, an ended one, and an expired version', async () => {
  const world = await start({ connects: false });
  world.cluster.inject('GET', /watch=true/, 500, { times: 2 });
  const provisioning = world.provision();
  await expect.poll(() => world.lines.at(-1)).toContain('runs');
  const watches = () => world.cluster.requests.filter((one) => one.endsWith('?watch')).length;
  const before = watches();
  world.cluster.cutWatches();
  await expect.poll(watches, PATIENT).toBeGreaterThan(before);
  // A later change of another pod, so that the version of this one is too old.
  const [pod] = world.cluster.pods;
  if (pod === undefined) throw new Error('no pod');
  world.cluster.add({ ...pod, metadata: { name: 'another', labels: {} } });
  world.cluster.compact();
  world.cluster.cutWatches();
  await expect.poll(watches, PATIENT).toBeGreaterThan(before + 2);
  world.setOnline();
  await provisioning;
});

test('a missing image and an unschedulable pod are reported live, and the error has the last state', async () => {
  const image = await start({ images: ['chatd:1'] }, 300);
  await expect(image.provision({ image: 'chatd:2' })).rejects.toThrow(
    /did not connect within .* Last state: Pod \S+ is waiting: ImagePullBackOff: Back-off pulling image "chatd:2": not found\.$/,
  );
  expect(image.lines).toContain(
    `Pod ${NAME} is waiting: ImagePullBackOff: Back-off pulling image "chatd:2": not found.`,
  );
  const node = await start({}, 300);
  await expect(node.provision({ node_selector: { gpu: 'yes' } })).rejects.toThrow(
    /is pending: Unschedulable: 0\/1 nodes are available/,
  );
  // Nothing is left for the next attempt.
  await expect.poll(() => [...image.cluster.pods, ...node.cluster.pods]).toEqual([]);
  expect([...image.cluster.secrets, ...node.cluster.secrets]).toEqual([]);
});

test('a machine that crashes is reported', async () => {
  const world = await start(
    { start: () => ({ exit: Promise.resolve(2), kill: () => undefined }) },
    300,
  );
  await expect(world.provision()).rejects.toThrow(
    'CrashLoopBackOff: back-off restarting failed container',
  );
});

test('a request that Kubernetes refuses ends the attempt with its reason', async () => {
  const world = await start();
  await expect(world.provision({ namespace: 'missing' })).rejects.toThrow(
    'Kubernetes refused the request (404): namespaces "missing" not found',
  );
});

test('a missing cluster configuration is an error with a hint', async () => {
  const provisioner = new KubernetesProvisioner({
    deployment: () => Promise.resolve('deployment-1'),
    load: (config) =>
      config.loadFromClusterAndUser(
        { name: 'a', server: 'http://localhost:8080', skipTLSVerify: true },
        { name: 'b' },
      ),
  });
  await expect(provisioner.list(OPTIONS)).rejects.toThrow('Set KUBECONFIG');
});

test('removal deletes the pod and its Secret, and is idempotent', async () => {
  const world = await start();
  await world.provision();
  expect(await world.provisioner.list(OPTIONS)).toEqual([MACHINE]);
  await world.provisioner.remove(MACHINE, OPTIONS);
  await expect.poll(() => world.cluster.pods).toEqual([]);
  expect(world.cluster.secrets).toEqual([]);
  await world.provisioner.remove(MACHINE, OPTIONS);
});

test('only the pods of this deployment are listed, over all pages', async () => {
  const world = await start();
  const other = '0190a0b0-0000-7000-8000-000000000002';
  await world.provision();
  await world.provision({}, other);
  const [pod] = world.cluster.pods;
  if (pod === undefined) throw new Error('the pod is missing');
  world.cluster.add({
    ...pod,
    metadata: {
      name: 'foreign',
      labels: { ...pod.metadata?.labels, 'chatd.dev/deployment': 'x' },
    },
  });
  expect((await world.provisioner.list(OPTIONS)).toSorted()).toEqual([MACHINE, other]);
});

test('a new attempt waits until the earlier pod has ended', async () => {
  const exits: PromiseWithResolvers<number>[] = [];
  const world = await start({
    start: () => {
      const exit = Promise.withResolvers<number>();
      exits.push(exit);
      // Ignores the first signal, like a machine whose commands still run.
      const kill = () => exits.length > 1 && exit.resolve(0);
      return { exit: exit.promise, kill };
    },
  });
  const first = world.provision();
  await expect.poll(() => exits).toHaveLength(1);
  await world.provisioner.remove(MACHINE, OPTIONS);
  await expect(first).rejects.toThrow(`Pod ${NAME} is being deleted.`);
  const second = world.provision();
  await expect.poll(() => world.lines.at(-1)).toBe(`Waiting for the earlier pod ${NAME} to end.`);
  exits[0]?.resolve(0);
  await expect.poll(() => exits).toHaveLength(2);
  world.setOnline();
  await second;
  expect(world.cluster.pods).toHaveLength(1);
});
