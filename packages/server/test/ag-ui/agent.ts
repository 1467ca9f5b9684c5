import {
  type BaseEvent,
  EventType,
  HttpAgent,
  type Message,
  type RunAgentParameters,
} from '@ag-ui/client';

/** An unmodified SDK client and everything it receives. */
export class TestAgent {
  readonly agent: HttpAgent;
  readonly events: BaseEvent[] = [];
  #onEvent: (event: BaseEvent) => void = () => undefined;

  constructor(url: string, headers: Readonly<Record<string, string>>, threadId?: string) {
    this.agent = new HttpAgent({ url, headers, ...(threadId !== undefined && { threadId }) });
    this.agent.subscribe({
      onEvent: ({ event }) => {
        this.events.push(event);
        this.#onEvent(event);
      },
    });
  }

  /** Sends a message and follows the run to its end. Returns its events. */
  async say(content: string, parameters: RunAgentParameters = {}): Promise<BaseEvent[]> {
    this.agent.addMessage({ id: crypto.randomUUID(), role: 'user', content });
    return await this.run(parameters);
  }

  async run(parameters: RunAgentParameters = {}): Promise<BaseEvent[]> {
    this.events.length = 0;
    await this.agent.runAgent(parameters);
    return [...this.events];
  }

  onEvent(listener: (event: BaseEvent) => void): void {
    this.#onEvent = listener;
  }

  get types(): string[] {
    return this.events.map(({ type }) => type);
  }

  get chatId(): string {
    const started = this.events.find(({ type }) => type === EventType.RUN_STARTED);
    const { chatd } = (started?.metadata ?? {}) as {
      readonly chatd?: { readonly chat_id: string };
    };
    return chatd?.chat_id ?? '';
  }

  get last(): BaseEvent | undefined {
    return this.events.at(-1);
  }

  /** Roles and texts of the client's messages. */
  get said(): string[] {
    return this.agent.messages.map(saidIn);
  }
}

function saidIn(message: Message): string {
  const { role, content = '' } = message;
  const calls = message.role === 'assistant' ? (message.toolCalls ?? []) : [];
  const called = calls.map((call) => `${call.function.name}(${call.function.arguments})`);
  const text = typeof content === 'string' ? content : JSON.stringify(content);
  return [`${role}: ${text}`, ...called].join(' ').trim();
}

/** The client throws the error of a lost connection a second time, where it cannot be caught. */
export function catchLostConnections(): () => void {
  const listeners = process.listeners('unhandledRejection');
  process.removeAllListeners('unhandledRejection');
  process.on('unhandledRejection', (error, promise) => {
    if (error instanceof TypeError && error.message === 'terminated') return;
    for (const listener of listeners) listener(error, promise);
  });
  return () => {
    process.removeAllListeners('unhandledRejection');
    for (const listener of listeners) process.on('unhandledRejection', listener);
  };
}
