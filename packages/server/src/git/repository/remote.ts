import { isRepository } from '../proxy/git-request.ts';

/** Where a repository is hosted. */
export interface Remote {
  readonly host: string;
  /** Without `.git`. */
  readonly repository: string;
}

/** Programs in the workspace choose the URL. */
const MAX_LENGTH = 2000;

/** Undefined: not a URL of a repository that a connection can reach. */
export function parseRemote(url: string): Remote | undefined {
  if (url.length > MAX_LENGTH) return undefined;
  const scp = /^(?:[\w.-]+@)?([\w.-]+):(?!\/\/)\/?(.+)$/.exec(url);
  if (scp !== null) return remote(scp[1] ?? '', scp[2] ?? '');
  if (!URL.canParse(url)) return undefined;
  const { protocol, host, hostname, pathname } = new URL(url);
  if (protocol === 'https:') return remote(host, pathname);
  return protocol === 'ssh:' ? remote(hostname, pathname) : undefined;
}

function remote(host: string, path: string): Remote | undefined {
  const repository = path.replace(/^\/+|\/+$/g, '').replace(/\.git$/, '');
  if (host === '' || !isRepository(repository)) return undefined;
  return { host: host.toLowerCase(), repository };
}
