import type { GitRepository } from '@chatd/protocol';

/** The remote that the user sees: the request is refused if it has changed. */
export const destinationOf = (remote: GitRepository['remote']): { readonly destination?: string } =>
  remote === null ? {} : { destination: `${remote.host}/${remote.repository}` };
