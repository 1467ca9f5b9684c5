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
}

/** What the demo model knows, see docs/demo-model.md; each shows another part of the page. */
export const DEMO_PROMPTS: readonly DemoPrompt[] = [
  { text: 'Show me markdown', shows: 'How answers look', Icon: FileText },
  { text: 'Use a tool', shows: 'A tool at work, step by step', Icon: Hammer },
  { text: 'Ask me a question', shows: 'It waits until you answer', Icon: CircleHelp },
  { text: 'Make a plan', shows: 'You approve it, or say what to change', Icon: ListTodo },
  { text: 'Be slow for 30 seconds', shows: 'Stop it, steer it, close the tab', Icon: Hourglass },
  { text: 'Fail and retry', shows: 'What happens when a provider fails', Icon: RefreshCw },
];
