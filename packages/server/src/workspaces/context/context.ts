import { z } from 'zod';

const Skill = z.object({
  name: z.string(),
  description: z.string(),
  /** Its folder, relative to the workspace root. */
  folder: z.string(),
  /** Why its front matter is invalid, with the path of the file. */
  problem: z.string().optional(),
});
export type Skill = z.infer<typeof Skill>;

/** The instructions and skills that a workspace has for agents. */
export const WorkspaceContext = z.object({
  root: z.string(),
  files: z.array(z.object({ path: z.string(), text: z.string(), cut: z.boolean() })),
  skills: z.array(Skill),
});
export type WorkspaceContext = z.infer<typeof WorkspaceContext>;

export function contextPrompt({ root, files, skills }: WorkspaceContext): string[] {
  const parts = [
    `You have a workspace at ${root}. Your file and process tools work there; paths are relative to it.`,
    ...files.map(
      ({ path, text, cut }) =>
        `Instructions from ${path} in the workspace${cut ? ' (truncated)' : ''}:\n\n${text}`,
    ),
  ];
  if (skills.length > 0) {
    const lines = skills.map(
      ({ name, description, problem }) => `- ${name}: ${problem ?? description}`,
    );
    parts.push(
      `The workspace has skills: instructions for specific tasks. Before you start such a task, read its skill with read_skill.\n${lines.join('\n')}`,
    );
  }
  return parts;
}
