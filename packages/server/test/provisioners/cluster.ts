import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { randomUUID } from 'node:crypto';
import type { KubeConfig } from '@kubernetes/client-node';
import type { IContainerState } from 'kubernetes-models/v1/ContainerState';
import { type IPod, Pod } from 'kubernetes-models/v1/Pod';
import { type ISecret, Secret } from 'kubernetes-models/v1/Secret';

/** The process of a container. */
export interface Container {
  /** Its exit code. */
  readonly exit: Promise<number>;
  kill(): void;
}

export interface ClusterOptions {
  readonly namespaces?: readonly string[];
  /** Images that can be pulled. Others are not found. Default: all. */
  readonly images?: readonly string[];
  /** Labels of the only node. */
  readonly nodeLabels?: Readonly<Record<string, string>>;
  start(env: Readonly<Record<string, string>>, pod: IPod): Container;
}

interface Change {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly version: number;
  readonly object: IPod;
}

interface Injection {
  readonly method: string;
  readonly path: RegExp;
  readonly status: number;
  /** The request takes effect before it fails. */
  readonly after: boolean;
  times: number;
}

const TOKEN = 'service-account-token';

/**
 * A cluster with one node. Implements the Kubernetes API for pods and Secrets, validates every object against the
 * published schema, and starts a process per pod, like a kubelet.
 */
export class TestCluster {
  readonly #options: ClusterOptions;
  readonly #server = createServer((request, response) => void this.#serve(request, response));
  readonly #pods = new Map<string, IPod>();
  readonly #secrets = new Map<string, ISecret>();
  readonly #containers = new Map<string, Container>();
  readonly #watchers = new Set<(change: Change) => void>();
  readonly #injections: Injection[] = [];
  #changes: Change[] = [];
  #version = 100;
  #compacted = 0;
  /** Method and path of each request. */
  readonly requests: string[] = [];

  private constructor(options: ClusterOptions) {
    this.#options = options;
  }

  static async start(options: ClusterOptions): Promise<TestCluster> {
    const cluster = new TestCluster(options);
    cluster.#server.listen(0, '127.0.0.1');
    await once(cluster.#server, 'listening');
    return cluster;
  }

  get pods(): readonly IPod[] {
    return [...this.#pods.values()];
  }

  get secrets(): readonly ISecret[] {
    return [...this.#secrets.values()];
  }

  get kubeconfig(): string {
    const { port } = this.#server.address() as AddressInfo;
    return JSON.stringify({
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [
        {
          name: 'test',
          cluster: { server: `http://127.0.0.1:${port}`, 'insecure-skip-tls-verify': true },
        },
      ],
      users: [{ name: 'chatd', user: { token: TOKEN } }],
      contexts: [{ name: 'test', context: { cluster: 'test', user: 'chatd' } }],
      'current-context': 'test',
    });
  }

  readonly load = (config: KubeConfig): void => config.loadFromString(this.kubeconfig);

  /** Makes the next requests fail. */
  inject(method: string, path: RegExp, status: number, { after = false, times = 1 } = {}): void {
    this.#injections.push({ method, path, status, after, times });
  }

  /** Forgets all changes, so that watches from earlier versions fail with 410. */
  compact(): void {
    this.#compacted = this.#version;
    this.#changes = [];
  }

  /** Ends all watches, like a load balancer. */
  cutWatches(): void {
    this.#server.closeAllConnections();
  }

  /** Adds a pod that the provisioner did not create. */
  add(pod: IPod): void {
    this.#create('default', pod);
  }

  async close(): Promise<void> {
    const ends = [...this.#containers.values()].map((container) => {
      container.kill();
      return container.exit;
    });
    this.#containers.clear();
    await Promise.all(ends);
    this.#server.close();
    this.#server.closeAllConnections();
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://cluster');
    const { method = '' } = request;
    this.requests.push(`${method} ${url.pathname}${url.searchParams.has('watch') ? '?watch' : ''}`);
    if (request.headers.authorization !== `Bearer ${TOKEN}`) {
      return status(response, 401, 'Unauthorized', 'Unauthorized');
    }
    const injected = this.#injections.find(
      (one) =>
        one.times > 0 && one.method === method && one.path.test(`${url.pathname}${url.search}`),
    );
    if (injected !== undefined) injected.times -= 1;
    if (injected?.after === false) {
      return status(response, injected.status, 'InternalError', 'injected');
    }
    const body = await bodyOf(request);
    if (injected !== undefined) {
      this.#handle(method, url, body, undefined);
      return status(response, injected.status, 'InternalError', 'injected');
    }
    this.#handle(method, url, body, response);
  }

  #handle(method: string, url: URL, body: unknown, response: ServerResponse | undefined): void {
    const [, namespace = '', kind = '', name] =
      /^\/api\/v1\/namespaces\/([^/]+)\/(pods|secrets)(?:\/([^/]+))?$/.exec(url.pathname) ?? [];
    const answer = (code: number, object: object) => {
      response?.writeHead(code, { 'content-type': 'application/json' }).end(JSON.stringify(object));
    };
    const refuse = (code: number, reason: string, message: string) => {
      if (response !== undefined) status(response, code, reason, message);
    };
    const { namespaces = ['default'] } = this.#options;
    if (kind === '')
      return refuse(404, 'NotFound', 'the server could not find the requested resource');
    const objects: Map<string, IPod | ISecret> = kind === 'pods' ? this.#pods : this.#secrets;
    if (method === 'POST' && name === undefined) {
      const wanted = (body as IPod | ISecret).metadata?.name ?? '';
      if (!namespaces.includes(namespace)) {
        return refuse(404, 'NotFound', `namespaces "${namespace}" not found`);
      }
      try {
        if (kind === 'pods') new Pod(body as IPod).validate();
        else new Secret(body as ISecret).validate();
      } catch (error) {
        return refuse(422, 'Invalid', error instanceof Error ? error.message : String(error));
      }
      if (objects.has(`${namespace}/${wanted}`)) {
        return refuse(409, 'AlreadyExists', `${kind} "${wanted}" already exists`);
      }
      return answer(
        201,
        kind === 'pods'
          ? this.#create(namespace, body as IPod)
          : this.#keep(namespace, body as ISecret),
      );
    }
    if (name === undefined) {
      if (kind === 'secrets') return refuse(403, 'Forbidden', 'secrets is forbidden');
      if (url.searchParams.get('watch') === 'true') {
        if (response !== undefined) this.#watch(namespace, url.searchParams, response);
        return;
      }
      return answer(200, this.#list(namespace, url.searchParams));
    }
    const found = objects.get(`${namespace}/${name}`);
    if (found === undefined) return refuse(404, 'NotFound', `${kind} "${name}" not found`);
    if (method === 'GET' && kind === 'pods') return answer(200, found);
    if (method !== 'DELETE') return refuse(405, 'MethodNotAllowed', `${method} is not allowed`);
    if (kind === 'secrets') objects.delete(`${namespace}/${name}`);
    else this.#end(found as IPod);
    answer(200, found);
  }

  #list(namespace: string, query: URLSearchParams): object {
    const [label = '', value] = (query.get('labelSelector') ?? '').split('=');
    const all = [...this.#pods.values()]
      .filter(({ metadata }) => metadata?.namespace === namespace)
      .filter(({ metadata }) => label === '' || metadata?.labels?.[label] === value);
    // Pages of one pod, so that clients have to follow them.
    const from = Number(query.get('continue') ?? 0);
    const more = from + 1 < all.length;
    return {
      apiVersion: 'v1',
      kind: 'PodList',
      metadata: { resourceVersion: `${this.#version}`, ...(more && { continue: `${from + 1}` }) },
      items: all.slice(from, from + 1),
    };
  }

  #watch(namespace: string, query: URLSearchParams, response: ServerResponse): void {
    const from = Number(query.get('resourceVersion') ?? 0);
    const name = /^metadata\.name=(.+)$/.exec(query.get('fieldSelector') ?? '')?.[1];
    response.writeHead(200, { 'content-type': 'application/json' });
    response.flushHeaders();
    if (from < this.#compacted) {
      const gone = statusOf(410, 'Expired', `too old resource version: ${from} (${this.#version})`);
      return void response.end(`${JSON.stringify({ type: 'ERROR', object: gone })}\n`);
    }
    const send = ({ type, object, version }: Change) => {
      const { metadata } = object;
      if (metadata?.namespace !== namespace || version <= from) return;
      if (name === undefined || metadata.name === name)
        response.write(`${JSON.stringify({ type, object })}\n`);
    };
    for (const change of this.#changes) send(change);
    this.#watchers.add(send);
    response.once('close', () => this.#watchers.delete(send));
  }

  #keep(namespace: string, secret: ISecret): ISecret {
    const { stringData = {}, ...rest } = secret;
    const data = Object.entries(stringData).map(([key, value]) => [
      key,
      Buffer.from(value).toString('base64'),
    ]);
    const kept = { ...rest, data: Object.fromEntries(data) as Record<string, string> };
    kept.metadata = { ...secret.metadata, namespace, uid: randomUUID() };
    this.#secrets.set(`${namespace}/${secret.metadata?.name}`, kept);
    return kept;
  }

  #create(namespace: string, pod: IPod): IPod {
    const made: IPod = {
      ...pod,
      metadata: {
        ...pod.metadata,
        namespace,
        uid: randomUUID(),
        creationTimestamp: new Date().toISOString(),
      },
      status: { phase: 'Pending' },
    };
    const stored = this.#change('ADDED', made);
    setImmediate(() => void this.#run(namespace, pod.metadata?.name ?? ''));
    return stored;
  }

  #change(type: Change['type'], pod: IPod): IPod {
    this.#version += 1;
    const object = structuredClone(pod);
    object.metadata = { ...object.metadata, resourceVersion: `${this.#version}` };
    const key = `${object.metadata.namespace}/${object.metadata.name}`;
    if (type === 'DELETED') this.#pods.delete(key);
    else this.#pods.set(key, object);
    const change = { type, version: this.#version, object };
    this.#changes.push(change);
    for (const watcher of this.#watchers) watcher(change);
    return object;
  }

  #set(key: string, state: IContainerState, more: Partial<IPod['status']> = {}): void {
    const pod = this.#pods.get(key);
    const [container] = pod?.spec?.containers ?? [];
    if (pod === undefined || container === undefined) return;
    const before = pod.status?.containerStatuses?.[0];
    const phase = state.running === undefined ? 'Pending' : 'Running';
    this.#change('MODIFIED', {
      ...pod,
      spec: { ...pod.spec, nodeName: 'node-1' } as never,
      status: {
        ...pod.status,
        phase: more.phase ?? phase,
        conditions: [{ type: 'PodScheduled', status: 'True' }],
        containerStatuses: [
          {
            name: container.name,
            image: container.image ?? '',
            imageID: '',
            ready: state.running !== undefined,
            restartCount: before?.restartCount ?? 0,
            state,
            ...(before?.state?.terminated && { lastState: before.state }),
          },
        ],
      },
    });
  }

  /** Schedules the pod, pulls its image, and runs its container. A container that exits is not restarted. */
  async #run(namespace: string, name: string): Promise<void> {
    const key = `${namespace}/${name}`;
    const spec = this.#pods.get(key)?.spec;
    const [container] = spec?.containers ?? [];
    if (spec === undefined || container === undefined) return;
    const { images, nodeLabels = {} } = this.#options;
    const wanted = Object.entries(spec.nodeSelector ?? {});
    if (!wanted.every(([label, value]) => nodeLabels[label] === value)) {
      const pod = this.#pods.get(key);
      const message =
        "0/1 nodes are available: 1 node(s) didn't match Pod's node affinity/selector.";
      const condition = { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message };
      if (pod)
        this.#change('MODIFIED', { ...pod, status: { phase: 'Pending', conditions: [condition] } });
      return;
    }
    this.#set(key, { waiting: { reason: 'ContainerCreating' } });
    const { image = '' } = container;
    if (images !== undefined && !images.includes(image)) {
      const message = `Back-off pulling image "${image}": not found`;
      this.#set(key, {
        waiting: { reason: 'ErrImagePull', message: `failed to pull "${image}": not found` },
      });
      this.#set(key, { waiting: { reason: 'ImagePullBackOff', message } });
      return;
    }
    const env: Record<string, string> = {};
    for (const { name: variable, value, valueFrom } of container.env ?? []) {
      const ref = valueFrom?.secretKeyRef;
      if (ref === undefined) env[variable] = value ?? '';
      else {
        const kept = this.#secrets.get(`${namespace}/${ref.name}`)?.data?.[ref.key];
        if (kept === undefined) {
          const message = `secret "${ref.name}" not found`;
          return this.#set(key, { waiting: { reason: 'CreateContainerConfigError', message } });
        }
        env[variable] = Buffer.from(kept, 'base64').toString();
      }
    }
    const pod = this.#pods.get(key);
    if (pod === undefined) return;
    const process = this.#options.start(env, pod);
    this.#containers.set(key, process);
    this.#set(key, { running: { startedAt: new Date().toISOString() } });
    const exitCode = await process.exit;
    if (this.#containers.get(key) !== process) return;
    this.#containers.delete(key);
    if (this.#pods.get(key)?.metadata?.deletionTimestamp !== undefined) return;
    this.#set(key, { terminated: { exitCode, reason: 'Error' } });
    this.#set(key, {
      waiting: { reason: 'CrashLoopBackOff', message: 'back-off restarting failed container' },
    });
  }

  /** Ends the container, then the pod. */
  #end(pod: IPod): void {
    const { namespace, name } = pod.metadata ?? {};
    const key = `${namespace}/${name}`;
    const ending = {
      ...pod,
      metadata: { ...pod.metadata, deletionTimestamp: new Date().toISOString() },
    };
    this.#change('MODIFIED', ending);
    const container = this.#containers.get(key);
    container?.kill();
    void this.#gone(key, container);
  }

  async #gone(key: string, container: Container | undefined): Promise<void> {
    await container?.exit;
    this.#containers.delete(key);
    const last = this.#pods.get(key);
    if (last !== undefined) this.#change('DELETED', last);
  }
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return chunks.length === 0
    ? undefined
    : (JSON.parse(Buffer.concat(chunks).toString()) as unknown);
}

const statusOf = (code: number, reason: string, message: string) => ({
  apiVersion: 'v1',
  kind: 'Status',
  status: 'Failure',
  code,
  reason,
  message,
});

function status(response: ServerResponse, code: number, reason: string, message: string): void {
  response
    .writeHead(code, { 'content-type': 'application/json' })
    .end(JSON.stringify(statusOf(code, reason, message)));
}
