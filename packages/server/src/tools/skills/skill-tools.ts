import { posix } from 'node:path';
import type { LocalTool } from '@chatd/loop';
import { z } from 'zod';
import type { Skill } from '../../workspaces/context/context.ts';
import { frontMatter } from '../../workspaces/context/front-matter.ts';
import { readText } from '../../workspaces/context/read-context.ts';
import type { WorkspaceHandle } from '../workspace-handle.ts';
import { agentTool } from '../agent-tool.ts';

const MAX_FILES = 200;

const ReadSkillInput = z.strictObject({ name: z.string().min(1) });

export const readSkill = (handle: WorkspaceHandle, skills: readonly Skill[]): LocalTool =>
  agentTool({
    name: 'read_skill',
    description: 'Read the instructions of a skill, and list its files.',
    input: ReadSkillInput,
    idempotent: true,
    readOnly: true,
    forDesktops: true,
    async run({ name }, context) {
      const { folder } = demand(skills, name);
      const workspace = await handle.use(context);
      const read = await readText(workspace, posix.join(folder, 'SKILL.md'));
      if (read === undefined)
        throw new Error(`The skill ${name} no longer exists in the workspace.`);
      const { entries } = await workspace.files.list(posix.join(workspace.root, folder), {
        depth: 4,
        limit: MAX_FILES,
        skip: ['.git', 'node_modules'],
      });
      const files = entries.filter(({ kind, path }) => kind === 'file' && path !== 'SKILL.md');
      return {
        instructions:
          frontMatter(read.text).body.trim() + (read.cut ? '\n[truncated to 64 KiB]' : ''),
        folder,
        files: files.map(({ path }) => path),
      };
    },
  });

const ReadSkillFileInput = z.strictObject({
  name: z.string().min(1),
  path: z.string().min(1).describe('Relative to the folder of the skill'),
});

export const readSkillFile = (handle: WorkspaceHandle, skills: readonly Skill[]): LocalTool =>
  agentTool({
    name: 'read_skill_file',
    description: 'Read a file of a skill, at most 64 KiB.',
    input: ReadSkillFileInput,
    idempotent: true,
    readOnly: true,
    forDesktops: true,
    async run({ name, path }, context) {
      const { folder } = demand(skills, name);
      const inside = posix.normalize(path);
      if (inside.startsWith('..') || inside.startsWith('/')) {
        throw new Error(`${path} is outside the skill ${name}. Use read_file for other files.`);
      }
      const workspace = await handle.use(context);
      const read = await readText(workspace, posix.join(folder, inside));
      if (read === undefined) throw new Error(`The skill ${name} has no file ${path}.`);
      return read.text + (read.cut ? '\n[truncated to 64 KiB: use read_file to read more]' : '');
    },
  });

function demand(skills: readonly Skill[], name: string): Skill {
  const skill = skills.find((one) => one.name === name);
  if (skill !== undefined) return skill;
  const names = skills.map((one) => one.name).join(', ');
  throw new Error(`Skill ${name} does not exist. Available skills: ${names}.`);
}
