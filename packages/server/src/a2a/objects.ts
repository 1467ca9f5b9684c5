/** Objects of A2A 1.0 in their JSON form. */
export interface A2aPart {
  readonly text?: string;
  readonly url?: string;
  readonly data?: unknown;
  readonly filename?: string;
  readonly mediaType?: string;
}

export interface A2aMessage extends TaskUpdate {
  readonly messageId: string;
  readonly role: 'ROLE_USER' | 'ROLE_AGENT';
  readonly parts: readonly A2aPart[];
}

export interface Artifact {
  readonly artifactId: string;
  readonly name: string;
  readonly parts: readonly [A2aPart];
}

export type TaskState =
  | 'TASK_STATE_SUBMITTED'
  | 'TASK_STATE_WORKING'
  | 'TASK_STATE_COMPLETED'
  | 'TASK_STATE_FAILED'
  | 'TASK_STATE_CANCELED'
  | 'TASK_STATE_INPUT_REQUIRED';

export interface TaskStatus {
  readonly state: TaskState;
  readonly message?: A2aMessage;
  readonly timestamp?: string;
}

export interface Task {
  readonly id: string;
  readonly contextId: string;
  readonly status: TaskStatus;
  readonly artifacts: readonly Artifact[];
  readonly history: readonly A2aMessage[];
  readonly metadata: object;
}

interface TaskUpdate {
  readonly taskId: string;
  readonly contextId: string;
}

interface StatusUpdate extends TaskUpdate {
  readonly status: TaskStatus;
  readonly metadata: object;
}

interface ArtifactUpdate extends TaskUpdate {
  readonly artifact: Artifact;
  readonly append: boolean;
  readonly lastChunk: boolean;
}

/** An event of the stream of a task. */
export type StreamResponse =
  | { readonly task: Task }
  | { readonly statusUpdate: StatusUpdate }
  | { readonly artifactUpdate: ArtifactUpdate };

/** The task with its newest messages. Undefined: all messages. */
export function withHistory(task: Task, length: number | undefined): object {
  if (length === undefined) return task;
  const { history, ...rest } = task;
  return length === 0 ? rest : { ...rest, history: history.slice(-length) };
}
