/**
 * Environment variables with which git reaches the repositories of `hosts` through the gateway, whichever URL names them.
 * A host can have the path of an owner: `HOST/OWNER`.
 */
export function gatewayEnvironment(hosts: readonly string[], port: number): Record<string, string> {
  const gateway = `http://127.0.0.1:${port}/`;
  const settings = [
    // Never through a proxy of the network.
    [`http.${gateway}.proxy`, ''],
    ...hosts.flatMap((prefix) =>
      [`https://${prefix}/`, scpUrl(prefix), `ssh://git@${prefix}/`].map((url) => [
        `url.${gateway}${prefix}/.insteadOf`,
        url,
      ]),
    ),
  ];
  return Object.fromEntries([
    ['GIT_CONFIG_COUNT', String(settings.length)],
    ...settings.flatMap(([key = '', value = ''], index) => [
      [`GIT_CONFIG_KEY_${index}`, key],
      [`GIT_CONFIG_VALUE_${index}`, value],
    ]),
  ]) as Record<string, string>;
}

function scpUrl(prefix: string): string {
  const [host = '', ...owner] = prefix.split('/');
  return `git@${host}:${owner.map((name) => `${name}/`).join('')}`;
}
