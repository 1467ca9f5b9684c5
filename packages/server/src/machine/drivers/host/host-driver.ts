import { execFile } from 'node:child_process';
import { chmod, lstat, mkdir, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { WorkspaceNetwork } from '@chatd/protocol';
import {
  type Sandbox,
  WorkspaceOpenError,
  type Driver,
  type SandboxOptions,
  type WorkspaceSpec,
} from '../driver.ts';
import { CheckpointStore } from '../../checkpoints/checkpoint-store.ts';
import type { DiskGuard } from '../disk/disk-guard.ts';
import { diskLimitedSandbox } from '../disk/disk-limited-sandbox.ts';
import { AddressPolicy } from '../network/address-policy.ts';
import { type AgentAccount, agentAccount } from './agent-account.ts';
import { hiddenIn, type System } from './bwrap-arguments.ts';
import { type Cgroups, findCgroups } from './cgroup.ts';
import {
  type Directories,
  directoriesOf,
  chownTo,
  INSIDE,
  makeDirectories,
} from './directories.ts';
import { type InternetSupport, probeInternet } from './internet.ts';
import { allowTraversal } from './allow-traversal.ts';
import { launchBare, launchSandbox } from './launch.ts';
import type { HostSandbox } from './host-sandbox.ts';
import { openProxy } from './proxy-socket.ts';
import { probeSandbox, type SandboxSupport } from './sandbox-probe.ts';
import { systemOf } from './system.ts';
import { installToolFiles, type ToolFiles } from './tool-files.ts';

const run = promisify(execFile);

export interface HostDriverOptions {
  readonly directory: string;
  /** Hidden from workspaces wherever they are, in particular the data directory. */
  readonly hidden: readonly string[];
  /** Allows commands without a sandbox where none is available. */
  readonly allowUnsandboxed: boolean;
  /** Which addresses workspaces with network access can reach. Default: public ones. */
  readonly addresses?: AddressPolicy;
  /** Keeps workspaces within their disk space. Default: no limit. */
  readonly disk?: DiskGuard;
  /** For tests of hosts without control groups, bubblewrap or slirp4netns. */
  readonly cgroups?: Cgroups | null;
  readonly support?: SandboxSupport;
  readonly internet?: InternetSupport;
}

interface Machine {
  readonly account: AgentAccount | undefined;
  readonly support: SandboxSupport;
  readonly tools: ToolFiles;
  readonly system: System;
  readonly cgroups: Cgroups | undefined;
  readonly internet: InternetSupport;
}

const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** Keeps each workspace in a folder on this host and runs its commands in bubblewrap. */
export class HostDriver implements Driver {
  readonly #options: HostDriverOptions;
  #machine: Promise<Machine> | undefined;
  readonly #addresses: AddressPolicy;
  #opened = 0;

  constructor(options: HostDriverOptions) {
    this.#options = options;
    this.#addresses = options.addresses ?? new AddressPolicy();
  }

  /** How this host is protected from agents. Logged at startup. */
  async protection(): Promise<{
    sandbox: SandboxSupport;
    limits: 'control groups' | 'processes';
    internet: InternetSupport;
  }> {
    const { support, cgroups, internet } = await this.#found();
    const limits = cgroups === undefined ? 'processes' : 'control groups';
    return { sandbox: support, limits, internet };
  }

  async create(spec: WorkspaceSpec): Promise<void> {
    const { account } = await this.#found();
    const shortage = await this.#options.disk?.shortage();
    if (shortage !== undefined)
      throw new WorkspaceOpenError(`The workspace was not created: ${shortage}.`);
    const directories = this.#directories(spec);
    await removeTree(directories.base);
    await makeDirectories(directories, account);
    const gitConfig = join(directories.home, '.gitconfig');
    await writeFile(gitConfig, GIT_CONFIG);
    await chownTo(gitConfig, account);
  }

  async copyIn(spec: WorkspaceSpec, folder: string): Promise<void> {
    const { account } = await this.#found();
    const { files } = this.#directories(spec);
    await run('cp', ['-a', '--', `${folder}/.`, files]);
    if (account === undefined) return;
    await run('chown', ['-R', '-h', `${account.uid}:${account.gid}`, '--', files]);
    await chmod(files, 0o700);
  }

  async open(spec: WorkspaceSpec, opening: SandboxOptions = {}): Promise<Sandbox> {
    const { disk } = this.#options;
    if (disk === undefined) return await this.#open(spec, opening);
    const limitMb = disk.limitOf(spec.limits.disk_mb);
    const sandbox = await this.#open(
      { ...spec, limits: { ...spec.limits, disk_mb: limitMb } },
      opening,
    );
    const watched = disk.watch({
      id: spec.id,
      folder: this.#directories(spec).base,
      limitMb,
      stop: (why) => void sandbox.close(why),
    });
    void sandbox.closed.then(() => disk.release(watched));
    return diskLimitedSandbox(sandbox, watched);
  }

  async #open(spec: WorkspaceSpec, opening: SandboxOptions): Promise<HostSandbox> {
    const { account, support, tools, system, cgroups, internet } = await this.#found();
    const directories = this.#directories(spec);
    const { limits } = spec;
    if (!support.works && !this.#options.allowUnsandboxed) {
      throw new WorkspaceOpenError(
        `No sandbox is available on this host (${support.why}), so no commands are run. ` +
          'Install bubblewrap, use the docker driver, or set CHATD_ALLOW_UNSANDBOXED=1.',
      );
    }
    if (!support.works) {
      const env = environment(spec, { home: directories.home, tmp: directories.tmp, path: PATH });
      return await launchBare(directories, env, { tools, account, limits, onEnd: () => undefined });
    }
    await clearMountPoint(join(directories.tmp, basename(INSIDE.xSockets)));
    const network = networkFor(opening.network ?? spec.network, internet);
    const readOnly = opening.readOnly ?? [];
    const proxy =
      typeof network === 'object'
        ? await openProxy(directories.base, account, { ...network, addresses: this.#addresses })
        : undefined;
    const cgroup = cgroups?.make(`chatd-${process.pid}-${++this.#opened}-${spec.id}`, limits);
    const onEnd = () => {
      proxy?.close();
      void cgroup?.remove();
    };
    return await launchSandbox(
      {
        directories,
        system,
        env: {
          ...(proxy && PROXY_ENVIRONMENT),
          ...environment(spec, {
            home: INSIDE.home,
            tmp: '/tmp',
            path: `${PATH}:${INSIDE.tools}`,
          }),
        },
        proxySocket: proxy?.path,
        readOnly,
        hidden: hiddenIn(system, readOnly, this.#options.hidden),
        disableUserNamespaces: support.disableUserNamespaces,
      },
      { tools, account, limits, onEnd },
      cgroup,
      network === 'internet' ? { privateRanges: this.#addresses.privateRanges } : undefined,
    );
  }

  /** Nothing to do: processes end with their sandbox. */
  async stop(): Promise<void> {}

  async remove(spec: WorkspaceSpec): Promise<void> {
    await removeTree(this.#directories(spec).base);
  }

  async checkpoints(spec: WorkspaceSpec): Promise<CheckpointStore> {
    const { account, support } = await this.#found();
    return new CheckpointStore({ directories: this.#directories(spec), account, support });
  }

  #directories(spec: WorkspaceSpec): Directories {
    return directoriesOf(this.#options.directory, spec.id);
  }

  #found(): Promise<Machine> {
    this.#machine ??= this.#find().catch((error: unknown) => {
      this.#machine = undefined;
      throw error;
    });
    return this.#machine;
  }

  async #find(): Promise<Machine> {
    const { directory, cgroups, support, internet } = this.#options;
    const account = await agentAccount();
    const tools = join(directory, '.tools');
    await mkdir(tools, { recursive: true });
    await allowTraversal([dirname(directory), directory, tools], account);
    return {
      account,
      support: support ?? (await probeSandbox(account)),
      tools: await installToolFiles(tools, account),
      system: systemOf(),
      cgroups: cgroups === undefined ? findCgroups() : (cgroups ?? undefined),
      internet: internet ?? (await probeInternet(account)),
    };
  }
}

/** For downloads a proxy is enough: package managers and git support it. */
function networkFor(
  wanted: WorkspaceNetwork | 'fetch',
  internet: InternetSupport,
): WorkspaceNetwork {
  if (wanted === 'fetch') return internet.works ? 'internet' : { allowlist: ['*'] };
  if (wanted === 'internet' && !internet.works) {
    throw new WorkspaceOpenError(
      `This host cannot connect a workspace to the internet: ${internet.why} Alternatively, use a network allowlist.`,
    );
  }
  return wanted;
}

const PROXY = `http://127.0.0.1:${INSIDE.proxyPort}`;
const NO_PROXY = 'localhost,127.0.0.1,::1';
const PROXY_ENVIRONMENT = {
  http_proxy: PROXY,
  https_proxy: PROXY,
  no_proxy: NO_PROXY,
  HTTP_PROXY: PROXY,
  HTTPS_PROXY: PROXY,
  NO_PROXY,
  NODE_USE_ENV_PROXY: '1',
};

/** Copied or mounted repositories belong to another user; without this, git refuses to read them. */
const GIT_CONFIG = `[safe]
	directory = *
[user]
	name = chatd agent
	email = agent@chatd.invalid
[init]
	defaultBranch = main
[advice]
	detachedHead = false
`;

function environment(
  spec: WorkspaceSpec,
  at: { home: string; tmp: string; path: string },
): Record<string, string> {
  return {
    PATH: at.path,
    HOME: at.home,
    TMPDIR: at.tmp,
    USER: 'agent',
    LOGNAME: 'agent',
    LANG: 'C.UTF-8',
    TERM: 'dumb',
    PAGER: 'cat',
    GIT_PAGER: 'cat',
    GIT_TERMINAL_PROMPT: '0',
    ...spec.env,
  };
}

/** Removes a link or file that an agent placed at a mount point: bubblewrap would follow it. */
async function clearMountPoint(path: string): Promise<void> {
  const found = await lstat(path).catch(() => undefined);
  if (found?.isDirectory() === false) await rm(path, { force: true });
}

/** An agent may have removed the permissions of its own folders. */
async function removeTree(path: string): Promise<void> {
  try {
    await rm(path, { recursive: true, force: true });
  } catch {
    await run('chmod', ['-R', 'u+rwX', '--', path]).catch(() => undefined);
    await rm(path, { recursive: true, force: true });
  }
}
