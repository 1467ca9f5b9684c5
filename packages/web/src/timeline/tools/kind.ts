import type { ComponentType, ReactNode } from 'react';
import type { Verb } from './phrase.ts';
import type { ToolCardProps, ToolView } from './tool-view.ts';

/** How calls of one tool are shown. */
export interface ToolKind {
  readonly icon: ReactNode;
  readonly verb: Verb;
  /** What it is about, behind the verb: a path, a command. */
  readonly about?: (view: ToolView) => ReactNode;
  readonly aside?: (view: ToolView) => ReactNode;
  /** Something to click beside the line. */
  readonly Action?: ComponentType<ToolCardProps>;
  /** What is behind the line, when there is anything to show. */
  readonly Body?: ComponentType<ToolCardProps>;
  /** Whether there is something to unfold. Once it has a result, unless told. */
  readonly hasBody?: (view: ToolView) => boolean;
  /** Whether it is unfolded by itself; otherwise only what went wrong is. */
  readonly open?: (view: ToolView) => boolean;
}
