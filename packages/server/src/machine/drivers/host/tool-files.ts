import { execFile } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, copyFile, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import { type AgentAccount, canRun } from './agent-account.ts';
import { USER_NETWORK } from './internet.ts';
import { ptyPackage } from './pty-package.ts';

const run = promisify(execFile);

/** Files that every sandbox needs, readable for the agents' account. */
export interface ToolFiles {
  /** The program that runs inside: Node, and the folder with its script. */
  readonly node: string;
  readonly script: string;
  readonly passwd: string;
  readonly group: string;
  readonly hosts: string;
  readonly resolvConf: string;
}

/** Replaces the host's own files, which name hosts and resolvers of its private network. */
const HOSTS = '127.0.0.1 localhost workspace\n::1 localhost\n';
const RESOLV_CONF = `nameserver ${USER_NETWORK.resolver}\n`;

const SOURCE = join(import.meta.dirname, 'inside');
/** `.ts` in the repository, `.js` in a build. */
const EXTENSION = extname(import.meta.filename);

/**
 * Copied, because the agents' account must not need access to the folders of chatd or Node. The folder is named after
 * its content, so that each version has its own.
 */
export async function installToolFiles(
  directory: string,
  account: AgentAccount | undefined,
): Promise<ToolFiles> {
  const names = (await readdir(SOURCE)).filter(
    (name) => name.endsWith(EXTENSION) && !name.includes('.test.'),
  );
  const scripts = await Promise.all(
    names.map(async (name) => ({ name, text: await readFile(join(SOURCE, name)) })),
  );
  const pty = ptyPackage();
  const hash = createHash('sha256')
    .update(process.version)
    .update(pty?.version ?? '')
    .update(HOSTS)
    .update(RESOLV_CONF);
  for (const { name, text } of scripts) hash.update(name).update(text);
  const folder = join(directory, `inside-${hash.digest('hex').slice(0, 16)}`);
  const node = await reachableNode(directory, account);
  const uid = account?.uid ?? process.getuid?.() ?? 0;
  const gid = account?.gid ?? process.getgid?.() ?? 0;
  if (!existsSync(folder)) {
    const draft = join(directory, `draft-${randomUUID()}`);
    const script = join(draft, 'inside');
    await mkdir(script, { recursive: true });
    await Promise.all([
      EXTENSION === '.ts' ? withoutTypes(names, script) : copyAll(names, script),
      pty?.copyInto(script),
      writeFile(join(script, 'package.json'), '{"type":"module"}\n'),
      writeFile(join(draft, 'passwd'), `agent:x:${uid}:${gid}:agent:/home/agent:/bin/bash\n`),
      writeFile(join(draft, 'group'), `agent:x:${gid}:\n`),
      writeFile(join(draft, 'hosts'), HOSTS),
      writeFile(join(draft, 'resolv.conf'), RESOLV_CONF),
    ]);
    await openAll(draft);
    // Another process may have been faster.
    await rename(draft, folder).catch(() => rm(draft, { recursive: true, force: true }));
  }
  return {
    node,
    script: join(folder, 'inside'),
    passwd: join(folder, 'passwd'),
    group: join(folder, 'group'),
    hosts: join(folder, 'hosts'),
    resolvConf: join(folder, 'resolv.conf'),
  };
}

async function copyAll(names: readonly string[], target: string): Promise<void> {
  await Promise.all(names.map((name) => copyFile(join(SOURCE, name), join(target, name))));
}

/** Stripping types at every start would take longer than the start itself. */
async function withoutTypes(names: readonly string[], target: string): Promise<void> {
  const program = `
    import { stripTypeScriptTypes } from 'node:module';
    import { readFileSync, writeFileSync } from 'node:fs';
    const [source, target, ...names] = process.argv.slice(1);
    for (const name of names) {
      const text = stripTypeScriptTypes(readFileSync(source + '/' + name, 'utf8'));
      const linked = text.replaceAll(/from '(\\.\\/[\\w-]+)\\.ts'/g, "from '$1.js'");
      writeFileSync(target + '/' + name.replace(/\\.ts$/, '.js'), linked);
    }`;
  const flags = ['--disable-warning=ExperimentalWarning', '--input-type=module'];
  await run(process.execPath, [...flags, '--eval', program, SOURCE, target, ...names]);
}

async function reachableNode(
  directory: string,
  account: AgentAccount | undefined,
): Promise<string> {
  if (await canRun(account, process.execPath, ['--version'])) return process.execPath;
  const copy = join(directory, `node-${process.version}`);
  if (!existsSync(copy)) {
    const draft = `${copy}.${randomUUID()}`;
    await copyFile(process.execPath, draft);
    await chmod(draft, 0o755);
    await rename(draft, copy);
  }
  return copy;
}

/** Readable for all users, regardless of the umask. */
async function openAll(folder: string): Promise<void> {
  await chmod(folder, 0o755);
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    await (entry.isDirectory() ? openAll(path) : chmod(path, 0o644));
  }
}
