import type { DemoRequest } from './request.ts';
import type { Script } from './script.ts';

/** One thing that the demo model can be asked for. */
export interface Intent {
  /** What to type to see it. */
  try: string;
  /** What it shows. */
  shows: string;
  matches(said: string): boolean;
  /** `menu` lists what can be tried. */
  begin(request: DemoRequest, menu: string): Script;
  /** When tools have answered; otherwise their answers are put into words. */
  goOn?(request: DemoRequest): Script;
}
