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
      'A host name. `*.example.org` matches every subdomain, `*` every public host. Without a port: 80 and 443.',
    examples: ['packages.example.net'],
  });

/** The network access of the commands in a workspace. */
export const WorkspaceNetwork = z
  .union([
    z.enum(['none', 'internet']).meta({
      title: 'mode',
      description:
        '`none`: loopback only. `internet`: a network namespace of its own that reaches public addresses; no address of the server, no private range.',
    }),
    z
      .strictObject({
        allowlist: z
          .array(AllowedHost)
          .min(1)
          .max(200)
          .describe('The hosts that commands can reach, at most 200.'),
      })
      .meta({
        title: 'allowlist',
        description:
          'HTTP and HTTPS to named hosts, through a proxy of the server. The proxy resolves the names and refuses private addresses. Requires the driver `host`.',
      }),
  ])
  .meta({ id: 'WorkspaceNetwork', description: 'The network access of commands.' });
export type WorkspaceNetwork = z.infer<typeof WorkspaceNetwork>;

/** The form of earlier versions, which clients may send until 1.0. */
const OnOrOff = z
  .boolean()
  .transform((on) => networkMode(on))
  .meta({
    title: 'on or off',
    description: 'Deprecated. `true` is `internet`, `false` is `none`.',
    deprecated: true,
  });

export const GivenWorkspaceNetwork = z.union([WorkspaceNetwork, OnOrOff]);

/** The mode that a stored value means: older replicas store booleans, and nothing for `none`. */
export function networkMode(stored: WorkspaceNetwork | boolean | undefined): WorkspaceNetwork {
  if (typeof stored === 'boolean') return stored ? 'internet' : 'none';
  return stored ?? 'none';
}
