import { checkDesktop } from '../desktop/check-desktop.ts';
import { type Check, ok, warning } from './finding.ts';

const NAME = 'desktop';

export const desktopCheck: Check = {
  name: NAME,
  look({ config: { workspaces } }) {
    if (!workspaces.enabled) return Promise.resolve([ok(NAME, 'Not needed: CHATD_WORKSPACES=0.')]);
    if (workspaces.localMachine === false)
      return Promise.resolve([ok(NAME, 'Not needed: CHATD_LOCAL_MACHINE=0.')]);
    return Promise.resolve(
      checkDesktop().map(({ message, hint }) =>
        hint === undefined ? ok(NAME, message) : warning(NAME, message, hint),
      ),
    );
  },
};
