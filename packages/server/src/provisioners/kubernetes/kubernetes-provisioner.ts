import { setTimeout as sleep } from 'node:timers/promises';
import type { V1Pod } from '@kubernetes/client-node';
import {
  type KubernetesOptions,
  type MachineOrder,
  type Provisioner,
  ProvisionError,
} from '../provisioner.ts';
import { type CallOptions, Cluster, type ClusterOptions } from './cluster.ts';
import { DEPLOYMENT_LABEL, MACHINE_LABEL, nameOf, podOf, secretOf } from './pod.ts';
import { podState } from './pod-state.ts';

export interface KubernetesProvisionerOptions extends ClusterOptions {
  /** Distinguishes the pods of deployments that share a namespace. */
  readonly deployment: () => Promise<string>;
  /** Time for a pod to start and connect. */
  readonly timeoutMs?: number;
  readonly pollMs?: number;
}

const TIMEOUT_MS = 10 * 60_000;
const POLL_MS = 500;
/** Time for the calls that remove a pod. */
const REMOVE_MS = 60_000;

/** One pod per workspace, with a Secret for its token. The machine's ID is their name, so nothing is made twice. */
export class KubernetesProvisioner implements Provisioner<KubernetesOptions> {
  readonly #options: KubernetesProvisionerOptions;
  readonly #cluster: Cluster;

  constructor(options: KubernetesProvisionerOptions) {
    this.#options = options;
    this.#cluster = new Cluster(options);
  }

  async provision(order: MachineOrder, options: KubernetesOptions): Promise<void> {
    const { timeoutMs = TIMEOUT_MS } = this.#options;
    const name = nameOf(order.machineId);
    const late = AbortSignal.timeout(timeoutMs);
    const signal = AbortSignal.any([order.signal, late]);
    let last = '';
    const report = (line: string) => {
      if (line !== last) order.onProgress(line);
      last = line;
    };
    try {
      if (!(await this.#hasLivingPod(options.namespace, name, { signal, onRetry: report }))) {
        report(
          `Creating pod ${name} in namespace ${options.namespace} with image ${options.image}.`,
        );
        await this.#create(order, options, { signal, onRetry: report });
      }
      await this.#untilOnline(order, options, { name, report, signal });
    } catch (error) {
      order.signal.throwIfAborted();
      await this.remove(order.machineId, options).catch(() => undefined);
      if (!late.aborted) throw error;
      throw new ProvisionError(
        `Pod ${name} did not connect within ${Math.round(timeoutMs / 60_000)} minutes. Last state: ${last}`,
      );
    }
  }

  async remove(machineId: string, { namespace }: KubernetesOptions): Promise<void> {
    const call = { signal: AbortSignal.timeout(REMOVE_MS) };
    await this.#cluster.deletePod(namespace, nameOf(machineId), call);
    await this.#cluster.deleteSecret(namespace, nameOf(machineId), call);
  }

  async list({ namespace }: KubernetesOptions): Promise<readonly string[]> {
    const label = `${DEPLOYMENT_LABEL}=${await this.#options.deployment()}`;
    const pods = await this.#cluster.listPods(namespace, label, {
      signal: AbortSignal.timeout(REMOVE_MS),
    });
    return pods.flatMap(({ metadata }) =>
      metadata?.deletionTimestamp === undefined ? (metadata?.labels?.[MACHINE_LABEL] ?? []) : [],
    );
  }

  /** Waits until a pod that has ended, or is about to, is gone. */
  async #hasLivingPod(namespace: string, name: string, call: CallOptions): Promise<boolean> {
    const { pollMs = POLL_MS } = this.#options;
    for (;;) {
      const pod = await this.#cluster.findPod(namespace, name, call);
      if (pod === undefined) return false;
      if (!podState(pod).failed) return true;
      call.onRetry?.(`Waiting for the earlier pod ${name} to end.`);
      await this.#cluster.deletePod(namespace, name, call);
      await sleep(pollMs, undefined, { signal: call.signal });
    }
  }

  /** The token is stored before the Secret, and the Secret before the pod: a pod that exists has the right token. */
  async #create(order: MachineOrder, options: KubernetesOptions, call: CallOptions): Promise<void> {
    const { machineId, workspaceId } = order;
    const pod = { deployment: await this.#options.deployment(), machineId, workspaceId, options };
    const token = await order.newToken();
    await this.#cluster.putSecret(options.namespace, secretOf(pod, token), call);
    await this.#cluster.createPod(options.namespace, podOf(pod), call);
  }

  async #untilOnline(
    order: MachineOrder,
    { namespace }: KubernetesOptions,
    { name, report, signal }: { name: string; report: (line: string) => void; signal: AbortSignal },
  ): Promise<void> {
    const done = new AbortController();
    const ended = AbortSignal.any([signal, done.signal]);
    const online = this.#pollOnline(order, ended).finally(() => done.abort());
    // Awaited below, after the pod.
    online.catch(() => undefined);
    try {
      while (!ended.aborted) {
        const pod = await this.#cluster.findPod(namespace, name, {
          signal: ended,
          onRetry: report,
        });
        if (pod === undefined) throw new ProvisionError(`Pod ${name} was deleted.`);
        await this.#follow(pod, report, ended);
      }
    } catch (error) {
      if (!done.signal.aborted) {
        done.abort();
        throw error;
      }
    }
    await online;
  }

  /** Reports the states of the pod until the watch ends. */
  async #follow(pod: V1Pod, report: (line: string) => void, signal: AbortSignal): Promise<void> {
    const { pollMs = POLL_MS } = this.#options;
    const broken = new AbortController();
    let failure: string | undefined;
    const look = (seen: V1Pod) => {
      const { line, failed } = podState(seen);
      report(line);
      if (!failed) return;
      failure = line;
      broken.abort();
    };
    look(pod);
    await this.#cluster.watchPod(pod, look, AbortSignal.any([signal, broken.signal]));
    if (failure !== undefined) throw new ProvisionError(failure);
    // A watch that ends at once must not become a busy loop.
    await sleep(pollMs, undefined, { signal });
  }

  async #pollOnline(order: MachineOrder, signal: AbortSignal): Promise<void> {
    const { pollMs = POLL_MS } = this.#options;
    const isOnline = () =>
      order.isOnline().catch((error: unknown) => {
        if (error instanceof ProvisionError) throw error;
        // A database that fails for a moment must not cost the pod.
        return false;
      });
    while (!(await isOnline())) await sleep(pollMs, undefined, { signal });
  }
}
