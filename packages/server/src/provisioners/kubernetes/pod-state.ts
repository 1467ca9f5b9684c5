import type { V1ContainerStatus, V1Pod } from '@kubernetes/client-node';

export interface PodState {
  /** One line for people. */
  readonly line: string;
  /** Waiting does not help. */
  readonly failed: boolean;
}

/** Reasons of a waiting container that do not go away by themselves. */
const PERMANENT = new Set(['InvalidImageName', 'ErrImageNeverPull', 'CreateContainerError']);

/** What a pod waits for, or why it failed. */
export function podState(pod: V1Pod): PodState {
  const name = pod.metadata?.name ?? '';
  const {
    phase = 'Pending',
    conditions = [],
    containerStatuses = [],
    reason,
    message,
  } = pod.status ?? {};
  if (pod.metadata?.deletionTimestamp !== undefined) return failed(`Pod ${name} is being deleted.`);
  if (phase === 'Failed' || phase === 'Succeeded') {
    return failed(sentence(`Pod ${name} ended`, reason, message));
  }
  const [container] = containerStatuses;
  const waiting = container?.state?.waiting;
  if (waiting?.reason !== undefined && waiting.reason !== 'ContainerCreating') {
    const line = sentence(
      `Pod ${name} is waiting`,
      waiting.reason,
      waiting.message ?? lastExit(container),
    );
    return { line, failed: PERMANENT.has(waiting.reason) };
  }
  if (container?.state?.running !== undefined) {
    return { line: `Pod ${name} runs. Waiting for its machine to connect.`, failed: false };
  }
  const unscheduled = conditions.find(
    ({ type, status }) => type === 'PodScheduled' && status === 'False',
  );
  if (unscheduled !== undefined) {
    const line = sentence(`Pod ${name} is pending`, unscheduled.reason, unscheduled.message);
    return { line, failed: false };
  }
  const node = pod.spec?.nodeName;
  const where = node === undefined ? 'is pending' : `is starting on node ${node}`;
  return { line: `Pod ${name} ${where}.`, failed: false };
}

const failed = (line: string): PodState => ({ line, failed: true });

function lastExit(container: V1ContainerStatus | undefined): string | undefined {
  const last = container?.lastState?.terminated;
  if (last === undefined) return undefined;
  return last.message ?? `the last run ended with exit code ${last.exitCode}`;
}

function sentence(start: string, ...parts: readonly (string | undefined)[]): string {
  const given = parts.filter((part) => part !== undefined && part !== '');
  const text = given.join(': ').trim();
  const whole = text === '' ? start : `${start}: ${text}`;
  return whole.endsWith('.') ? whole : `${whole}.`;
}
