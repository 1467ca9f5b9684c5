import { MonitorDot, MonitorPlay } from 'lucide-react';
import { safeText } from '../../../markdown/safe-text.ts';
import type { ToolKind } from '../tool-kind.ts';
import { argumentsOf } from '../read-view.ts';
import type { ToolView } from '../tool-view.ts';
import { spawnAgent } from './agents.tsx';

/** A desktop action, with the screenshot taken after it. */
export const computer: ToolKind = {
  icon: <MonitorDot />,
  verb: ['use the desktop', 'using the desktop', 'used the desktop'],
  about: (view) => safeText(actionOf(view)),
  hasBody: ({ result }) => result?.is_media === true,
  open: () => true,
};

/** The first detail, in any provider's format. */
function actionOf(view: ToolView): string {
  const { action, text, key, coordinate } = argumentsOf(view);
  const place = Array.isArray(coordinate) ? ` at ${coordinate.map(String).join(', ')}` : '';
  const words = typeof text === 'string' ? ` “${text}”` : typeof key === 'string' ? ` ${key}` : '';
  return typeof action === 'string' ? `: ${action.replaceAll('_', ' ')}${words}${place}` : '';
}

export const spawnComputerUseAgent: ToolKind = {
  ...spawnAgent,
  icon: <MonitorPlay />,
  verb: ['start a desktop agent', 'starting a desktop agent', 'started a desktop agent'],
};
