import type { ComponentType, ReactNode } from 'react';
import type { Verb } from './phrase.ts';
import type { ToolCardProps, ToolView } from './tool-view.ts';

/** How calls of one tool are shown. */
export interface ToolKind {
  readonly icon: ReactNode;
  readonly verb: Verb;
  /** The object of the verb: a path, a command. */
  readonly about?: (view: ToolView) => ReactNode;
  readonly aside?: (view: ToolView) => ReactNode;
  /** An action beside the line. */
  readonly Action?: ComponentType<ToolCardProps>;
  /** The collapsible content. */
  readonly Body?: ComponentType<ToolCardProps>;
  /** Whether there is content to expand. Default: once there is a result. */
  readonly hasBody?: (view: ToolView) => boolean;
  /** A card with a border even when finished, instead of a line. */
  readonly card?: boolean;
  /** The call waits for a person, so that its duration says nothing. */
  readonly untimed?: boolean;
  /** Expanded by default. Otherwise only failures are. */
  readonly open?: (view: ToolView) => boolean;
}
