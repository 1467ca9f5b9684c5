import { z } from 'zod';
import { Timestamp, Uuid } from './ids.ts';

/** Max number of projects of a user. */
export const PROJECTS_LIMIT = 200;

export const ProjectName = z.string().trim().min(1).max(100);

export const ProjectInstructions = z.string().max(65_536);

export const Project = z
  .object({
    id: Uuid.describe('ID of the project. A UUIDv7.'),
    name: z.string().meta({
      description: 'Name of the project, unique among your projects.',
      examples: ['Shop'],
    }),
    instructions: z
      .string()
      .describe(
        "Instructions for the agent in all chats of the project, from their next turn on. In the prompt, they follow the system prompt of the settings and precede the chat's own. Empty: none.",
      ),
    model_config_id: Uuid.nullable().describe(
      'Model of new chats in the project. Null, or disabled: the default model.',
    ),
    created_at: Timestamp.describe('Creation time.'),
    updated_at: Timestamp.describe('Time of the last change.'),
  })
  .meta({ id: 'Project', description: 'A folder of chats with its own instructions and model.' });
export type Project = z.infer<typeof Project>;
