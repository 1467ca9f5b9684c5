import { z } from 'zod';
import { MachineLabels } from './machine.ts';
import { MachineProvisioner } from './machine-provisioner.ts';
import { WorkspaceMcpServers } from './workspace-mcp-server.ts';
import { enumeration } from './enumeration.ts';
import { Timestamp, Uuid } from './ids.ts';
import { GivenWorkspaceNetwork, WorkspaceNetwork } from './workspace-network.ts';

const NO_CONTROL = /^[^\p{Cc}]*$/u;

export const TemplateName = z
  .string()
  .trim()
  .min(1)
  .max(100)
  .regex(NO_CONTROL, 'must not contain control characters');

const GitUrl = z
  .string()
  .max(2000)
  .regex(NO_CONTROL, 'must not contain control characters')
  .regex(
    /^(?:(?:https?|ssh|git|file):\/\/|\/|[\w.-]+@[\w.-]+:)[^\s]+$/,
    'must be a URL (https, http, ssh, git, file), USER@HOST:PATH or an absolute path',
  );

const GitRef = z
  .string()
  .max(250)
  .regex(/^[\w][\w./@+-]*$/, 'must be a branch, a tag or a commit');

export const TemplateSource = z
  .union([
    z
      .strictObject({
        git: z
          .strictObject({
            url: GitUrl.meta({
              description:
                'A URL (https, http, ssh, git, file), `USER@HOST:PATH` or an absolute path. Agents can read it, so it must not contain secrets.',
              examples: ['https://example.org/shop.git'],
            }),
            ref: GitRef.optional().meta({
              description: 'A branch, tag or commit. Absent: the default branch.',
              examples: ['main'],
            }),
          })
          .describe('The repository.'),
      })
      .meta({ title: 'git', description: 'A git repository, which is cloned.' }),
    z
      .strictObject({
        path: z
          .string()
          .max(4000)
          .regex(/^\/[^\0]*$/, 'must be an absolute path on the server')
          .meta({
            description: "An absolute path on the server's machine.",
            examples: ['/srv/shop'],
          }),
      })
      .meta({ title: 'path', description: 'A folder, which is copied.' }),
  ])
  .meta({ id: 'TemplateSource', description: 'Source of the files of a workspace.' });
export type TemplateSource = z.infer<typeof TemplateSource>;

export const TemplateLimits = z
  .strictObject({
    memory_mb: z
      .int()
      .min(16)
      .max(4_000_000)
      .optional()
      .describe(
        'Max memory in megabytes: of the whole workspace if control groups are available, else of each command. Absent: no limit.',
      ),
    processes: z
      .int()
      .min(8)
      .max(1_000_000)
      .optional()
      .describe('Max concurrent processes in the workspace. Absent: no limit.'),
    disk_mb: z
      .int()
      .min(1)
      .max(100_000_000)
      .optional()
      .describe(
        'Max disk space of a workspace in megabytes, with the driver `host`. The server stops a workspace that exceeds it. Default: `CHATD_WORKSPACE_DISK_MB`.',
      ),
  })
  .meta({
    id: 'TemplateLimits',
    description: 'Resource limits of a workspace.',
  });
export type TemplateLimits = z.infer<typeof TemplateLimits>;

export const TemplateDriver = enumeration('TemplateDriver', 'Driver that creates workspaces.', {
  host: "a folder on the server's machine; commands run in a sandbox (bubblewrap)",
  docker: 'a container per workspace',
});
export type TemplateDriver = z.infer<typeof TemplateDriver>;

const DesktopSize = z
  .strictObject({
    width: z
      .int()
      .min(320)
      .max(3840)
      .meta({ description: 'Width in pixels.', examples: [1280] }),
    height: z
      .int()
      .min(240)
      .max(2160)
      .meta({ description: 'Height in pixels.', examples: [800] }),
  })
  .meta({ title: 'size', description: 'Starts a desktop of this size with the workspace.' });

export const TemplateMachine = z
  .strictObject({
    labels: MachineLabels.optional().meta({
      description: 'Labels that the machine must have, with these values. Default: none.',
      examples: [{ zone: 'a' }],
    }),
    provisioner: MachineProvisioner.optional().describe(
      'Creates a machine for each workspace. Visible to admins only. Absent: workspaces share existing machines.',
    ),
  })
  .meta({ id: 'TemplateMachine', description: 'Selects or creates machines.' });
export type TemplateMachine = z.infer<typeof TemplateMachine>;

export const TemplateDefinition = z.strictObject({
  description: z
    .string()
    .max(2000)
    .optional()
    .describe('Purpose of the template, for users and agents who choose one.'),
  driver: TemplateDriver.describe('Driver that creates the workspaces.'),
  source: TemplateSource.optional().describe(
    "Source of the workspace's files. Absent: workspaces start empty.",
  ),
  setup: z
    .string()
    .max(65_536)
    .optional()
    .meta({
      description:
        'Shell script that runs once in a new workspace, with network access. If a command fails, the workspace fails.',
      examples: ['npm ci'],
    }),
  env: z
    .record(
      z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'is not a valid variable name'),
      z
        .string()
        .max(32_768)
        .regex(/^[^\0]*$/, 'must not contain NUL'),
    )
    .refine((env) => Object.keys(env).length <= 200, 'must have at most 200 variables')
    .optional()
    .meta({
      description:
        'Environment variables of the setup script and all commands. At most 200. Agents can read them. Visible to admins only.',
      examples: [{ NODE_ENV: 'development' }],
    }),
  limits: TemplateLimits.optional().describe('Resource limits of a workspace. Absent: no limits.'),
  network: GivenWorkspaceNetwork.optional().describe(
    'Network access of commands. Fetching the source and running the setup script always have access to public addresses. Default: `none`.',
  ),
  machine: TemplateMachine.optional().describe(
    'Machines that can host the workspaces. Absent: any machine.',
  ),
  mcp_servers: WorkspaceMcpServers.optional().meta({
    description:
      'MCP servers that run in the sandbox of each workspace, by name. Chats with the workspace get their tools. At most 16. Visible to admins only. Absent: none.',
    examples: [{ database: { command: 'npx', args: ['-y', 'some-mcp-server'] } }],
  }),
  repository_mcp_servers: z
    .boolean()
    .optional()
    .describe(
      'Also runs the stdio servers in the `.mcp.json` of the workspace, in its sandbox. Everyone who can change that file can change the programs. Default: false.',
    ),
  image: z
    .string()
    .max(500)
    .regex(/^[a-zA-Z0-9][\w./:@-]*$/, 'is not a valid image name')
    .optional()
    .meta({
      description: 'Container image, with the driver `docker`. Default: `debian:stable-slim`.',
      examples: ['node:24'],
    }),
  desktop: z
    .union([
      z.boolean().meta({
        title: 'boolean',
        description: 'True starts a desktop of 1920 × 1080 pixels with the workspace.',
      }),
      DesktopSize,
    ])
    .optional()
    .describe(
      'Starts a desktop with the workspace, with the driver `host`. Absent or false: a desktop of 1920 × 1080 pixels starts when an agent first uses it.',
    ),
});
export type TemplateDefinition = z.infer<typeof TemplateDefinition>;

export const Template = z
  .object({
    id: Uuid.describe(
      'ID of the template, for `createWorkspace`. For templates from files, derived from the name.',
    ),
    name: z.string().describe('Unique name. Agents use it to choose a template.'),
    ...TemplateDefinition.shape,
    network: WorkspaceNetwork.optional().describe('Network access of commands. Absent: `none`.'),
    from_file: z
      .boolean()
      .describe(
        'True if the template comes from a file in `CHATD_TEMPLATES_DIR`. Change it there.',
      ),
    created_at: Timestamp.optional().describe('Creation time. Absent for templates from files.'),
  })
  .meta({
    id: 'Template',
    description:
      'A blueprint for workspaces. Workspaces copy it, so later changes do not affect existing workspaces.',
  });
export type Template = z.infer<typeof Template>;
