import { type AgentAccount, agentAccount } from '../workspaces/host/agent-account.ts';
import { probeInternet } from '../workspaces/host/internet.ts';
import { probeSandbox } from '../workspaces/host/sandbox-probe.ts';
import { broken, type Check, type Finding, ok, warning } from './finding.ts';

const NAME = 'sandbox';

/** Whether commands of agents can be kept in, found out by doing it. */
export const sandboxCheck: Check = {
  name: NAME,
  async look({ config: { workspaces } }) {
    if (!workspaces.enabled) return [ok(NAME, 'not needed: CHATD_WORKSPACES=0')];
    const account = await agentAccount();
    const support = await probeSandbox(account);
    if (support.works) {
      return [ok(NAME, 'commands of agents run in bubblewrap'), await internetFinding(account)];
    }
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

async function internetFinding(account: AgentAccount | undefined): Promise<Finding> {
  const internet = await probeInternet(account);
  if (internet.works) return ok(NAME, 'workspaces can have internet access (slirp4netns)');
  return warning(
    NAME,
    `Workspaces with the network mode internet do not open: ${internet.why}`,
    'Install what is missing, or use network allowlists in the templates.',
  );
}
