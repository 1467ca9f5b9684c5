import type { DemoRequest } from './request.ts';
import type { Script } from './script.ts';

/** Something that the demo model can be asked to do. */
export interface Intent {
  /** The message to type. */
  try: string;
  shows: string;
  matches(said: string): boolean;
  /** `menu` lists the intents. */
  begin(request: DemoRequest, menu: string): Script;
  /** The response after tool results. Default: a description of the results. */
  goOn?(request: DemoRequest): Script;
}
