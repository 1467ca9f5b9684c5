import { SignInFailure } from '../oidc/sign-in-failure.ts';
import { OidcSignIns } from '../oidc/sign-ins.ts';
import { broken, type Check, type Finding, ok, warning } from './finding.ts';

const NAME = 'oidc';

/** Reads the configuration of the OIDC provider, as a sign-in does. */
export const oidcCheck: Check = {
  name: NAME,
  async look({ config: { oidc, publicUrl, passwordSignIn = true } }) {
    if (oidc === undefined) return [];
    const findings: Finding[] = [];
    try {
      await new OidcSignIns(oidc, []).check();
      findings.push(ok(NAME, `The OIDC provider ${oidc.issuer} is reachable.`));
    } catch (error) {
      const reason = error instanceof SignInFailure ? error.cause : error;
      const links = passwordSignIn ? '' : ' Until then, users sign in with one-time links.';
      findings.push(
        broken(
          NAME,
          `The OIDC provider ${oidc.issuer} cannot be used: ${explained(reason)}`,
          `Check CHATD_OIDC_ISSUER, and that this computer can reach it.${links}`,
        ),
      );
    }
    if (publicUrl === undefined) {
      findings.push(
        warning(
          NAME,
          'The redirect URL of the OIDC provider depends on the host name of each request.',
          'Set CHATD_PUBLIC_URL to the URL of chatd in browsers.',
        ),
      );
    }
    return findings;
  },
};

/** With the reason of a failed connection. */
function explained(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  return cause instanceof Error ? `${error.message} (${cause.message})` : error.message;
}
