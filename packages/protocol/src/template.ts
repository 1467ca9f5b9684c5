import { z } from 'zod';
import { Timestamp, Uuid } from './ids.ts';

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
export const TemplateSource = z.union([
  z.strictObject({ git: z.strictObject({ url: GitUrl, ref: GitRef.optional() }) }),
  z.strictObject({
    path: z
      .string()
      .max(4000)
      .regex(/^\/[^\0]*$/, 'must be an absolute path on the server'),
  }),
]);
export type TemplateSource = z.infer<typeof TemplateSource>;

export const TemplateLimits = z.strictObject({
  memory_mb: z.int().min(16).max(4_000_000).optional(),
  processes: z.int().min(8).max(1_000_000).optional(),
});
export type TemplateLimits = z.infer<typeof TemplateLimits>;

export const TemplateDriver = z.enum(['host', 'docker']);
export type TemplateDriver = z.infer<typeof TemplateDriver>;

/** In pixels. */
const DesktopSize = z.strictObject({
  width: z.int().min(320).max(3840),
  height: z.int().min(240).max(2160),
});

/** What workspaces are made from, as an admin or a file says it. */
export const TemplateDefinition = z.strictObject({
  description: z.string().max(2000).optional(),
  driver: TemplateDriver,
  /** Without one a workspace begins empty. */
  source: TemplateSource.optional(),
  /** A shell script that runs once, in the workspace. */
  setup: z.string().max(65_536).optional(),
  env: z
    .record(
      z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'is not a name of a variable'),
      z
        .string()
        .max(32_768)
        .regex(/^[^\0]*$/, 'must not hold NUL'),
    )
    .refine((env) => Object.keys(env).length <= 200, 'must not be more than 200')
    .optional(),
  limits: TemplateLimits.optional(),
  /** Whether what runs in the workspace has network; its set-up always has. */
  network: z.boolean().optional(),
  /** Of the container, for the driver `docker`. */
  image: z
    .string()
    .max(500)
    .regex(/^[a-zA-Z0-9][\w./:@-]*$/, 'is not a name of an image')
    .optional(),
  /** A desktop from the start, which an agent uses and people can watch; of another size than 1920 × 1080. */
  desktop: z.union([z.boolean(), DesktopSize]).optional(),
});
export type TemplateDefinition = z.infer<typeof TemplateDefinition>;

export const Template = z
  .object({
    id: Uuid,
    name: z.string(),
    ...TemplateDefinition.shape,
    /** From a file of the server's: it is changed there. */
    from_file: z.boolean(),
    created_at: Timestamp.optional(),
  })
  .meta({ id: 'Template' });
export type Template = z.infer<typeof Template>;
