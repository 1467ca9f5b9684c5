import { z } from 'zod';

const LABEL = '[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?';
const HOST_PATTERN = new RegExp(
  `^(?:\\*|(?:\\*\\.)?${LABEL}(?:\\.${LABEL})*)(?::[1-9][0-9]{0,4})?$`,
  'i',
);

const AllowedHost = z
  .string()
  .max(260)
  .regex(HOST_PATTERN, 'must be a host name such as example.org, *.example.org or example.org:8443')
  .meta({
    description:
      'A host name. `*.example.org` matches every subdomain, `*` every public host. Default ports: 80 and 443.',
    examples: ['packages.example.net'],
  });

export const WorkspaceNetwork = z
  .union([
    z.enum(['none', 'internet']).meta({
      title: 'mode',
      description:
        '`none`: loopback only. `internet`: a separate network namespace with access to public addresses, but not to addresses of the server or private ranges.',
    }),
    z
      .strictObject({
        allowlist: z
          .array(AllowedHost)
          .min(1)
          .max(200)
          .describe('Hosts that commands can reach. At most 200.'),
      })
      .meta({
        title: 'allowlist',
        description:
          'HTTP and HTTPS to the listed hosts, through a proxy of the server that resolves the names and blocks private addresses. Requires the driver `host`.',
      }),
  ])
  .meta({ id: 'WorkspaceNetwork', description: 'Network access of commands.' });
export type WorkspaceNetwork = z.infer<typeof WorkspaceNetwork>;

/** The form of earlier versions, accepted until 1.0. */
const OnOrOff = z
  .boolean()
  .transform((on) => networkMode(on))
  .meta({
    title: 'boolean',
    description: 'Deprecated. `true` means `internet`, `false` means `none`.',
    deprecated: true,
  });

export const GivenWorkspaceNetwork = z.union([WorkspaceNetwork, OnOrOff]);

/** The mode of a stored value. Older replicas store booleans, and nothing for `none`. */
export function networkMode(stored: WorkspaceNetwork | boolean | undefined): WorkspaceNetwork {
  if (typeof stored === 'boolean') return stored ? 'internet' : 'none';
  return stored ?? 'none';
}
