import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CreatedMachine, Template, ToolResultPart, Workspace } from '@chatd/protocol';
import { type Proxy, startProxy } from '@chatd/test-server/programs';
import { makeTemporaryDirectory } from '@chatd/test-server/temporary-directory';
import type { Conversation } from './clients/conversation.ts';
import { type Cluster, withCluster } from './cluster.ts';
import type { DeploymentOptions, Member } from './deployment/deployment.ts';
import type { Effect } from './deployment/effects.ts';
import { type MachineOptions, MachineProcess } from './deployment/machine.ts';
import { callId } from './deployment/plan.ts';
import { isUnknownOutcome } from './oracle/examined.ts';

export interface MachineClusterOptions extends DeploymentOptions {
  readonly machine?: Pick<MachineOptions, 'previousProtocol' | 'program' | 'env'>;
  /** Number of commands that run at a time. */
  readonly commands: number;
  /** Small disk for the data directory of the machine, which may be full. Default: a new folder. */
  readonly machineIn?: string;
}

/** A call of `execute` in a chat of its own. */
export interface RunningCommand {
  readonly key: string;
  readonly conversation: Conversation;
}

/** Longer than the longest silence after which a connection is given up, and a reconnect. */
export const ANSWER_MS = 150_000;
const POLL_MS = 100;
const EXIT_CODE = 7;
const LINES = 40;
/** Duration of a command, so that all of them still run when the last one has started. */
const commandSeconds = (commands: number): number => Math.max(4, commands / 4);
const OUTPUT = Array.from({ length: LINES }, (_, index) => `line ${index + 1}\n`).join('');
/** Longer than every fault. */
const TIMEOUT_SECONDS = 300;

/** Replicas that host no workspaces, and a machine in a process of its own, with one workspace for all chats. */
export class MachineCluster {
  readonly cluster: Cluster;
  /** Stands for the load balancer between the machine and the replicas. */
  readonly proxy: Proxy;
  readonly directory: string;
  readonly token: string;
  machine: MachineProcess;
  workspaceId = '';
  readonly #options: MachineClusterOptions;

  static async open(
    cluster: Cluster,
    directory: string,
    options: MachineClusterOptions,
  ): Promise<MachineCluster> {
    const { api } = cluster.deployment;
    const proxy = await startProxy(targetOf(firstOf(cluster)));
    const { token } = await api.post<CreatedMachine>('/machines', { name: 'builder' });
    const machines = new MachineCluster(cluster, proxy, directory, token, options);
    await machines.#createWorkspace();
    return machines;
  }

  private constructor(
    cluster: Cluster,
    proxy: Proxy,
    directory: string,
    token: string,
    options: MachineClusterOptions,
  ) {
    this.cluster = cluster;
    this.proxy = proxy;
    this.directory = directory;
    this.token = token;
    this.#options = options;
    this.machine = this.launch();
  }

  /** Starts a process of the machine. */
  launch(dataDir = this.dataDir, machine = this.#options.machine): MachineProcess {
    return MachineProcess.start({
      url: `http://127.0.0.1:${this.proxy.port}`,
      token: this.token,
      dataDir,
      logFile: join(process.env['CHATD_TEST_FAULT_LOGS'] ?? this.directory, 'machine.log'),
      ...machine,
    });
  }

  get dataDir(): string {
    return join(this.#options.machineIn ?? this.directory, 'machine');
  }

  get files(): string {
    return join(this.dataDir, 'workspaces', this.workspaceId, 'files');
  }

  /** The replica that holds the connection of the machine. Waits until there is one. */
  async holder(): Promise<Member> {
    for (;;) {
      const [row] = await this.cluster.deployment.witness.query<{ replica_id: string | null }>(
        'SELECT replica_id FROM machine_connections',
      );
      const { members } = this.cluster.deployment;
      const member = members.find(({ workerId }) => workerId === row?.replica_id);
      if (member !== undefined) return member;
      await sleep(POLL_MS);
    }
  }

  /** The replica that does not hold the connection. */
  other(holder: Member): Member {
    const other = this.cluster.deployment.members.find((member) => member !== holder);
    if (other === undefined) throw new Error('two replicas expected');
    return other;
  }

  /** New connections of the machine reach this replica. */
  routeTo(member: Member): void {
    this.proxy.allow(targetOf(member.replica.url));
  }

  /** Starts commands. Half of the chats run on each replica. */
  async start(count: number): Promise<RunningCommand[]> {
    return await Promise.all(Array.from({ length: count }, () => this.#begin()));
  }

  /** How long commands run, in milliseconds. */
  get commandMs(): number {
    return commandSeconds(this.#options.commands) * 1000;
  }

  /** A chat that runs one command. */
  async run(command: string): Promise<Conversation> {
    const args = { command, timeout: TIMEOUT_SECONDS };
    return await this.cluster.begin(
      [{ chunks: 2, call: { tool: 'execute', args } }, { chunks: 3 }],
      undefined,
      { workspace_id: this.workspaceId },
    );
  }

  async #begin(): Promise<RunningCommand> {
    const key = `c-${randomUUID()}`;
    const effect = (what: Effect['what']) =>
      // Begins with a line end: on a full disk, the line before may have none.
      `printf '\\n%s\\n' '${JSON.stringify({ key, what })}' >> effects.jsonl`;
    // `read` with a timeout instead of `sleep`, because 50 commands that fork take much of the CPU.
    const pause = `read -rt ${this.commandMs / 1000 / LINES} -u 9`;
    const command = `exec 9<> <(:); ${effect('begin')}; for i in $(seq ${LINES}); do echo line $i; ${pause}; done; ${effect('end')}; exit ${EXIT_CODE}`;
    return { key, conversation: await this.run(command) };
  }

  /** Waits until the commands run. */
  async running(commands: readonly RunningCommand[]): Promise<void> {
    const { deployment } = this.cluster;
    await this.cluster.eventually('all commands have started', async () => {
      const started = new Set((await deployment.effects()).map(({ key }) => key));
      return commands.every(({ key }) => started.has(key));
    });
  }

  async answered(commands: readonly RunningCommand[]): Promise<void> {
    await this.cluster.eventually(
      'all turns are answered',
      () => commands.every(({ conversation }) => conversation.isAnswered()),
      ANSWER_MS,
    );
  }

  /**
   * Checks the results: the whole output and the exit code of a command that ran once, or an error that says why the
   * outcome is unknown. Returns how many of each there are.
   */
  async results(
    commands: readonly RunningCommand[],
  ): Promise<{ readonly recovered: number; readonly unknown: number }> {
    const { cluster } = this;
    const effects = await cluster.deployment.effects();
    let recovered = 0;
    let unknown = 0;
    for (const { key, conversation } of commands) {
      const part = resultOf(conversation);
      const text = JSON.stringify(part?.result);
      const times = (what: string) =>
        effects.filter((effect) => effect.key === key && effect.what === what).length;
      if (part?.is_error === true) {
        unknown += 1;
        cluster.expect(
          isUnknownOutcome(part.result),
          `call ${key} failed with an unexpected error: ${text}`,
        );
        cluster.expect(
          times('end') === 0,
          `call ${key} is unknown, but its command ran to its end`,
        );
        continue;
      }
      recovered += 1;
      const { exit_code, output } = (part?.result ?? {}) as { exit_code?: number; output?: string };
      cluster.expect(
        exit_code === EXIT_CODE && output === OUTPUT,
        `call ${key} has another result: ${text}`,
      );
      cluster.expect(
        times('begin') === 1 && times('end') === 1,
        `call ${key} began ${times('begin')} times and ended ${times('end')} times`,
      );
    }
    return { recovered, unknown };
  }

  async close(): Promise<void> {
    this.machine.thaw();
    if (this.machine.isAlive) await this.machine.kill();
    await this.proxy.close();
  }

  async #createWorkspace(): Promise<void> {
    const { api, commandEffects } = this.cluster.deployment;
    await this.holder();
    const { id } = await api.post<Template>('/templates', { name: 'commands', driver: 'host' });
    let workspace = await api.post<Workspace>('/workspaces', { template_id: id });
    while (workspace.status === 'creating') {
      await sleep(POLL_MS);
      workspace = await api.get<Workspace>(`/workspaces/${workspace.id}`);
    }
    if (workspace.status !== 'ready')
      throw new Error(`the workspace is ${workspace.status}: ${workspace.error}`);
    this.workspaceId = workspace.id;
    commandEffects.push({
      file: join(this.files, 'effects.jsonl'),
      onFullDisk: this.#options.machineIn !== undefined,
    });
  }
}

export async function withMachine<T>(
  options: MachineClusterOptions,
  run: (machines: MachineCluster) => Promise<T>,
): Promise<T> {
  const settings = { local_machine: false, ...options.settings };
  return await withCluster({ ...options, settings }, async (cluster) => {
    const directory = await makeTemporaryDirectory();
    const machines = await MachineCluster.open(cluster, directory, options);
    try {
      return await run(machines);
    } finally {
      await machines.close();
      await rm(directory, { recursive: true, force: true, maxRetries: 10 });
    }
  });
}

export const resultOf = ({ view, last }: Conversation): ToolResultPart | undefined =>
  view.messages
    .flatMap(({ content }) => content)
    .find(
      (part): part is ToolResultPart =>
        part.type === 'tool-result' && part.tool_call_id === callId(last.id, 0),
    );

const firstOf = ({ deployment }: Cluster): string => deployment.urls[0] ?? '';

function targetOf(url: string): { readonly host: string; readonly port: number } {
  return { host: '127.0.0.1', port: Number(new URL(url).port) };
}
