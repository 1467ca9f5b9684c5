import {
  CircleHelp,
  FileText,
  Hammer,
  Hourglass,
  ListTodo,
  type LucideIcon,
  RefreshCw,
} from 'lucide-react';

export interface DemoPrompt {
  readonly text: string;
  readonly shows: string;
  readonly Icon: LucideIcon;
  /** A plan can only be approved in plan mode. */
  readonly planMode?: boolean;
}

/** Prompts with scripted answers, see docs/demo-model.md. Each shows a different feature. */
export const DEMO_PROMPTS: readonly DemoPrompt[] = [
  { text: 'Show me markdown', shows: 'Formatted answers', Icon: FileText },
  { text: 'Use a tool', shows: 'A tool call, step by step', Icon: Hammer },
  { text: 'Ask me a question', shows: 'The agent waits for your answer', Icon: CircleHelp },
  {
    text: 'Make a plan',
    shows: 'Approve a plan or request changes',
    Icon: ListTodo,
    planMode: true,
  },
  { text: 'Be slow for 30 seconds', shows: 'Stop it, steer it, or close the tab', Icon: Hourglass },
  { text: 'Fail and retry', shows: 'Automatic retries after a provider error', Icon: RefreshCw },
];
