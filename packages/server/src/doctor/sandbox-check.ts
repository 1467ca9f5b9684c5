import { agentAccount } from '../workspaces/host/account.ts';
import { probeSandbox } from '../workspaces/host/sandbox-probe.ts';
import { broken, type Check, ok, warning } from './finding.ts';

const NAME = 'sandbox';

/** Whether commands of agents can be kept in, found out by doing it. */
export const sandboxCheck: Check = {
  name: NAME,
  async look({ config: { workspaces } }) {
    if (!workspaces.enabled) return [ok(NAME, 'not needed: CHATD_WORKSPACES=0')];
    const support = await probeSandbox(await agentAccount());
    if (support.works) return [ok(NAME, 'commands of agents run in bubblewrap')];
    if (workspaces.allowUnsandboxed) {
      return [
        warning(
          NAME,
          `Commands of agents run without a sandbox: ${support.why}.`,
          'Install bubblewrap (apt-get install bubblewrap), or trust your agents with all that this user can do.',
        ),
      ];
    }
    return [
      broken(
        NAME,
        `Workspaces do not open: ${support.why}.`,
        'Install bubblewrap (apt-get install bubblewrap), use templates with docker, or turn workspaces off: CHATD_WORKSPACES=0.',
      ),
    ];
  },
};
