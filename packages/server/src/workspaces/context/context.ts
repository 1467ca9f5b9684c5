import { z } from 'zod';

const Skill = z.object({
  name: z.string(),
  description: z.string(),
  /** Its folder, relative to the root of the workspace. */
  folder: z.string(),
  /** Why its front matter could not be read, with the path of the file. */
  problem: z.string().optional(),
});
export type Skill = z.infer<typeof Skill>;

/** What a workspace tells the agents that work in it. */
export const WorkspaceContext = z.object({
  root: z.string(),
  files: z.array(z.object({ path: z.string(), text: z.string(), cut: z.boolean() })),
  skills: z.array(Skill),
});
export type WorkspaceContext = z.infer<typeof WorkspaceContext>;

/** As parts of the system prompt. */
export function contextPrompt({ root, files, skills }: WorkspaceContext): string[] {
  const parts = [
    `You have a workspace: the folder ${root}, where your file and process tools work. Paths are relative to it.`,
    ...files.map(
      ({ path, text, cut }) =>
        `Instructions from ${path} of the workspace${cut ? ' (its beginning)' : ''}:\n\n${text}`,
    ),
  ];
  if (skills.length > 0) {
    const lines = skills.map(
      ({ name, description, problem }) => `- ${name}: ${problem ?? description}`,
    );
    parts.push(
      `The workspace has skills: instructions for certain tasks. Read one with read_skill before you begin such a task.\n${lines.join('\n')}`,
    );
  }
  return parts;
}
