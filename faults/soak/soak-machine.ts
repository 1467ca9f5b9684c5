import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CreatedMachine, Machine } from '@chatd/protocol';
import { type Proxy, startProxy } from '@chatd/test-server/programs';
import type { Deployment, Member } from '../deployment/deployment.ts';
import { MachineProcess } from '../deployment/machine.ts';

const NAME = 'soak';
/** The label of the machine, which a template selects. */
export const POOL = { pool: 'soak' };
const POLL_MS = 250;

/** A process of `chatd machine` behind a proxy, which stands for the load balancer. */
export class SoakMachine {
  readonly #deployment: Deployment;
  readonly #directory: string;
  readonly #proxy: Proxy;
  #token = '';
  #process: MachineProcess | undefined;

  static async create(deployment: Deployment, directory: string): Promise<SoakMachine> {
    const [first] = deployment.members;
    if (first === undefined) throw new Error('there is no replica');
    return new SoakMachine(deployment, directory, await startProxy(targetOf(first)));
  }

  private constructor(deployment: Deployment, directory: string, proxy: Proxy) {
    this.#deployment = deployment;
    this.#directory = directory;
    this.#proxy = proxy;
  }

  /** Resolves when it is connected. */
  async start(): Promise<void> {
    const { api } = this.#deployment;
    const body = { name: NAME, labels: POOL };
    ({ token: this.#token } = await api.post<CreatedMachine>('/machines', body));
    this.#launch();
    for (;;) {
      const { machines } = await api.get<{ machines: Machine[] }>('/machines');
      if (machines.some(({ name, status }) => name === NAME && status === 'online')) return;
      await sleep(POLL_MS);
    }
  }

  /** New connections reach this replica. */
  routeTo(member: Member): void {
    this.#proxy.allow(targetOf(member));
  }

  disconnect(): void {
    this.#proxy.terminate();
  }

  async restart(): Promise<void> {
    await this.#process?.kill();
    this.#launch();
  }

  async close(): Promise<void> {
    if (this.#process?.isAlive === true) await this.#process.kill();
    await this.#proxy.close();
  }

  #launch(): void {
    this.#process = MachineProcess.start({
      url: `http://127.0.0.1:${this.#proxy.port}`,
      token: this.#token,
      dataDir: join(this.#directory, 'machine'),
      logFile: join(process.env['CHATD_TEST_FAULT_LOGS'] ?? this.#directory, 'machine.log'),
    });
  }
}

const targetOf = ({ replica }: Member) => ({
  host: '127.0.0.1',
  port: Number(new URL(replica.url).port),
});
