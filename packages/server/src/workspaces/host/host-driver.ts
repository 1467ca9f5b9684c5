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
import type { DiskGuard } from '../disk/disk-guard.ts';
import { diskLimitedSandbox } from '../disk/disk-limited-sandbox.ts';
import { AddressPolicy } from '../network/address-policy.ts';
import { type AgentAccount, agentAccount } from './agent-account.ts';
import { hiddenIn, type System } from './bwrap-arguments.ts';
import { type Cgroups, findCgroups } from './cgroup.ts';
import { type Directories, directoriesOf, giveTo, INSIDE, makeDirectories } from './directories.ts';
import { type InternetSupport, probeInternet } from './internet.ts';
import { letThrough } from './let-through.ts';
import { launchBare, launchSandbox } from './launch.ts';
import type { HostSandbox } from './host-sandbox.ts';
import { openProxy } from './proxy-socket.ts';
import { probeSandbox, type SandboxSupport } from './sandbox-probe.ts';
import { systemOf } from './system.ts';
import { installToolFiles, type ToolFiles } from './tool-files.ts';

const run = promisify(execFile);

export interface HostDriverOptions {
  /** Holds the folders of the workspaces. */
  readonly directory: string;
  /** Must not be seen from inside, wherever they are: the data directory above all. */
  readonly hidden: readonly string[];
  /** An admin said that commands may run without a sandbox where none can be had. */
  readonly allowUnsandboxed: boolean;
  /** Which addresses workspaces with network access can reach. Default: public ones. */
  readonly addresses?: AddressPolicy;
  /** Keeps workspaces within their disk space. Default: no limit. */
  readonly disk?: DiskGuard;
  /** For tests of machines without control groups, bubblewrap or slirp4netns. */
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

/** A folder of this machine for each workspace; its commands run in bubblewrap. */
export class HostDriver implements Driver {
  readonly #options: HostDriverOptions;
  #machine: Promise<Machine> | undefined;
  readonly #addresses: AddressPolicy;
  #opened = 0;

  constructor(options: HostDriverOptions) {
    this.#options = options;
    this.#addresses = options.addresses ?? new AddressPolicy();
  }

  /** What protects the machine from the agents here; an operator should see it at the start. */
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
    if (shortage !== undefined) throw new WorkspaceOpenError(`No workspace is made: ${shortage}.`);
    const directories = this.#directories(spec);
    await removeTree(directories.base);
    await makeDirectories(directories, account);
    const gitConfig = join(directories.home, '.gitconfig');
    await writeFile(gitConfig, GIT_CONFIG);
    await giveTo(gitConfig, account);
  }

  async copyIn(spec: WorkspaceSpec, folder: string): Promise<void> {
    const { account } = await this.#found();
    const { files } = this.#directories(spec);
    // What is in it, not the folder itself.
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
        `There is no sandbox on this machine (${support.why}), so no command is run. ` +
          'Install bubblewrap, use the docker driver, or allow it with CHATD_ALLOW_UNSANDBOXED=1.',
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

  /** Whatever ran has ended with its sandbox. */
  async stop(): Promise<void> {}

  async remove(spec: WorkspaceSpec): Promise<void> {
    await removeTree(this.#directories(spec).base);
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
    await letThrough([dirname(directory), directory, tools], account);
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

/** What the sandbox is opened with. Fetching does not need the internet mode: package managers and git know proxies. */
function networkFor(
  wanted: WorkspaceNetwork | 'fetch',
  internet: InternetSupport,
): WorkspaceNetwork {
  if (wanted === 'fetch') return internet.works ? 'internet' : { allowlist: ['*'] };
  if (wanted === 'internet' && !internet.works) {
    throw new WorkspaceOpenError(
      `This machine cannot connect a workspace to the internet: ${internet.why} Or use a network allowlist, which does not need it.`,
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

/** Repositories that were copied here or mounted belong to somebody else, and git would refuse to look at them. */
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

/** What an agent put in the way of a mount is removed: a link would lead the mount elsewhere. */
async function clearMountPoint(path: string): Promise<void> {
  const found = await lstat(path).catch(() => undefined);
  if (found?.isDirectory() === false) await rm(path, { force: true });
}

/** Its owner may have taken away the rights to its own folders. */
async function removeTree(path: string): Promise<void> {
  try {
    await rm(path, { recursive: true, force: true });
  } catch {
    await run('chmod', ['-R', 'u+rwX', '--', path]).catch(() => undefined);
    await rm(path, { recursive: true, force: true });
  }
}
