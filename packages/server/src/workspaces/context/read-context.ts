import { posix } from 'node:path';
import { SandboxFileError } from '../../machine/drivers/driver.ts';
import type { HostedWorkspace } from '../../machine/machine.ts';
import { displayText } from '../../machine/processes/display-text.ts';
import type { Skill, WorkspaceContext } from './context.ts';
import { frontMatter } from './front-matter.ts';

const INSTRUCTIONS = ['AGENTS.md', 'CLAUDE.md', '.cursorrules'];
const SKILLS = '.agents/skills';
const MAX_FILE_BYTES = 64 * 1024;
const MAX_TOTAL = 160 * 1024;
const MAX_SKILLS = 100;
const MAX_DESCRIPTION = 1024;

/** Reads the instructions and skills of a workspace. Unreadable files are skipped. */
export async function readContext(workspace: HostedWorkspace): Promise<WorkspaceContext> {
  const files: WorkspaceContext['files'] = [];
  let left = MAX_TOTAL;
  for (const path of INSTRUCTIONS) {
    const read = await readText(workspace, path, Math.min(MAX_FILE_BYTES, left));
    if (read === undefined || read.text.trim() === '') continue;
    // Often one is a link to the other.
    if (files.some(({ text }) => text === read.text)) continue;
    files.push({ path, ...read });
    left -= Buffer.byteLength(read.text);
  }
  return { root: workspace.root, files, skills: await readSkills(workspace) };
}

export async function readText(
  workspace: HostedWorkspace,
  path: string,
  limit: number = MAX_FILE_BYTES,
): Promise<{ text: string; cut: boolean } | undefined> {
  try {
    const { bytes, size } = await workspace.files.read(posix.join(workspace.root, path), 0, limit);
    return { text: displayText(bytes), cut: size > bytes.length };
  } catch (error) {
    if (error instanceof SandboxFileError) return undefined;
    throw error;
  }
}

async function readSkills(workspace: HostedWorkspace): Promise<Skill[]> {
  const folder = posix.join(workspace.root, SKILLS);
  const listing = await workspace.files
    .list(folder, { depth: 1, limit: MAX_SKILLS, skip: [] })
    .catch((error: unknown) => {
      if (error instanceof SandboxFileError) return { entries: [] };
      throw error;
    });
  const skills: Skill[] = [];
  for (const { path } of listing.entries) {
    const where = posix.join(SKILLS, path);
    const file = posix.join(where, 'SKILL.md');
    const read = await readText(workspace, file);
    if (read === undefined) continue;
    const { fields, problem } = frontMatter(read.text);
    skills.push({
      name: fields.get('name') ?? path,
      description: (fields.get('description') ?? '').slice(0, MAX_DESCRIPTION),
      folder: where,
      ...(problem !== undefined && { problem: `${file}: ${problem}` }),
    });
  }
  return skills;
}
