import {
  interruptAgent,
  listAgents,
  messageAgent,
  spawnAgent,
  waitAgent,
} from './cards/agents.tsx';
import { command } from './cards/command.tsx';
import { computer, spawnComputerUseAgent } from './cards/computer.tsx';
import { editFiles } from './cards/edits.tsx';
import { listFiles, readFile, writeFile } from './cards/files.tsx';
import { findTools, isOfMcp, mcp, other } from './cards/other.tsx';
import { plan } from './cards/plan.tsx';
import { processList, processOutput, processSignal } from './cards/processes.tsx';
import { question } from './cards/question.tsx';
import { searchFiles } from './cards/searches.tsx';
import { todoWrite } from './cards/todos.tsx';
import {
  createWorkspace,
  listTemplates,
  readSkill,
  readTemplate,
  startWorkspace,
  stopWorkspace,
} from './cards/workspaces.tsx';
import type { ToolKind } from './tool-kind.ts';

/** By tool name. Others are shown as fields. */
const KINDS: Readonly<Record<string, ToolKind>> = {
  execute: command,
  process_output: processOutput,
  process_signal: processSignal,
  process_list: processList,
  read_file: readFile,
  read_skill_file: readFile,
  write_file: writeFile,
  edit_files: editFiles,
  list_files: listFiles,
  search_files: searchFiles,
  todo_write: todoWrite,
  ask_user_question: question,
  propose_plan: plan,
  spawn_agent: spawnAgent,
  spawn_computer_use_agent: spawnComputerUseAgent,
  wait_agent: waitAgent,
  message_agent: messageAgent,
  interrupt_agent: interruptAgent,
  list_agents: listAgents,
  create_workspace: createWorkspace,
  start_workspace: startWorkspace,
  stop_workspace: stopWorkspace,
  list_templates: listTemplates,
  read_template: readTemplate,
  read_skill: readSkill,
  find_tools: findTools,
  computer,
};

export function toolKindOf(toolName: string): ToolKind {
  if (Object.hasOwn(KINDS, toolName)) return KINDS[toolName] ?? other;
  return isOfMcp(toolName) ? mcp : other;
}
