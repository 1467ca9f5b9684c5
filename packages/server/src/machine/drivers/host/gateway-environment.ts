/**
 * Environment variables with which git reaches the repositories of `hosts` through the gateway, whichever URL names them.
 */
export function gatewayEnvironment(hosts: readonly string[], port: number): Record<string, string> {
  const gateway = `http://127.0.0.1:${port}/`;
  const settings = [
    // Never through a proxy of the network.
    [`http.${gateway}.proxy`, ''],
    ...hosts.flatMap((host) =>
      [`https://${host}/`, `git@${host}:`, `ssh://git@${host}/`].map((url) => [
        `url.${gateway}${host}/.insteadOf`,
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
