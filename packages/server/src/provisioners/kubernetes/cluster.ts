import { setTimeout as sleep } from 'node:timers/promises';
import type {
  CoreV1Api,
  KubeConfig,
  V1Pod,
  V1PodList,
  V1Secret,
  Watch,
} from '@kubernetes/client-node';
import { ProvisionError } from '../provisioner.ts';

export interface ClusterOptions {
  /** Default: $KUBECONFIG, ~/.kube/config, or the service account of the pod. */
  readonly load?: (config: KubeConfig) => void;
  readonly retryMs?: number;
}

export interface CallOptions {
  readonly signal: AbortSignal;
  /** The API server failed, or does not answer. */
  readonly onRetry?: (line: string) => void;
}

interface Client {
  readonly watch: Watch;
  readonly api: CoreV1Api;
}

const RETRY_MS = 1000;
const MAX_RETRY_MS = 15_000;
/** What `loadFromDefault` uses if it finds no configuration. */
const NO_CLUSTER = 'http://localhost:8080';

/** The calls to the API server that pods of workspaces need. Failures of the server are retried until the signal. */
export class Cluster {
  readonly #options: ClusterOptions;
  #client: Promise<Client> | undefined;

  constructor(options: ClusterOptions = {}) {
    this.#options = options;
  }

  /** False: a pod of this name exists. */
  createPod(namespace: string, body: V1Pod, call: CallOptions): Promise<boolean> {
    return this.#call(call, ({ api }) => api.createNamespacedPod({ namespace, body }))
      .then(() => true)
      .catch(unless(409, false));
  }

  /** Replaces an existing Secret of this name. */
  async putSecret(namespace: string, body: V1Secret, call: CallOptions): Promise<void> {
    const create = () =>
      this.#call(call, ({ api }) => api.createNamespacedSecret({ namespace, body }))
        .then(() => true)
        .catch(unless(409, false));
    while (!(await create())) await this.deleteSecret(namespace, body.metadata?.name ?? '', call);
  }

  async findPod(namespace: string, name: string, call: CallOptions): Promise<V1Pod | undefined> {
    return await this.#call(call, ({ api }) => api.readNamespacedPod({ namespace, name })).catch(
      unless(404, undefined),
    );
  }

  async listPods(
    namespace: string,
    labelSelector: string,
    call: CallOptions,
  ): Promise<readonly V1Pod[]> {
    const pods: V1Pod[] = [];
    const query = { namespace, labelSelector, limit: 500 };
    let next = '';
    do {
      const page: Parameters<CoreV1Api['listNamespacedPod']>[0] =
        next === '' ? query : { ...query, _continue: next };
      const { items, metadata }: V1PodList = await this.#call(call, ({ api }) =>
        api.listNamespacedPod(page),
      );
      pods.push(...items);
      ({ _continue: next = '' } = metadata ?? {});
    } while (next !== '');
    return pods;
  }

  async deletePod(namespace: string, name: string, call: CallOptions): Promise<void> {
    await this.#call(call, ({ api }) => api.deleteNamespacedPod({ namespace, name })).catch(
      unless(404, undefined),
    );
  }

  async deleteSecret(namespace: string, name: string, call: CallOptions): Promise<void> {
    await this.#call(call, ({ api }) => api.deleteNamespacedSecret({ namespace, name })).catch(
      unless(404, undefined),
    );
  }

  /** Reports changes of the pod after the version. Returns when the API server ends the watch, or fails: read it again. */
  async watchPod(pod: V1Pod, onChange: (pod: V1Pod) => void, signal: AbortSignal): Promise<void> {
    const { watch } = await this.#open();
    const { namespace = '', name, resourceVersion } = pod.metadata ?? {};
    const ended = Promise.withResolvers<void>();
    const watching = await watch.watch(
      `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods`,
      { fieldSelector: `metadata.name=${name}`, resourceVersion },
      (type: string, changed: V1Pod) => {
        // A version that the server no longer has is an ERROR with a Status.
        if (type === 'ERROR' || type === 'DELETED') ended.resolve();
        else if (type !== 'BOOKMARK') onChange(changed);
      },
      () => ended.resolve(),
    );
    const stop = () => ended.resolve();
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    await ended.promise;
    signal.removeEventListener('abort', stop);
    watching.abort();
  }

  async #call<T>(
    { signal, onRetry }: CallOptions,
    request: (client: Client) => Promise<T>,
  ): Promise<T> {
    const { retryMs = RETRY_MS } = this.#options;
    const client = await this.#open();
    for (let wait = retryMs; ; wait = Math.min(2 * wait, MAX_RETRY_MS)) {
      signal.throwIfAborted();
      try {
        return await request(client);
      } catch (error) {
        if (!isTransient(error)) throw refusal(error);
        onRetry?.(`The Kubernetes API failed, retrying: ${detailOf(error)}`);
        await sleep(wait, undefined, { signal });
      }
    }
  }

  #open(): Promise<Client> {
    this.#client ??= this.#load().catch((error: unknown) => {
      this.#client = undefined;
      throw error;
    });
    return this.#client;
  }

  async #load(): Promise<Client> {
    const library = await import('@kubernetes/client-node');
    const config = new library.KubeConfig();
    const { load = (empty: KubeConfig) => empty.loadFromDefault() } = this.#options;
    try {
      load(config);
    } catch (error) {
      throw new ProvisionError(`Reading the kubeconfig failed: ${messageOf(error)}`);
    }
    const server = config.getCurrentCluster()?.server;
    if (server === undefined || server === NO_CLUSTER) {
      throw new ProvisionError(
        'No Kubernetes cluster is configured. Set KUBECONFIG, or run chatd in the cluster with a service account.',
      );
    }
    return { watch: new library.Watch(config), api: config.makeApiClient(library.CoreV1Api) };
  }
}

/** The API server refused a request. */
class ApiRefusal extends ProvisionError {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

const statusOf = (error: unknown): number | undefined => {
  const code = (error as { code?: unknown }).code;
  return typeof code === 'number' ? code : undefined;
};

/** Failures of the API server, and of the connection (a `TypeError` of `fetch`). */
function isTransient(error: unknown): boolean {
  const status = statusOf(error);
  return status === undefined ? error instanceof TypeError : status >= 500 || status === 429;
}

function refusal(error: unknown): unknown {
  const status = statusOf(error);
  if (status === undefined) return error;
  return new ApiRefusal(status, `Kubernetes refused the request (${status}): ${detailOf(error)}`);
}

/** The message of the Status object in the response. */
function detailOf(error: unknown): string {
  const { body } = error as { body?: unknown };
  try {
    const status = (typeof body === 'string' ? JSON.parse(body) : body) as { message?: string };
    return status.message ?? messageOf(error);
  } catch {
    return messageOf(error);
  }
}

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? error.cause.message : error.message;
}

const unless =
  <T>(status: number, value: T) =>
  (error: unknown): T => {
    if (error instanceof ApiRefusal && error.status === status) return value;
    throw error;
  };
