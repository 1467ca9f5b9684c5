/** A request of git's smart HTTP protocol. */
export interface GitRequest {
  readonly host: string;
  /** Without `.git`. */
  readonly repository: string;
  readonly service: 'git-upload-pack' | 'git-receive-pack';
  /** Whether it lists the refs, before data is exchanged. */
  readonly isAdvertisement: boolean;
  /** The path and the query at the host. */
  readonly path: string;
}

const HOST = '[a-z0-9.-]+(?::[0-9]{1,5})?';
/** Not `.`, `..`, or `.git`. */
const SEGMENT = String.raw`(?!\.(?:\.|git)?(?:/|$))[\w.~+-]+`;
const REPOSITORY = `${SEGMENT}(?:/${SEGMENT})*`;
const REPOSITORY_PATTERN = new RegExp(`^${REPOSITORY}$`);
const URL_PATTERN = new RegExp(
  String.raw`^/(${HOST})/(${REPOSITORY})/(info/refs|git-upload-pack|git-receive-pack)(?:\?service=(git-upload-pack|git-receive-pack))?$`,
);

/** Whether it can be a part of the path of a request with a token. */
export const isRepository = (path: string): boolean => REPOSITORY_PATTERN.test(path);

/** Undefined: anything else than cloning, fetching, or pushing. */
export function parseGitRequest(method: string, url: string): GitRequest | undefined {
  const [, host, repository, action, query] = URL_PATTERN.exec(url) ?? [];
  if (host === undefined || repository === undefined) return undefined;
  const isAdvertisement = action === 'info/refs';
  const service = isAdvertisement ? query : action;
  if (method !== (isAdvertisement ? 'GET' : 'POST')) return undefined;
  if (isAdvertisement === (query === undefined)) return undefined;
  if (service !== 'git-upload-pack' && service !== 'git-receive-pack') return undefined;
  return {
    host,
    repository: repository.replace(/\.git$/, ''),
    service,
    isAdvertisement,
    path: url.slice(host.length + 1),
  };
}

/** A pattern is `owner/name`, or `owner/*` for all repositories below. Null: all repositories. */
export function allowsRepository(patterns: readonly string[] | null, repository: string): boolean {
  if (patterns === null) return true;
  const name = repository.toLowerCase();
  return patterns.some((pattern) => {
    const wanted = pattern.toLowerCase().replace(/\.git$/, '');
    return wanted.endsWith('/*') ? name.startsWith(wanted.slice(0, -1)) : name === wanted;
  });
}
