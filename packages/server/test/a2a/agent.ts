import {
  type Artifact,
  Role,
  type SendMessageRequest,
  type StreamResponse,
  type Task,
  TaskState,
} from '@a2a-js/sdk';
import {
  type Client,
  ClientFactory,
  ClientFactoryOptions,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
} from '@a2a-js/sdk/client';

type Part = Artifact['parts'][number];
type Given = Partial<NonNullable<SendMessageRequest['message']>>;

/** An unmodified SDK client, which discovers the agent by its card. */
export async function connect(
  url: string,
  headers: Readonly<Record<string, string>>,
): Promise<Client> {
  const fetchImpl: typeof fetch = (input, init) =>
    fetch(input, { ...init, headers: { ...(init?.headers as object), ...headers } });
  const options = ClientFactoryOptions.createFrom(ClientFactoryOptions.default, {
    transports: [new JsonRpcTransportFactory({ fetchImpl })],
    // Without the token: the card is public.
    cardResolver: new DefaultAgentCardResolver(),
  });
  return await new ClientFactory(options).createFromUrl(url);
}

const part = (content: Part['content']): Part => ({
  content,
  metadata: undefined,
  filename: '',
  mediaType: '',
});

export const textPart = (value: string): Part => part({ $case: 'text', value });
export const dataPart = (value: unknown): Part => part({ $case: 'data', value });
export const urlPart = (value: string): Part => part({ $case: 'url', value });
export const rawPart = (bytes: string, mediaType: string, filename: string): Part => ({
  ...part({ $case: 'raw', value: Buffer.from(bytes, 'base64') }),
  mediaType,
  filename,
});

let made = 0;

/** A request that sends text or parts. */
export function message(
  content: string | readonly Part[],
  given: Given = {},
  configuration: Partial<NonNullable<SendMessageRequest['configuration']>> = {},
): SendMessageRequest {
  made += 1;
  return {
    tenant: '',
    message: {
      messageId: `message-${made}-${process.pid}`,
      contextId: '',
      taskId: '',
      role: Role.ROLE_USER,
      parts: typeof content === 'string' ? [textPart(content)] : [...content],
      metadata: undefined,
      extensions: [],
      referenceTaskIds: [],
      ...given,
    },
    configuration: configuration as never,
    metadata: undefined,
  };
}

export const named = (id: string) => ({ tenant: '', id });

/** A client's copy of a task: applies updates as the protocol specifies. */
export class Followed {
  readonly events: StreamResponse[] = [];
  task: Task | undefined;

  take(event: StreamResponse): void {
    this.events.push(event);
    const { payload } = event;
    if (payload?.$case === 'task') this.task = payload.value;
    if (this.task === undefined) throw new Error('The stream does not begin with the task.');
    if (payload?.$case === 'statusUpdate') this.task.status = payload.value.status;
    if (payload?.$case !== 'artifactUpdate') return;
    const { artifact, append } = payload.value;
    if (artifact === undefined) throw new Error('An update has no artifact.');
    const known = this.task.artifacts.find(({ artifactId }) => artifactId === artifact.artifactId);
    if (append) {
      if (known === undefined) throw new Error('There is nothing to append to.');
      known.parts.push(...artifact.parts);
      // Copies: later updates must not change the received events.
    } else if (known === undefined) {
      this.task.artifacts.push({ ...artifact, parts: [...artifact.parts] });
    } else known.parts = [...artifact.parts];
  }

  async all(stream: AsyncIterable<StreamResponse>): Promise<this> {
    for await (const event of stream) this.take(event);
    return this;
  }

  get text(): string {
    return this.task === undefined ? '' : textOf(this.task);
  }

  get state(): string {
    return this.task === undefined ? '' : stateOf(this.task);
  }

  /** The texts of the updates, in order. */
  get deltas(): string[] {
    return this.events.flatMap(({ payload }) =>
      payload?.$case === 'artifactUpdate'
        ? (payload.value.artifact?.parts.map(textIn).filter((text) => text !== '') ?? [])
        : [],
    );
  }
}

const textIn = ({ content }: Part): string => (content?.$case === 'text' ? content.value : '');

export const textOf = ({ artifacts }: Task): string =>
  artifacts.map(({ parts }) => parts.map(textIn).join('')).join('|');

export const stateOf = ({ status }: Task): string =>
  TaskState[status?.state ?? TaskState.UNRECOGNIZED].replace('TASK_STATE_', '');

/** The text and the data of the status message. */
export function statusOf({ status }: Task): { said: string; data: unknown } {
  const parts = status?.message?.parts ?? [];
  const data = parts.find(({ content }) => content?.$case === 'data')?.content?.value;
  return { said: parts.map(textIn).join(''), data };
}

export function asTask(result: object): Task {
  if (!('artifacts' in result)) throw new Error('The result is not a task.');
  return result as Task;
}

export type { Task };
