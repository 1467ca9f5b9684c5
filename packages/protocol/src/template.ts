import { z } from 'zod';
import { enumeration } from './enumeration.ts';
import { Timestamp, Uuid } from './ids.ts';
import { GivenWorkspaceNetwork, WorkspaceNetwork } from './workspace-network.ts';

const NO_CONTROL = /^[^\p{Cc}]*$/u;

export const TemplateName = z
  .string()
  .trim()
  .min(1)
  .max(100)
  .regex(NO_CONTROL, 'must not hold control characters');

const GitUrl = z
  .string()
  .max(2000)
  .regex(NO_CONTROL, 'must not hold control characters')
  .regex(
    /^(?:(?:https?|ssh|git|file):\/\/|\/|[\w.-]+@[\w.-]+:)[^\s]+$/,
    'must be a URL (https, http, ssh, git, file), USER@HOST:PATH or an absolute path',
  );

const GitRef = z
  .string()
  .max(250)
  .regex(/^[\w][\w./@+-]*$/, 'must be a branch, a tag or a commit');

/** Where the work comes from. */
export const TemplateSource = z
  .union([
    z
      .strictObject({
        git: z
          .strictObject({
            url: GitUrl.meta({
              description:
                'A URL (https, http, ssh, git, file), `USER@HOST:PATH` or an absolute path. Agents can read it: no secret belongs here.',
              examples: ['https://example.org/shop.git'],
            }),
            ref: GitRef.optional().meta({
              description: "A branch, a tag or a commit. Absent: the repository's own default.",
              examples: ['main'],
            }),
          })
          .describe('The repository.'),
      })
      .meta({ title: 'git', description: 'A repository that is cloned.' }),
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
      .meta({ title: 'path', description: 'A folder that is copied.' }),
  ])
  .meta({ id: 'TemplateSource', description: 'Where the files of a workspace come from.' });
export type TemplateSource = z.infer<typeof TemplateSource>;

export const TemplateLimits = z
  .strictObject({
    memory_mb: z
      .int()
      .min(16)
      .max(4_000_000)
      .optional()
      .describe(
        'Memory, in megabytes: of the workspace as a whole where there are control groups, else of each command. Absent: no limit.',
      ),
    processes: z
      .int()
      .min(8)
      .max(1_000_000)
      .optional()
      .describe('Processes at once in the workspace. Absent: no limit.'),
    disk_mb: z
      .int()
      .min(1)
      .max(100_000_000)
      .optional()
      .describe(
        'Disk space of a workspace, in megabytes, with the driver `host`. The server stops a workspace that exceeds it. Default: `CHATD_WORKSPACE_DISK_MB`.',
      ),
  })
  .meta({
    id: 'TemplateLimits',
    description: 'What runs in a workspace may use no more than this.',
  });
export type TemplateLimits = z.infer<typeof TemplateLimits>;

export const TemplateDriver = enumeration('TemplateDriver', 'What makes workspaces.', {
  host: "a folder on the server's machine, in which commands run in a sandbox (bubblewrap)",
  docker: 'a container for each workspace',
});
export type TemplateDriver = z.infer<typeof TemplateDriver>;

const DesktopSize = z
  .strictObject({
    width: z
      .int()
      .min(320)
      .max(3840)
      .meta({ description: 'In pixels.', examples: [1280] }),
    height: z
      .int()
      .min(240)
      .max(2160)
      .meta({ description: 'In pixels.', examples: [800] }),
  })
  .meta({ title: 'size', description: 'A desktop from the start, of this size.' });

/** What workspaces are made from, as an admin or a file says it. */
export const TemplateDefinition = z.strictObject({
  description: z
    .string()
    .max(2000)
    .optional()
    .describe('What it is for; people and agents choose by it.'),
  driver: TemplateDriver.describe('What makes its workspaces.'),
  source: TemplateSource.optional().describe(
    'Where their files come from. Absent: they begin empty.',
  ),
  setup: z
    .string()
    .max(65_536)
    .optional()
    .meta({
      description:
        'A shell script that runs once in a new workspace, with network. The first command that fails ends it, and the workspace has failed.',
      examples: ['npm ci'],
    }),
  env: z
    .record(
      z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'is not a name of a variable'),
      z
        .string()
        .max(32_768)
        .regex(/^[^\0]*$/, 'must not hold NUL'),
    )
    .refine((env) => Object.keys(env).length <= 200, 'must not be more than 200')
    .optional()
    .meta({
      description:
        'Variables for the set-up and all commands, at most 200. Agents can read them. Shown to admins only.',
      examples: [{ NODE_ENV: 'development' }],
    }),
  limits: TemplateLimits.optional().describe(
    'What runs in a workspace may use. Absent: no limits.',
  ),
  network: GivenWorkspaceNetwork.optional().describe(
    'The network access of commands. The source and the set-up script are always fetched and run with access to public addresses. Default: `none`.',
  ),
  image: z
    .string()
    .max(500)
    .regex(/^[a-zA-Z0-9][\w./:@-]*$/, 'is not a name of an image')
    .optional()
    .meta({
      description: 'Of the container, for the driver `docker`. `debian:stable-slim` unless given.',
      examples: ['node:24'],
    }),
  desktop: z
    .union([
      z.boolean().meta({
        title: 'yes or no',
        description: 'True: a desktop from the start, of 1920 × 1080 pixels.',
      }),
      DesktopSize,
    ])
    .optional()
    .describe(
      'A desktop from the start, with the driver `host`. Absent or false: there is one of 1920 × 1080 pixels when an agent first uses it.',
    ),
});
export type TemplateDefinition = z.infer<typeof TemplateDefinition>;

export const Template = z
  .object({
    id: Uuid.describe(
      'What `createWorkspace` names. Of a template from a file, always the same for its name.',
    ),
    name: z.string().describe('Unique. Agents know it by this.'),
    ...TemplateDefinition.shape,
    network: WorkspaceNetwork.optional().describe(
      'The network access of commands. Absent: `none`.',
    ),
    from_file: z
      .boolean()
      .describe('It comes from a file in `CHATD_TEMPLATES_DIR`, and is changed there.'),
    created_at: Timestamp.optional().describe('When it was added. Absent of one from a file.'),
  })
  .meta({
    id: 'Template',
    description:
      'What workspaces are made from. A workspace has a copy: changing a template changes none that exist.',
  });
export type Template = z.infer<typeof Template>;
