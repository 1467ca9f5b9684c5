import { Box, BookOpen, CirclePause, CirclePlay, LayoutTemplate } from 'lucide-react';
import { Markdown } from '../../../markdown/markdown.tsx';
import { BoundedText } from '../bounded-text.tsx';
import { Fields } from '../fields.tsx';
import type { ToolKind } from '../tool-kind.ts';
import { resultField, resultText, textArgument } from '../read-view.ts';
import type { ToolCardProps } from '../tool-view.ts';

export const createWorkspace: ToolKind = {
  icon: <Box />,
  verb: ['create a workspace', 'creating a workspace', 'created a workspace'],
  about: (view) => `from ${textArgument(view, 'template')}`,
  Body: Workspace,
  open: ({ state }) => state === 'running',
};

export const startWorkspace: ToolKind = {
  icon: <CirclePlay />,
  verb: ['start the workspace', 'starting the workspace', 'started the workspace'],
  Body: Workspace,
  open: ({ state }) => state === 'running',
};

export const stopWorkspace: ToolKind = {
  icon: <CirclePause />,
  verb: ['stop the workspace', 'stopping the workspace', 'stopped the workspace'],
};

/** The setup output while it runs; its result afterwards. */
function Workspace({ view }: ToolCardProps) {
  if (view.state === 'done') return <Fields value={view.result?.result} />;
  return <BoundedText text={resultText(view)} keep="end" className="bg-code" />;
}

export const listTemplates: ToolKind = {
  icon: <LayoutTemplate />,
  verb: ['list templates', 'listing templates', 'listed templates'],
  Body: ({ view }) => <Fields value={view.result?.result} />,
};

export const readTemplate: ToolKind = {
  icon: <LayoutTemplate />,
  verb: ['read the template', 'reading the template', 'read the template'],
  about: (view) => textArgument(view, 'template'),
  Body: ({ view }) => <Fields value={view.result?.result} />,
};

export const readSkill: ToolKind = {
  icon: <BookOpen />,
  verb: ['read the skill', 'reading the skill', 'read the skill'],
  about: (view) => textArgument(view, 'name'),
  Body: Skill,
};

function Skill({ view }: ToolCardProps) {
  const instructions = resultField(view, 'instructions');
  if (typeof instructions !== 'string') return <BoundedText text={resultText(view)} />;
  return (
    <div className="max-h-96 overflow-auto px-3 py-2 text-sm">
      <Markdown text={instructions} />
    </div>
  );
}
