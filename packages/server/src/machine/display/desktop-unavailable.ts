import { hasProgram } from './find-program.ts';
import { installCommand, VNC_SERVER } from './programs.ts';

/** There is no desktop. The message gives the reason and what to do. */
export class DesktopUnavailable extends Error {
  override readonly name = 'NoDesktop';
}

export const notInstalled = (): DesktopUnavailable =>
  new DesktopUnavailable(
    `A desktop requires ${VNC_SERVER}, which is not installed on this host. Ask the operator to install it: ${installCommand(hasProgram)}`,
  );
